//! Switches that send a frame that finds its queue full on as its header, from a scenario's text to packets on wires.

use std::collections::{BTreeMap, BTreeSet};

use backwater_scenario::{Folders, Keep, Resolved, Run, Scenario};
use backwater_sim::connection::Header;
use backwater_sim::record::{Record, What};
use backwater_sim::world::World;
use backwater_transport::segment::Feedback;

/// Eight senders of a window each into one port whose class queue holds 20 packets.
fn into_a_short_queue(transport: &str, trim: &str) -> String {
    format!(
        r#"
schema = "backwater/scenario/1"
duration = "2 ms"
topology = {{ kind = "star", hosts = 8, rate = "40 Gbit/s", delay = "1 us", bottleneck = "40 Gbit/s" }}
ports."*" = {{ queue = {{ kind = "strict-priority", classes = 2 }}, buffer = "20960 B"{trim} }}
ports."h*>W" = {{ buffer = "unlimited" }}
flows.f = {{ from = "h*", to = "D", packet = "1030 B", ack_class = 1, controller = {{ kind = "fixed", window = "20 packets" }}, source = {{ kind = "bulk", size = "64 kB" }}, {transport} }}
"#
    )
}

fn read(text: String) -> Resolved {
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
    scenario.resolve(None).unwrap_or_else(|d| panic!("{d}"))
}

fn built(text: String) -> World {
    read(text).build().unwrap_or_else(|d| panic!("{d}"))
}

const ANY_ORDER: &str = r#"transport = "irn", gaps = "other-ways""#;

