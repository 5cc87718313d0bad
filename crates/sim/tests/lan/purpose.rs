//! The purpose of each mechanism, with it and without.

use backwater_sim::cause::Cause;
use backwater_sim::record::What;
use backwater_sim::world::Report;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::net::*;
use crate::timing::{byte, framed, sends};

/// Every packet of a flow that came through as if nothing had been in its way: nothing lost, no time at
/// a closed gate.
fn untouched(report: &Report, flow: usize) -> bool {
    let f = &report.flows[flow];
    f.sums.dropped.packets == 0 && f.sums.sum.gate == 0 && f.victims == 0
}

#[test]
fn pause_loses_nothing_at_the_switch_where_none_loses() {
    let (mut net, port) = merging(5.0, || {
        source(
            "uniform-uniform",
            &[
                ("burst", Value::Bytes(Bytes(48_000))),
                ("rate", Value::Rate(Rate(3 * MBIT))),
            ],
        )
    });
    assert!(lost_at(&net.run(), port) > 0);
    net.recipe("pause", &[port], &[]);
    let report = net.run();
    assert!(report.control > 0);
    assert_eq!(lost_at(&report, port), 0);
}

/// Back-pressure goes on hop by hop: the queue that is stopped fills, crosses its own mark, and stops
/// the one before it, up to the host.
#[test]
fn pause_goes_upstream_hop_by_hop() {
    let mut net = Net::new(1.0);
    let d = net.host("D");
    let mut last = net.switch("W0");
    let mut watched = vec![net.link(last, d, MBIT)[0]];
    for i in 1..4 {
        let w = net.switch(&format!("W{i}"));
        watched.push(net.link(w, last, 10 * MBIT)[0]);
        last = w;
    }
    let s = net.obeying_host("S");
    let first = net.link(s, last, 10 * MBIT)[0];
    watched.iter().for_each(|p| net.buffer(*p, 50_000));
    net.flow("f", s, d, script([(0, 1_000_000)]));
    let upstream = |watched: &[usize]| {
        let mut net = net.clone();
        net.recipe("pause", watched, &[]);
        net.run_recorded()
    };
    // Only the last switch speaks: the one before it loses in its place.
    let (report, _) = upstream(&watched[..1]);
    assert_eq!(lost_at(&report, watched[0]), 0);
    assert!(lost_at(&report, watched[1]) > 0);
    // All speak: nobody loses, and the marks are crossed one after the other.
    let (report, records) = upstream(&watched);
    assert_eq!(report.dropped, 0);
    let told = watched[1..].iter().chain([&first]);
    let stopped: Vec<u64> = told
        .map(|p| notices(&records, What::Knob, *p)[0].0)
        .collect();
    assert!(
        stopped.is_sorted() && stopped[0] < stopped[3],
        "{stopped:?}"
    );
}

/// Data and video share the link W>X; the data's queue at X is congested, that of the video is not.
fn data_and_video() -> (Net, usize) {
    let mut net = Net::new(2.0);
    let (w, x, d) = (net.switch("W"), net.switch("X"), net.host("D"));
    net.link(w, x, 100 * MBIT);
    let port = net.link(x, d, 10 * MBIT)[0];
    for (name, class, load) in [("data", 0, 12 * MBIT), ("video", 1, 2 * MBIT)] {
        let s = net.host(name);
        net.link(s, w, 100 * MBIT);
        net.flow(name, s, d, cbr(load)).class = class;
    }
    net.classes(2);
    net.buffer(port, 50_000);
    (net, port)
}

#[test]
fn a_pause_per_class_leaves_the_video_alone() {
    let (net, port) = data_and_video();
    let with = |recipe: &str| {
        let mut net = net.clone();
        net.recipe(recipe, &[port], &[]);
        net.run()
    };
    let (none, all, class) = (net.run(), with("pause"), with("pause-class"));
    assert!(lost_at(&none, port) > 0 && untouched(&none, 1));
    for report in [&all, &class] {
        assert_eq!(lost_at(report, port), 0);
        assert!(report.flows[0].sums.sum.gate > 0, "the data is held back");
    }
    assert!(!untouched(&all, 1), "PAUSE stops the video too");
    assert!(untouched(&class, 1), "a pause per class does not");
    // Its delay is what it is without back-pressure, but for a frame of data more or less before it.
    let slot = 1538 * byte(10 * MBIT);
    assert!(class.flows[1].sums.max <= none.flows[1].sums.max + slot);
    assert!(all.flows[1].sums.max > class.flows[1].sums.max + 4 * slot);
}

