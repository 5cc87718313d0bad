//! Detectors in a network.

use crate::net::*;
use backwater_sim::mechanism::DETECTORS;
use backwater_sim::record::What;
use backwater_sim::world::World;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span};

/// The fill-rate detector may find a queue congested when a frame leaves: its base of comparison
/// has moved on meanwhile.
#[test]
fn a_fill_rate_that_is_seen_at_a_departure_is_no_fault() {
    let bursts = || {
        source(
            "uniform-uniform",
            &[
                ("burst", Value::Bytes(Bytes(12_000))),
                ("rate", Value::Rate(Rate(3 * MBIT))),
            ],
        )
    };
    let (mut net, port) = merging(20.0, bursts);
    net.mechanism(["fill-rate", "pause", "gate"], &[port], &[]);
    assert_eq!(net.run().dropped, 0);
}

/// On a wire all bytes of a queue came from neighbours. A port is asked about departures before bytes by neighbour are booked.
#[test]
fn what_is_held_for_others_can_be_watched_on_a_wire() {
    let (mut net, port) = merging(20.0, || cbr(5 * MBIT));
    net.mechanism(["occupancy", "pause", "gate"], &[port], &[]);
    let fused = net.run();
    assert!(fused.delivered > 1000);
    let here = fused.drops.iter().filter(|d| d.key.1.index() == port);
    assert_eq!(here.map(|d| d.count.packets).sum::<u64>(), 0);
    let mut world = net.world();
    world.unfuse();
    world.advance(world.end());
    assert_eq!(world.report().fingerprint, fused.fingerprint);
}

/// A dynamic threshold falls as others fill the memory, so a departure may find its own queue above.
#[test]
fn a_threshold_that_fell_below_a_queue_is_seen_at_its_next_departure() {
    let mut net = Net::new(1.0);
    let x = net.shared_switch("X", 200_000, 1_000, 10_000, 0);
    let mut watched = Vec::new();
    // A fills 60 kB of the memory at once and then stops; B's flow takes the rest meanwhile.
    for (name, bytes, at) in [("A", 60_000, 0), ("B", 90_000, 10 * MS)] {
        let (s, d) = (net.host(name), net.host(&format!("{name}d")));
        watched.push(net.link(s, x, 100 * MBIT)[1]);
        let out = net.link(x, d, MBIT)[0];
        net.buffer(out, 1_000_000);
        net.flow(name, s, d, script([(at, bytes)]));
    }
    net.mechanism(["dynamic-threshold", "pfc", "gate"], &watched, &[]);
    net.run();
}

/// A FIFO port has one queue for all classes: a notice per class must stop the classes that are in it.
#[test]
fn a_notice_per_class_from_a_fifo_port_stops_the_classes_it_holds() {
    for recipe in ["pause-class", "pause-class-destination"] {
        let (mut net, port) = merging(1.0, || cbr(5 * MBIT));
        net.0.flows.iter_mut().for_each(|f| f.class = 1);
        net.recipe(recipe, &[port], &[("per_class", Value::Flag(true))]);
        let drops = net.run().drops;
        let here = drops.iter().filter(|d| d.key.1.index() == port);
        let lost: u64 = here.map(|d| d.count.packets).sum();
        assert_eq!(lost, 0, "{recipe}");
    }
}

/// The queue is high, and more comes in than leaves: the difference of rates stops the senders on a wire as well, until
/// the queue is low. What three feeders send in two periods of 3 ms, 22 kB, is less than half of the buffer.
#[test]
fn a_difference_of_rates_stops_the_senders_of_a_switch() {
    let (mut net, port) = merging(2.0, || cbr(5 * MBIT));
    let lost = lost_at(&net.run(), port);
    assert!(lost > 0);
    let given = [
        ("period", Value::Span(Span::millis(3))),
        ("window", Value::Count(1)),
    ];
    net.mechanism(["watermark", "pause", "gate"], &[port], &[]);
    let row = DETECTORS.iter().find(|p| p.id == "queue-rate-difference");
    let row = row.expect("a detector");
    net.0.mechanisms[0].detect = (row.build)(&args(row, &given)).expect("legal options");
    let report = net.run();
    assert!(report.control > 0);
    assert!(
        lost_at(&report, port) * 10 < lost,
        "{} {lost}",
        lost_at(&report, port)
    );
}

