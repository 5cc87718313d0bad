//! DualPI2 at its bounds, by the pseudocode of RFC 9332 appendix A, and its defaults.

use backwater_transport::units::Rate;

use super::*;
use crate::packet::{Packet, Packets};
use crate::queue::AnyAqm;
use backwater_transport_testing::options;

fn built(given: &[(&str, &str)]) -> DualPi2 {
    let made = (PART.build)(&options::read(PART.options, given)).expect("legal options");
    assert_eq!(
        (made.classes, made.room),
        (1, Room::Default(Limit::Packets(10_000)))
    );
    made.part
}

fn frame(queue: usize, ecn: Ecn, sojourn: Span) -> Frame {
    Frame {
        now: Time::ZERO,
        queue,
        size: 1000,
        ecn,
        sojourn,
        bytes: 9000,
        packets: 9,
    }
}

fn ms(n: u64) -> Time {
    Time(Span::millis(n).0)
}

/// The period is the smaller of the target and a third of the round trip (line 6 of figure 2), the gains 0.1 period by its
/// square, and 0.3 by it. Classic packets are dropped from 1 / k^2 on.
#[test]
fn defaults_follow_from_target_and_round_trip() {
    let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-9;
    let plain = built(&[]);
    assert_eq!((plain.period, plain.due), (Span::millis(15), ms(15)));
    assert!(near(plain.alpha, 0.15) && near(plain.beta, 3.0) && near(plain.classic_max, 0.25));
    assert_eq!(
        (plain.base, plain.previous, plain.counts, plain.share),
        (0.0, 0.0, [0.0; 2], 10)
    );
    let slow = built(&[("target", "50 ms"), ("rtt_max", "90 ms")]);
    assert_eq!(slow.period, Span::millis(30));
    assert!(near(slow.alpha, 0.1 * 0.03 / 0.0081) && near(slow.beta, 0.3 / 0.09));
    let written = built(&[
        ("period", "7 ms"),
        ("alpha", "2"),
        ("beta", "4"),
        ("coupling", "1"),
    ]);
    assert_eq!(
        (written.period, written.alpha, written.beta),
        (Span::millis(7), 2.0, 4.0)
    );
    assert_eq!((written.classic_max, written.due), (1.0, ms(7)));
    // The first credit: (2 share - 100) largest frames.
    assert_eq!(plain.credit, -80 * 1518);
    assert_eq!(built(&[("classic_share", "70 %")]).credit, 40 * 1518);
    let part = options::read(PART.options, &[("classic_share", "10.5 %")]);
    assert_eq!(
        (PART.build)(&part).err().map(|refusal| refusal.option),
        Some("classic_share")
    );
}

/// `recur` of figure 5: a frame is told where the sum of probabilities exceeds 1, which it then loses; a sum of exactly 1 does not.
#[test]
fn sums_of_probabilities_exceed_one() {
    let mut dual = built(&[]);
    let told = [0; 7].map(|_| dual.is_next_of_share(CLASSIC, 0.5));
    assert_eq!(told, [false, false, true, false, true, false, true]);
    assert_eq!(dual.counts, [0.5, 0.0]);
    let told = [0; 4].map(|_| dual.is_next_of_share(LOW_LATENCY, 1.0));
    assert_eq!(told, [false, true, true, true]);
}

/// The ramp reaches 1 at its end; a step, a ramp without length, is at 1 from its delay on. Behind too few frames there is none.
#[test]
fn a_step_marks_from_its_delay_on() {
    let native = |over: &str, micros: u64, packets: u64| {
        let mut dual = built(&[("ramp_over", over), ("ramp_length", "3")]);
        dual.ramp_from = Span::micros(800).seconds();
        dual.native(&Frame {
            packets,
            ..frame(LOW_LATENCY, Ecn::Ect1, Span::micros(micros))
        })
    };
    assert_eq!(
        [799, 800, 801].map(|at| native("0 s", at, 3)),
        [0.0, 1.0, 1.0]
    );
    assert_eq!((native("0 s", 900, 2), native("0 s", 900, 3)), (0.0, 1.0));
    assert_eq!(native("400 us", 700, 9), 0.0);
    assert!((native("400 us", 900, 9) - 0.25).abs() < 1e-9);
}

/// A base of 1/2 couples to 1, which is overload: a quarter of both queues is dropped, whatever the codepoint, since a quarter
/// is no longer below 1 / k^2. The rest of the low-latency queue is marked.
#[test]
fn overload_begins_at_a_coupled_probability_of_one() {
    let count = |base: f64, queue: usize, verdict: Verdict| {
        let mut dual = built(&[]);
        dual.base = base;
        let one = frame(queue, Ecn::Ect1, Span::ZERO);
        (0..1000).filter(|_| dual.pop(&one) == verdict).count()
    };
    assert!(count(0.5, LOW_LATENCY, Verdict::Drop).abs_diff(250) <= 1);
    assert!(count(0.5, LOW_LATENCY, Verdict::Mark).abs_diff(750) <= 1);
    assert_eq!(count(0.499, LOW_LATENCY, Verdict::Drop), 0);
    assert!(count(0.499, LOW_LATENCY, Verdict::Mark).abs_diff(998) <= 1);
    assert!(count(0.5, CLASSIC, Verdict::Drop).abs_diff(250) <= 1);
    assert!(count(0.499, CLASSIC, Verdict::Mark).abs_diff(249) <= 1);
}

