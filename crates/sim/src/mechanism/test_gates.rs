//! Gates and bars at the instants at which they open, and what they cover.

use std::sync::Arc;

use backwater_transport::units::{Bytes, Rate, Span, Time};
use backwater_transport::walk::{Repeat, Walk};

use super::gates::{Bar, Bucket, Gates};

mod state;

/// Stops class 1 toward all until then.
fn bar(key: u64, until: u64) -> Bar {
    Bar {
        key,
        classes: 0b10,
        hosts: None,
        next: None,
        until: Time(until),
        bucket: None,
    }
}

fn bucket(rate: u64, tolerance: u64, due: u64) -> Option<Bucket> {
    Some(Bucket {
        rate: Rate(rate),
        tolerance: Span(tolerance),
        due: Time(due),
    })
}

/// A bar holds back what it names: its classes, the station that frames go to next, its destinations; a frame without a
/// destination is not held back by a bar that names some. It has expired at its instant.
#[test]
fn a_bar_holds_back_what_it_names() {
    let opens = |bar: Bar, class: u8, next: Option<u32>, host: Option<u32>, at: u64| {
        let mut gates = Gates::default();
        gates.lower(Time::ZERO, bar);
        gates.opens_toward(class, next, host, Time(at)).0
    };
    assert_eq!(opens(bar(1, 50), 1, None, None, 49), 50);
    assert_eq!(opens(bar(1, 50), 1, None, None, 50), 50);
    assert_eq!(opens(bar(1, 50), 1, None, None, 51), 51);
    assert_eq!(opens(bar(1, 50), 0, None, None, 9), 9);
    let next = Bar {
        next: Some(3),
        ..bar(1, 50)
    };
    let toward = [Some(3), Some(4), None].map(|to| opens(next.clone(), 1, to, None, 9));
    assert_eq!(toward, [50, 9, 9]);
    let hosts: Option<Arc<[u64]>> = Some(vec![0, 0b100].into());
    let named = Bar {
        hosts,
        ..bar(1, 50)
    };
    let hosts = [Some(66), Some(2), Some(65), None];
    assert_eq!(
        hosts.map(|host| opens(named.clone(), 1, None, host, 9)),
        [50, 9, 9, 9]
    );
}

/// A gate closes classes up to its instant; a time that is not later opens them. All are open again at once.
#[test]
fn gates_close_up_to_their_instant() {
    let mut gates = Gates::default();
    assert_eq!(gates.shut_until(), Time::ZERO);
    gates.set(Time(10), 0b1000_0010, Time(30));
    gates.set(Time(10), 0b100, Time(20));
    let opens = |gates: &Gates, at: u64| [0, 1, 2, 7].map(|c| gates.opens(c, 0, Time(at)).0);
    assert_eq!(opens(&gates, 12), [12, 30, 20, 30]);
    assert_eq!(gates.shut_until(), Time(30));
    assert_eq!((gates.shut(Time(29)), gates.shut(Time(30))), (true, false));
    gates.set(Time(15), 0b1000_0000, Time(15));
    assert_eq!(opens(&gates, 15), [15, 30, 20, 15]);
    gates.lower(Time(15), bar(1, 90));
    assert_eq!(
        (
            gates.shut_until(),
            gates.shut(Time(89)),
            gates.shut(Time(90))
        ),
        (Time::NEVER, true, false)
    );
    gates.open(Time(16));
    assert_eq!(opens(&gates, 16), [16; 4]);
    assert_eq!(
        (gates.shut_until(), gates.shut(Time(16))),
        (Time(16), false)
    );
    let mut seven = [0; 8];
    (seven[1], seven[2], seven[7]) = (6, 6, 5);
    assert_eq!(gates.closed(Time(99)), seven);
    // A bar that lets frames through at a rate shuts nothing.
    gates.lower(
        Time(16),
        Bar {
            bucket: bucket(8, 0, 0),
            ..bar(2, 90)
        },
    );
    assert!(!gates.shut(Time(20)));
}

/// Bars of one key and next hop replace one another, and a bucket keeps its time. Others stand beside. A bar is lifted by both.
#[test]
fn bars_are_told_apart_by_key_and_next_hop() {
    let toward = |key, next, until| Bar {
        next,
        ..bar(key, until)
    };
    let mut gates = Gates::default();
    for one in [
        toward(1, Some(3), 50),
        toward(1, Some(4), 60),
        toward(2, Some(3), 70),
        toward(1, Some(3), 40),
    ] {
        gates.lower(Time::ZERO, one);
    }
    let untils = |gates: &Gates| gates.bars.iter().map(|b| b.until.0).collect::<Vec<_>>();
    assert_eq!(untils(&gates), [40, 60, 70]);
    gates.lift(Time(1), 1, Some(4));
    gates.lift(Time(1), 2, Some(4));
    assert_eq!(untils(&gates), [40, 70]);
    gates.sweep(Time(40));
    assert_eq!(untils(&gates), [70]);
    gates.sweep(Time(69));
    assert_eq!(untils(&gates), [70]);
    let paced = |rate, due| Bar {
        bucket: bucket(rate, 5, due),
        ..bar(9, 1000)
    };
    gates.lower(Time(80), paced(8, 500));
    gates.lower(Time(80), paced(16, 0));
    let kept = gates.bars.iter().find_map(|b| b.bucket).expect("a bucket");
    assert_eq!((kept.rate, kept.due), (Rate(16), Time(500)));
}

