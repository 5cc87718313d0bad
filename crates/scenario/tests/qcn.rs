//! Notices of a queue to sources several switches away (IEEE 802.1Qau), from a scenario's text to packets on wires.

use backwater_scenario::{Folders, Keep, Run, Scenario};
use backwater_sim::connection::Header;
use backwater_sim::record::{Record, What};
use backwater_sim::world::World;
use backwater_transport::segment::Signal;
use backwater_transport::units::Time;
use serde_json::Value;

/// Four sources of 10 Gbit/s at the first of three switches in a row, and one line of 10 Gbit/s behind the third.
fn text(queue: &str, controller: &str, more: &str) -> String {
    let hosts: String = (0..4)
        .map(|n| {
            format!(
                r#"nodes.A{n} = {{ kind = "host" }}
links.a{n} = {{ ends = ["A{n}", "W1"], rate = "10 Gbit/s", delay = "1 us" }}
"#
            )
        })
        .collect();
    format!(
        r#"
schema = "backwater/scenario/1"
duration = "100 ms"
warmup = "20 ms"
{hosts}
nodes.W1 = {{ kind = "switch" }}
nodes.W2 = {{ kind = "switch" }}
nodes.W3 = {{ kind = "switch" }}
nodes.B = {{ kind = "host" }}
links.w1 = {{ ends = ["W1", "W2"], rate = "40 Gbit/s", delay = "1 us" }}
links.w2 = {{ ends = ["W2", "W3"], rate = "40 Gbit/s", delay = "1 us" }}
links.b = {{ ends = ["W3", "B"], rate = "10 Gbit/s", delay = "1 us" }}
ports."W*" = {{ queue = {{ kind = "strict-priority", classes = 2 }}, buffer = "2 MB" }}
ports."W3>B" = {{ queue = {{ {queue} }}, buffer = "2 MB" }}
{more}
flows.f = {{ from = "A*", to = "B", packet = "1482 B", transport = "roce", cnp = "off", ack_class = 0, cnp_class = 1, controller = {{ {controller} }}, source = {{ kind = "bulk" }} }}
"#
    )
}

const CONGESTION_POINT: &str = r#"kind = "qcn", jitter = "0 %", classes = 2"#;
const PLAIN: &str = r#"kind = "strict-priority", classes = 2"#;
const REACTION_POINT: &str = r#"kind = "qcn", rate = "10 Gbit/s""#;

fn world(text: String) -> Result<World, String> {
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    let resolved = scenario.and_then(|s| s.resolve(None));
    let built = resolved.and_then(|r| r.build());
    built.map_err(|diagnostic| diagnostic.to_string())
}

fn document(text: String) -> Value {
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    let resolved = scenario.and_then(|s| s.resolve(None));
    let resolved = resolved.unwrap_or_else(|d| panic!("{d}"));
    let mut run = Run::new(&resolved, Keep::default()).unwrap_or_else(|_| panic!("not built"));
    while !run.step().unwrap_or_else(|_| panic!("not run")) {}
    let document = run.finish().unwrap_or_else(|_| panic!("not finished")).0;
    assert_eq!(document["conservation"]["ok"], true);
    assert_eq!(document["sanity"]["ok"], true, "{}", document["sanity"]);
    document
}

/// 40 Gbit/s come and 10 leave, so the frame that makes 150 kB full, 100 of 1,500 B, finds Q = 112 kB, and −Fb = Q − 26 kB + 2 Q is more than
/// 5 Qeq = 130 kB: n = 63. The notice crosses three links to the source of that frame, whose rate falls from 10 to 10 (1 − 63/128) =
/// 5.078125 Gbit/s; the others keep theirs until a notice of their own.
#[test]
fn a_notice_crosses_three_switches_and_slows_its_source_alone() {
    let mut world = world(text(CONGESTION_POINT, REACTION_POINT, "")).unwrap();
    world.start_recording();
    while world.now().0 < 100_000_000 {
        world.advance_some(1);
    }
    let records = world.take_records();
    let network = world.network();
    let full = |h: &Header| matches!(h, Header::Signal(Signal::Notice { feedback: 63 }));
    let first = records
        .iter()
        .position(|r| r.what == What::Send && r.header.as_deref().is_some_and(full))
        .expect("a notice");
    // The sample is the hundredth frame at the port.
    let place = |r: &Record| &network.ports[r.port].more.name;
    let came = records[..first]
        .iter()
        .filter(|r| r.what == What::Enqueue && place(r) == "W3>B");
    assert_eq!(came.count(), 100);
    // It leaves each of the three switches, and comes to the source of that frame.
    let notice = &records[first];
    let hops: Vec<_> = records[first..]
        .iter()
        .filter(|r| r.what == What::Send && (r.flow, r.seq) == (notice.flow, notice.seq))
        .collect();
    let names: Vec<&str> = hops.iter().map(|r| place(r).as_str()).collect();
    assert_eq!(names[..2], ["W3>W2", "W2>W1"]);
    assert!(
        names[2].starts_with("W1>A") && names.len() == 3,
        "{names:?}"
    );
    // The port counts its notices; the last may still wait for an acknowledgement on the line.
    let begun = records.iter().filter(|r| {
        let header = r.header.as_deref();
        let notice = matches!(header, Some(Header::Signal(Signal::Notice { .. })));
        notice && r.what == What::Send && place(r) == "W3>W2"
    });
    let begun = begun.count() as u64;
    let port = network.port_named("W3>B").expect("a port");
    let made = network.ports[port].more.sent.notices;
    assert!(
        begun > 3 && (begun..=begun + 1).contains(&made),
        "{made} {begun}"
    );
    let source = names[2].trim_start_matches("W1>");
    // 106 bytes and a preamble of 8 at 40, 40 and 10 Gbit/s, and 1 us each; on each link an acknowledgement of 72 bytes may go before.
    let alone = 2 * (114 * 200 + 1_000_000) + 114 * 800 + 1_000_000;
    let late = 92 * (200 + 200 + 800);
    let slowed = records[first..]
        .iter()
        .find(|r| r.what == What::Pacing && network.flows[r.flow].name == format!("f/{source}"))
        .expect("its pace");
    assert_eq!(slowed.value, 5_078_125_000);
    let took = slowed.at.0 - notice.at.0;
    assert!((alone..=alone + late).contains(&took), "{took} {alone}");
    // Until then all sent at the rate of their lines.
    let early = records[..first].iter().filter(|r| r.what == What::Pacing);
    assert!(early.clone().all(|r| r.value == 10_000_000_000));
}

