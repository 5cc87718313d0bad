//! Two workloads replayed: trains let light traffic go, and the heavy trace serves the rest.

use backwater_sim::medium::boxes::{AnyBox, Light};
use backwater_sim::medium::trace::{AnyTrace, First, TRACES, file};
use backwater_sim::spec::Service;
use backwater_sim::table::Id;
use backwater_sim::world::World;
use backwater_transport::part::{Args, File, Value};
use backwater_transport::units::Span;

use crate::net::{MAHIMAHI, at, deliveries, direction, generated, recorded, spec};
use crate::outside::inject;

fn file(path: &str, content: &str) -> Value {
    Value::File(File {
        path: path.into(),
        content: content.as_bytes().into(),
    })
}

/// Trains with a base delay of 20 ms and opportunities at 0, 2 and 5 ms; the heavy trace has these.
fn replay(heavy: &[u64], timer: u64) -> AnyTrace {
    let given = [
        ("light", file("light", "0 20 0 2 5\n60000 20 0 2 5\n")),
        ("heavy", file("heavy", &file::write(heavy.iter().copied()))),
        ("timer", Value::Span(Span::millis(timer))),
    ];
    generated("cellreplay", &given)
        .repeated(false)
        .expect("recorded")
}

/// One link, with or without the stage of its trains.
fn world(trace: AnyTrace, staged: bool) -> World {
    let mut there = direction(trace, MAHIMAHI, First::Opportunity, Vec::new()).expect("one");
    let Service::Trace(server) = &there.service else {
        unreachable!("a trace");
    };
    if staged {
        let trains = server.trains().expect("trains");
        there.boxes.push(AnyBox::Light(Light::new(trains)));
    }
    World::build(&spec([Some(there), None], 5.0)).expect("a link")
}

/// Two packets on a link at rest, while the heavy trace has no opportunity for a second. Under that trace alone, as mahimahi replays it, they
/// wait for it.
#[test]
fn light_traffic_does_not_wait_for_the_heavy_trace() {
    let run = |staged| {
        let mut run = world(replay(&[1000, 1001, 1002], 0), staged);
        inject(&mut run, at(100), Id::new(0), 1500, 0);
        inject(&mut run, at(100), Id::new(0), 1500, 1);
        deliveries(&mut run)
    };
    assert_eq!(run(true), [(0, 120), (1, 122)]);
    assert_eq!(run(false), [(0, 1000), (1, 1001)]);
}

/// The train has three opportunities. What follows waits for the heavy trace, which has one at 130 and one at 140 ms.
#[test]
fn a_long_train_goes_over_to_the_heavy_trace() {
    let mut run = world(replay(&[110, 130, 140, 150], 0), true);
    for tag in 0..5 {
        inject(&mut run, at(100), Id::new(0), 1500, tag);
    }
    let expected = [(0, 120), (1, 122), (2, 125), (3, 130), (4, 140)];
    assert_eq!(deliveries(&mut run), expected);
}

/// The fourth packet waits for the opportunity at 400 ms. A train begins at 300 ms, and its packet comes to a queue that is not empty.
#[test]
fn light_traffic_does_not_overtake_what_waits() {
    let mut run = world(replay(&[400, 410, 420], 0), true);
    for tag in 0..4 {
        inject(&mut run, at(100), Id::new(0), 1500, tag);
    }
    inject(&mut run, at(300), Id::new(0), 1500, 4);
    let expected = [(0, 120), (1, 122), (2, 125), (3, 400), (4, 410)];
    assert_eq!(deliveries(&mut run), expected);
}

/// A packet of 1504 B with its overhead is under way from 200 to 300 ms: opportunities carry 900 B. The train at 230 ms lets a packet of 804 B
/// go at 250; it gets the 296 B left at 300 ms and the rest at 400 ms.
#[test]
fn light_traffic_does_not_overtake_what_is_under_way() {
    let mut there = direction(
        replay(&[200, 300, 400], 0),
        MAHIMAHI,
        First::Opportunity,
        Vec::new(),
    )
    .expect("one");
    let Service::Trace(server) = &mut there.service else {
        unreachable!("a trace");
    };
    (server.opportunity, server.whole) = (900, false);
    let trains = server.trains().expect("trains");
    there.boxes.push(AnyBox::Light(Light::new(trains)));
    let mut run = World::build(&spec([Some(there), None], 5.0)).expect("a link");
    for tag in 0..4 {
        inject(&mut run, at(100), Id::new(0), 1500, tag);
    }
    inject(&mut run, at(230), Id::new(0), 800, 4);
    assert_eq!(deliveries(&mut run)[3..], [(3, 300), (4, 400)]);
}

/// A packet belongs to the train that runs if it could leave at most the timer of 4 ms behind the
/// packet before it. The second could leave at 124 ms and uses the opportunity 5 ms into the train,
/// at 125; the third could leave at 129, and uses that at 12 ms. A train of its own would have let
/// it go at 129.
#[test]
fn a_train_goes_on_from_the_last_packet_that_it_let_go() {
    let trace = generated(
        "cellreplay",
        &[
            ("light", file("light", "0 20 0 5 12\n60000 20 0 5 12\n")),
            ("heavy", file("heavy", &file::write([1000, 1001, 1002]))),
            ("timer", Value::Span(Span::millis(4))),
        ],
    );
    let mut run = world(trace.repeated(false).expect("recorded"), true);
    for (tag, ms) in (0..).zip([100, 104, 109]) {
        inject(&mut run, at(ms), Id::new(0), 1500, tag);
    }
    assert_eq!(deliveries(&mut run), [(0, 120), (1, 125), (2, 132)]);
}

