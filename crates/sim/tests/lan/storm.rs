//! A card that pauses without reason, and the watchdog that frees the class, to the picosecond.

use backwater_sim::cause::Cause;
use backwater_sim::ids::PortId;
use backwater_sim::record::{Record, What};
use backwater_sim::spec::watchdog::Terms;
use backwater_sim::spec::{Action, Happening, LinkEvent};
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::net::*;

/// Ticks for a byte at 10 Gbit/s.
const BYTE: u64 = 800;
/// A packet of each class each 10 us.
const EACH: u64 = 10 * US;
/// Frame of 1,000 B with preamble, and its gap.
const FRAME: u64 = (8 + 1018) * BYTE;
const GAP: u64 = 12 * BYTE;
/// A PAUSE or PFC frame, 1 us of wire and a reaction of 60 quanta of 512 bits.
const HEARD: u64 = (8 + 64) * BYTE + US + 60 * 64 * BYTE;
/// The card asks again after half of 65,535 quanta.
const AGAIN: u64 = 32_767 * 64 * BYTE;
const END: u64 = 30 * MS;

/// S sends packets of two classes over X to D, and a watchdog looks after the port from X to D.
fn line(classes: [u8; 2], watchdog: Option<(u64, u64, Action)>) -> Net {
    let mut net = Net::new(END as f64 / 1e12);
    let (s, x, d) = (net.host("S"), net.switch("X"), net.host("D"));
    net.link(s, x, 10_000 * MBIT);
    let port = net.link(x, d, 10_000 * MBIT)[0];
    net.classes(8);
    net.buffer(port, 100_000_000);
    for (n, class) in classes.into_iter().enumerate() {
        let packet = ("packet", Value::Bytes(Bytes(1000)));
        let rate = ("rate", Value::Rate(Rate(800 * MBIT)));
        let flow = net.flow(&format!("f{class}"), s, d, source("cbr", &[packet, rate]));
        flow.class = class;
        // They are never in each other's way at the host.
        flow.start = Span(n as u64 * 5 * US);
    }
    net.0.ports[port].watchdog = watchdog.map(|(detection, restoration, action)| Terms {
        detection: Span(detection),
        restoration: Span(restoration),
        action,
    });
    net
}

/// The card of D asks X to stop a class, or all, from the first instant to the second.
fn asks(net: &mut Net, class: Option<u8>, (from, to): (u64, u64)) {
    net.0.events.push(LinkEvent {
        name: format!("e{}", net.0.events.len()),
        links: vec![1],
        at: Span(from),
        until: Some(Span(to)),
        what: Happening::Storm(class),
    });
}

/// The records of a run whose report is the same without an event for each departure.
fn recorded(net: &Net) -> Vec<Record> {
    let (report, records) = net.run_recorded();
    assert_eq!(report.fingerprint, net.run().fingerprint);
    records
}

/// The card of D asks X to stop class 0 in these spans.
fn storms(of: &[(u64, u64)], watchdog: Option<(u64, u64, Action)>) -> (Vec<Record>, Net) {
    let of: Vec<_> = of.iter().map(|span| (*span, Some(0))).collect();
    storms_of([0, 1], &of, watchdog)
}

/// The same with flows of these classes and storms of any.
fn storms_of(
    classes: [u8; 2],
    of: &[((u64, u64), Option<u8>)],
    watchdog: Option<(u64, u64, Action)>,
) -> (Vec<Record>, Net) {
    let mut net = line(classes, watchdog);
    of.iter()
        .for_each(|(span, class)| asks(&mut net, *class, *span));
    (recorded(&net), net)
}

/// Instants at which something happened to packets of a class.
fn at(records: &[Record], what: What, class: u8) -> Vec<u64> {
    let is = |r: &&Record| r.what == what && r.traffic.class() == class && !r.flow.is_none();
    let all: Vec<&Record> = records.iter().filter(is).collect();
    if what == What::Drop {
        assert!(all.iter().all(|r| r.value == Cause::Watchdog as u64));
    }
    all.iter().map(|r| r.at.0).collect()
}