/// Four flows share the link W>X: (class, destination) of the congested queue, one that shares the
/// class, one that shares the destination, one that shares neither.
fn four_flows() -> (Net, usize) {
    let mut net = Net::new(2.0);
    let (w, x) = (net.switch("W"), net.switch("X"));
    net.link(w, x, 100 * MBIT);
    let d: Vec<usize> = (0..2).map(|i| net.host(&format!("D{i}"))).collect();
    let port = net.link(x, d[0], 10 * MBIT)[0];
    net.link(x, d[1], 10 * MBIT);
    for (name, class, to, load) in [
        ("congested", 0, 0, 12),
        ("same class", 0, 1, 2),
        ("same destination", 1, 0, 2),
        ("neither", 1, 1, 2),
    ] {
        let s = net.host(name);
        net.link(s, w, 100 * MBIT);
        net.flow(name, s, d[to], cbr(load * MBIT)).class = class;
    }
    net.classes(2);
    net.buffer(port, 50_000);
    (net, port)
}

#[test]
fn each_scope_stops_what_it_names_and_nothing_else() {
    let (net, port) = four_flows();
    assert!(lost_at(&net.run(), port) > 0);
    for (recipe, stopped) in [
        ("pause", [true, true, true, true]),
        ("pause-class", [true, true, false, false]),
        ("pause-destination", [true, false, true, false]),
        ("pause-class-destination", [true, false, false, false]),
    ] {
        let mut net = net.clone();
        let per_class = recipe == "pause-class-destination";
        net.recipe(recipe, &[port], &[("per_class", Value::Flag(per_class))]);
        let report = net.run();
        assert_eq!(lost_at(&report, port), 0, "{recipe}");
        for (flow, stopped) in stopped.into_iter().enumerate() {
            let gate = report.flows[flow].sums.sum.gate;
            assert_eq!(gate > 0, stopped, "{recipe}, flow {flow}: {gate}");
        }
        // The link W>X counts as stopped for the classes that are, toward whatever destinations.
        let closed = report.ports[0].count.closed;
        assert!(closed[0] > 0, "{recipe}");
        assert_eq!(closed[1] > 0, stopped[2], "{recipe}");
        // Victims are the stopped flows that don't go through the congested queue.
        for (flow, stopped) in stopped.into_iter().enumerate().skip(1) {
            let victims = report.flows[flow].victims;
            assert_eq!(victims > 0, stopped, "{recipe}, flow {flow}");
        }
        assert_eq!(report.flows[0].victims, 0, "{recipe}");
    }
}

/// Rate control slows the feeders to their share of the drain rate instead of stopping them: while a
/// bar is down at a port, no more leaves than the bucket lets through, and no less.
#[test]
fn rate_control_holds_feeders_to_their_share_without_loss() {
    let mut net = Net::new(2.0);
    let (x, d) = (net.switch("X"), net.host("D"));
    let mut feeders = Vec::new();
    for i in 0..2 {
        let (s, w) = (net.host(&format!("S{i}")), net.switch(&format!("W{i}")));
        net.link(s, w, 100 * MBIT);
        feeders.push(net.link(w, x, 100 * MBIT)[0]);
        net.flow(&format!("f{i}"), s, d, script([(0, 450_000)]));
    }
    let port = net.link(x, d, 10 * MBIT)[0];
    net.buffer(port, 50_000);
    assert!(lost_at(&net.run(), port) > 0);
    // A feeder may send its bucket and what is in flight: that needs more room above the mark.
    let given = [
        ("share", Value::Share(0.8)),
        ("high", Value::Share(0.7)),
        ("low", Value::Share(0.6)),
    ];
    net.mechanism(["watermark", "pause", "shaper"], &[port], &given);
    let (report, records) = net.run_recorded();
    assert_eq!(report.dropped, 0);
    assert_eq!(report.delivered, 600);
    for feeder in feeders {
        let knobs = notices(&records, What::Knob, feeder);
        let (from, until) = (knobs[0].0, knobs.iter().find(|k| k.1 == 0).expect("XON").0);
        assert!(until - from > 10 * MS);
        let sent = sends(&records, feeder);
        let during = sent.iter().filter(|t| (from..until).contains(t)).count() as u64;
        // 80 % of 10 Mbit/s for two: 4 Mbit/s each, and the depth of one frame.
        let allowed = 4 * (until - from) / (8 * US) + 1518;
        assert!(
            during * 1518 <= allowed + 1518,
            "{during} frames, {allowed} B"
        );
        assert!(
            (during + 1) * 1518 >= allowed - 1518,
            "{during} frames, {allowed} B"
        );
    }
}

