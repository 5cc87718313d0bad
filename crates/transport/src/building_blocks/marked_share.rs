//! The moving average of the share of marked bytes, for DCTCP and Prague.

use crate::controller_interface::Ack;

/// α, and the counts since its last update.
#[derive(Clone, Debug)]
pub struct MarkedShare {
    /// Share of marked bytes, 0..1.
    pub alpha: f64,
    gain: f64,
    acked: u64,
    marked: u64,
}

impl MarkedShare {
    /// Begins at `alpha`. A new share has the weight `gain`.
    pub fn new(alpha: f64, gain: f64) -> MarkedShare {
        MarkedShare {
            alpha,
            gain,
            acked: 0,
            marked: 0,
        }
    }

    /// Counts an acknowledgement.
    pub fn count(&mut self, ack: &Ack) {
        self.acked += ack.acked;
        self.marked += ack.marked.min(ack.acked);
    }

    /// α ← (1 - g) α + g · marked/acked, and counting starts over.
    pub fn update(&mut self) {
        if self.acked > 0 {
            let share = self.marked as f64 / self.acked as f64;
            self.alpha += self.gain * (share - self.alpha);
        }
        self.acked = 0;
        self.marked = 0;
    }
}