/// When packets of class 0 come to X: sent one each 10 us.
fn arrivals() -> impl Iterator<Item = u64> {
    (0..)
        .map(|n| n * EACH + FRAME + US)
        .take_while(|at| *at <= END)
}

/// When a packet that finds an open, idle line is delivered.
fn passes(came: u64) -> u64 {
    came + FRAME + US
}

#[test]
fn a_class_is_stopped_while_a_card_asks_for_it() {
    let (from, to) = (MS, 20 * MS);
    let (records, _) = storms(&[(from, to)], None);
    let (stopped, free) = (from + HEARD, to + HEARD);
    let waiting = arrivals().filter(|at| (stopped..free).contains(at)).count() as u64;
    let released = (0..waiting).map(|n| free + n * (FRAME + GAP) + FRAME + US);
    let delivered = at(&records, What::Deliver, 0);
    // Those before, and the first that waited: the others share the line with the second class.
    let before: Vec<u64> = arrivals()
        .take_while(|at| *at < stopped)
        .map(passes)
        .collect();
    assert_eq!(delivered[..before.len()], before);
    assert_eq!(Some(delivered[before.len()]), released.clone().next());
    let by_then = delivered.iter().filter(|at| **at <= END).count();
    assert!(by_then as u64 >= waiting + before.len() as u64);
    // The other class passes all the time, unless it waits for a frame that waited.
    let other = at(&records, What::Deliver, 1);
    let undisturbed: Vec<u64> = arrivals()
        .map(|at| passes(at) + 5 * US)
        .take_while(|at| *at < free)
        .collect();
    assert_eq!(other[..undisturbed.len()], undisturbed);
}

/// The gate has been closed for the detection time at `freed`: what waits is lost then, and what comes, until no notice has asked for the
/// restoration time. The card asks at 1 ms and every half of its time from there on, last before 10 ms.
#[test]
fn frames_of_a_stormed_class_are_lost_until_it_is_restored() {
    for (class, detection, restoration) in [
        (0, 2 * MS, 3 * MS),
        (0, 500 * US, 700 * US),
        (4, 500 * US, 700 * US),
        (7, 2 * MS, 3 * MS),
    ] {
        let (from, to) = (MS, 10 * MS);
        let (records, _) = storms_of(
            [class, 1],
            &[((from, to), Some(class))],
            Some((detection, restoration, Action::Drop)),
        );
        let stopped = from + HEARD;
        let asks: Vec<u64> = (0..)
            .map(|n| stopped + n * AGAIN)
            .take_while(|at| *at < to + HEARD)
            .collect();
        // From each detection to the restoration behind it, and then the next notice stops the class again.
        let (mut lost, mut kept, mut closed) = (Vec::new(), Vec::new(), Some(stopped));
        let mut storms = Vec::new();
        while let Some(since) = closed {
            let freed = since + detection;
            // The pause is taken back at the end, or its time is over.
            if since >= to + HEARD || freed > to + HEARD {
                break;
            }
            let mut heard = freed;
            for ask in asks.iter().filter(|ask| **ask > freed) {
                if *ask > heard + restoration {
                    break;
                }
                heard = *ask;
            }
            storms.push((since, freed, heard + restoration));
            closed = asks.iter().copied().find(|ask| *ask > heard + restoration);
        }
        for came in arrivals() {
            match storms
                .iter()
                .find(|(since, _, back)| (*since..*back).contains(&came))
            {
                Some((_, freed, _)) => lost.push(came.max(*freed)),
                None => kept.push(came),
            }
        }
        assert_eq!(
            at(&records, What::Drop, class),
            lost,
            "{class} {detection} {storms:?}"
        );
        let delivered = at(&records, What::Deliver, class);
        if storms.len() == 1 {
            let passed: Vec<u64> = kept
                .into_iter()
                .map(passes)
                .filter(|at| *at <= END)
                .collect();
            assert_eq!(delivered, passed, "{detection}");
        }
        let other: Vec<u64> = arrivals()
            .map(|at| passes(at) + 5 * US)
            .take_while(|at| *at <= END)
            .collect();
        assert_eq!(at(&records, What::Deliver, 1), other);
    }
}

