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
