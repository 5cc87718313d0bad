//! Token-bucket policers (Linux `bbr_lt_bw_*`): two intervals of heavy loss at one rate indicate a
//! policer, and BBR keeps that rate for 48 rounds.

use crate::units::{Span, Time};

/// The long-term rate of a policer.
#[derive(Clone, Debug, Default)]
pub(super) struct Policer {
    enabled: bool,
    sampling: bool,
    pub in_use: bool,
    rounds: u32,
    /// Bytes/s.
    pub rate: f64,
    since: Time,
    delivered: u64,
    lost: u64,
}

/// Rounds of an interval at least; at most four times as many.
const ROUNDS: u32 = 4;
/// Share of loss that makes an interval suspicious.
const LOSS: f64 = 50.0 / 256.0;
/// Two rates agree within this share, or within `DIFF` bytes/s.
const RATIO: f64 = 1.0 / 8.0;
const DIFF: f64 = 500.0;
/// Rounds for which a policer's rate is kept.
const KEPT: u32 = 48;

impl Policer {
    /// A detector without observations. It stays idle unless `enabled`.
    pub fn new(enabled: bool) -> Policer {
        Policer {
            enabled,
            ..Policer::default()
        }
    }

    pub fn reset(&mut self) {
        *self = Policer::new(self.enabled);
    }

    fn begin(&mut self, now: Time, delivered: u64, lost: u64) {
        self.rounds = 0;
        self.since = now;
        self.delivered = delivered;
        self.lost = lost;
    }

    /// One acknowledgement. True if the rate in use has expired.
    pub fn sample(&mut self, observation: &Observation, losses: bool, app_limited: bool) -> bool {
        if !self.enabled {
            return false;
        }
        if self.in_use {
            if observation.round_start && observation.probing {
                self.rounds += 1;
                if self.rounds >= KEPT {
                    self.reset();
                    return true;
                }
            }
            return false;
        }
        if !self.sampling {
            if !losses {
                return false;
            }
            self.begin(observation.now, observation.delivered, observation.lost);
            self.sampling = true;
        }
        if app_limited {
            self.reset();
            return false;
        }
        self.rounds += u32::from(observation.round_start);
        if self.rounds < ROUNDS {
            return false;
        }
        if self.rounds > 4 * ROUNDS {
            self.reset();
            return false;
        }
        let lost = (observation.lost - self.lost) as f64;
        let delivered = observation.delivered.saturating_sub(self.delivered) as f64;
        let span = Span(observation.now.0.saturating_sub(self.since.0)).seconds();
        if losses && delivered > 0.0 && lost >= LOSS * delivered && span >= 1e-3 {
            self.interval_done(delivered / span, observation);
        }
        false
    }

    fn interval_done(&mut self, rate: f64, observation: &Observation) {
        let off = (rate - self.rate).abs();
        if self.rate > 0.0 && (off <= RATIO * self.rate || off <= DIFF) {
            self.rate = (rate + self.rate) / 2.0;
            self.in_use = true;
            self.rounds = 0;
            return;
        }
        self.rate = rate;
        self.begin(observation.now, observation.delivered, observation.lost);
    }
}

/// The input of the policer detector.
pub(super) struct Observation {
    pub now: Time,
    pub delivered: u64,
    pub lost: u64,
    pub round_start: bool,
    pub probing: bool,
}