/// With `forward` what has waited is sent at once when the class is freed, and notices do not count up to the restoration; a later one
/// stops the class again.
#[test]
fn frames_of_a_stormed_class_are_sent_on() {
    let detection = 2 * MS;
    let watchdog = (detection, 3 * MS, Action::Forward);
    let (records, _) = storms(&[(MS, 10 * MS), (20 * MS, 21 * MS)], Some(watchdog));
    let (stopped, freed) = (MS + HEARD, MS + HEARD + detection);
    assert_eq!(at(&records, What::Drop, 0), []);
    let delivered = at(&records, What::Deliver, 0);
    let before = arrivals().filter(|at| *at < stopped).count();
    assert_eq!(delivered[before], freed + FRAME + US);
    let silent = |from: u64, to: u64| !delivered.iter().any(|at| (from..to).contains(at));
    assert!(silent(stopped + FRAME + US, freed + FRAME + US));
    // None is stopped by the notices up to 10 ms.
    let late: Vec<u64> = arrivals()
        .filter(|at| (12 * MS..20 * MS).contains(at))
        .map(passes)
        .collect();
    let seen: Vec<u64> = delivered
        .iter()
        .copied()
        .filter(|at| late[0] <= *at && *at <= late[late.len() - 1])
        .collect();
    assert_eq!(seen, late);
    let (again, over) = (20 * MS + HEARD, 21 * MS + HEARD);
    assert!(silent(again + FRAME + US, over + FRAME + US));
    assert!(delivered.contains(&(over + FRAME + US)));
}

/// A pause that ends a picosecond before the detection time is over frees nobody; one that does not does.
#[test]
fn a_pause_as_long_as_the_detection_time_is_a_storm() {
    let length = 1_900 * US;
    for (detection, acts) in [(length + 1, false), (length - 1, true)] {
        let watchdog = (detection, 3 * MS, Action::Drop);
        let (records, _) = storms(&[(MS, MS + length)], Some(watchdog));
        let lost = at(&records, What::Drop, 0);
        assert_eq!(!lost.is_empty(), acts, "{detection}");
    }
}

/// A card that asks for all classes stops both, and both are lost from the detection to the restoration behind its last notice. Where it goes
/// on to ask for the first class alone the other is restored as soon.
#[test]
fn each_class_is_restored_after_the_last_notice_about_it() {
    let watchdog = Some((2 * MS, 3 * MS, Action::Drop));
    let (from, to) = (MS, 10 * MS);
    let restored = (to - from) / AGAIN * AGAIN + from + HEARD + 3 * MS;
    let ends_then = |end: u64| end < restored && restored - end <= EACH;
    let goes_on = ((to + US, 25 * MS), Some(0));
    for (more, first_ends) in [(None, true), (Some(goes_on), false)] {
        let storms: Vec<_> = [((from, to), None)].into_iter().chain(more).collect();
        let (records, _) = storms_of([0, 7], &storms, watchdog);
        let ends = [0, 7].map(|class| at(&records, What::Drop, class).pop());
        let [first, other] = ends.map(|end| end.expect("losses"));
        assert_eq!(ends_then(first), first_ends, "{first}");
        assert_eq!(first > 25 * MS, !first_ends, "{first}");
        assert!(ends_then(other), "{other} {restored}");
    }
}

/// Two storms with a restoration between them make it act twice; one that stops all eight classes, once for each.
#[test]
fn a_watchdog_counts_the_classes_that_it_has_freed() {
    let (first, second) = ((MS, 10 * MS), (20 * MS, 24 * MS));
    for (class, spans, acts) in [
        (Some(0), vec![first, second], 2),
        (Some(4), vec![first, second], 2),
        (None, vec![first], 8),
        (None, vec![(MS, MS + US)], 0),
    ] {
        let storms: Vec<_> = spans.into_iter().map(|span| (span, class)).collect();
        let watchdog = Some((2 * MS, 3 * MS, Action::Drop));
        let mut world = storms_of([0, 4], &storms, watchdog).1.world();
        world.advance(world.end());
        let mut ports = world.network().ports.iter();
        let acted = ports.find_map(|port| Some(port.more.watchdog.as_ref()?.acted));
        assert_eq!(acted, Some(acts), "{class:?}");
    }
}

