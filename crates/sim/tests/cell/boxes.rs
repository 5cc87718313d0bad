//! Delay, jitter, reordering, duplication, loss, marks and outages, in any order.

use backwater_sim::cause::Cause;
use backwater_sim::injection::Injected;
use backwater_sim::medium::boxes::AnyBox;
use backwater_sim::medium::trace::First;
use backwater_sim::table::Id;
use backwater_sim::world::{Fate, World};
use backwater_transport::part::Value;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Span, Time};

use crate::net::{MAHIMAHI, MS, at, delay, deliveries, direction, path_box, recorded, spec};
use crate::outside::inject;

fn world(boxes: Vec<AnyBox>, lines: impl IntoIterator<Item = u64>, seconds: f64) -> World {
    let directions = [
        direction(recorded(lines, false), MAHIMAHI, First::Opportunity, boxes),
        None,
    ];
    World::build(&spec(directions, seconds)).expect("a link")
}

fn on_off(on: u64, off: u64, lengths: &'static str) -> AnyBox {
    let given = [
        ("on", Value::Span(Span::millis(on))),
        ("off", Value::Span(Span::millis(off))),
        ("lengths", Value::Choice(lengths)),
    ];
    path_box("on-off", &given)
}

fn loss(share: f64) -> AnyBox {
    path_box("loss", &[("share", Value::Share(share))])
}

#[test]
fn a_delay_counts_from_the_millisecond_and_keeps_order() {
    // A packet at 5.7 ms leaves the box at 25, not 25.7: the opportunity at 25 is too early for it only
    // because it comes first.
    let mut run = world(vec![delay(20)], 1..100, 0.2);
    inject(&mut run, Time(5 * MS + 700_000_000), Id::new(0), 1500, 0);
    inject(&mut run, Time(5 * MS + 800_000_000), Id::new(0), 1500, 1);
    assert_eq!(deliveries(&mut run), [(0, 26), (1, 27)]);
    let exact = path_box(
        "delay",
        &[
            ("delay", Value::Span(Span::millis(20))),
            ("clock", Value::Choice("exact")),
        ],
    );
    let mut run = world(vec![exact], 1..100, 0.2);
    inject(&mut run, Time(5 * MS + 700_000_000), Id::new(0), 1500, 0);
    assert_eq!(deliveries(&mut run), [(0, 26)]);
}

#[test]
fn a_delay_that_changes_keeps_order() {
    // From 50 ms on it is 5 ms instead of 20. What entered at 49.5 comes out at 69.5 and goes at 70;
    // what entered at 52 would come out at 57, and waits behind it; after that the way is short.
    let boxes = path_box(
        "delay",
        &[
            ("delay", Value::Span(Span::millis(20))),
            ("then", Value::Span(Span::millis(5))),
            ("at", Value::Span(Span::millis(50))),
            ("clock", Value::Choice("exact")),
        ],
    );
    let mut run = world(vec![boxes], 1..200, 0.2);
    inject(&mut run, Time(49 * MS + 500_000_000), Id::new(0), 1500, 0);
    inject(&mut run, at(52), Id::new(0), 1500, 1);
    inject(&mut run, Time(99 * MS + 500_000_000), Id::new(0), 1500, 2);
    assert_eq!(deliveries(&mut run), [(0, 70), (1, 71), (2, 105)]);
}

#[test]
fn the_order_of_boxes_matters() {
    // Shut from 10 to 20. A packet at 5 passes if the shutter comes first and is lost if a delay of
    // 10 ms comes before it.
    for (boxes, passes) in [
        (vec![on_off(10, 10, "constant"), delay(10)], true),
        (vec![delay(10), on_off(10, 10, "constant")], false),
    ] {
        let mut run = world(boxes, 1..50, 0.1);
        inject(&mut run, at(5), Id::new(0), 1500, 0);
        assert_eq!(deliveries(&mut run).len(), usize::from(passes));
        let drops = run.report().drops;
        if !passes {
            assert_eq!(drops[0].key.0, Cause::LinkOff);
            assert_eq!(run.network().ports[drops[0].key.1].more.name, "S>R~on-off");
        }
    }
}

#[test]
fn a_shutter_opens_and_shuts_at_its_instants() {
    // Open [0, 3), shut [3, 5), open [5, 8), …
    let mut run = world(vec![on_off(3, 2, "constant")], 1..40, 0.1);
    for ms in 0..20 {
        inject(&mut run, at(ms), Id::new(0), 100, ms);
    }
    let passed: Vec<u64> = deliveries(&mut run).iter().map(|d| d.0).collect();
    let open: Vec<u64> = (0..20).filter(|ms| ms % 5 < 3).collect();
    assert_eq!(passed, open);
}