/// Of three switches that feed a port, one sends nothing. Current senders only: it is not told.
#[test]
fn senders_are_told_and_others_only_where_all_feeders_are() {
    let mut net = Net::new(0.5);
    let (x, d) = (net.switch("X"), net.host("D"));
    let mut toward = Vec::new();
    for i in 0..3 {
        let (s, w) = (net.host(&format!("S{i}")), net.switch(&format!("W{i}")));
        net.link(s, w, 10 * MBIT);
        toward.push(net.link(w, x, 10 * MBIT)[1]);
        if i < 2 {
            net.flow(&format!("f{i}"), s, d, script([(0, 150_000)]));
        } else {
            // One packet, 30 ms before the mark is crossed: more than the window of 10 ms.
            net.flow(&format!("f{i}"), s, d, script([(0, 1500)]));
        }
    }
    let port = net.link(x, d, 10 * MBIT)[0];
    net.buffer(port, 50_000);
    for (audience, told) in [
        ("feeders", [true, true, true]),
        ("senders", [true, true, false]),
    ] {
        let mut net = net.clone();
        net.recipe("pause", &[port], &[("audience", Value::Choice(audience))]);
        let (report, records) = net.run_recorded();
        assert_eq!(lost_at(&report, port), 0);
        for (toward, told) in toward.iter().zip(told) {
            let posted = notices(&records, What::Notice, *toward);
            assert_eq!(!posted.is_empty(), told, "{audience}");
        }
        assert!(
            notices(&records, What::Notice, port).is_empty(),
            "never ahead"
        );
    }
}

/// A sender that begins while the queue is congested is told when its first frame comes in.
#[test]
fn a_sender_that_joins_a_congestion_is_told_then() {
    let mut net = Net::new(0.5);
    let (x, d) = (net.switch("X"), net.host("D"));
    let late = 40 * MS;
    let mut toward = Vec::new();
    for (i, at) in [0, 0, late].into_iter().enumerate() {
        let s = net.obeying_host(&format!("S{i}"));
        toward.push(net.link(s, x, 10 * MBIT)[1]);
        net.flow(&format!("f{i}"), s, d, script([(at, 60_000)]));
    }
    let port = net.link(x, d, MBIT)[0];
    net.buffer(port, 50_000);
    net.recipe("pause", &[port], &[("audience", Value::Choice("senders"))]);
    let records = net.run_recorded().1;
    let first = |port| notices(&records, What::Notice, port)[0].0;
    assert!(first(toward[0]) < late && first(toward[1]) < late);
    assert_eq!(first(toward[2]), late + 1526 * byte(10 * MBIT) + US);
}

/// Behind the congested port are two hosts. The filtering table names both; the buffer only the one
/// whose frames are in it, and the other once a frame to it is.
#[test]
fn addresses_come_from_the_filtering_table_or_from_the_buffer() {
    let mut net = Net::new(0.2);
    let (w, x, y) = (net.switch("W"), net.switch("X"), net.switch("Y"));
    let toward = net.link(w, x, 100 * MBIT)[1];
    let port = net.link(x, y, 10 * MBIT)[0];
    net.buffer(port, 50_000);
    let joins = 20 * MS;
    for (i, at, bytes) in [(0, 0, 150_000), (1, joins, 1_500)] {
        let (s, d) = (net.host(&format!("S{i}")), net.host(&format!("D{i}")));
        // The second is at X itself, where it cannot be stopped.
        net.link(s, if i == 0 { w } else { x }, 100 * MBIT);
        net.link(y, d, 100 * MBIT);
        net.flow(&format!("f{i}"), s, d, script([(at, bytes)]));
    }
    // Hosts in order: S0, D0, S1, D1.
    for (addresses, first, then) in [
        ("filtering-table", vec![1, 3], None),
        ("buffer", vec![1], Some(vec![1, 3])),
    ] {
        let mut net = net.clone();
        net.recipe(
            "pause-destination",
            &[port],
            &[("addresses", Value::Choice(addresses))],
        );
        let records = net.run_recorded().1;
        let posted: Vec<(u64, Vec<u32>)> = records
            .iter()
            .filter(|r| r.what == What::Notice && r.port.index() == toward)
            .map(|r| (r.at.0, r.notice.as_ref().expect("a notice").host_numbers()))
            .collect();
        assert_eq!(posted[0].1, first, "{addresses}");
        let arrives = joins + 1526 * byte(100 * MBIT) + US;
        let joined = posted.iter().find(|p| p.0 == arrives).map(|p| p.1.clone());
        assert_eq!(joined, then, "{addresses}");
    }
}