/// Class 0 is freed 2 ms after it was stopped at 1 ms, and notices about it do not count up to the end. At 5 ms the card asks for all
/// classes: class 1 is stopped until it is freed as well, and class 0 passes all the time.
#[test]
fn a_notice_of_all_classes_counts_for_those_that_are_not_stormed() {
    let detection = 2 * MS;
    let mut net = line([0, 1], Some((detection, 20 * MS, Action::Forward)));
    asks(&mut net, Some(0), (MS, 4 * MS));
    asks(&mut net, None, (5 * MS, 10 * MS));
    let records = recorded(&net);
    let stopped = 5 * MS + HEARD;
    let between = |class: u8, from: u64, to: u64| {
        let there = at(&records, What::Deliver, class);
        there.iter().filter(|at| (from..to).contains(*at)).count() as u64
    };
    // What is on the line when the gate closes is still delivered.
    let (first, last) = (stopped + FRAME + US, stopped + detection);
    assert_eq!(between(1, first, last), 0);
    let passes = (last - first) / EACH;
    assert!(between(0, first, last).abs_diff(passes) <= 1);
    assert!(between(1, last, last + MS) > MS / EACH);
}

/// Nobody sends, and the card of D asks X to stop. A watchdog that frees the class moves a knob, so the runs with it and without differ.
#[test]
fn a_class_that_is_freed_is_in_the_fingerprint() {
    let fingerprint = |watchdog| {
        let mut net = line([0, 1], watchdog);
        net.0.flows.clear();
        asks(&mut net, Some(0), (MS, 5 * MS));
        net.run().fingerprint
    };
    let acts = fingerprint(Some((2 * MS, 20 * MS, Action::Forward)));
    let waits = fingerprint(Some((20 * MS, 20 * MS, Action::Forward)));
    assert_ne!(acts, waits);
    assert_eq!(waits, fingerprint(None));
}

/// The line to D becomes shorter while a class is stormed: what of the other class was on it arrives, and what comes is not lost.
#[test]
fn a_storm_at_a_line_that_becomes_shorter_loses_no_other_class() {
    let watchdog = Some((2 * MS, 3 * MS, Action::Drop));
    let (_, mut net) = storms_of([0, 1], &[((MS, 20 * MS), Some(0))], watchdog);
    net.0.links[1].delay = Span::millis(2);
    let mut world = net.world();
    world.advance(Time(5 * MS));
    let changed = world.change_delay(PortId::new(2), Span::micros(1));
    changed.expect("a wire");
    world.advance(world.end());
    let report = world.report();
    let [stormed, other] = [0, 1].map(|flow| report.flows[flow].sums.dropped.packets);
    assert!(stormed > 1_000, "{stormed}");
    assert_eq!(other, 0);
}

/// The card stops X twice, and each time a frame comes to its empty queue meanwhile. It waits at the gate until that opens, and nowhere else, also where X
/// counts what has come in.
#[test]
fn a_frame_that_comes_to_a_closed_gate_waits_until_it_opens() {
    for accounts in [false, true] {
        let mut net = Net::new(0.01);
        let (s, x, d) = (net.obeying_host("S"), net.switch("X"), net.host("D"));
        let back = net.link(s, x, 10_000 * MBIT)[1];
        net.link(x, d, 10_000 * MBIT);
        net.flow(
            "f",
            s,
            d,
            script([(1_500 * US, 1_000), (3_500 * US, 1_000)]),
        );
        for from in [MS, 3 * MS] {
            asks(&mut net, Some(0), (from, from + MS));
        }
        if accounts {
            let marks = [("xoff", 200_000), ("xon", 100_000)];
            let marks = marks.map(|(name, bytes)| (name, Value::Bytes(Bytes(bytes))));
            net.recipe("pfc", &[back], &marks);
        }
        let sum = net.run().all.sum;
        let waits = |born: u64, opens: u64| opens + HEARD - (born + FRAME + US);
        let gate = waits(1_500 * US, 2 * MS) + waits(3_500 * US, 4 * MS);
        assert_eq!((sum.gate, sum.queue), (u128::from(gate), 0), "{accounts}");
    }
}