/// Of the codepoints ECT(1) and CE are of the low-latency service. RFC 9331 section 5.1.
#[test]
fn codepoints_choose_the_queue() {
    let mut dual = built(&[]);
    let queue = |ecn| Parties {
        flow: 1,
        from: 2,
        to: 3,
        ecn,
    };
    let of = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce].map(|ecn| dual.classify(&queue(ecn)));
    assert_eq!(of, [CLASSIC, CLASSIC, LOW_LATENCY, LOW_LATENCY]);
    assert_eq!(dual.queues(), 2);
    let mut any = AnyAqm::from(dual);
    any.line_rate(Rate(1));
    assert!(!any.notifies() && !any.takes_next() && any.warning().is_none());
}

/// Both queues, of which each may hold a packet since then.
fn queues(waits: [Option<Time>; 2]) -> (Packets, Vec<ClassQueue>) {
    let mut packets = Packets::default();
    let queues = waits.map(|since| {
        let mut queue = ClassQueue::default();
        if let Some(since) = since {
            let id = packets.create(Packet::example(since));
            packets.append(&mut queue.list, id);
        }
        queue
    });
    (packets, queues.to_vec())
}

/// Credit is given while both queues wait: the share for each byte of the low-latency queue, what is left of it less for each of
/// the classic one. Without credit the low-latency queue sends.
#[test]
fn credit_is_counted_while_both_queues_wait() {
    let some = Some(Time::ZERO);
    let mut dual = built(&[]);
    for (credit, waits, chosen, after) in [
        (0, [some, some], LOW_LATENCY, 10_000),
        (1, [some, some], CLASSIC, 1 - 90_000),
        (-5, [some, None], CLASSIC, -5),
        (5, [None, some], LOW_LATENCY, 5),
    ] {
        let (_, queues) = queues(waits);
        dual.credit = credit;
        assert_eq!(dual.choose(&queues), chosen, "{credit}");
        dual.pop(&frame(chosen, Ecn::Ect0, Span::ZERO));
        assert_eq!(dual.credit, after, "{credit}");
    }
    // A dropped frame sends nothing.
    let (_, both) = queues([some, some]);
    (dual.credit, dual.base, dual.counts) = (1, 0.9, [0.9; 2]);
    assert_eq!(dual.choose(&both), CLASSIC);
    assert_eq!(
        dual.pop(&frame(CLASSIC, Ecn::Ect0, Span::ZERO)),
        Verdict::Drop
    );
    assert_eq!(dual.credit, 1);
    dual.emptied(Time::ZERO);
    assert_eq!(dual.credit, -80 * 1518);
}

/// Periods that are caught up with in one go are those one after the other, whether both queues are empty, or a packet comes to
/// one of them after 5 s.
#[test]
fn periods_are_caught_up_with() {
    let late = Some(ms(5_000));
    for waits in [[None, None], [late, None], [None, late]] {
        let (packets, queues) = queues(waits);
        let waiting = Waiting {
            queues: &queues,
            packets: &packets,
            sending: 0,
        };
        for base in [0.0, 0.5] {
            for previous in [0.0, 0.02] {
                let (mut once, mut often) = (built(&[]), built(&[]));
                for dual in [&mut once, &mut often] {
                    (dual.base, dual.previous) = (base, previous);
                }
                for at in 0..5_100 {
                    often.update(ms(at), &waiting);
                }
                once.update(ms(5_099), &waiting);
                let told = |dual: &DualPi2| (dual.base, dual.previous, dual.due);
                assert_eq!(told(&once), told(&often), "{waits:?} {base}");
                assert_eq!(once.due, ms(5_100));
            }
        }
    }
}

/// A base probability is 1 at most, however long a delay of a second lasts. One that is 0.2 s shorter than a period ago then takes 3 · 0.2
/// of it, and adds 0.15 · 0.985 for the distance from the target.
#[test]
fn a_base_probability_is_one_at_most() {
    let mut dual = built(&[]);
    for _ in 0..2 {
        dual.period(1.0);
        assert_eq!(dual.base, 1.0);
    }
    dual.previous = 1.2;
    dual.period(1.0);
    let expected = 1.0 + 0.15 * 0.985 - 3.0 * 0.2;
    assert!((dual.base - expected).abs() < 1e-9, "{}", dual.base);
}

/// In overload each queue has a sum of its own: a base of 1/2 drops a quarter of each, and what of the classic queue goes on leaves the
/// low-latency queue's sum alone. Of the latter the first frame makes a sum of a quarter and 1, which is more than 1: it is marked, whether
/// classic frames came before or not.
#[test]
fn queues_have_sums_of_their_own_in_overload() {
    let told = |dual: &mut DualPi2, queue| dual.pop(&frame(queue, Ecn::Ect1, Span::ZERO));
    for classic in [0, 3] {
        let mut dual = built(&[]);
        dual.base = 0.5;
        for _ in 0..classic {
            assert_eq!(told(&mut dual, CLASSIC), Verdict::Accept);
        }
        let sum = 0.25 * f64::from(classic);
        assert_eq!(told(&mut dual, LOW_LATENCY), Verdict::Mark);
        assert_eq!(dual.counts, [sum, 0.25]);
    }
}
