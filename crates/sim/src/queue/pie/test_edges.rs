//! PIE at its bounds, by RFC 8033 sections 4 and 5 and appendix A.

use backwater_transport::segment::Ecn;

use super::*;
use crate::packet::Packets;
use crate::queue::ClassQueue;
use backwater_transport_testing::options;

fn built(given: &[(&str, &str)]) -> Pie {
    let made = (PART.build)(&options::read(PART.options, given)).expect("legal options");
    made.part
}

fn frame(now: Time, size: u64, bytes: u64, packets: u64) -> Frame {
    Frame {
        now,
        queue: 0,
        size,
        ecn: Ecn::Ect0,
        sojourn: Span::millis(3),
        bytes,
        packets,
    }
}

fn ms(n: u64) -> Time {
    Time(Span::millis(n).0)
}

/// Defaults of section 4 and of its options.
#[test]
fn a_pie_begins_calm() {
    let plain = built(&[]);
    assert_eq!(
        (plain.reference, plain.period),
        (Span::millis(15), Span::millis(15))
    );
    assert_eq!(
        (plain.max_burst, plain.burst),
        (Span::millis(150), Span::ZERO)
    );
    assert_eq!(
        (plain.probability, plain.delay, plain.old, plain.accumulated),
        (0.0, 0.0, 0.0, 0.0)
    );
    assert_eq!(
        (
            plain.mark,
            plain.cap,
            plain.derandomise,
            plain.meter.is_some()
        ),
        (true, false, false, false)
    );
    assert_eq!(plain.due, ms(15));
    let written = built(&[
        ("period", "7 ms"),
        ("ecn", "false"),
        ("cap", "true"),
        ("derandomise", "true"),
        ("delay", "departure-rate"),
    ]);
    assert_eq!((written.period, written.due), (Span::millis(7), ms(7)));
    assert_eq!(
        (
            written.mark,
            written.cap,
            written.derandomise,
            written.meter.is_some()
        ),
        (false, true, true, true)
    );
}

/// Section 4.1: half of the reference is no low delay, 20 % no low probability, and two frames that wait are few. Section 4.4:
/// all three are low for a calm.
#[test]
fn half_of_the_reference_is_not_low() {
    let mut random = Random::stream(1, "test", "pie");
    let half = Span::millis(15).seconds() / 2.0;
    let mut hits = |probability: f64, old: f64, packets: u64| {
        let mut pie = built(&[]);
        let mut all = 0;
        for _ in 0..1000 {
            (pie.probability, pie.old, pie.delay) = (probability, old, 1.0);
            let verdict = pie.push(&frame(ms(0), 1000, 90_000, packets), &mut random);
            all += i32::from(verdict != Verdict::Accept);
        }
        all
    };
    // 190 and 200 of 1000 with a deviation of 12.7.
    assert!((hits(0.19, half, 9) - 190).abs() < 64);
    assert!((hits(0.2, half * 0.99, 9) - 200).abs() < 64);
    assert_eq!(hits(0.19, half * 0.99, 9), 0);
    assert_eq!((hits(1.0, half, 2), hits(1.0, half, 3)), (0, 1000));
    for (probability, delay, old, calm) in [
        (0.0, half * 0.99, half * 0.99, true),
        (0.0, half, half * 0.99, false),
        (0.0, half * 0.99, half, false),
        (1e-9, half * 0.99, half * 0.99, false),
    ] {
        let mut pie = built(&[]);
        (pie.probability, pie.delay, pie.old) = (probability, delay, old);
        assert_eq!(pie.calm(), calm, "{probability} {delay} {old}");
    }
}

/// A probability decays by 2 % in a period where both delays are nought, and not where one is not. The burst allowance loses a
/// period.
#[test]
fn a_probability_decays_where_both_delays_are_nought() {
    for (delay, old, factor) in [(0.0, 0.0, 0.98), (1e-9, 0.0, 1.0), (0.0, 1e-9, 1.0)] {
        let mut pie = built(&[]);
        (pie.probability, pie.old, pie.burst) = (0.5, old, Span::millis(20));
        pie.period(delay);
        assert!(
            (pie.probability - factor * (0.5 - 0.125 * 0.015)).abs() < 1e-7,
            "{delay} {old}"
        );
        assert_eq!((pie.burst, pie.old), (Span::millis(5), delay));
        pie.period(delay);
        assert_eq!(pie.burst, Span::ZERO);
    }
}