/// Three hundred hosts behind the congested port are too many for addresses, 246 of which fit a frame: a map of hosts names them. W holds what goes
/// to them, so that X loses nothing; without the notice 1.5 MB at 100 Mbit/s into 50 kB at 10 Mbit/s are lost for the most part. A packet of W to
/// a host that the map doesn't name passes at once.
#[test]
fn more_hosts_than_a_frame_has_addresses_for_are_named_by_a_map() {
    let mut net = Net::new(2.0);
    let (w, x, y) = (net.switch("W"), net.switch("X"), net.switch("Y"));
    let [held, toward] = net.link(w, x, 100 * MBIT);
    let port = net.link(x, y, 10 * MBIT)[0];
    net.buffer(port, 50_000);
    net.buffer(held, 2_000_000);
    let far: Vec<usize> = (0..300).map(|i| net.host(&format!("D{i}"))).collect();
    far.iter().for_each(|d| {
        net.link(y, *d, 100 * MBIT);
    });
    let (s, free) = (net.host("S"), net.host("E"));
    net.link(s, w, 100 * MBIT);
    net.link(x, free, 100 * MBIT);
    net.flow("big", s, far[299], script([(0, 1_500_000)]));
    net.flow("small", s, free, script([(500 * MS, 1_500)]));
    // A filtering table names hosts that somebody sends to.
    for (i, d) in far[..299].iter().enumerate() {
        net.flow(&format!("f{i}"), free, *d, script([(1_900 * MS, 64)]));
    }
    let lost = |net: &Net| net.run().dropped;
    assert!(lost(&net) > 500);
    net.recipe(
        "pause-destination",
        &[port],
        &[("addresses", Value::Choice("filtering-table"))],
    );
    let (report, records) = net.run_recorded();
    assert_eq!(report.dropped, 0);
    let notice = records
        .iter()
        .find(|r| r.what == What::Notice && r.port.index() == toward)
        .and_then(|r| r.notice.as_ref())
        .expect("a notice");
    assert_eq!(notice.host_numbers(), (0..300).collect::<Vec<u32>>());
    // 26 B of header, 300 bits, FCS: 68 B.
    assert_eq!(notice.frame_size(), 68);
    assert!(
        report.flows[1].sums.max < 10 * MS,
        "{}",
        report.flows[1].sums.max
    );
}

/// The queue fills at 10 Mbit/s net. The watermark sees it at 40 kB, the fill-rate detector when the
/// extrapolation over its horizon gets there: 5 ms at 10 Mbit/s are 6.25 kB earlier.
#[test]
fn the_fill_rate_alarms_earlier_than_the_watermark() {
    let mut net = Net::new(0.2);
    let (x, d) = (net.switch("X"), net.host("D"));
    for i in 0..2 {
        let s = net.obeying_host(&format!("S{i}"));
        net.link(s, x, 10 * MBIT);
        net.flow(&format!("f{i}"), s, d, script([(i * 600 * US, 60_000)]));
    }
    let port = net.link(x, d, 10 * MBIT)[0];
    net.buffer(port, 50_000);
    let first = |detector: &str| {
        let mut net = net.clone();
        net.mechanism([detector, "pause", "gate"], &[port], &[]);
        let (report, records) = net.run_recorded();
        let at = records.iter().find(|r| r.what == What::Notice);
        let at = at.expect("an alarm").at.0;
        let level = records
            .iter()
            .rfind(|r| r.what == What::Enqueue && r.port.index() == port && r.at.0 <= at);
        (
            at,
            level.expect("a frame").value,
            report.ports[port].count.max_bytes,
        )
    };
    let (mark, fill) = (first("watermark"), first("fill-rate"));
    assert!((40_000..=41_518).contains(&mark.1), "{mark:?}");
    // The rate is that between two frames of 1518 bytes at least 5 ms apart: within a frame's worth.
    let expected = 40_000.0 - 5e-3 * 10e6 / 8.0 * 1518.0 / 1538.0;
    let off = fill.1 as f64 - expected;
    assert!(
        (-1518.0..=2.0 * 1518.0).contains(&off),
        "{fill:?} {expected}"
    );
    assert!(fill.0 < mark.0 && fill.2 < mark.2, "{fill:?} {mark:?}");
}

