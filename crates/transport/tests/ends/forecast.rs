//! The ticks of Sprout's receiver (Winstein et al., NSDI 2013, section 3): what counts in which tick, which silence counts, and when a
//! forecast is made. A moving average in which a new tick has all the weight shows the last tick that counted.

use backwater_transport::forecast::{Forecaster, HORIZON, Model, Process};
use backwater_transport::segment::{Feedback, Segment};
use backwater_transport::units::{Span, Time};

const UNIT: u64 = 1400;

/// The constants of the paper, with the authors' table.
pub fn process() -> Process {
    Process {
        most: 1000.0,
        bins: 256,
        tick: Span::millis(20),
        sigma: 200.0,
        escape: 1.0,
        counts: 30,
        quantile: 0.05,
        tabulated: true,
    }
}

/// A process with small tables, for averages, which do not read them.
fn small() -> Process {
    Process {
        bins: 8,
        counts: 3,
        ..process()
    }
}

fn last_tick(every: u64) -> Forecaster {
    Forecaster::new(&small(), Model::Ewma(1.0), UNIT, every)
}

/// So many ps after the beginning of a tick.
fn at(tick: u64, ps: u64) -> Time {
    Time(tick * 20_000_000_000 + ps)
}

/// A packet that says when the next one leaves.
fn packet(len: u64, next: u64) -> Segment {
    Segment {
        len: len as u32,
        feedback: Some(Box::new(Feedback::Announce {
            next,
            discarded: 0,
            position: 0,
        })),
        ..Segment::default()
    }
}

/// When the forecast was made, its packets in a tick, and what is settled.
fn told(f: &mut Forecaster, now: Time) -> (Time, u16, u64) {
    match f.feedback(now) {
        Some(Feedback::Forecast {
            made,
            packets,
            settled,
        }) => (made, packets[0], settled),
        other => panic!("no forecast but {other:?}"),
    }
}

/// A tick has what arrives at its end, and is over right behind it.
#[test]
fn a_tick_has_what_arrives_at_its_end() {
    let mut f = last_tick(1);
    assert_eq!(f.tick(), Span::millis(20));
    assert!(f.feedback(at(3, 0)).is_none(), "no tick has begun");
    f.on_segment(at(0, 0), &packet(UNIT, 0));
    f.on_segment(at(1, 0), &packet(2 * UNIT, 0));
    f.on_segment(at(1, 1), &packet(4 * UNIT, 0));
    assert_eq!(told(&mut f, at(1, 1)), (at(1, 0), 3, 7 * UNIT));
    assert_eq!(told(&mut f, at(2, 0)).1, 3);
    assert_eq!(told(&mut f, at(2, 1)), (at(2, 0), 4, 7 * UNIT));
    assert_eq!(told(&mut f, at(3, 1)).1, 0);
    assert_eq!(f.packets(), [0; HORIZON]);
}

/// The sender said that the next packet leaves after so long: a tick that begins before then counts only with what arrives in it. One
/// that begins then counts.
#[test]
fn silence_counts_from_the_tick_that_was_announced() {
    const TICK: u64 = 20_000_000_000;
    for (next, after) in [
        (TICK, [5, 0, 0]),
        (TICK + 1, [5, 5, 0]),
        (2 * TICK, [5, 5, 0]),
        (9 * TICK, [5, 5, 5]),
    ] {
        let mut f = last_tick(1);
        f.on_segment(at(0, 0), &packet(5 * UNIT, next));
        let seen = [1, 2, 3].map(|tick| told(&mut f, at(tick, 1)).1);
        assert_eq!(seen, after, "{next}");
    }
    // Counted from the beginning of the tick in which the packet comes; a later packet does not take the promise back.
    let mut f = last_tick(1);
    f.on_segment(at(0, 0), &packet(UNIT, 0));
    f.on_segment(at(1, 1000), &packet(5 * UNIT, 2 * TICK));
    f.on_segment(at(1, 2000), &packet(UNIT, 0));
    let seen = [2, 3, 4].map(|tick| told(&mut f, at(tick, 1)).1);
    assert_eq!(seen, [6, 6, 0]);
}