/// A frame conforms from its tolerance before the theoretical time on, or from the end of the bar if that is earlier. Charges
/// begin now, or at that time.
#[test]
fn buckets_let_frames_go_at_their_rate() {
    let mut gates = Gates::default();
    // A byte takes 1000 ticks.
    gates.lower(
        Time::ZERO,
        Bar {
            bucket: bucket(8_000_000_000, 300, 2000),
            ..bar(1, 9000)
        },
    );
    assert_eq!(gates.opens(1, 0, Time(100)), Time(1700));
    gates.charge(1, 0, Bytes(3), Time(1700));
    assert_eq!(gates.opens(1, 0, Time(1700)), Time(4700));
    gates.charge(1, 0, Bytes(2), Time(6000));
    assert_eq!(gates.opens(1, 0, Time(6000)), Time(7700));
    gates.charge(0, 0, Bytes(2), Time(6000));
    gates.charge(1, 0, Bytes(9), Time(6000));
    assert_eq!(gates.opens(1, 0, Time(6000)), Time(9000));
    assert_eq!(gates.opens(0, 0, Time(6000)), Time(6000));
}

/// The next opening is the earliest end of a gate, of a bar, or of a bucket's wait that lies ahead.
#[test]
fn the_next_opening_lies_ahead() {
    let mut gates = Gates::default();
    assert_eq!(gates.next_opening(Time(5)), None);
    gates.set(Time(5), 1, Time(40));
    gates.lower(Time(5), bar(1, 30));
    gates.lower(
        Time(5),
        Bar {
            bucket: bucket(8, 10, 35),
            ..bar(2, u64::MAX)
        },
    );
    let next = [24, 25, 29, 30, 39, 40].map(|at| gates.next_opening(Time(at)).map(|t| t.0));
    assert_eq!(
        next,
        [Some(25), Some(30), Some(30), Some(40), Some(40), None]
    );
}

/// The lowest rate of the bars that hold all of these classes, toward all destinations of a set; one that has expired holds
/// nothing.
#[test]
fn the_lowest_rate_of_those_that_hold_all_counts() {
    let paced = |key, classes, hosts: Option<u64>, rate, until| Bar {
        classes,
        hosts: hosts.map(|hosts| vec![hosts].into()),
        bucket: bucket(rate, 0, 0),
        ..bar(key, until)
    };
    let mut gates = Gates::default();
    gates.lower(Time::ZERO, paced(1, 0b11, None, 500, 100));
    gates.lower(Time::ZERO, paced(2, 0b01, None, 300, 100));
    gates.lower(Time::ZERO, paced(3, 0b11, Some(0b110), 200, 50));
    let rate = |classes, behind: Option<u64>, at| {
        let behind = behind.map(|hosts| [hosts]);
        gates
            .rate(classes, behind.as_ref().map(|b| &b[..]), Time(at))
            .map(|rate| rate.0)
    };
    assert_eq!(
        (
            rate(0b11, None, 10),
            rate(0b01, None, 10),
            rate(0b10, None, 10)
        ),
        (Some(500), Some(300), Some(500))
    );
    assert_eq!(
        (rate(0b11, Some(0b010), 10), rate(0b11, Some(0b110), 10)),
        (Some(200), Some(200))
    );
    assert_eq!(
        (rate(0b11, Some(0b111), 10), rate(0b11, Some(0b001), 10)),
        (Some(500), Some(500))
    );
    assert_eq!(
        (rate(0b11, Some(0b110), 49), rate(0b11, Some(0b110), 50)),
        (Some(200), Some(500))
    );
    assert_eq!(
        (rate(0b01, None, 99), rate(0b01, None, 100)),
        (Some(300), None)
    );
    assert_eq!(rate(0b111, None, 10), None);
    assert!(gates.selective() && gates.trial().is_some());
    gates.open(Time(1));
    assert!(!gates.selective() && gates.trial().is_none());
}

/// A bar without destinations is not selective.
#[test]
fn only_a_bar_on_destinations_is_selective() {
    let mut gates = Gates::default();
    gates.lower(Time::ZERO, bar(1, 50));
    assert!(!gates.selective() && gates.trial().is_some());
    assert_eq!(
        (gates.stopped_until(1), gates.stopped_until(0)),
        (Time(50), Time::ZERO)
    );
}

/// Of two bars one may hold back what the other lets pass: what is skipped depends on the
/// destinations of each.
#[test]
fn the_destinations_of_a_bar_are_part_of_the_state() {
    let state = |words: Option<&[u64]>| {
        let mut gates = Gates::default();
        let hosts = words.map(Arc::from);
        gates.lower(
            Time(10),
            Bar {
                hosts,
                ..bar(1, 50)
            },
        );
        let mut walk = Walk::look(Time(10));
        gates.walk(&mut walk);
        walk.seen().expect("all is visited").state
    };
    let hosts: [Option<&[u64]>; 5] = [None, Some(&[1]), Some(&[2]), Some(&[1, 0]), Some(&[0, 1])];
    let states = hosts.map(state);
    for (n, one) in states.iter().enumerate() {
        assert!(!states[..n].contains(one), "{n}");
    }
}

/// Each period of 50 ticks closes a gate for 20 ticks, and then it opens: 60 ticks in
/// three periods.
#[test]
fn a_gate_that_opened_by_itself_counts_in_each_period() {
    let mut gates = Gates::default();
    let mut before = Walk::keep(Time(100));
    gates.walk(&mut before);
    gates.set(Time(110), 1, Time(130));
    let mut after = Walk::keep(Time(150));
    gates.walk(&mut after);
    let [before, mut after] = [before, after].map(|walk| walk.seen().expect("all is visited"));
    let period = Span(50);
    assert!(after.recurs(&before, period).is_some());
    let repeat = Repeat {
        period,
        began: Time(100),
        periods: 2,
    };
    gates.walk(&mut Walk::write(Time(150), before, after, repeat));
    assert_eq!(gates.closed(Time(250))[0], 60);
}
