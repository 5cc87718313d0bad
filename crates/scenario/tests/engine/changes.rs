//! Changes in the middle of a run.

use std::collections::BTreeSet;

use backwater_sim::ids::FlowId;
use backwater_sim::table::Id;
use backwater_transport::units::{Span, Time};

use crate::net::*;

/// A line of 10 Mbit/s behind one of 100.
fn line(flow: &str, more: &str) -> String {
    format!(
        r#"
duration = "1 s"
nodes = {{ S = {{ kind = "host" }}, W = {{ kind = "switch" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "W"], rate = "100 Mbit/s", delay = "0 s" }}
links.b = {{ ends = ["W", "D"], rate = "10 Mbit/s", delay = "0 s" }}
flows.f = {{ from = "S", to = "D", {flow} }}
{more}
"#
    )
}

const CBR: &str =
    r#"source = { kind = "cbr", packet = "1500 B", rate = "20 Mbit/s", phase = "start" }"#;
const F: FlowId = Id::raw(0);

/// A transfer that the sender has in full stops sending when its flow ends, at the new end as at one that was written from the beginning.
#[test]
fn a_flow_with_a_transport_sends_nothing_after_its_new_end() {
    let flow = |stop: u64| {
        format!(
            r#"stop = "{stop} ms", transport = "tcp", controller = {{ kind = "fixed", window = "20 packets" }}, source = {{ kind = "bulk", size = "5 MB" }}"#
        )
    };
    let mut whole = built(&line(&flow(300), ""));
    let mut world = built(&line(&flow(700), ""));
    world.advance(Time(100 * MS));
    world
        .change_stop(F, Time(300 * MS))
        .expect("a later end than the present");
    let (whole, world) = (finished(&mut whole), finished(&mut world));
    assert_eq!(world.fingerprint, whole.fingerprint);
    // A segment takes 1,230.4 us, and 20 are in flight.
    assert!((244..=264).contains(&world.flows[0].sums.entered.packets));
}

/// A source that needs a transport is none for a flow that has none, and one for a flow that has one.
#[test]
fn a_source_that_needs_a_transport_goes_to_flows_that_have_one() {
    let source = |text: &str| {
        let flow = format!(r#"transport = "tcp", controller = {{ kind = "cubic" }}, {text}"#);
        let mut flows = resolved(&line(&flow, "")).spec().flows;
        flows.remove(0).source
    };
    let transfer = r#"source = { kind = "bulk", size = "20 kB" }"#;
    let tcp = format!(r#"transport = "tcp", controller = {{ kind = "cubic" }}, {CBR}"#);
    for (flow, refused) in [(CBR, true), (tcp.as_str(), false)] {
        let mut world = built(&line(flow, ""));
        world.advance(Time(10 * MS));
        let changed = world.change_source(F, [source(CBR), source(transfer)], Time::ZERO);
        let said = changed.map_err(|why| why.what);
        match refused {
            true => assert_eq!(
                said,
                Err("flow `f` has no transport, which this source needs".into())
            ),
            false => assert_eq!(said, Ok(())),
        }
    }
}

/// Frames that carry notices may not overtake others: their wire may become longer, or stay as it is, and not shorter.
#[test]
fn a_wire_whose_frames_carry_notices_gets_no_shorter() {
    let more =
        r#"mechanisms.m = { recipe = "pause", at = ["W>D"], notify = { carrier = "header" } }"#;
    let long = line(CBR, more).replace("delay = \"0 s\"", "delay = \"1 ms\"");
    let mut world = built(&long);
    world.advance(Time(10 * MS));
    let back = port(&world, "W>S");
    let mut change = |us: u64| {
        let changed = world.change_delay(back, Span::micros(us));
        changed.map_err(|why| why.what)
    };
    assert_eq!(change(1_000), Ok(()));
    assert_eq!(change(1_001), Ok(()));
    let said = change(1_000).expect_err("a shorter wire");
    assert!(said.contains("which would overtake others"), "{said}");
}

/// Twice what the line takes, and a ramp by the present queue, which has no memory but its stream: to put the same ramp in its place changes
/// nothing, since its stream goes on.
#[test]
fn a_queue_in_the_place_of_its_like_draws_on() {
    let more = r#"ports."W>D" = { buffer = "unlimited", queue = { kind = "wred", min = "5 kB", max = "500 kB", top = "50 %" } }"#;
    let text = line(CBR, more);
    let (mut plain, mut changed, fresh) = (built(&text), built(&text), built(&text));
    changed.advance(Time(500 * MS));
    let queue = port(&changed, "W>D");
    changed.change_queue(queue, &fresh).expect("a queue");
    let (plain, changed) = (finished(&mut plain), finished(&mut changed));
    assert!(plain.dropped > 50, "{}", plain.dropped);
    assert_eq!(plain.fingerprint, changed.fingerprint);
}

/// The stream of queue management that comes in the middle of a run is keyed by what all streams were keyed anew by before: forks by other
/// numbers differ, and those by the same do not.
#[test]
fn a_queue_that_comes_later_draws_as_the_fork_does() {
    let text = line(CBR, r#"ports."W>D" = { buffer = "unlimited" }"#);
    let red = r#"ports."W>D" = { buffer = "unlimited", queue = { kind = "red", min = "5 kB", max = "2 MB" } }"#;
    let fresh = built(&line(CBR, red));
    let end = |by: &[u64]| {
        let mut world = built(&text);
        world.advance(Time(300 * MS));
        by.iter().for_each(|by| world.reseed(*by));
        let queue = port(&world, "W>D");
        world.change_queue(queue, &fresh).expect("a queue");
        let report = finished(&mut world);
        assert!(report.dropped > 0);
        report.fingerprint
    };
    let found = [end(&[]), end(&[1]), end(&[2]), end(&[1, 2])];
    assert_eq!(found[1], end(&[1]));
    for (n, one) in found.iter().enumerate() {
        assert!(!found[..n].contains(one), "{n}");
    }
}

/// At the instant at which a flow ends it has ended, and no other end can be given to it.
#[test]
fn a_flow_that_ends_at_the_present_has_ended() {
    let mut world = built(&line(&format!("stop = \"50 ms\", {CBR}"), ""));
    world.advance(Time(50 * MS - 1));
    world
        .clone()
        .change_stop(F, Time(60 * MS))
        .expect("it has not ended");
    // It may end at the present, and sends no more.
    let mut ended = world.clone();
    ended.change_stop(F, ended.now()).expect("the present");
    let entered = ended.report().entered;
    assert_eq!(finished(&mut ended).entered, entered);
    world.advance(Time(50 * MS));
    let said = world
        .change_stop(F, Time(60 * MS))
        .expect_err("it has ended");
    assert!(said.what.contains("ended at"), "{}", said.what);
}

/// PIE that comes to a queue begins as at an idle port: it drops nothing before its first timer of 15 ms, however long the queue is.
#[test]
fn pie_that_comes_to_a_long_queue_begins_at_nought() {
    let more = |queue: &str| format!("ports.\"W>D\" = {{ buffer = \"unlimited\"{queue} }}");
    let pie = r#", queue = { kind = "pie", max_burst = "0 s" }"#;
    let mut world = built(&line(CBR, &more("")));
    let fresh = built(&line(CBR, &more(pie)));
    // 10 Mbit/s too much for half a second: half a second of queue, with a target of 15 ms.
    world.advance(Time(500 * MS));
    let queue = port(&world, "W>D");
    world.change_queue(queue, &fresh).expect("a queue");
    world.advance(Time(514 * MS));
    assert_eq!(world.report().dropped, 0);
    assert!(finished(&mut world).dropped > 20);
}

/// A law that measures what a link offers goes on with the link's new trace: half of it, or twice as much.
#[test]
fn a_law_measures_the_new_trace_of_its_link() {
    let text = |mbps: u64| {
        format!(
            r#"
duration = "2 s"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.q = {{ from = "S", to = "D", kind = "trace", delay = "0 s", opportunity = "1500 B", overhead = "0 B", clock = "exact", trace = {{ kind = "constant", rate = "{mbps} Mbit/s" }} }}
links.p = {{ from = "D", to = "S", kind = "trace", delay = "0 s", opportunity = "1500 B", overhead = "0 B", clock = "exact", trace = {{ kind = "constant", rate = "3 Mbit/s" }} }}
ports."S>D" = {{ buffer = "unlimited", stamp = {{ kind = "abc", window = "200 ms" }} }}
ports."D>S" = {{ buffer = "unlimited", stamp = {{ kind = "abc", window = "200 ms" }} }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "cbr", packet = "1500 B", rate = "40 Mbit/s", phase = "start" }} }}
flows.g = {{ from = "D", to = "S", source = {{ kind = "cbr", packet = "1500 B", rate = "40 Mbit/s", phase = "start" }} }}
"#
        )
    };
    for mbps in [6, 24] {
        let (before, after) = (resolved(&text(12)), resolved(&text(mbps)));
        let mut world = before.build().expect("a world");
        world.advance(Time(1_000 * MS + 1));
        before.change(&mut world, &after).expect("another trace");
        let report = finished(&mut world);
        let measured = report.stamps.iter().map(|stamp| {
            let found = stamp.values.iter().find(|v| v.0 == "capacity_bps");
            found.expect("a capacity").1
        });
        let measured: Vec<f64> = measured.collect();
        for (measured, offered) in measured.iter().zip([3e6, mbps as f64 * 1e6]) {
            assert!(
                (measured / offered - 1.0).abs() < 0.02,
                "{measured} {offered}"
            );
        }
    }
}

/// A controller that draws, in the place of one that does not, has a stream of the instant and of what forks were keyed by. The flow is silent up to
/// 500 ms, so that nothing but this differs between the runs.
#[test]
fn a_controller_that_comes_later_draws_by_its_instant_and_its_fork() {
    let flow = |kind: &str| {
        format!(
            r#"start = "500 ms", transport = "tcp", controller = {{ kind = "{kind}" }}, source = {{ kind = "bulk" }}"#
        )
    };
    let text = line(&flow("cubic"), "").replace("duration = \"1 s\"", "duration = \"3 s\"");
    let spec = resolved(&line(&flow("vivace"), "")).spec();
    let transport = spec.flows[0].transport.as_ref().expect("a transport");
    let end = |ms: u64, by: &[u64]| {
        let mut world = built(&text);
        by.iter().for_each(|by| world.reseed(*by));
        world.advance(Time(ms * MS));
        let changed = world.change_controller(F, transport.controller.clone(), &transport.sender);
        changed.expect("another controller");
        finished(&mut world).fingerprint
    };
    // It draws a coin now and then, so that two runs may be alike.
    let instants: BTreeSet<u64> = (1..=4).map(|n| end(100 * n, &[])).collect();
    assert!(instants.len() > 1, "{}", instants.len());
    let forks: BTreeSet<u64> = (1..=4).map(|by| end(100, &[by])).collect();
    assert!(forks.len() > 1, "{}", forks.len());
    assert_eq!(end(100, &[1]), end(100, &[1]));
}

/// Random opportunities that are drawn again while packets wait are used: the link goes on, and packets leave at its mean rate.
#[test]
fn packets_leave_at_opportunities_that_are_drawn_again() {
    let mut world = built(
        r#"
duration = "20 s"
nodes = { S = { kind = "host" }, D = { kind = "host" } }
links.q = { from = "S", to = "D", kind = "trace", delay = "0 s", opportunity = "1500 B", overhead = "0 B", clock = "exact", trace = { kind = "cox", peak = "10 Mbit/s", volatility = "1 bit/s", reversion = 20, sticky = "0 %", outage = "1 ms", burst = 1 } }
links.back = { from = "D", to = "S", rate = "1 Gbit/s", delay = "0 s" }
ports."S>D" = { buffer = "unlimited" }
flows.f = { from = "S", to = "D", source = { kind = "packet-list", at_us = [0], bytes = [150000] } }
"#,
    );
    let mut delivered = 0;
    for n in 1..=100 {
        world.advance(Time(n * MS));
        world.redraw(n);
        // What leaves at the present instant leaves before anything else happens.
        let queue = port(&world, "S>D");
        let next = world.network().ports[queue].next_try;
        assert!(next > world.now(), "{n}");
        delivered = world.report().delivered;
    }
    // Half of 10 Mbit/s are 42 packets in 100 ms, with a deviation of 6.5.
    assert!((10..=75).contains(&delivered), "{delivered}");
}

/// The fingerprint of a run up to the present is that of its report there, whatever has left ports since they were looked at last.
#[test]
fn a_fingerprint_is_that_of_a_report_at_the_same_instant() {
    let mut world = built(&line(CBR, ""));
    for n in 1..=40 {
        world.advance(Time(n * 137 * US));
        let mut copy = world.clone();
        assert_eq!(
            copy.fingerprint(),
            world.clone().report().fingerprint,
            "{n}"
        );
    }
    assert_ne!(world.fingerprint(), 0);
}

/// RED counts idle time in frames of 125 B at the mean rate of the link over the run: 17 opportunities of 800 bits in 10,000 s are 1.36 bit/s, which it takes for
/// 1, so that a frame takes 1,000 s. Sixteen packets of 118 B with their frames come at once, of which four are let in before the average is above 326 B,
/// towards the 472 B that wait. After 400 s without a frame it is 472 B × 2^-0.4 = 358 B, and the next packet is dropped. At 2 bit/s, in half of the time,
/// it would be 271 B.
#[test]
fn queue_management_reckons_with_the_mean_rate_of_the_run() {
    let dropped = |seconds: u64| {
        let at_ms: String = (1..=16).map(|ms| format!("{ms}, ")).collect();
        let at_us = "0, ".repeat(16);
        let report = run(&format!(
            r#"
duration = "{seconds} s"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.down = {{ kind = "trace", from = "S", to = "D", delay = "0 s", opportunity = "100 B", overhead = "0 B", clock = "exact", repeat = false, trace = {{ kind = "opportunities", at_ms = [{at_ms}500000] }} }}
links.up = {{ from = "D", to = "S", rate = "1 Gbit/s", delay = "0 s" }}
ports."S>D" = {{ buffer = "unlimited", queue = {{ kind = "red", min = "311 B", max = "326 B", weight = 0.5, gentle = false, mean_frame = "125 B" }} }}
flows.f = {{ from = "S", to = "D", packet = "100 B", source = {{ kind = "packet-list", at_us = [{at_us}400000000], bytes = [100] }} }}
"#
        ));
        report.dropped
    };
    assert_eq!((dropped(10_000), dropped(5_000)), (13, 12));
}
