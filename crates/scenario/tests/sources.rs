//! Sources over media and transports, from text to report.

use backwater_scenario::{Diagnostic, Folders, Scenario};
use backwater_sim::knob::Place;
use backwater_sim::queue::QUEUES;
use backwater_sim::world::{Report, World};
use backwater_transport::units::{Span, Time};

/// Two ends of a wire.
const WIRE: &str = r#"
nodes.S = { kind = "host" }
nodes.D = { kind = "host" }
links.a = { ends = ["S", "D"], rate = "10 Mbit/s", delay = "1 us" }
"#;

/// Two stations of 802.11b.
const AIR: &str = r#"
media.air = { phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }, mac = { access = "edca" }, channel = { model = "disc", transmit = "100 m", sense = "200 m" } }
nodes.S = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "100 packets" }
nodes.D = { kind = "station", medium = "air", at = ["50 m", "0 m"], buffer = "100 packets" }
"#;

/// A flow from S to D, for a second.
fn build(medium: &str, flow: &str) -> Result<World, Diagnostic> {
    let text = format!(
        r#"
schema = "backwater/scenario/1"
duration = "1 s"
{medium}
flows.f = {{ from = "S", to = "D", {flow} }}
"#
    );
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default())?;
    scenario.resolve(None)?.build()
}

