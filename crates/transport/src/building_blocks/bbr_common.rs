//! The calculations that BBRv1 and BBRv3 share. Rates are in bytes/s, windows in bytes.

use crate::units::{Span, Time};

/// Detects a full pipe: the delivery rate has not grown by a quarter for three rounds.
#[derive(Clone, Debug, Default)]
pub struct Plateau {
    /// Rate that growth is measured from.
    pub rate: f64,
    /// Rounds without growth.
    pub rounds: u32,
}

impl Plateau {
    /// Takes the rate of a round. True when the pipe is full.
    pub fn update(&mut self, rate: f64) -> bool {
        if rate >= self.rate * 1.25 {
            *self = Plateau { rate, rounds: 0 };
            return false;
        }
        self.rounds += 1;
        self.rounds >= 3
    }
}

/// Measures how far a burst of acknowledgements exceeds the estimated rate.
#[derive(Clone, Debug, Default)]
pub struct AckAggregation {
    /// When the present burst began.
    pub start: Time,
    acked: f64,
}

impl AckAggregation {
    /// Begins a new burst.
    pub fn begin(&mut self, now: Time) {
        self.start = now;
        self.acked = 0.0;
    }

    /// Counts `acked` bytes. Gives the bytes acknowledged in this burst beyond `rate`, at most `cwnd`.
    pub fn excess(&mut self, now: Time, acked: f64, rate: f64, cwnd: f64) -> f64 {
        let interval = Span(now.0.saturating_sub(self.start.0));
        let mut expected = rate * interval.seconds();
        if self.acked <= expected {
            self.begin(now);
            expected = 0.0;
        }
        self.acked += acked;
        (self.acked - expected).min(cwnd)
    }
}

/// The bandwidth-delay product times `gain`; the initial window before the first round-trip sample.
pub fn bdp(min_rtt: Span, bw: f64, gain: f64, initial: f64) -> f64 {
    match min_rtt {
        Span::MAX => initial,
        rtt => gain * bw * rtt.seconds(),
    }
}

/// The next pacing rate. It only grows until the pipe has been full once.
pub fn pacing_rate(present: f64, wanted: f64, full: bool) -> f64 {
    match wanted > 0.0 && (full || wanted > present) {
        true => wanted,
        false => present,
    }
}

/// The window to restore after recovery or ProbeRTT. `reduced`: the window is already reduced.
pub fn saved_cwnd(cwnd: f64, saved: f64, reduced: bool) -> f64 {
    match reduced {
        false => cwnd,
        true => saved.max(cwnd),
    }
}

/// The window after `acked` bytes: never above `target` once the pipe has been full; before that it
/// grows up to the target, and until the initial window is delivered.
pub fn grown_cwnd(cwnd: f64, acked: f64, target: f64, full: bool, before_initial: bool) -> f64 {
    if full {
        (cwnd + acked).min(target)
    } else if cwnd < target || before_initial {
        cwnd + acked
    } else {
        cwnd
    }
}

/// The least round trip for records: zero before the first sample.
pub fn shown_seconds(min_rtt: Span) -> f64 {
    match min_rtt {
        Span::MAX => 0.0,
        rtt => rtt.seconds(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// draft-ietf-ccwg-bbr, 5.3.1.2: a quarter more is growth, from the rate at which there was growth last; three rounds without it are
    /// enough.
    #[test]
    fn three_rounds_without_a_quarter_more_are_a_full_pipe() {
        let mut plateau = Plateau::default();
        let full = [100.0, 125.0, 156.0, 156.25, 195.0, 100.0, 195.0, 195.0];
        let full = full.map(|rate| plateau.update(rate));
        assert_eq!(full, [false, false, false, false, false, false, true, true]);
        // Growth begins the count anew.
        assert!(!plateau.update(195.312_5));
        assert_eq!((plateau.rate, plateau.rounds), (195.312_5, 0));
        assert!(!plateau.update(1.0) && !plateau.update(1.0) && plateau.update(1.0));
    }

    /// The same, 5.5.9: at 1,000 bytes/s a burst of 900 bytes in half a second exceeds by 400. One that is no more than expected begins a
    /// new burst.
    #[test]
    fn a_burst_lasts_while_more_is_acknowledged_than_expected() {
        let at = |ms| Time::ZERO + Span::millis(ms);
        let mut burst = AckAggregation::default();
        burst.begin(at(1_000));
        let mut excess = |ms, acked| burst.excess(at(ms), acked, 1_000.0, 700.0);
        assert_eq!(excess(1_000, 500.0), 500.0);
        assert_eq!(excess(1_400, 400.0), 500.0);
        // 899 ms on 900 bytes are more than expected, 900 ms on they are not.
        assert_eq!(excess(1_899, 1.0), 2.0);
        assert_eq!(excess(1_901, 10.0), 10.0);
        // No more than the window.
        assert_eq!(excess(1_901, 690.0), 700.0);
        assert_eq!(excess(1_901, 1.0), 700.0);
        burst.begin(at(2_000));
        assert_eq!(burst.start, at(2_000));
        assert_eq!(burst.excess(at(2_000), 3.0, 1_000.0, 700.0), 3.0);
    }

    /// Half a second at 1,000 bytes/s with a gain of two are 1,000 bytes.
    #[test]
    fn a_product_needs_a_round_trip() {
        let half = Span::millis(500);
        assert_eq!(bdp(half, 1_000.0, 2.0, 7.0), 1_000.0);
        assert_eq!(bdp(Span::MAX, 1_000.0, 2.0, 7.0), 7.0);
        assert_eq!(shown_seconds(half), 0.5);
        assert_eq!(shown_seconds(Span::MAX), 0.0);
    }

    #[test]
    fn a_pace_only_grows_until_the_pipe_was_full() {
        for (wanted, full, expected) in [
            (11.0, false, 11.0),
            (10.0, false, 10.0),
            (9.0, false, 10.0),
            (9.0, true, 9.0),
            (0.5, true, 0.5),
            (0.0, true, 10.0),
        ] {
            assert_eq!(pacing_rate(10.0, wanted, full), expected);
        }
    }

    #[test]
    fn a_window_that_is_reduced_keeps_the_one_that_was_saved() {
        assert_eq!(saved_cwnd(10.0, 20.0, false), 10.0);
        assert_eq!(saved_cwnd(10.0, 20.0, true), 20.0);
        assert_eq!(saved_cwnd(30.0, 20.0, true), 30.0);
    }

    /// The same, 5.6.4.6.
    #[test]
    fn a_window_grows_to_its_target() {
        for (cwnd, target, full, before_initial, expected) in [
            (10.0, 12.0, true, false, 12.0),
            (10.0, 20.0, true, false, 15.0),
            (30.0, 20.0, true, true, 20.0),
            (19.0, 20.0, false, false, 24.0),
            (20.0, 20.0, false, false, 20.0),
            (20.0, 20.0, false, true, 25.0),
        ] {
            let grown = grown_cwnd(cwnd, 5.0, target, full, before_initial);
            assert_eq!(grown, expected, "{cwnd} {target} {full}");
        }
    }
}
