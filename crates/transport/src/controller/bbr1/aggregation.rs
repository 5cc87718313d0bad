//! The greatest excess of acknowledgements over the estimated rate, which widens the window (Linux
//! `bbr_update_ack_aggregation`).

use crate::building_blocks::bbr_common::AckAggregation;
use crate::controller_interface::Ack;
use crate::units::Time;

/// Rounds of each of the two windows.
const ROUNDS: u32 = 5;

/// The greatest excess of the last five to ten rounds, bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct ExtraAcked {
    extra: [f64; 2],
    window: usize,
    rounds: u32,
    burst: AckAggregation,
}

impl ExtraAcked {
    /// Forgets the present burst.
    pub fn begin(&mut self, now: Time) {
        self.burst.begin(now);
    }

    /// Takes an acknowledgement, at this estimated rate and window in bytes/s and bytes.
    pub fn update(&mut self, ack: &Ack, round_start: bool, rate: f64, cwnd: f64) {
        if round_start {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                self.rounds = 0;
                self.window ^= 1;
                self.extra[self.window] = 0.0;
            }
        }
        let extra = self.burst.excess(ack.now, ack.acked as f64, rate, cwnd);
        self.extra[self.window] = self.extra[self.window].max(extra);
    }

    /// The greatest excess.
    pub fn extra(&self) -> f64 {
        self.extra[0].max(self.extra[1])
    }
}