/// Three feeders at once into shared memory. Headroom takes what is in flight after XOFF; without it
/// these frames have no room, whatever the threshold.
#[test]
fn shared_memory_loses_nothing_with_headroom_and_loses_without() {
    // 802.3 arithmetic at 100 Mbit/s: 3237 B, and the frame that crosses.
    let enough = 3_237 + 1_518;
    for (headroom, paused, loses) in [
        (enough, true, false),
        (0, true, true),
        (enough, false, true),
    ] {
        let mut net = Net::new(0.5);
        let x = net.shared_switch("X", 120_000, 0, headroom, 0);
        let d = net.host("D");
        let mut watched = Vec::new();
        for i in 0..3 {
            let s = net.obeying_host(&format!("S{i}"));
            watched.push(net.link(s, x, 100 * MBIT)[1]);
            net.flow(&format!("f{i}"), s, d, script([(i * 30 * US, 300_000)]));
        }
        let port = net.link(x, d, 100 * MBIT)[0];
        net.buffer(port, 1_000_000);
        if paused {
            net.mechanism(["dynamic-threshold", "pfc", "gate"], &watched, &[]);
        }
        let report = net.run();
        assert_eq!(
            report.dropped > 0,
            loses,
            "headroom {headroom}, paused {paused}"
        );
        assert!(report.drops.iter().all(|r| r.key.0 == Cause::MemoryFull));
        assert!(!paused || report.control > 0);
    }
}

/// One port cannot take all of the memory: with T = free >> shift it stops where its bytes are T, at
/// 1/(1 + 2^shift) of the memory.
#[test]
fn a_dynamic_threshold_keeps_memory_for_others() {
    for (shift, share) in [(0, 1.0 / 2.0), (1, 1.0 / 3.0), (2, 1.0 / 5.0)] {
        let mut net = Net::new(0.01);
        let memory = 300_000;
        let x = net.shared_switch("X", memory, 0, 0, shift);
        let (s, d) = (net.host("S"), net.host("D"));
        net.link(s, x, 1_000 * MBIT);
        let port = net.link(x, d, 1_000)[0];
        net.buffer(port, 1_000_000);
        net.flow("f", s, d, script([(0, 600_000)]));
        let held = net.run().ports[port].count.max_bytes as f64;
        // used = (memory − used) / 2^shift, to a frame: the threshold is that before it.
        let expected = memory as f64 * share;
        assert!(
            (held - expected).abs() <= 1518.0,
            "{shift}: {held} {expected}"
        );
    }
}

/// A mechanism says nothing where nothing is congested, and changes nothing.
#[test]
fn an_idle_mechanism_changes_nothing() {
    for recipe in ["pause", "pause-class", "pause-destination"] {
        let (mut net, port) = merging(1.0, || cbr(3 * MBIT));
        let before = net.run();
        net.recipe(recipe, &[port], &[]);
        let after = net.run();
        assert_eq!(after.control, 0, "{recipe}");
        assert_eq!(before.fingerprint, after.fingerprint, "{recipe}");
    }
}

/// Hosts that don't obey are not told, and go on.
#[test]
fn only_hosts_that_obey_are_told() {
    for obeys in [true, false] {
        let mut net = Net::new(0.2);
        let (x, d) = (net.switch("X"), net.host("D"));
        for i in 0..2 {
            let s = if obeys {
                net.obeying_host("S")
            } else {
                net.host("S")
            };
            net.link(s, x, 10 * MBIT);
            net.flow(&format!("f{i}"), s, d, script([(0, 150_000)]));
        }
        let port = net.link(x, d, 10 * MBIT)[0];
        net.buffer(port, 50_000);
        net.recipe("pause", &[port], &[]);
        let report = net.run();
        assert_eq!(report.control > 0, obeys);
        assert_eq!(lost_at(&report, port) == 0, obeys);
    }
}