/// A new forecast each three ticks; the ones between repeat the last, and what was settled then.
#[test]
fn a_forecast_holds_for_its_interval() {
    let mut f = last_tick(3);
    f.on_segment(at(0, 0), &packet(UNIT, 0));
    assert_eq!(told(&mut f, at(0, 1)).0, at(0, 0));
    let mut made = Vec::new();
    for tick in 1..8 {
        f.on_segment(at(tick, 0), &packet(tick * UNIT, 0));
        made.push(told(&mut f, at(tick, 1)));
    }
    let ticks: Vec<Time> = made.iter().map(|m| m.0).collect();
    let expected = [0, 0, 3, 3, 3, 6, 6].map(|tick| at(tick, 0));
    assert_eq!(ticks, expected);
    // The first tick has the packets at both of its ends. Settled are the bytes of all packets by then.
    let settled: Vec<u64> = made.iter().map(|m| m.2 / UNIT).collect();
    assert_eq!(settled, [1, 1, 7, 7, 7, 22, 22]);
    let packets: Vec<u16> = made.iter().skip(2).map(|m| m.1).collect();
    assert_eq!(packets, [3, 3, 3, 6, 6]);
}

/// After a longer silence 5,000 ticks are processed: an average of weight 1/5000 keeps (1 − 1/5000)^5000 of what it was, 36.8 %, however
/// long the silence was.
#[test]
fn a_long_silence_is_processed_in_part() {
    let usual = Forecaster::new(&small(), Model::Ewma(2e-4), 1, 1);
    let after = |ticks: u64| {
        let mut f = usual.clone();
        f.on_segment(at(0, 0), &packet(50_000_000, 0));
        // A tick of 50 million packets of a byte makes the average about 10,010 and its forecast so many in a tick.
        let first = told(&mut f, at(1, 1)).1;
        let (made, last, _) = told(&mut f, at(1 + ticks, 1));
        assert_eq!(made, at(1 + ticks, 0));
        (first, last)
    };
    let (first, _) = after(1);
    let kept = |ticks: i32| f64::from(first) * (1.0 - 2e-4f64).powi(ticks);
    assert!((10_000..10_030).contains(&first), "{first}");
    for (ticks, kept) in [
        (1, kept(1)),
        (4_000, kept(4_000)),
        (4_999, kept(4_999)),
        (5_000, kept(5_000)),
        (5_001, kept(5_000)),
        (20_000, kept(5_000)),
        (90_000, kept(5_000)),
    ] {
        let last = f64::from(after(ticks).1);
        // Whole packets, of both ends.
        assert!((last - kept).abs() < 1.5, "{ticks}: {last}, not {kept}");
    }
    assert!(kept(5_000) - kept(10_000) > 1000.0);
}

/// The program counts whole packets: a tick with less than one has one; others round to the nearest.
#[test]
fn inference_counts_whole_packets() {
    let usual = Forecaster::new(&process(), Model::Bayes, UNIT, 1);
    let forecast = |bytes: &[u64]| {
        let mut f = usual.clone();
        for (tick, bytes) in bytes.iter().enumerate() {
            f.on_segment(at(tick as u64, 5 * u64::from(tick > 0)), &packet(*bytes, 0));
        }
        f.feedback(at(bytes.len() as u64, 5));
        f.packets()
    };
    let same = |bytes: u64, packets: u64| forecast(&[bytes; 12]) == forecast(&[packets * UNIT; 12]);
    for (bytes, packets) in [
        (1, 1),
        (UNIT / 4, 1),
        (UNIT, 1),
        (2 * UNIT - 701, 1),
        (2 * UNIT - 700, 2),
        (5 * UNIT / 2, 3),
        (5 * UNIT / 2 - 1, 2),
        (9 * UNIT + 700, 10),
    ] {
        assert!(same(bytes, packets), "{bytes} are {packets}");
    }
    assert!(!same(5 * UNIT / 2, 2) && !same(5 * UNIT / 2 - 1, 3) && !same(1, 0));
}

/// Without announcements a packet settles what lies below its end as bytes received: positions in the stream count as those that were
/// announced.
#[test]
fn what_is_settled_without_announcements_is_what_arrived() {
    let mut f = last_tick(1);
    for start in [0, UNIT, 3 * UNIT] {
        let plain = Segment {
            start,
            len: UNIT as u32,
            ..Segment::default()
        };
        f.on_segment(at(0, 0), &plain);
    }
    assert_eq!(told(&mut f, at(1, 1)).2, 3 * UNIT);
}