/// A transport takes what it is given, so that no queue of its host says when more is wanted: `bulk` is what never runs out.
#[test]
fn a_saturated_source_with_a_transport_is_refused() {
    for medium in [WIRE, AIR] {
        for transport in ["tcp", "datagram"] {
            let flow = format!(
                r#"transport = "{transport}", controller = {{ kind = "fixed" }}, source = {{ kind = "saturated" }}"#
            );
            let refused = build(medium, &flow).expect_err(&flow);
            assert!(refused.what.contains("flows.f.source"), "{refused}");
            assert!(refused.fix.contains(r#"kind = "bulk""#), "{refused}");
            assert!(refused.line.is_some(), "{refused}");
        }
    }
}

/// Bytes that a packet takes on a wire: header and FCS, preamble, gap; at least 64 bytes of frame.
fn on_wire(packet: u64) -> u64 {
    (packet + 18).max(64) + 8 + 12
}

fn finished(mut world: World) -> Report {
    finish(&mut world)
}

fn finish(world: &mut World) -> Report {
    world.advance(world.end());
    let report = world.report();
    assert!(report.conserved);
    report
}

/// Holds packets that arrived to what the link carries if it is never idle.
#[track_caller]
fn never_idle(what: &str, count: u64, expected: f64) {
    assert!(
        (count as f64 - expected).abs() <= 1.0,
        "{what}: {count} packets, not {expected}"
    );
}

/// 10 Mbit/s for a second are 1 250 000 bytes, whatever the queue of the host and whatever the packets.
#[test]
fn a_saturated_host_keeps_its_wire_busy_over_every_queue() {
    for queue in QUEUES {
        for (packet, buffer) in [
            (1500, "1 packets"),
            (1500, "60 packets"),
            (46, "1 packets"),
            (700, ""),
        ] {
            let ports = match (queue.id, buffer) {
                (_, "") | ("infinite", _) => {
                    format!(r#"ports."S>D".queue = {{ kind = "{}" }}"#, queue.id)
                }
                _ => format!(
                    r#"ports."S>D" = {{ queue = {{ kind = "{}" }}, buffer = "{buffer}" }}"#,
                    queue.id
                ),
            };
            let flow = format!(r#"source = {{ kind = "saturated", packet = "{packet} B" }}"#);
            let make = || build(&format!("{WIRE}{ports}"), &flow).unwrap_or_else(|d| panic!("{d}"));
            let what = format!("{} {packet} {buffer}", queue.id);
            let report = finished(make());
            let carried = 1_250_000.0 / on_wire(packet) as f64;
            never_idle(&what, report.delivered, carried);
            let entered = report.flows[0].sums.entered;
            assert_eq!(entered.bytes, packet * entered.packets, "{what}");
            // One waits behind the one under way, and no more.
            assert!(report.held <= 3, "{what}: {}", report.held);
            let mut unfused = make();
            unfused.unfuse();
            assert_eq!(finished(unfused).fingerprint, report.fingerprint, "{what}");
        }
    }
}

/// A port with room for one packet serves two saturated flows alternately, and none is lost.
#[test]
fn saturated_flows_of_a_host_take_turns() {
    let ports = r#"
ports."S>D".buffer = "1 packets"
flows.g = { from = "S", to = "D", source = { kind = "saturated" } }
"#;
    let world = build(
        &format!("{WIRE}{ports}"),
        r#"source = { kind = "saturated" }"#,
    )
    .unwrap();
    let report = finished(world);
    never_idle("both", report.delivered, 1_250_000.0 / 1538.0);
    let [one, other] = [0, 1].map(|f| report.flows[f].sums.delivered.packets);
    // The first has sent one before the other begins.
    assert!(one.abs_diff(other) <= 2, "{one} {other}");
    assert_eq!(report.dropped, 0);
}

/// Bursts of another flow that fill the buffer, and queue management that drops, cost a saturated flow no more than its
/// turns: after each burst the wire is as busy as before. A burst is of 60 packets for a buffer of 20, four times a second.
#[test]
fn a_saturated_host_survives_full_buffers_and_drops() {
    for queue in QUEUES.iter().filter(|q| q.id != "infinite") {
        let ports = format!(
            r#"
ports."S>D" = {{ queue = {{ kind = "{}" }}, buffer = "20 packets" }}
flows.g = {{ from = "S", to = "D", source = {{ kind = "periodic-on-off", packet = "1500 B", rate = "700 Mbit/s", on = "1 ms", off = "249 ms" }} }}
"#,
            queue.id
        );
        let world = build(
            &format!("{WIRE}{ports}"),
            r#"source = { kind = "saturated" }"#,
        );
        let report = finished(world.unwrap_or_else(|d| panic!("{d}")));
        never_idle(queue.id, report.delivered, 1_250_000.0 / 1538.0);
        let [own, burst] = [0, 1].map(|f| &report.flows[f].sums);
        assert!(burst.dropped.packets > 0, "{}", queue.id);
        // Four bursts take no more than the 240 packets that they have.
        assert!(
            own.delivered.packets >= 812 - 240,
            "{} {}",
            queue.id,
            own.delivered.packets
        );
    }
}

/// A flow beside it drives RED's average up, and RED refuses packets that come to an idle port, too. Each of those costs a frame time
/// at most.
#[test]
fn a_saturated_host_goes_on_after_its_queue_refused_packets() {
    let ports = r#"
ports."S>D" = { queue = { kind = "red", min = "3 kB", max = "6 kB" } }
flows.g = { from = "S", to = "D", stop = "500 ms", source = { kind = "cbr", packet = "1500 B", rate = "12 Mbit/s" } }
"#;
    let world = build(
        &format!("{WIRE}{ports}"),
        r#"source = { kind = "saturated" }"#,
    );
    let report = finished(world.unwrap_or_else(|d| panic!("{d}")));
    let own = &report.flows[0].sums;
    assert!(own.dropped.packets > 0);
    let most = 1_250_000.0 / 1538.0;
    let least = most - own.dropped.packets as f64 - 1.0;
    let delivered = report.delivered as f64;
    assert!(least <= delivered && delivered <= most + 1.0, "{delivered}");
    // The second half is its own.
    assert!(own.delivered.packets as f64 > 0.5 * most - 10.0);
}

/// PAUSE from a switch whose own link is ten times slower: that link is never idle, nothing is lost, and what the host does
/// not send it is held back from.
#[test]
fn a_saturated_host_obeys_pause_and_goes_on() {
    for (recipe, at, detect, model) in [
        ("pause", "W>D", "watermark", r#"model = "output-queued""#),
        (
            "pfc",
            "W>S",
            "dynamic-threshold",
            r#"model = "shared-memory", memory = "400 kB", reserve = "4 kB", headroom = "50 kB", shift = 1"#,
        ),
    ] {
        let medium = format!(
            r#"
nodes.S = {{ kind = "host", obeys = true }}
nodes.W = {{ kind = "switch", {model} }}
nodes.D = {{ kind = "host" }}
links.a = {{ ends = ["S", "W"], rate = "100 Mbit/s", delay = "1 us" }}
links.b = {{ ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 us" }}
mechanisms.bp = {{ recipe = "{recipe}", at = ["{at}"], detect = {{ kind = "{detect}" }} }}
"#
        );
        let world = build(&medium, r#"source = { kind = "saturated" }"#);
        let mut world = world.unwrap_or_else(|d| panic!("{d}"));
        let report = finish(&mut world);
        // The first frame comes to the switch after its time on the first link, a tenth of a frame.
        never_idle(recipe, report.delivered, 1_250_000.0 / 1538.0);
        assert_eq!(report.dropped, 0);
        let port = world.network().port_named("S>W").expect("the host's port");
        let count = &report.ports[port.index()].count;
        assert!(count.stall > 0);
        // 100 Mbit/s are 80 ns for a byte, 20 bytes of each frame are preamble and gap.
        let busy = (count.bytes + 20 * count.packets) * 80_000;
        let both = (busy + count.stall) as f64 / 1e12;
        // The gap before a stall counts for both: 0.96 us of some 10 ms.
        assert!((both - 1.0).abs() < 0.001, "{recipe}: {both}");
    }
}

/// A flow sends from its start to its stop.
#[test]
fn a_saturated_flow_has_a_start_and_a_stop() {
    let flow = r#"start = "200 ms", stop = "700 ms", source = { kind = "saturated" }"#;
    let report = finished(build(WIRE, flow).unwrap());
    // The one that waited when the flow stopped leaves as well.
    let expected = 0.5 * 1_250_000.0 / 1538.0 + 1.0;
    never_idle("half a second", report.delivered, expected);
    assert_eq!(report.held, 0);
}

/// Each opportunity of a trace is used to its last byte: 12 Mbit/s for a second are 1.5 MB, of which a packet takes its length
/// and 4 bytes (mahimahi) or 14 (cellsim).
#[test]
fn a_saturated_host_uses_every_opportunity_of_a_trace() {
    for (emulator, overhead) in [("mahimahi", 4), ("cellsim-2013", 14)] {
        for first in ["opportunity", "arrival"] {
            for (packet, queue) in [
                (1400, "infinite"),
                (100, "infinite"),
                (100, "codel"),
                (333, "drop-head"),
            ] {
                let direction = |from: &str, to: &str| {
                    format!(
                        r#"{{ from = "{from}", to = "{to}", kind = "trace", trace = {{ kind = "constant", rate = "12 Mbit/s" }}, emulator = "{emulator}", first = "{first}", queue = {{ kind = "{queue}" }} }}"#
                    )
                };
                let medium = format!(
                    "nodes.S = {{ kind = \"host\" }}\nnodes.D = {{ kind = \"host\" }}\nlinks.down = {}\nlinks.up = {}\n",
                    direction("S", "D"),
                    direction("D", "S")
                );
                let flow = format!(r#"source = {{ kind = "saturated", packet = "{packet} B" }}"#);
                let world = build(&medium, &flow).unwrap_or_else(|d| panic!("{d}"));
                let report = finished(world);
                let what = format!("{emulator} {first} {packet} {queue}");
                let carried = 1_500_000.0 / f64::from(packet + overhead);
                let count = report.delivered;
                // An opportunity more or less at the ends of the run.
                let slack = 1504.0 / f64::from(packet + overhead) + 1.0;
                assert!(
                    (count as f64 - carried).abs() <= slack,
                    "{what}: {count}, not {carried}"
                );
            }
        }
    }
}

/// A box before a host's own queue keeps a packet from it for a while, in which the queue would be empty.
#[test]
fn boxes_before_the_queue_of_a_saturated_host_are_refused() {
    let source = r#"source = { kind = "saturated" }"#;
    let boxed = WIRE.replace(
        r#"delay = "1 us" }"#,
        r#"delay = "1 us", boxes = [{ kind = "loss", share = "1 %" }] }"#,
    );
    assert_ne!(boxed, WIRE);
    let refused = build(&boxed, source).expect_err("boxes");
    assert!(refused.what.contains("flows.f.source"), "{refused}");
    assert!(refused.fix.contains("behind a switch"), "{refused}");
}

/// Forks of a world that draw anew by other numbers, in the middle of its second, and the world
/// itself: no two end alike. The same number gives the same. What is random is backoff on the one
/// medium, and which frames a queue marks or drops on the other.
#[test]
fn backoffs_and_marks_are_drawn_anew() {
    let saturated = r#"source = { kind = "saturated" }"#;
    let constant = r#"source = { kind = "cbr", packet = "1500 B", rate = "12 Mbit/s" }"#;
    let queue =
        r#"ports."S>D" = { queue = { kind = "wred", min = "5 kB", max = "50 kB", top = "50 %" } }"#;
    for (medium, flow) in [
        (AIR.to_owned(), saturated),
        (format!("{WIRE}{queue}"), constant),
    ] {
        let mut start = build(&medium, flow).unwrap_or_else(|d| panic!("{d}"));
        start.advance(Time::ZERO + Span::millis(500));
        let end = |by: Option<u64>| {
            let mut fork = start.clone();
            if let Some(by) = by {
                fork.reseed(by);
            }
            finished(fork).fingerprint
        };
        let ends = [None, Some(1), Some(2)].map(end);
        assert_eq!(end(Some(1)), ends[1]);
        let different = ends[0] != ends[1] && ends[0] != ends[2] && ends[1] != ends[2];
        assert!(different, "{medium}: {ends:?}");
    }
}

/// A station waits for SIFS and so many slots of 20 us after each frame: ten slots more take 200 us
/// more for each packet. The draws of the backoff are the same.
#[test]
fn a_station_may_wait_for_more_slots_from_now_on() {
    let place = Place::Category("S".into(), "BE".into());
    let cycle = |more: f64| {
        let mut world = build(AIR, r#"source = { kind = "saturated" }"#).unwrap();
        let range = world.range(&place, "aifsn").expect("a knob");
        world.turn(&place, range.now + more);
        let turned = world.range(&place, "aifsn").expect("a knob");
        assert_eq!(turned.now, range.now + more);
        1e6 / finished(world).delivered as f64
    };
    let longer = cycle(10.0) - cycle(0.0);
    assert!((longer - 200.0).abs() < 10.0, "{longer}");
}

/// Four stations in a row of which each hears the next and senses those two places on. The first
/// sends all that it can to the last, and its relay has room for 20 packets. Where the first
/// overhears that more than 5 wait there, it contends less, and fewer find no room. With a mark
/// that 20 packets do not reach all is as without.
#[test]
fn a_station_that_overhears_a_long_queue_contends_less() {
    let lost = |mechanism: &str| {
        let mut text = AIR.lines().nth(1).expect("a medium").replace(
            r#"transmit = "100 m", sense = "200 m""#,
            r#"transmit = "60 m", sense = "130 m", interfere = "90 m""#,
        );
        text += "\nrouting = { kind = \"airtime\" }\n";
        for (name, x) in [("S", 0), ("A", 50), ("B", 100), ("D", 150)] {
            text += &format!(
                r#"nodes.{name} = {{ kind = "station", medium = "air", at = ["{x} m", "0 m"], buffer = "20 packets" }}"#
            );
            text += "\n";
        }
        text += mechanism;
        let world = build(&text, r#"source = { kind = "saturated" }"#);
        finished(world.unwrap_or_else(|d| panic!("{d}"))).dropped
    };
    let overhears = |high: u64| {
        format!(
            r#"mechanisms.m = {{ recipe = "ez-flow", at = ["S", "A", "B"], detect = {{ kind = "overheard-backlog", b_max = {high}, b_min = 0, samples = 10 }} }}"#
        )
    };
    let (without, never, with) = (lost(""), lost(&overhears(1000)), lost(&overhears(5)));
    assert_eq!(never, without);
    assert!(2 * with < without, "{with} {without}");
}