/// The congested port faces a host that obeys: it is not told, for it doesn't feed the queue.
#[test]
fn the_neighbour_that_the_port_faces_is_not_told() {
    let mut net = Net::new(0.2);
    let (s, x, d) = (
        net.obeying_host("S"),
        net.switch("X"),
        net.obeying_host("D"),
    );
    let toward = net.link(s, x, 100 * MBIT)[1];
    let port = net.link(x, d, 10 * MBIT)[0];
    net.buffer(port, 50_000);
    net.flow("f", s, d, script([(0, 150_000)]));
    net.0.links.iter_mut().for_each(|l| l.delay = Span::ZERO);
    net.recipe("pause", &[port], &[]);
    let (report, records) = net.run_recorded();
    assert!(notices(&records, What::Notice, port).is_empty());
    assert!(!notices(&records, What::Notice, toward).is_empty());
    assert_eq!(report.dropped, 0);
    // The wire is the only delay there is: control frames of 64 bytes, never more than one at a time.
    assert!(report.ports[toward].count.control_bytes == 64 * report.control);
    assert_eq!(framed(46), 64);
}

/// A sender whose frame finds the buffer full has sent nevertheless: it is told, and stops. Where the
/// notice names addresses from the buffer, it names that of the lost frame too.
#[test]
fn a_sender_whose_frame_is_lost_is_a_current_sender() {
    let late = 40 * MS;
    let mut net = Net::new(0.2);
    let (x, y) = (net.switch("X"), net.switch("Y"));
    let mut toward = Vec::new();
    // The first doesn't obey and keeps the buffer full to a rest that holds no frame.
    for (i, at) in [0, late].into_iter().enumerate() {
        let s = if i == 0 {
            net.host("S0")
        } else {
            net.obeying_host("S1")
        };
        let d = net.host(&format!("D{i}"));
        toward.push(net.link(s, x, 100 * MBIT)[1]);
        net.link(y, d, 100 * MBIT);
        net.flow(&format!("f{i}"), s, d, script([(at, 150_000)]));
    }
    let port = net.link(x, y, 1_000)[0];
    net.buffer(port, 50_000);
    // Hosts in order: S0, D0, S1, D1.
    for (recipe, named) in [("pause", vec![]), ("pause-destination", vec![1, 3])] {
        let mut net = net.clone();
        let given = [
            ("audience", Value::Choice("senders")),
            ("addresses", Value::Choice("buffer")),
        ];
        net.recipe(recipe, &[port], &given);
        let (report, records) = net.run_recorded();
        let told = records
            .iter()
            .find(|r| r.what == What::Notice && r.port.index() == toward[1]);
        let told = told.expect("a notice");
        assert_eq!(told.at.0, late + 1526 * byte(100 * MBIT) + US, "{recipe}");
        let notice = told.notice.as_ref().expect("a notice");
        assert_eq!(notice.host_numbers(), named, "{recipe}");
        let lost = report.flows[1].sums.dropped.packets;
        assert_eq!(lost, 2, "{recipe}: the second was under way");
    }
}

/// No neighbour obeys, so that nobody can be stopped. A warning names four of the six ports and
/// counts the others.
#[test]
fn a_mechanism_that_can_stop_nobody_names_four_of_its_ports() {
    let mut net = Net::new(0.1);
    let (s, x) = (net.host("S"), net.switch("X"));
    net.link(s, x, 10 * MBIT);
    let mut ports = Vec::new();
    for i in 0..6 {
        let d = net.host(&format!("D{i}"));
        ports.push(net.link(x, d, 10 * MBIT)[0]);
        net.flow(&format!("f{i}"), s, d, cbr(MBIT));
    }
    for (watched, named) in [
        (6, "at X>D0, X>D1, X>D2, X>D3, and 2 more stops nobody"),
        (4, "at X>D0, X>D1, X>D2, X>D3 stops nobody"),
    ] {
        let mut net = net.clone();
        net.recipe("pause", &ports[..watched], &[]);
        let warnings = net.world().blind_warnings();
        assert!(warnings[0].contains(named), "{warnings:?}");
        assert_eq!(warnings.len(), 1);
    }
}