/// Appendix A: a measurement begins where 2^14 B wait, and ends when as many have left. 16,384 B in 8 ms: 8,192 B that wait,
/// less what is being sent, last 4 ms.
#[test]
fn a_departure_rate_is_measured_over_two_to_the_fourteenth_bytes() {
    let mut pie = built(&[("delay", "departure-rate")]);
    let average = |pie: &Pie| pie.meter.as_ref().map(|meter| meter.average);
    pie.pop(&frame(ms(0), 16_384, 16_383, 9));
    assert!(
        pie.meter
            .as_ref()
            .is_some_and(|meter| meter.since.is_none())
    );
    pie.pop(&frame(ms(1), 8_000, 16_384, 9));
    pie.pop(&frame(ms(5), 8_383, 0, 0));
    assert_eq!(average(&pie), Some(0.0));
    pie.pop(&frame(ms(9), 1, 0, 0));
    assert!((average(&pie).expect("a meter") - 0.008).abs() < 1e-12);
    let packets = Packets::default();
    let queue = ClassQueue {
        bytes: 9_192,
        ..ClassQueue::default()
    };
    let waiting = Waiting {
        queues: &[queue],
        packets: &packets,
        sending: 1_000,
    };
    pie.update(ms(15), &waiting);
    assert!((pie.delay - 0.004).abs() < 1e-12 && pie.due == ms(30));
}

/// The delay is that of the frame that left last, or nought where it left nothing behind.
#[test]
fn the_last_frame_tells_the_delay() {
    let mut pie = built(&[]);
    pie.pop(&frame(ms(0), 1000, 1000, 1));
    assert_eq!(pie.delay, Span::millis(3).seconds());
    pie.pop(&frame(ms(0), 1000, 0, 0));
    assert_eq!(pie.delay, 0.0);
}

/// Periods that are caught up with in one go are those one after the other.
#[test]
fn periods_are_caught_up_with() {
    let packets = Packets::default();
    let waiting = Waiting {
        queues: &[ClassQueue::default()],
        packets: &packets,
        sending: 0,
    };
    for (probability, delay, old) in [
        (0.0, 0.0, 0.0),
        (0.3, 0.0, 0.02),
        (0.0, 0.02, 0.0),
        (0.0, 0.0, 0.001),
    ] {
        for burst in [100, 5_000] {
            let (mut once, mut often) = (built(&[]), built(&[]));
            for pie in [&mut once, &mut often] {
                (pie.probability, pie.delay, pie.old) = (probability, delay, old);
                pie.burst = Span::millis(burst);
            }
            for at in 0..1_500 {
                often.update(ms(at), &waiting);
            }
            once.update(ms(1_499), &waiting);
            assert_eq!(format!("{once:?}"), format!("{often:?}"));
            assert_eq!(
                (once.due, often.burst),
                (ms(1_500), Span::millis(burst.saturating_sub(1_485)))
            );
        }
    }
}

/// A probability is 1 at most: a delay of 2 s where there was none would add 0.125 · 1.985 + 1.25 · 2 to 0.9.
#[test]
fn a_probability_is_one_at_most() {
    let mut pie = built(&[]);
    pie.probability = 0.9;
    pie.period(2.0);
    assert_eq!(pie.probability, 1.0);
}

/// Appendix A: with a byte less than 2^14 waiting no measurement begins, whatever leaves; with as many one does.
#[test]
fn a_measurement_begins_with_two_to_the_fourteenth_bytes() {
    for (bytes, begins) in [(16_383, false), (16_384, true)] {
        let mut pie = built(&[("delay", "departure-rate")]);
        pie.pop(&frame(ms(3), 1_000, bytes, 9));
        let since = pie.meter.and_then(|meter| meter.since);
        assert_eq!(since, begins.then_some(ms(3)), "{bytes}");
    }
}
