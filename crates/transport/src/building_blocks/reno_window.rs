//! Slow start, additive increase and multiplicative decrease with fractions of a byte: the frame
//! that delay-based and mark-counting schemes put their own laws into.

use crate::building_blocks::bounds;
use crate::controller_interface::{Ack, Cause, Congestion, Idle, Inspect, Setup};

/// A window with a slow-start threshold, both in bytes.
#[derive(Clone, Debug)]
pub struct Classic {
    pub mss: f64,
    pub window: f64,
    pub threshold: f64,
    undo: (f64, f64),
}

impl Classic {
    /// The initial window, no threshold.
    pub fn new(setup: &Setup) -> Classic {
        let window = setup.initial.max(setup.mss) as f64;
        Classic {
            mss: setup.mss as f64,
            window,
            threshold: f64::INFINITY,
            undo: (window, f64::INFINITY),
        }
    }

    /// Whether the window is below its threshold.
    pub fn slow_start(&self) -> bool {
        self.window < self.threshold
    }

    /// Whether a window may grow at this acknowledgement: it was the limit, and nothing is repaired.
    pub fn may_grow(ack: &Ack) -> bool {
        ack.cwnd_limited && !ack.recovering && ack.acked > 0
    }

    /// Slow start: two segments at most for each acknowledgement (RFC 3465, L = 2), up to the
    /// threshold.
    pub fn double(&mut self, ack: &Ack) {
        self.grow((ack.advanced as f64).min(2.0 * self.mss));
        self.window = self.window.min(self.threshold.max(self.mss));
    }

    /// Congestion avoidance: `segments` for each window acknowledged, and no more for an
    /// acknowledgement that covers more than a window, as after a timeout.
    pub fn increase(&mut self, acked: f64, segments: f64) {
        self.grow(segments * self.mss * (acked / self.window).min(1.0));
    }

    fn grow(&mut self, bytes: f64) {
        self.window = (self.window + bytes).min(bounds::MOST);
    }

    /// Threshold and window become `bytes`, two segments at least.
    pub fn reduce_to(&mut self, bytes: f64) {
        self.undo = (self.window, self.threshold);
        self.threshold = bytes.clamp(2.0 * self.mss, bounds::MOST);
        self.window = self.threshold;
    }

    /// Reno's answers, to a loss with this share of the flight (RFC 5681; 0.5).
    pub fn on_congestion(&mut self, congestion: &Congestion, share: f64) {
        let kept = share * congestion.in_flight as f64;
        match congestion.cause {
            Cause::Loss | Cause::Mark => self.reduce_to(kept),
            Cause::Timeout => {
                self.reduce_to(kept);
                self.window = self.mss;
            }
            Cause::Spurious => {
                self.window = self.window.max(self.undo.0);
                self.threshold = self.threshold.max(self.undo.1);
            }
            Cause::Recovered => {}
        }
    }

    /// After a pause.
    pub fn on_idle(&mut self, idle: &Idle) {
        self.threshold = self.threshold.max(idle.threshold as f64);
        self.window = self.window.min(idle.window as f64);
    }

    /// The window in whole bytes, at least one segment.
    pub fn bytes(&self) -> u64 {
        bounds::window(self.window, self.mss as u64)
    }

    /// What to show, with these values of one's own.
    pub fn inspect<const N: usize>(&self, values: [(&'static str, f64); N]) -> Inspect {
        Inspect {
            ssthresh: self.threshold.is_finite().then_some(self.threshold as u64),
            state: match self.slow_start() {
                true => "slow start",
                false => "avoidance",
            },
            values: Inspect::values(values),
        }
    }
}
