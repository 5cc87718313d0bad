//! Algorithms of queue management at the ends of what they count, and the numbers that they draw.

use backwater_sim::queue::aqm::{Frame, Verdict};
use backwater_sim::queue::{AnyAqm, Aqm};
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::queues::{algorithm, frame, lost_behind, measure, update};
use crate::traces::MS;

fn random() -> Random {
    Random::stream(1, "models", "bounds")
}

/// At a port of 8 Mbit/s, where 1,000 B take 1 ms.
fn at_port(id: &str, given: &[(&'static str, Value)]) -> AnyAqm {
    let mut made = algorithm(id, given);
    made.attach(Rate(8_000_000), &mut random());
    made
}

/// Of a thousand arrivals that find so many bytes those that are not let through.
fn hit(aqm: &mut AnyAqm, bytes: u64, random: &mut Random) -> usize {
    let one = Frame {
        bytes,
        ..frame(90_000, 0, 50)
    };
    let hits = |_: &u32| aqm.push(&one, random) != Verdict::Accept;
    (0..1_000).filter(hits).count()
}

// ---- BLUE

/// A loss makes the probability 1, and each change of a lasting idle line takes a quarter. The last frame leaves at 30 ms and takes 1 ms,
/// so the changes are at 31 ms and then a tick later than `freeze_time` after the one before: the fourth is at 61 ms and 3 ps.
fn idle(until: u64) -> AnyAqm {
    let given = [
        ("increase", Value::Number(1.0)),
        ("decrease", Value::Number(0.25)),
        ("freeze_time", Value::Span(Span::millis(10))),
        ("idle", Value::Choice("lasting")),
    ];
    let mut blue = at_port("blue", &given);
    blue.refused(&frame(0, 0, 50), false, &mut random());
    let last = Frame {
        size: 1000,
        ..frame(30, 0, 0)
    };
    blue.pop(&last);
    blue.emptied(Time(until));
    blue
}

/// A tick before the fourth change a quarter is left: 250 of 1,000, with a deviation of 14. At it nothing is.
#[test]
fn an_idle_line_counts_from_the_end_of_its_last_frame() {
    let mut random = random();
    let fourth = 61 * MS + 3;
    let left = hit(&mut idle(fourth - 1), 0, &mut random);
    assert!(left.abs_diff(250) < 70, "{left}");
    assert_eq!(hit(&mut idle(fourth), 0, &mut random), 0);
}

/// A probability that has come to nothing changes no more, so that a loss 18 ms after the fourth change counts.
#[test]
fn a_probability_of_nothing_freezes_no_more() {
    let mut random = random();
    let mut blue = idle(79 * MS);
    blue.refused(&frame(79, 0, 50), false, &mut random);
    assert_eq!(hit(&mut blue, 0, &mut random), 1_000);
}

// ---- CoDel

/// Losses at 110, 210 and 280 ms are a growth of two, and the next was due at 337 ms. A state that begins less than 16 intervals of 100 ms
/// after that goes on with two, so that its second loss comes 100/√2 ms after its first, cut to 70; one that begins then begins anew, with
/// 100 ms.
#[test]
fn a_growth_is_forgotten_after_sixteen_intervals() {
    for (begins, second) in [(1_936, 70), (1_937, 100)] {
        let mut codel = algorithm("codel-mahimahi", &[]);
        let times = (10..=280).step_by(10);
        assert_eq!(
            times.map(|ms| lost_behind(&mut codel, ms, 10)).sum::<u64>(),
            3
        );
        assert_eq!(lost_behind(&mut codel, 300, 4), 0);
        assert_eq!(lost_behind(&mut codel, begins - 100, 10), 0);
        let losses: Vec<u64> = (0..=100)
            .filter(|ms| lost_behind(&mut codel, begins + ms, 10) > 0)
            .collect();
        assert_eq!(losses[..2], [0, second], "{begins}");
    }
}

/// Frames that take marks are marked, and dropped where the queue gives none: late ones by CoDel, those at an average between the
/// thresholds by RED. RED's average follows the queue at once, and its probability is 1 / 2 at 20 kB.
#[test]
fn marks_are_given_where_they_are_asked_for() {
    let late = |id, given: &[_]| {
        let mut codel = algorithm(id, given);
        let ect = |ms| Frame {
            ecn: Ecn::Ect0,
            ..frame(ms, 50, 20)
        };
        assert_eq!(codel.pop(&ect(0)), Verdict::Accept);
        codel.pop(&ect(100))
    };
    let off = ("ecn", Value::Flag(false));
    for id in ["codel", "fq-codel"] {
        assert_eq!(late(id, &[]), Verdict::Mark, "{id}");
        assert_eq!(late(id, std::slice::from_ref(&off)), Verdict::Drop, "{id}");
    }
    for (given, told) in [(vec![], Verdict::Mark), (vec![off], Verdict::Drop)] {
        let mut red = red(1.0, given);
        let ect = Frame {
            ecn: Ecn::Ect0,
            ..arrival(20_000)
        };
        let mut random = random();
        let verdicts = [(); 20].map(|()| red.push(&ect, &mut random));
        assert!(verdicts.iter().all(|v| [told, Verdict::Accept].contains(v)));
        assert!(verdicts.contains(&told));
    }
}

// ---- RED

/// Thresholds of 10 and 30 kB, and a weight of 1: the average is the queue. A frame has come before, so that the line is not idle.
fn red(top: f64, more: Vec<(&'static str, Value)>) -> AnyAqm {
    let mut given = vec![
        ("min", Value::Bytes(Bytes(10_000))),
        ("max", Value::Bytes(Bytes(30_000))),
        ("top", Value::Share(top)),
        ("weight", Value::Number(1.0)),
    ];
    given.extend(more);
    let mut red = algorithm("red", &given);
    red.attach(Rate(0), &mut random());
    red.take_over(&arrival(0));
    red
}

fn arrival(bytes: u64) -> Frame {
    Frame {
        bytes,
        ..frame(1, 0, 20)
    }
}

/// Section 4 of the paper: with a probability of a quarter gaps are 1 to 4, each as likely. So the k-th frame since the last is hit with 1
/// of the 5 - k that are left, and the fourth for certain, for which no number is drawn.
#[test]
fn gaps_of_red_are_drawn_evenly() {
    for seed in 0..20 {
        let [mut random, mut same] = [(); 2].map(|()| Random::stream(seed, "models", "gaps"));
        let mut red = red(0.5, Vec::new());
        let mut since = 0;
        for n in 0..100 {
            since += 1;
            let expected = since == 4 || same.unit() <= 1.0 / f64::from(5 - since);
            let told = red.push(&arrival(20_000), &mut random) != Verdict::Accept;
            assert_eq!(told, expected, "{seed} {n}");
            if told {
                since = 0;
            }
        }
    }
}

/// A frame that has waited under another algorithm waits under this one, so that the line is not idle: the next arrival finds an average of
/// the queue, and not of an empty one.
#[test]
fn a_frame_that_is_taken_over_ends_an_idle_time() {
    for (taken, told) in [(true, Verdict::Drop), (false, Verdict::Accept)] {
        let mut red = algorithm("red", &[("weight", Value::Number(1.0))]);
        red.attach(Rate(0), &mut random());
        if taken {
            red.take_over(&arrival(0));
        }
        assert_eq!(red.push(&arrival(200_000), &mut random()), told);
    }
}

// ---- Draws

/// Where nothing can be hit no number is drawn: an algorithm that has let a hundred frames through goes on as one that has seen none, when
/// a queue is there. RED at its lower threshold, whose probability is nought; the ramp below its own; BLUE before a loss.
#[test]
fn what_hits_nothing_draws_nothing() {
    type Prepare = fn(&mut AnyAqm, &mut Random);
    let raise: Prepare = |blue, random| blue.refused(&frame(0, 0, 50), false, random);
    let none: Prepare = |_, _| {};
    let below: Prepare = |red, random| _ = red.push(&arrival(0), random);
    let half = ("increase", Value::Number(0.5));
    for (made, calm, prepare, full) in [
        (at_port("blue", &[half]), 50_000, raise, 50_000),
        (red(0.5, Vec::new()), 10_000, below, 20_000),
        (at_port("wred", &[]), 100_000, none, 300_000),
    ] {
        let [mut once, mut often] = [made.clone(), made];
        let [mut first, mut second] = [random(), random()];
        for _ in 0..100 {
            assert_eq!(often.push(&arrival(calm), &mut second), Verdict::Accept);
        }
        prepare(&mut once, &mut first);
        prepare(&mut often, &mut second);
        let verdicts = |aqm: &mut AnyAqm, random: &mut Random| {
            [(); 100].map(|()| aqm.push(&arrival(full), random))
        };
        let expected = verdicts(&mut once, &mut first);
        assert_eq!(verdicts(&mut often, &mut second), expected);
        assert!(expected.iter().any(|v| *v != Verdict::Accept));
    }
}

/// The same of PIE: a delay of 100 ms raises the probability a little in a period, and one of 50 ms takes more away in the next, but is no
/// low delay. Mahimahi's PIE likewise, with 100 ms of backlog and then none.
#[test]
fn pie_draws_nothing_without_a_probability() {
    let [mut drawn, mut fresh] = [random(), random()];
    let mut pie = algorithm("pie", &[("max_burst", Value::Span(Span::ZERO))]);
    for (ms, waited) in [(15, 100), (30, 50)] {
        pie.pop(&frame(ms - 1, waited, 50));
        update(&mut pie, ms, 75_900);
    }
    let mut mahimahi = algorithm("pie-mahimahi", &[]);
    measure(&mut mahimahi, 0);
    for (ms, bytes) in [(31, 166_900), (61, 0)] {
        update(&mut mahimahi, ms, bytes);
    }
    for aqm in [&mut pie, &mut mahimahi] {
        assert_eq!(hit(aqm, 75_900, &mut drawn), 0);
    }
    assert_eq!(drawn.unit().to_bits(), fresh.unit().to_bits());
}