#[test]
fn losses_are_as_frequent_as_asked_for() {
    // 10,000 packets at 10 %: 1000 ± 30. At 0 % none, at 100 % all.
    let lost = |boxes: Vec<AnyBox>| {
        let mut run = world(boxes, (1..11_000).flat_map(|ms| [ms; 2]), 11.0);
        for n in 0..10_000 {
            inject(&mut run, at(n), Id::new(0), 1000, n);
        }
        10_000 - deliveries(&mut run).len()
    };
    assert!(lost(vec![loss(0.1)]).abs_diff(1000) < 120);
    assert_eq!(lost(vec![loss(0.0)]), 0);
    assert_eq!(lost(vec![loss(1.0)]), 10_000);
    // Two in a row draw independently: 19 %, ± 39.
    assert!(lost(vec![loss(0.1), loss(0.1)]).abs_diff(1900) < 160);
    // Exponential lengths of 50 ms each: half of the time, with 100 changes ± 500 of 10,000.
    assert!(lost(vec![on_off(50, 50, "exponential")]).abs_diff(5000) < 1500);
}

#[test]
fn every_lossy_box_is_a_place_of_its_own() {
    let mut run = world(vec![loss(0.5), loss(0.5), delay(5)], 1..2000, 2.0);
    for n in 0..1000 {
        inject(&mut run, at(n), Id::new(0), 100, n);
    }
    deliveries(&mut run);
    let report = run.report();
    let places: Vec<&str> = report
        .drops
        .iter()
        .map(|d| run.network().ports[d.key.1].more.name.as_str())
        .collect();
    assert_eq!(places, ["S>R~loss2", "S>R~loss"]);
    assert!(report.drops.iter().all(|d| d.key.0 == Cause::RandomLoss));
    let hop = report.flows[0].hops[0].count.packets;
    assert_eq!(hop, report.delivered);
}

#[test]
fn jitter_is_uniform_and_keeps_order() {
    // One packet each 100 ms, so none waits for another: 0 to 40 ms, 20 ms on average; the standard error of 1000 is 0.37 ms.
    let jitter = || path_box("jitter", &[("most", Value::Span(Span::millis(40)))]);
    let mut run = world(vec![jitter()], 1..110_000, 110.0);
    for n in 0..1000 {
        inject(&mut run, at(n * 100), Id::new(0), 1000, n);
    }
    let took: Vec<u64> = deliveries(&mut run)
        .iter()
        .map(|(n, ms)| ms - n * 100)
        .collect();
    // The next opportunity is up to 1 ms later, half a one on average.
    assert!(took.iter().all(|ms| *ms <= 41));
    let mean = took.iter().sum::<u64>() as f64 / took.len() as f64;
    assert!((mean - 20.5).abs() < 2.0, "{mean}");
    // One each millisecond: many would overtake others, and wait.
    let mut run = world(vec![jitter()], 1..2000, 2.0);
    for n in 0..1000 {
        inject(&mut run, at(n), Id::new(0), 1000, n);
    }
    let order = deliveries(&mut run);
    assert_eq!(order.len(), 1000);
    assert!(order.is_sorted_by_key(|(n, _)| *n));
}

#[test]
fn what_is_held_back_is_overtaken_by_what_comes_meanwhile() {
    let reorder = |share| {
        let given = [
            ("share", Value::Share(share)),
            ("by", Value::Span(Span::micros(4500))),
        ];
        path_box("reorder", &given)
    };
    // Opportunities enough; packets each millisecond from 0.2 on.
    let mut run = world(vec![reorder(0.1)], (1..12_000).flat_map(|ms| [ms; 4]), 12.0);
    for n in 0..10_000 {
        inject(&mut run, Time(n * MS + MS / 5), Id::new(0), 1000, n);
    }
    let order = deliveries(&mut run);
    assert_eq!(order.len(), 10_000);
    // 4.7 ms later it goes at 5, others at 1.
    let held: Vec<u64> = order
        .iter()
        .filter(|(n, ms)| ms - n == 5)
        .map(|(n, _)| *n)
        .collect();
    assert!(order.iter().all(|(n, ms)| [1, 5].contains(&(ms - n))));
    // 1000 ± 30.
    assert!(held.len().abs_diff(1000) < 120);
    let place = |n: u64| order.iter().position(|(m, _)| *m == n).expect("it came");
    for n in held
        .iter()
        .filter(|n| **n < 9_990 && !held.contains(&(**n + 1)))
    {
        assert!(place(n + 1) < place(*n), "{n} is overtaken by the next");
    }
    // All held back: all in order.
    let mut run = world(vec![reorder(1.0)], 1..200, 0.2);
    for n in 0..100 {
        inject(&mut run, at(n), Id::new(0), 1000, n);
    }
    assert!(deliveries(&mut run).is_sorted_by_key(|(n, _)| *n));
}

