//! Another queue at a port in the middle of a run: what it takes over, and what cannot be changed.

use backwater_sim::limit::Limit;
use backwater_sim::record::What;
use backwater_sim::spec::Unchangeable;
use backwater_sim::world::Report;
use backwater_transport::units::{Bytes, Time};

use crate::net::*;

/// A line of 10 Mbit/s behind one of 100, and a flow of class 1.
fn line(source: &str, more: &str) -> String {
    format!(
        r#"
duration = "200 ms"
nodes = {{ S = {{ kind = "host" }}, W = {{ kind = "switch" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "W"], rate = "100 Mbit/s", delay = "0 s" }}
links.b = {{ ends = ["W", "D"], rate = "10 Mbit/s", delay = "0 s" }}
flows.f = {{ from = "S", to = "D", class = 1, source = {{ {source} }} }}
{more}
"#
    )
}

const CBR: &str = r#"kind = "cbr", packet = "1500 B", rate = "20 Mbit/s", phase = "start""#;
const PLAIN: &str = r#"ports."W>D" = { buffer = "unlimited" }"#;
const CLASSES: &str =
    r#"ports."W>D" = { buffer = "unlimited", queue = { kind = "strict-priority", classes = 2 } }"#;

const TURNS: &str =
    r#"ports."W>D" = { buffer = "unlimited", queue = { kind = "drr", classes = 2 } }"#;

/// Queue management that has nothing to say below 1 MB.
const RED: &str = r#"ports."W>D" = { buffer = "unlimited", queue = { kind = "red", min = "1 MB", max = "2 MB" } }"#;

/// A run with the queue of another text from an instant on.
fn changed(before: &str, after: &str, at: Time) -> Report {
    let (mut world, fresh) = (built(before), built(after));
    world.advance(at);
    let queue = port(&world, "W>D");
    world.change_queue(queue, &fresh).expect("another queue");
    finished(&mut world)
}

/// One flow meets no other, so that its class has no say in when its frames leave: to go from one queue to two, by rank or by turns, or back changes nothing.
#[test]
fn frames_of_one_flow_leave_the_same_from_one_queue_or_from_two() {
    let all = [PLAIN, RED, CLASSES, TURNS].map(|port| line(CBR, port));
    let wanted = run(&all[0]).fingerprint;
    for before in &all {
        for after in &all {
            let report = changed(before, after, Time(50 * MS));
            assert_eq!(report.fingerprint, wanted);
        }
    }
}

/// A buffer of three packets takes three of ten that come within the time of one, and as many where its queue came while nothing was there.
#[test]
fn a_queue_that_comes_to_an_idle_port_is_empty() {
    let at_us = "50000, ".repeat(10);
    let text = line(
        &format!("kind = \"packet-list\", at_us = [{at_us}], bytes = [1500]"),
        r#"ports."W>D" = { buffer = "3 packets" }"#,
    );
    let plain = run(&text);
    assert_eq!(plain.delivered + plain.dropped, 10);
    assert!(plain.delivered >= 3);
    let report = changed(&text, &text, Time(10 * MS));
    assert_eq!(report.fingerprint, plain.fingerprint);
}

/// DualPI2 looks at its queue each 16 ms, and judges it by what has waited since it came: at 512 ms for the first time where it came at 500 ms.
#[test]
fn dualpi2_that_comes_to_a_long_queue_begins_at_nought() {
    let text = |queue: &str| {
        line(
            CBR,
            &format!(r#"ports."W>D" = {{ buffer = "unlimited"{queue} }}"#),
        )
        .replace("200 ms", "1 s")
    };
    let mut world = built(&text(""));
    let fresh = built(&text(r#", queue = { kind = "dualpi2", period = "16 ms" }"#));
    world.advance(Time(500 * MS));
    let queue = port(&world, "W>D");
    world.change_queue(queue, &fresh).expect("another queue");
    world.advance(Time(511 * MS));
    assert_eq!(world.report().dropped, 0);
    assert!(finished(&mut world).dropped > 0);
}

/// A run that is recorded goes on to be recorded at a port that has another queue: a frame leaves each 1,230.4 us.
#[test]
fn a_port_with_another_queue_is_recorded_as_before() {
    let text = line(CBR, PLAIN);
    let sent = |change: bool| {
        let mut world = built(&text);
        world.start_recording();
        world.advance(Time(50 * MS));
        let queue = port(&world, "W>D");
        if change {
            world
                .change_queue(queue, &built(&text))
                .expect("another queue");
        }
        finished(&mut world);
        let records = world.take_records();
        [What::Send, What::Enqueue].map(|what| instants(&records, what, 0, Some(queue)))
    };
    let [sends, arrivals] = sent(false);
    assert!(sends.windows(2).all(|two| two[1] - two[0] == 1_230_400_000));
    assert!(sends.len() > 160 && !arrivals.is_empty());
    assert_eq!(sent(true), [sends, arrivals]);
}

/// A buffer has to hold a frame of the flows that come by, so that one that nobody passes may be of any size. Boxes have no buffer.
#[test]
fn a_buffer_holds_a_frame_of_those_who_pass() {
    let text = line(CBR, "").replace(
        r#"links.b = {"#,
        r#"links.b = { boxes = [{ kind = "delay", delay = "1 ms" }], "#,
    );
    let mut world = built(&text);
    world.advance(Time(10 * MS));
    let [there, back] = ["W>D", "D>W"].map(|name| port(&world, name));
    let said = |changed: Result<(), Unchangeable>| changed.map_err(|why| why.what);
    assert_eq!(
        said(world.change_buffer(back, Limit::Bytes(Bytes(0)))),
        Ok(())
    );
    assert!(said(world.change_buffer(there, Limit::Bytes(Bytes(1_517)))).is_err());
    assert_eq!(
        said(world.change_buffer(there, Limit::Bytes(Bytes(1_518)))),
        Ok(())
    );
    let stage = world.network().stages_before(there).next().expect("a box");
    let refused = said(world.change_buffer(stage, Limit::Packets(4))).expect_err("a box");
    assert!(refused.contains("wait at a medium"), "{refused}");
    // A scenario that says nothing of the box, be it the old or the new one, has others.
    let spec = resolved(&text).spec();
    let mut ways = spec.links[1].directions.iter().flatten();
    let one = ways.next().expect("a way with a box").boxes.clone();
    assert_eq!(one.len(), 1);
    for boxes in [[&[][..], &one], [&one, &[]], [&[], &[]]] {
        assert!(said(world.change_boxes(there, boxes)).is_err());
    }
    assert_eq!(said(world.change_boxes(there, [&one, &one])), Ok(()));
}
