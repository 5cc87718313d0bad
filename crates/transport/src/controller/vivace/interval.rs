//! Monitor intervals: throughput, loss and round trips of the segments sent in one.

use crate::units::{Span, Time};

/// The purpose of an interval.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To keep sending while results are pending.
    Fill,
    /// A first doubling or a step along the gradient.
    Step,
    /// One of two pairs of trials: which pair, and whether above.
    Trial(usize, bool),
}

/// Measurements of the segments sent in one interval.
#[derive(Clone, Debug)]
pub(super) struct Interval {
    /// First segment, and the first of the next interval once it is over.
    pub first: u64,
    pub end: Option<u64>,
    pub began: Time,
    /// Seconds; bytes.
    pub lasted: f64,
    pub sent: f64,
    pub lost: f64,
    pub purpose: Purpose,
    /// For the regression of round trips on the time of sending: n, Σt, Σt², Σr, Σr², Σtr.
    sums: [f64; 6],
    /// Times of sending and of acknowledgement of the first and the last acknowledged segment, in
    /// seconds.
    sent_at: [f64; 2],
    acked_at: [f64; 2],
}

impl Interval {
    pub fn new(first: u64, began: Time, purpose: Purpose) -> Interval {
        Interval {
            first,
            end: None,
            began,
            lasted: 0.0,
            sent: 0.0,
            lost: 0.0,
            purpose,
            sums: [0.0; 6],
            sent_at: [0.0; 2],
            acked_at: [0.0; 2],
        }
    }

    /// A segment was acknowledged after this round trip.
    pub fn observe(&mut self, now: Time, rtt: Span) {
        let back = Span(now.0.saturating_sub(self.began.0)).seconds();
        let r = rtt.seconds();
        let t = back - r;
        if self.sums[0] == 0.0 {
            (self.sent_at[0], self.acked_at[0]) = (t, back);
        }
        (self.sent_at[1], self.acked_at[1]) = (t, back);
        let terms = [1.0, t, t * t, r, r * r, t * r];
        for (sum, x) in self.sums.iter_mut().zip(terms) {
            *sum += x;
        }
    }

    /// How fast round trips grow with the time of sending. At a rate x above the capacity C each
    /// segment waits longer by the difference of the times that both need for it: x/C - 1 (the paper's
    /// appendix).
    pub fn slope(&self) -> f64 {
        let [n, t, tt, r, _, tr] = self.sums;
        let spread = n * tt - t * t;
        match n >= 3.0 && spread > 1e-12 {
            true => (n * tr - t * r) / spread,
            false => 0.0,
        }
    }

    /// The program takes the flatter of that and of 1 - (time of sending)/(time of arrival) = 1 - C/x.
    pub fn flatter_slope(&self) -> f64 {
        let (left, back) = (
            self.sent_at[1] - self.sent_at[0],
            self.acked_at[1] - self.acked_at[0],
        );
        let stretch = match back > 0.0 {
            true => 1.0 - left / back,
            false => 0.0,
        };
        let slope = self.slope();
        match stretch.abs() < slope.abs() {
            true => stretch,
            false => slope,
        }
    }

    /// Standard deviation of the round trips in seconds.
    pub fn deviation(&self) -> f64 {
        let [n, _, _, r, rr, _] = self.sums;
        match n >= 2.0 {
            true => libm::sqrt((rr / n - (r / n) * (r / n)).max(0.0)),
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 segments leave at x times the rate at which the bottleneck serves one per millisecond.
    fn overloaded(x: f64) -> Interval {
        let began = Time::ZERO + Span::secs(1);
        let mut interval = Interval::new(0, began, Purpose::Fill);
        for k in 0..100 {
            let left = f64::from(k) * 1e-3 / x;
            // The first is served at once; the path takes 40 ms.
            let back = (f64::from(k) * 1e-3).max(left) + 0.040;
            interval.observe(
                began.after(Span::from_seconds(back)),
                Span::from_seconds(back - left),
            );
        }
        interval
    }

    #[test]
    fn the_slope_is_the_share_by_which_the_rate_exceeds_the_capacity() {
        for x in [1.05, 1.5, 2.0, 5.0] {
            let interval = overloaded(x);
            assert!((interval.slope() - (x - 1.0)).abs() < 1e-6, "{x}");
            // 1 - C/x is always the flatter of the two.
            let stretch = 1.0 - 1.0 / x;
            assert!((interval.flatter_slope() - stretch).abs() < 1e-6, "{x}");
        }
        for x in [0.5, 1.0] {
            assert!(overloaded(x).slope().abs() < 1e-6, "{x}");
            assert!(overloaded(x).flatter_slope().abs() < 1e-6, "{x}");
        }
    }

    #[test]
    fn a_deviation_is_that_of_the_round_trips() {
        // 40 ms and 60 ms: 10 ms about a mean of 50.
        let mut interval = Interval::new(0, Time::ZERO, Purpose::Fill);
        for (at, rtt) in [(100, 40), (110, 60)] {
            interval.observe(Time::ZERO + Span::millis(at), Span::millis(rtt));
        }
        assert!((interval.deviation() - 0.010).abs() < 1e-9);
    }

    /// Three segments leave in 2 ms and are all acknowledged at once: round trips fall by 1 ms in each, which says nothing of a
    /// queue that empties. The time of arrival does not grow, so it gives no slope, and that is the flatter.
    #[test]
    fn acknowledgements_that_come_at_once_give_no_slope() {
        let began = Time::ZERO + Span::secs(1);
        let mut interval = Interval::new(0, began, Purpose::Fill);
        for ms in 0..3 {
            interval.observe(began.after(Span::millis(50)), Span::millis(50 - ms));
        }
        assert!((interval.slope() + 1.0).abs() < 1e-6);
        assert_eq!(interval.flatter_slope(), 0.0);
    }

    /// Times of sending too close together give no slope: n Σt² - (Σt)² of two at 0 and two at t is 4t², which is above 1e-12 for
    /// t = 0.6 us and 1e-12 for 0.5 us. Those at t take t longer than those at 0: a slope of 1.
    #[test]
    fn times_of_sending_too_close_together_give_no_slope() {
        let slope = |nanos: u64| {
            let began = Time::ZERO + Span::secs(1);
            let mut interval = Interval::new(0, began, Purpose::Fill);
            for later in [0, 0, nanos, nanos] {
                let rtt = Span::nanos(later);
                interval.observe(began.after(rtt.times(2)), rtt);
            }
            interval.slope()
        };
        assert!((slope(600) - 1.0).abs() < 1e-6, "{}", slope(600));
        assert_eq!(slope(500), 0.0);
    }
}
