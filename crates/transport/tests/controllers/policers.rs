//! BBRv1's detector of policers, each of its limits with what lies at it and beside it (Linux `bbr_lt_bw_sampling`): intervals of 4 to 16
//! rounds and a millisecond, 50 of 256 lost, two rates within an eighth or within 500 B/s.

use backwater_transport::controller::{Ack, AnyController, Cause, Congestion, Controller};
use backwater_transport::units::{Span, Time};

use crate::build::{build, quiet_ack};

/// An interval: bytes delivered, bytes lost, how long it is, and its rounds.
#[derive(Clone, Copy)]
struct Interval {
    delivered: u64,
    lost: u64,
    lasts: Span,
    rounds: u64,
}

/// Four rounds in an eighth of a second.
fn of(delivered: u64, lost: u64) -> Interval {
    Interval {
        delivered,
        lost,
        lasts: Span::millis(125),
        rounds: 4,
    }
}

/// A flow, and what was delivered to it.
struct Flow {
    bbr: AnyController,
    now: Time,
    delivered: u64,
}

impl Flow {
    /// A loss begins the first interval.
    fn new() -> Flow {
        let mut flow = Flow {
            bbr: build("bbr1", &[]),
            now: Time::ZERO + Span::secs(1),
            delivered: 1000,
        };
        flow.ack(0, 1, false);
        flow
    }

    fn ack(&mut self, delivered: u64, lost: u64, starts: bool) {
        self.delivered += delivered;
        self.bbr.on_ack(&Ack {
            acked: delivered,
            lost,
            delivered: self.delivered,
            round_start: starts,
            ..quiet_ack(self.now, 0)
        });
    }

    /// All is delivered and lost at the end.
    fn take(&mut self, interval: Interval) {
        for _ in 1..interval.rounds {
            self.ack(0, 0, true);
        }
        self.now += interval.lasts;
        self.ack(interval.delivered, interval.lost, true);
    }

    /// The rate of a policer in bytes a second; none where none was found.
    fn policed(&self) -> Option<f64> {
        let shown = self.bbr.inspect().values;
        let value = |name: &str| shown.iter().find(|one| one.0 == name).expect(name).1;
        (value("policed") == 1.0).then(|| value("bw_bps") / 8.0)
    }
}

/// After these intervals.
fn after(intervals: &[Interval]) -> Option<f64> {
    let mut flow = Flow::new();
    for interval in intervals {
        flow.take(*interval);
    }
    flow.policed()
}

/// 256 kB in an eighth of a second are 2.048 MB/s.
#[test]
fn fifty_of_256_lost_in_two_intervals_are_a_policer() {
    let exactly = of(256_000, 50_000);
    assert_eq!(after(&[exactly]), None);
    assert_eq!(after(&[exactly; 2]), Some(2_048_000.0));
    let less = of(256_000, 49_999);
    assert_eq!(after(&[less, exactly]), None);
    assert_eq!(after(&[exactly, less]), None);
}

/// What was lost in the first interval counts in no second one.
#[test]
fn losses_count_in_their_interval() {
    assert_eq!(after(&[of(256_000, 150_000), of(256_000, 10_000)]), None);
}

#[test]
fn rates_within_an_eighth_are_one_rate() {
    let first = of(256_000, 100_000);
    for (delivered, rate) in [(288_000, Some(2_176_000.0)), (224_000, Some(1_920_000.0))] {
        assert_eq!(after(&[first, of(delivered, 100_000)]), rate);
    }
    for delivered in [288_001, 223_999] {
        assert_eq!(after(&[first, of(delivered, 100_000)]), None, "{delivered}");
    }
}

/// 1000 and 1500 B in a second.
#[test]
fn rates_within_500_bytes_a_second_are_one_rate() {
    let slow = |delivered| Interval {
        lasts: Span::secs(1),
        ..of(delivered, 1000)
    };
    assert_eq!(after(&[slow(1000), slow(1500)]), Some(1250.0));
    assert_eq!(after(&[slow(1500), slow(1000)]), Some(1250.0));
    assert_eq!(after(&[slow(1000), slow(1501)]), None);
    // A rate of one byte is one, and the first alone is none, however small it is.
    assert_eq!(after(&[slow(1)]), None);
    assert_eq!(after(&[slow(1); 2]), Some(1.0));
}

#[test]
fn an_interval_is_a_millisecond_and_four_to_sixteen_rounds_long() {
    let interval = of(256_000, 100_000);
    for (rounds, found) in [(3, false), (4, true), (16, true), (17, false)] {
        let both = [Interval { rounds, ..interval }, interval];
        assert_eq!(after(&both).is_some(), found, "{rounds}");
    }
    for (lasts, found) in [(Span::millis(1), true), (Span(999_999_999), false)] {
        let both = [Interval { lasts, ..interval }; 2];
        assert_eq!(after(&both).is_some(), found, "{lasts:?}");
    }
}

/// A loss in an interval in which nothing arrived does not end it.
#[test]
fn an_interval_without_a_delivery_goes_on() {
    let mut flow = Flow::new();
    for _ in 0..2 {
        flow.take(of(0, 100_000));
        flow.now += Span::millis(125);
        flow.ack(512_000, 100_000, false);
    }
    assert_eq!(flow.policed(), Some(2_048_000.0));
}

/// Losses that were none say nothing of a policer.
#[test]
fn spurious_losses_end_a_policer() {
    let mut flow = Flow::new();
    for _ in 0..2 {
        flow.take(of(256_000, 100_000));
    }
    assert!(flow.policed().is_some());
    flow.bbr.on_congestion(&Congestion {
        now: flow.now,
        cause: Cause::Spurious,
        in_flight: 0,
        lost: 0,
        tx_in_flight: 0,
        round: 0,
    });
    assert_eq!(flow.policed(), None);
}
