//! Changes in the middle of a run.

use backwater_sim::ids::FlowId;
use backwater_sim::table::Id;
use backwater_sim::world::World;
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