/// The shortest of the base delays is the time that no queue causes.
#[test]
fn the_least_delay_is_the_shortest_of_the_trains() {
    let trains = "0 20 0 2\n1000 15 0 2\n2000 30 0 2\n";
    let trace = generated(
        "cellreplay",
        &[
            ("light", file("light", trains)),
            ("heavy", file("heavy", &file::write([1000]))),
            ("timer", Value::Span(Span::millis(4))),
        ],
    );
    let there = direction(trace, MAHIMAHI, First::Opportunity, Vec::new()).expect("one");
    let Service::Trace(server) = &there.service else {
        unreachable!("a trace");
    };
    let light = Light::new(server.trains().expect("trains"));
    assert_eq!(light.least(), Span::millis(15));
}

/// A fork in the middle of a train goes on as the run does.
#[test]
fn a_fork_goes_on_with_the_train() {
    let mut run = world(replay(&[1000, 1001, 1002], 50), true);
    inject(&mut run, at(100), Id::new(0), 1500, 0);
    run.advance(at(110));
    let mut fork = run.clone();
    for run in [&mut run, &mut fork] {
        inject(run, at(110), Id::new(0), 1500, 1);
    }
    let all = deliveries(&mut run);
    assert_eq!(
        all.last(),
        Some(&(1, 1000)),
        "110 is behind the train's last opportunity"
    );
    assert_eq!(all, deliveries(&mut fork));
}

/// Each line holds from its very time to that of the next: at 1,000 ms the second, with 40 ms and 7 ms more. At 1,500 ms the base
/// delay lies midway between 40 and 10 ms, and the second packet uses the opportunity that the second line has after 7 ms.
#[test]
fn a_train_is_that_of_the_line_that_holds() {
    for (at, due) in [(1000, [1040, 1047]), (1500, [1525, 1532])] {
        let run = trains("0 20 0 3\n1000 40 0 7\n2000 10 0 9\n", 0);
        assert_eq!(leave(run, &[(at, 1500), (at, 1500)]), due);
    }
}

/// Numbers are digits and nothing else.
#[test]
fn a_number_with_a_sign_is_refused() {
    let part = TRACES.iter().find(|part| part.id == "cellreplay");
    let given = vec![
        ("light", file("light", "0 +20 0\n60000 20 0\n")),
        ("heavy", file("heavy", &file::write([1000]))),
        ("timer", Value::Span(Span::ZERO)),
    ];
    let refusal = (part.expect("a row").build)(&Args(given)).expect_err("no number");
    assert_eq!(refusal.option, "light");
    assert!(refusal.what.contains("+20"), "{}", refusal.what);
}

/// The heavy trace alone is what it is as a trace of its own.
#[test]
fn the_heavy_trace_is_a_recorded_one() {
    let lines = |trace: &AnyTrace| trace.recorded().expect("recorded").lines().to_vec();
    let (both, alone) = (replay(&[3, 5, 9], 0), recorded([3, 5, 9], false));
    assert_eq!(lines(&both), lines(&alone));
}

/// Trains of these lines over a heavy trace whose first opportunity comes at 1,000 ms.
fn trains(lines: &str, timer: u64) -> World {
    let given = [
        ("light", file("light", lines)),
        ("heavy", file("heavy", &file::write([1000, 1001, 1002]))),
        ("timer", Value::Span(Span::millis(timer))),
    ];
    let trace = generated("cellreplay", &given).repeated(false);
    world(trace.expect("recorded"), true)
}

/// The instants, in ms, at which packets leave that come at these milliseconds with so many bytes.
fn leave(mut run: World, packets: &[(u64, u64)]) -> Vec<u64> {
    for (tag, (ms, len)) in (0..).zip(packets) {
        inject(&mut run, at(*ms), Id::new(0), *len, tag);
    }
    deliveries(&mut run).iter().map(|one| one.1).collect()
}

/// Without a delay the first packet of a train leaves as it comes, and the second at the train's opportunity after 2 ms.
#[test]
fn a_train_without_delay_lets_its_packet_leave_at_once() {
    let run = trains("0 0 0 2 5\n60000 0 0 2 5\n", 0);
    assert_eq!(leave(run, &[(100, 1500), (100, 1500)]), [100, 102]);
}

/// Four packets of 372 B with 4 B each fill an opportunity of 1,504 B. Two opportunities of one millisecond carry eight, which
/// leave together; the ninth leaves 2 ms later.
#[test]
fn packets_of_one_opportunity_leave_together() {
    let run = trains("0 20 0 0 2\n60000 20 0 0 2\n", 0);
    let mut due = [120; 9];
    due[8] = 122;
    assert_eq!(leave(run, &[(100, 372); 9]), due);
}

/// A packet 3 ms behind the one before it begins a train with a timer of 2 ms, and waits for the opportunity after 5 ms with
/// one of 3.
#[test]
fn the_timer_is_the_one_that_is_asked_for() {
    for (timer, due) in [(2, 123), (3, 125)] {
        let run = trains("0 20 0 5\n60000 20 0 5\n", timer);
        assert_eq!(leave(run, &[(100, 1500), (103, 1500)]), [120, due]);
    }
}

/// The fourth packet leaves at 200 ms with the heavy trace. What a train lets go at that instant finds the link at rest again.
#[test]
fn light_traffic_leaves_at_the_end_of_what_was_under_way() {
    let mut run = world(replay(&[200, 400], 0), true);
    for tag in 0..4 {
        inject(&mut run, at(100), Id::new(0), 1500, tag);
    }
    inject(&mut run, at(180), Id::new(0), 1500, 4);
    assert_eq!(deliveries(&mut run)[3..], [(3, 200), (4, 200)]);
}