/// Four senders share a line that is busy almost all of the time, its queue stays around the set point, and nothing is lost. A queue that
/// sends no notices, or a source that hears none, fills its buffer.
#[test]
fn sources_three_switches_away_share_a_line_without_loss() {
    let shared = document(text(CONGESTION_POINT, REACTION_POINT, ""));
    let port = |document: &Value| {
        let ports = document["ports"].as_array().expect("ports");
        ports
            .iter()
            .find(|p| p["id"] == "W3>B")
            .expect("W3>B")
            .clone()
    };
    let bottleneck = port(&shared);
    let number = |row: &Value, key: &str| row[key].as_f64().expect("a number");
    assert!(number(&bottleneck, "busy") > 0.95, "{bottleneck}");
    assert!(number(&bottleneck, "notices_pkts") > 100.0);
    let queue = number(&bottleneck, "queue_mean_B");
    assert!((13_000.0..52_000.0).contains(&queue), "{queue}");
    assert_eq!(
        shared["conservation"]["dropped_pkts"], 0,
        "{}",
        shared["conservation"]
    );
    let warnings = |document: &Value| document["warnings"].to_string();
    assert!(!warnings(&shared).contains("notices"));
    let fixed = r#"kind = "fixed", window = "1000 packets""#;
    for (queue, controller, says) in [
        (PLAIN, REACTION_POINT, "no queue on its path sends notices"),
        (CONGESTION_POINT, fixed, "its queue tells nobody"),
    ] {
        let deaf = document(text(queue, controller, ""));
        assert!(warnings(&deaf).contains(says), "{}", warnings(&deaf));
        assert!(number(&port(&deaf), "queue_mean_B") > 1e6);
        assert_eq!(port(&deaf)["notices_pkts"].as_u64().unwrap_or(0), 0);
    }
}

/// A set point of 1 kB, and a sample with each frame of 1,500 B: one frame alone has n = 63 · 500 / 5,000 = 6. The port of a source tells nobody, for its
/// card holds frames back itself; the next one on the way tells all four.
#[test]
fn the_port_of_a_source_sends_no_notices() {
    let strict = r#"kind = "qcn", target = "1 kB", sample = "1 kB", jitter = "0 %", classes = 2"#;
    for (place, tells) in [("A*>W1", false), ("W1>W2", true)] {
        let more = format!(r#"ports."{place}" = {{ queue = {{ {strict} }} }}"#);
        let text = text(PLAIN, REACTION_POINT, &more);
        let mut world = world(text.clone()).unwrap();
        world.start_recording();
        world.advance(Time(1_000_000_000));
        let records = world.take_records();
        let notice = |r: &Record| {
            let header = r.header.as_deref();
            matches!(header, Some(Header::Signal(Signal::Notice { .. })))
        };
        assert_eq!(records.iter().any(notice), tells, "{place}");
        let slowed = |r: &Record| r.what == What::Pacing && r.value < 10_000_000_000;
        assert_eq!(records.iter().any(slowed), tells, "{place}");
        // So the run says that nobody is told.
        let warnings = document(text)["warnings"].to_string();
        let said = warnings.contains("no queue on its path sends notices");
        assert_eq!(said, !tells, "{warnings}");
    }
}

#[test]
fn a_notice_that_would_not_arrive_is_refused() {
    let one_class = r#"ports."W2>W1" = { queue = { kind = "strict-priority", classes = 2 }, buffer = "100 B" }"#;
    let said = world(text(CONGESTION_POINT, REACTION_POINT, one_class)).unwrap_err();
    assert!(said.contains("W2>W1.buffer"), "{said}");
    let tcp = text(CONGESTION_POINT, REACTION_POINT, "").replace(
        r#"transport = "roce", cnp = "off","#,
        r#"transport = "tcp","#,
    );
    let said = world(tcp.replace("cnp_class = 1, ", "")).unwrap_err();
    assert!(said.contains("QCN is for queue pairs"), "{said}");
}