/// What finds the queue full goes on as a header of 64 B. Each
/// trimmed packet is asked for and sent again, no packet is lost, no timer expires, and all arrive: 8 x 64 kB at 40 Gbit/s, 1,068 B of
/// line for 1,000 of payload, take 109.4 us, and the headers their part of the line.
#[test]
fn a_full_queue_trims_and_its_receiver_asks_for_the_rest() {
    let run = |transport: &str, trim: &str| {
        let mut world = built(into_a_short_queue(transport, trim));
        world.advance(world.end());
        let report = world.report();
        // The companions that carry acknowledgements follow.
        let last = report.flows[..8].iter().map(|f| f.last_delivered).max();
        assert!(report.conserved);
        let trimmed: u64 = report.ports.iter().map(|p| p.count.trimmed).sum();
        let again: u64 = report.connections.iter().map(|c| c.retransmitted).sum();
        for c in &report.connections {
            assert_eq!(c.delivered, 64_000, "{transport}{trim}");
        }
        let microseconds = last.flatten().expect("data arrive").0 as f64 / 1e6;
        (trimmed, again, report.dropped, microseconds)
    };
    let (trimmed, again, dropped, took) = run(ANY_ORDER, ", trim = 1");
    assert_eq!((trimmed, dropped), (again, 0));
    assert!(trimmed > 100, "{trimmed}");
    // A header takes 84 B of the line; a round trip and a packet at each end come on top.
    let line = 109.4 + trimmed as f64 * 84.0 * 8.0 / 40e3;
    assert!((line..line + 8.0).contains(&took), "{took} {line}");
    let (trimmed, again, dropped, took) = run(r#"transport = "roce""#, ", trim = 1");
    assert!(trimmed > 0 && again > trimmed && dropped == 0);
    assert!(took > 109.4);
    // Without trimming they are lost, and a timer finds that.
    let (trimmed, again, dropped, took) = run(ANY_ORDER, "");
    assert!(trimmed == 0 && dropped > 100 && again >= dropped);
    assert!(took > 320.0, "{took}");
}

/// A header is the packet that was trimmed: it comes to the port once, leaves it once and reaches the host once, and nothing else of that packet does.
/// It has 46 IP bytes and takes 84 B of the line, 16.8 ns at 40 Gbit/s, and no data frame is chosen while one waits.
#[test]
fn a_header_goes_ahead_of_data_and_is_its_packet() {
    let mut world = built(into_a_short_queue(ANY_ORDER, ", trim = 1"));
    world.start_recording();
    world.advance(world.end());
    let records = world.take_records();
    let report = world.report();
    let trimmed: u64 = report.ports.iter().map(|p| p.count.trimmed).sum();
    let here = |r: &&Record| world.network().ports[r.port].more.name == "W>D";
    let (mut waiting, mut sent, mut busy_until) = (BTreeMap::new(), BTreeSet::new(), 0);
    let mut followed = 0;
    for r in records.iter().filter(here) {
        let (packet, header) = ((r.flow, r.seq), r.traffic.class() == 1);
        match r.what {
            What::Enqueue if header => assert!(waiting.insert(packet, r.at).is_none()),
            What::Send => {
                // What a line is chosen for waits until it is free.
                followed += u64::from(r.at.0 == busy_until && header);
                assert!(r.at.0 >= busy_until, "{r:?}");
                let size = if header { 46 } else { 1030 };
                assert_eq!(u64::from(r.len), size);
                busy_until = r.at.0 + (size + 38) * 200;
                match header {
                    true => {
                        waiting.remove(&packet).expect("it waited");
                        assert!(sent.insert(packet));
                    }
                    false => assert!(waiting.values().all(|at| *at >= r.at), "{r:?}"),
                }
            }
            What::Deliver => assert_eq!(header, sent.contains(&packet), "{r:?}"),
            What::Drop => panic!("{r:?}"),
            _ => {}
        }
    }
    assert!(waiting.is_empty() && report.dropped == 0 && report.conserved);
    assert_eq!(sent.len() as u64, trimmed);
    assert!(followed > 20, "{followed}");
    let delivered = |r: &&Record| r.what == What::Deliver && sent.contains(&(r.flow, r.seq));
    assert_eq!(records.iter().filter(delivered).count(), sent.len());
}

/// Of what a packet took along a header keeps what credit its sender asks for, and no records of hops.
#[test]
fn a_header_keeps_what_its_packet_asks_for_and_no_records() {
    let window = r#"kind = "fixed", window = "20 packets""#;
    let credit = format!(r#"{ANY_ORDER}, pull = "4 kB", speculate = "64 kB""#);
    let credit = into_a_short_queue(&credit, ", trim = 1");
    let records = into_a_short_queue(ANY_ORDER, r#", trim = 1, stamp = { kind = "hop-record" }"#);
    let hpcc = r#"kind = "hpcc", rate = "40 Gbit/s", base_rtt = "5 us""#;
    let records = records.replace(window, hpcc);
    for (text, keeps) in [(credit, true), (records, false)] {
        let mut world = built(text);
        world.start_recording();
        world.advance(world.end());
        let records = world.take_records();
        let mut headers = 0;
        for r in records.iter().filter(|r| r.what == What::Send) {
            if let Some(Header::Data(segment, _)) = r.header.as_deref()
                && segment.len == 0
                && r.len == 46
                && world.network().ports[r.port].more.name == "W>D"
            {
                let asks = matches!(segment.feedback.as_deref(), Some(Feedback::Wanted { .. }));
                assert_eq!((asks, segment.feedback.is_some()), (keeps, keeps));
                headers += 1;
            }
        }
        assert!(headers > 50, "{headers}");
    }
}

/// Data go ahead of headers here, so that the queue of headers fills: what finds it full is lost. A stream's packets are not trimmed, for its receiver
/// cannot ask for them, and what was trimmed in the warm-up is not counted.
#[test]
fn headers_may_be_lost_and_streams_are_not_trimmed() {
    let count = |text: String| {
        let mut world = built(text);
        world.advance(world.end());
        let report = world.report();
        assert!(report.conserved);
        let trimmed: u64 = report.ports.iter().map(|p| p.count.trimmed).sum();
        (trimmed, report.dropped)
    };
    let text = into_a_short_queue(&format!("{ANY_ORDER}, class = 2"), ", trim = 1");
    let text = text.replace("classes = 2", "classes = 3");
    let (trimmed, dropped) = count(text.replace("20960 B", "3144 B"));
    // The queue of headers has room for 49.
    assert!(trimmed > 49 && dropped > 0, "{trimmed} {dropped}");
    let (trimmed, dropped) = count(into_a_short_queue(r#"transport = "tcp""#, ", trim = 1"));
    assert!(trimmed == 0 && dropped > 0, "{trimmed} {dropped}");
    let text = into_a_short_queue(ANY_ORDER, ", trim = 1");
    let (trimmed, _) = count(text.replace("duration", "warmup = \"1 ms\"\nduration"));
    assert_eq!(trimmed, 0);
}

/// Go-back-N without a timer never hears that its last packets are lost: the run says which flows wait, and what would help. A transfer that is whole
/// waits for nothing, and one whose packets are on their way may yet be.
#[test]
fn flows_that_wait_for_ever_are_named() {
    for (more, duration, waits) in [
        (r#", timeout = "0 s""#, "2 ms", true),
        (r#", timeout = "200 us""#, "2 ms", false),
        (r#", timeout = "0 s""#, "4 us", false),
    ] {
        let text = into_a_short_queue(&format!(r#"transport = "roce"{more}"#), "");
        let resolved = read(text.replace("2 ms", duration));
        let mut run = Run::new(&resolved, Keep::default()).unwrap_or_else(|_| panic!("not built"));
        while !run.step().unwrap_or_else(|_| panic!("not run")) {}
        let document = run.finish().unwrap_or_else(|_| panic!("not finished")).0;
        let said = document["warnings"].to_string();
        let named = said.contains("waits for ever") && said.contains("for flows.f");
        assert_eq!(named, waits, "{more} {duration}: {said}");
    }
}
