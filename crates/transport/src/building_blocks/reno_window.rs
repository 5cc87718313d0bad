//! A Reno window with fractions of a byte: slow start, additive increase, multiplicative decrease.
//! Delay-based and mark-based schemes build their rules on it.

use crate::building_blocks::bounds;
use crate::controller_interface::{Ack, Cause, Congestion, Idle, Inspect, Setup};

/// A window with a slow-start threshold, both in bytes.
#[derive(Clone, Debug)]
pub struct RenoWindow {
    pub mss: f64,
    pub window: f64,
    pub threshold: f64,
    undo: (f64, f64),
}

impl RenoWindow {
    /// The initial window, no threshold.
    pub fn new(setup: &Setup) -> RenoWindow {
        let window = setup.initial.max(setup.mss) as f64;
        RenoWindow {
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

    /// Whether a window may grow at this acknowledgement: the flow was window-limited and is not in
    /// recovery.
    pub fn may_grow(ack: &Ack) -> bool {
        ack.cwnd_limited && !ack.recovering && ack.acked > 0
    }

    /// Slow start: at most two segments for each acknowledgement (RFC 3465, L = 2), up to ssthresh.
    pub fn double(&mut self, ack: &Ack) {
        self.grow((ack.advanced as f64).min(2.0 * self.mss));
        self.window = self.window.min(self.threshold.max(self.mss));
    }

    /// Congestion avoidance: `segments` for each window acknowledged. An acknowledgement of more than a
    /// window, as after a timeout, counts as one window.
    pub fn increase(&mut self, acked: f64, segments: f64) {
        self.grow(segments * self.mss * (acked / self.window).min(1.0));
    }

    fn grow(&mut self, bytes: f64) {
        self.window = (self.window + bytes).min(bounds::MAX_WINDOW);
    }

    /// Sets ssthresh and window to `bytes`, at least two segments.
    pub fn reduce_to(&mut self, bytes: f64) {
        self.undo = (self.window, self.threshold);
        self.threshold = bytes.clamp(2.0 * self.mss, bounds::MAX_WINDOW);
        self.window = self.threshold;
    }

    /// Reno's reaction, keeping this share of the flight at a loss (RFC 5681; 0.5).
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

    /// After an idle time.
    pub fn on_idle(&mut self, idle: &Idle) {
        self.threshold = self.threshold.max(idle.threshold as f64);
        self.window = self.window.min(idle.window as f64);
    }

    /// The window in whole bytes, at least one segment.
    pub fn bytes(&self) -> u64 {
        bounds::window(self.window, self.mss as u64)
    }

    /// State to show, with the controller's own values.
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
