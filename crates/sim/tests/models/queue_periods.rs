//! Algorithms that count periods or bytes at the ends of these: mahimahi's PIE, and QCN's samples.

use backwater_sim::queue::aqm::{Frame, Verdict};
use backwater_sim::queue::{AnyAqm, Aqm};
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span};

use crate::queues::{algorithm, frame, measure, update};

fn random() -> Random {
    Random::stream(1, "models", "periods")
}

/// Mahimahi's PIE with a measured rate of 1,669 B/ms.
fn pie(reference: u64) -> AnyAqm {
    let given = [("reference", Value::Span(Span::millis(reference)))];
    let mut pie = algorithm("pie-mahimahi", &given);
    measure(&mut pie, 0);
    pie
}

/// So many ms of backlog at that rate.
fn backlog(ms: u64) -> u64 {
    1_669 * ms
}

/// How many of so many arrivals, each beside 110 packets, are dropped.
fn dropped(pie: &mut AnyAqm, arrivals: u32, random: &mut Random) -> usize {
    let drops = |_: &u32| pie.push(&frame(90_000, 0, 110), random) == Verdict::Drop;
    (0..arrivals).filter(drops).count()
}

/// A period of 30 ms is over when more than that has passed: a backlog of 100 ms makes the probability 1 at 31 ms, and not at 30.
#[test]
fn a_period_is_over_behind_its_end() {
    for (ms, drops) in [(30, 0), (31, 10)] {
        let mut pie = pie(15);
        update(&mut pie, ms, backlog(100));
        assert_eq!(dropped(&mut pie, 10, &mut random()), drops, "{ms}");
    }
}

/// Periods behind the first go on with a backlog that stays: 20 ms at a reference of 15 make (0.125 · 5 + 1.25 · 20) / 128, a fifth, in the
/// first period, and 0.125 · 5 / 16 more, 4 %, in each of the 32 others of a second, whether they are caught up with in one go or not.
#[test]
fn a_backlog_raises_the_probability_in_each_period() {
    let mut pie = pie(15);
    update(&mut pie, 1_000, backlog(20));
    assert_eq!(dropped(&mut pie, 100, &mut random()), 100);
}

/// A delay of 2 ms at a reference of 1 ms raises the probability by 0.125 / 16 in a period at last, so that it is 1 within 300 periods.
/// Without a backlog it falls by as much, and by 2 % of itself: it is nought after 300 more, which are caught up with in one go.
#[test]
fn a_probability_decays_in_each_period_of_an_idle_line() {
    let mut pie = pie(1);
    for n in 1..=300 {
        update(&mut pie, 30 * n + 1, backlog(2));
    }
    let mut random = random();
    assert_eq!(dropped(&mut pie, 100, &mut random), 100);
    update(&mut pie, 18_001, 0);
    assert_eq!(dropped(&mut pie, 100, &mut random), 0);
}

/// The burst is allowed anew when both delays are nought, a period after a backlog has gone, and is used up by the time that an idle line
/// is looked at. A rate that is measured then, and 100 ms of backlog, drop at once.
#[test]
fn a_burst_is_used_up_while_the_line_is_idle() {
    let mut pie = pie(15);
    update(&mut pie, 31, backlog(100));
    for ms in [9_990, 10_010] {
        update(&mut pie, ms, 0);
    }
    measure(&mut pie, 10_011);
    update(&mut pie, 10_041, backlog(100));
    assert_eq!(dropped(&mut pie, 10, &mut random()), 10);
}

/// Half of the reference is no calm: with 19 and then 20 ms of backlog at a reference of 40 ms the probability is nought, but the second
/// delay is not below 20. So no burst is allowed and the rate stays, and 200 ms drop all. A delay of 19 ms allows a burst.
#[test]
fn a_delay_of_half_the_reference_allows_no_burst() {
    for (second, drops) in [(20, 10), (19, 0)] {
        let mut pie = pie(40);
        for (n, delay) in [(1, 22), (2, 20), (3, 19), (4, second), (5, 200)] {
            update(&mut pie, 30 * n + 1, backlog(delay));
        }
        assert_eq!(dropped(&mut pie, 10, &mut random()), drops, "{second}");
    }
}

/// A measurement that ends with 16,384 B waiting begins the next one. The first has 16,385 B in 1 ms, the second as many in 20: 819 B/ms,
/// which weigh an eighth. At that rate, 14,439 B/ms, 20 ms of backlog are half of the reference of 40 ms, and no calm; at the first they
/// were.
#[test]
fn a_measurement_begins_with_the_bytes_that_it_takes() {
    let given = [("reference", Value::Span(Span::millis(40)))];
    let mut pie = algorithm("pie-mahimahi", &given);
    for (ms, size, bytes) in [(0, 16_384, 16_384), (1, 1, 16_384), (21, 16_385, 0)] {
        let leaves = Frame {
            size,
            bytes,
            ..frame(ms, 0, 20)
        };
        pie.pop(&leaves);
    }
    let rate = 16_385 - 16_385 / 8 + 819 / 8;
    for (n, delay) in [(1, 22), (2, 20), (3, 19), (4, 20), (5, 200)] {
        update(&mut pie, 30 * n + 1, rate * delay);
    }
    assert_eq!(dropped(&mut pie, 10, &mut random()), 10);
}

/// The first period compares its delay with none: 3 ms at a reference of 2 make (0.125 + 3.75) / 128, and the same delay 0.125 / 32 more:
/// 3.4 %, 684 of 20,000 with a deviation of 26.
#[test]
fn the_first_period_began_without_a_delay() {
    let mut pie = pie(2);
    for n in 1..3 {
        update(&mut pie, 30 * n + 1, backlog(3));
    }
    let drops = dropped(&mut pie, 20_000, &mut random());
    assert!(drops.abs_diff(684) < 5 * 26, "{drops}");
}

/// A rate of 1 B/ms is one: 16,385 B in 16,385 ms. With a calm line it is forgotten, so that 5 kB then are no delay of five seconds.
#[test]
fn the_least_rate_is_forgotten_in_a_calm() {
    let mut pie = algorithm("pie-mahimahi", &[]);
    for (ms, size) in [(0, 16_000), (16_385, 385)] {
        let leaves = Frame {
            size,
            ..frame(ms, 0, 20)
        };
        pie.pop(&leaves);
    }
    update(&mut pie, 16_386, 0);
    update(&mut pie, 16_450, 5_000);
    assert_eq!(dropped(&mut pie, 10, &mut random()), 0);
}

/// A sample each 150 kB: the last byte of them is the sample's, and not the one before.
#[test]
fn a_sample_comes_with_its_last_byte() {
    let mut qcn = algorithm("qcn", &[("jitter", Value::Share(0.0))]);
    qcn.attach(Rate(8_000_000), &mut random());
    let mut come = |size| {
        let one = Frame {
            size,
            bytes: 200_000,
            ..frame(1, 0, 130)
        };
        qcn.push(&one, &mut random())
    };
    assert_eq!(come(149_999), Verdict::Accept);
    assert!(matches!(come(1), Verdict::Notify(_)));
}