/// On a wire a part that needs a shared medium or an 802.11 transmitter is refused with the reason.
#[test]
fn what_a_wire_cannot_do_is_refused() {
    for (parts, section, word) in [
        (["rate-comparison", "pause", "gate"], "detect", "busy share"),
        (
            ["watermark", "request", "gate"],
            "notify",
            "management frames",
        ),
        (
            ["watermark", "pause", "aifsn"],
            "respond",
            "802.11 transmitter",
        ),
        (
            ["watermark", "pause", "cw-min"],
            "respond",
            "802.11 transmitter",
        ),
        (
            ["watermark", "pause", "txop"],
            "respond",
            "802.11 transmitter",
        ),
        (
            ["watermark", "pause", "token-bucket"],
            "respond",
            "802.11 transmitter",
        ),
        (
            ["ingress-watermark", "pfc", "shaper"],
            "respond",
            "output queue",
        ),
    ] {
        let (mut net, port) = merging(1.0, || cbr(5 * MBIT));
        net.mechanism(parts, &[port], &[]);
        let refusal = World::build(&net.0).expect_err("refused");
        assert_eq!(refusal.path, format!("mechanisms.m0.{section}"));
        assert!(refusal.what.contains(word), "{}", refusal.what);
    }
    let (mut net, port) = merging(1.0, || cbr(5 * MBIT));
    net.mechanism(
        ["watermark", "pause", "gate"],
        &[port],
        &[("cast", Value::Choice("group"))],
    );
    let refusal = World::build(&net.0).expect_err("refused");
    assert_eq!(refusal.path, "mechanisms.m0.notify.cast");
}

/// Three lines at rate C feed one at C. At t the queue holds 2 C t, and the first in line has waited 2 t / 3, so that a mark of h
/// is passed at t = 1.5 h, with 3 C h in the queue. The first in line stands behind the frame in transmission, and is looked at when
/// one joins: that is up to 1.5 frame times later, with up to three frames more. Two frames of each feeder at most come after
/// that, nine in all. C counts frames of 1518 B that take 1538 B of the line. Without the mechanism the queue fills 1 MB.
#[test]
fn a_mark_of_waiting_time_bounds_the_queue_by_that_time_of_the_line() {
    let most = |high: Option<u64>| {
        let (mut net, port) = merging(2.0, || cbr(10 * MBIT));
        net.buffer(port, 1_000_000);
        if let Some(ms) = high {
            let given = [
                ("high", Value::Span(Span::millis(ms))),
                ("low", Value::Span(Span::millis(1))),
            ];
            net.mechanism(["sojourn", "pause", "gate"], &[port], &given);
        }
        let fused = net.run();
        let mut world = net.world();
        world.unfuse();
        world.advance(world.end());
        assert_eq!(world.report().fingerprint, fused.fingerprint, "{high:?}");
        fused.ports[port].count.max_bytes
    };
    for ms in [6, 12, 24] {
        let bytes = 3 * 10 * MBIT / 8 * ms / 1000 * 1518 / 1538;
        let found = most(Some(ms));
        assert!(
            (bytes - 2 * 1518..=bytes + 9 * 1518).contains(&found),
            "{ms}: {found} {bytes}"
        );
    }
    assert!(most(None) > 990_000);
}

/// Three flows of 2 Mbit/s on a line of 10: at most three frames meet, 3.7 ms of the line, less than the mark of 12 ms.
#[test]
fn a_line_that_keeps_up_is_not_congested() {
    let (mut net, port) = merging(2.0, || cbr(2 * MBIT));
    let given = [
        ("high", Value::Span(Span::millis(12))),
        ("low", Value::Span(Span::millis(1))),
    ];
    net.mechanism(["sojourn", "pause", "gate"], &[port], &given);
    let report = net.run();
    let sent: u64 = report.ports.iter().map(|p| p.count.control).sum();
    assert_eq!(sent, 0);
}

/// Thirty frames come at 100 Mbit/s within 4 ms, and leave at 10 Mbit/s within 37 ms over a wire of
/// 30 ms. From 80 % of 45 kB to 20 % the queue takes 22 ms, so that it is low before the first
/// frame arrives. That departure is seen at its instant, as where each has an event of its own.
#[test]
fn a_queue_before_a_long_wire_is_seen_to_be_low_in_time() {
    let mut net = Net::new(0.2);
    let (s, w, x, d) = (
        net.host("S"),
        net.switch("W"),
        net.switch("X"),
        net.host("D"),
    );
    net.link(s, w, 100 * MBIT);
    let toward = net.link(w, x, 100 * MBIT)[1];
    let port = net.link(x, d, 10 * MBIT)[0];
    net.0.links[port / 2].delay = Span::millis(30);
    net.buffer(port, 45_000);
    net.flow("f", s, d, script([(0, 45_000)]));
    let marks = [("high", Value::Share(0.8)), ("low", Value::Share(0.2))];
    net.mechanism(["watermark", "pause", "gate"], &[port], &marks);
    let fused = net.run();
    let (unfused, records) = net.run_recorded();
    assert_eq!(unfused.fingerprint, fused.fingerprint);
    let told = notices(&records, What::Notice, toward);
    assert_eq!(told.iter().filter(|(_, quanta)| *quanta == 0).count(), 1);
    assert!(told.iter().all(|(at, _)| *at < 30 * MS), "{told:?}");
}
