//! Aggregation: what is acknowledged in bursts beyond the estimated rate, so that the window may allow
//! for it (Linux `bbr_update_ack_aggregation`).

use crate::controller_interface::Ack;
use crate::units::{Span, Time};

/// Rounds of each of the two windows.
const ROUNDS: u32 = 5;

/// The greatest excess of the last five to ten rounds, bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    extra: [f64; 2],
    window: usize,
    rounds: u32,
    epoch: Time,
    acked: f64,
}

impl Aggregation {
    /// Forgets the burst under way.
    pub fn begin(&mut self, now: Time) {
        self.epoch = now;
        self.acked = 0.0;
    }

    /// An acknowledgement, at this estimated rate and window in bytes/s and bytes.
    pub fn update(&mut self, ack: &Ack, round_start: bool, rate: f64, cwnd: f64) {
        if round_start {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                self.rounds = 0;
                self.window ^= 1;
                self.extra[self.window] = 0.0;
            }
        }
        let gone = Span(ack.now.0.saturating_sub(self.epoch.0)).seconds();
        let mut expected = rate * gone;
        if self.acked <= expected {
            self.begin(ack.now);
            expected = 0.0;
        }
        self.acked += ack.acked as f64;
        let extra = (self.acked - expected).min(cwnd);
        self.extra[self.window] = self.extra[self.window].max(extra);
    }

    /// The greatest excess.
    pub fn extra(&self) -> f64 {
        self.extra[0].max(self.extra[1])
    }
}