#[test]
fn marks_are_as_frequent_as_asked_for_and_spare_what_cannot_be_marked() {
    let marks = |ecn: Ecn| {
        let mark = path_box("mark", &[("share", Value::Share(0.25))]);
        let mut run = world(vec![mark], 1..5000, 5.0);
        let (from, to) = (run.network().flows[Id::new(0)].from, run.network().hosts[1]);
        for n in 0..4000 {
            let packet = Injected {
                to,
                class: 0,
                len: Bytes(1000),
                ecn,
                hash: None,
                tag: n,
            };
            run.inject(at(n), from, packet).expect("a packet that fits");
        }
        run.advance(run.end());
        let exits = run.take_exits();
        assert_eq!(exits.len(), 4000);
        exits.iter().filter(|exit| exit.ecn == Ecn::Ce).count()
    };
    // Binomial: 1000 with a standard deviation of 27.
    assert!(marks(Ecn::Ect0).abs_diff(1000) < 140);
    assert_eq!(marks(Ecn::NotEct), 0);
}

#[test]
fn packets_come_twice_as_often_as_asked_for_the_copy_right_behind() {
    let duplicate = |share| path_box("duplicate", &[("share", Value::Share(share))]);
    let arrivals = |boxes: Vec<AnyBox>| {
        let lines = (1..5000).flat_map(|ms| [ms; 4]);
        let mut run = world(boxes, lines, 5.0);
        for n in 0..4000 {
            inject(&mut run, at(n), Id::new(0), 1000, n);
        }
        let order: Vec<u64> = deliveries(&mut run).iter().map(|d| d.0).collect();
        let report = run.report();
        assert_eq!(
            report.entered,
            report.delivered + report.dropped + report.held
        );
        assert_eq!(report.entered, order.len() as u64);
        order
    };
    assert_eq!(
        arrivals(vec![duplicate(0.0)]),
        (0..4000).collect::<Vec<_>>()
    );
    let twice: Vec<u64> = (0..4000).flat_map(|n| [n, n]).collect();
    assert_eq!(arrivals(vec![duplicate(1.0)]), twice);
    // A delay behind the box keeps each copy behind its packet, and two boxes in a row make four of each.
    assert_eq!(arrivals(vec![duplicate(1.0), delay(7)]), twice);
    let four = arrivals(vec![duplicate(1.0), duplicate(1.0)]);
    assert_eq!(four, (0..4000).flat_map(|n| [n; 4]).collect::<Vec<_>>());
    // Binomial: 1000 with a standard deviation of 27.
    let some = arrivals(vec![duplicate(0.25)]);
    assert!((some.len() - 4000).abs_diff(1000) < 140);
    assert!(some.is_sorted());
}

#[test]
fn a_copy_is_told_before_the_fates_of_both_and_marked_by_itself() {
    let boxes = vec![
        path_box("duplicate", &[("share", Value::Share(1.0))]),
        path_box("mark", &[("share", Value::Share(0.5))]),
    ];
    let mut run = world(boxes, (1..2000).flat_map(|ms| [ms; 4]), 2.0);
    let (from, to) = (run.network().flows[Id::new(0)].from, run.network().hosts[1]);
    for n in 0..1000 {
        let packet = Injected {
            to,
            class: 0,
            len: Bytes(1000),
            ecn: Ecn::Ect0,
            hash: None,
            tag: n,
        };
        run.inject(at(n), from, packet).expect("a packet that fits");
    }
    run.advance(run.end());
    let exits = run.take_exits();
    let mut unlike = 0;
    for n in 0..1000 {
        let mine: Vec<_> = exits.iter().filter(|exit| exit.tag == n).collect();
        let fates: Vec<_> = mine.iter().map(|exit| exit.fate).collect();
        assert_eq!(fates, [Fate::Copied, Fate::Delivered, Fate::Delivered]);
        unlike += usize::from(mine[1].ecn != mine[2].ecn);
    }
    // Two draws of one half differ half of the time: 500 with a standard deviation of 16.
    assert!(unlike.abs_diff(500) < 80);
}

/// A box that loses half of forty packets. Two worlds that are alike lose the same ones; one that draws anew by a number loses others, and two that
/// draw anew by the same number agree.
#[test]
fn a_world_that_draws_anew_loses_other_packets() {
    let kept = |by: Option<u64>| {
        let mut run = world(vec![loss(0.5)], 1..100, 0.2);
        by.into_iter().for_each(|by| run.reseed(by));
        for tag in 0..40 {
            inject(&mut run, at(1 + tag), Id::new(0), 1500, tag);
        }
        deliveries(&mut run)
    };
    assert_eq!(kept(None), kept(None));
    assert_ne!(kept(None), kept(Some(7)));
    assert_eq!(kept(Some(7)), kept(Some(7)));
}
