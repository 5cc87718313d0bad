//! Reno.
//!
//! Detects: loss, and marks if the flow uses ECN. Tells: nobody. Responds: slow start (a byte for each
//! byte acknowledged, at most one segment for each acknowledgement), then one segment for each window
//! acknowledged; half of the flight at a loss or mark; one segment after a timeout.
//!
//! Reference: RFC 5681, RFC 6928, RFC 9406 (HyStart++), RFC 8511 (ABE). Differences: congestion
//! avoidance counts acknowledged bytes (recommended by RFC 5681 section 3.1) instead of adding
//! SMSS²/cwnd; the window grows only in window-limited rounds (RFC 7661); the sender controls the
//! window during recovery.

use crate::building_blocks::slow_start::{self, SlowStart};
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Idle, Inspect, Limits, Setup,
};
use crate::part::{Args, Default, Kind, Opt, Part};

/// Reno's window, in bytes.
#[derive(Clone, Debug)]
pub struct Reno {
    mss: u64,
    window: u64,
    threshold: u64,
    /// Bytes acknowledged since the window last grew in congestion avoidance.
    credit: u64,
    /// Window and ssthresh to restore after a spurious loss.
    undo: (u64, u64),
    /// Share of the flight kept at a mark.
    mark: f64,
    slow_start: SlowStart,
}

impl Reno {
    /// Built from `OPTIONS`, with the initial window.
    pub(super) fn new(args: &Args, setup: &Setup) -> Reno {
        Reno {
            mss: setup.mss,
            window: setup.initial,
            threshold: u64::MAX,
            credit: 0,
            undo: (setup.initial, u64::MAX),
            // RFC 8511 section 3.1.
            mark: if args.flag("abe") { 0.8 } else { 0.5 },
            slow_start: SlowStart::new(setup.mss, args.choice("slow_start")),
        }
    }

    /// Sets the window, for example after recovery.
    pub fn set_window(&mut self, window: u64) {
        self.window = window;
    }

    /// Slow-start threshold in bytes.
    pub fn threshold(&self) -> u64 {
        self.threshold
    }

    fn reduce(&mut self, flight: u64, share: f64) {
        self.undo = (self.window, self.threshold);
        self.slow_start.end();
        let kept = libm::floor(flight as f64 * share) as u64;
        self.threshold = kept.max(2 * self.mss);
        self.credit = 0;
    }
}

impl Controller for Reno {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.recovering || !ack.cwnd_limited {
            return;
        }
        if self.window < self.threshold {
            let (growth, over) = self.slow_start.on_ack(ack);
            self.window += growth;
            if over {
                self.threshold = self.window;
                self.slow_start.end();
            }
            return;
        }
        // After a timeout one acknowledgement may cover more than a window. It still adds one segment.
        self.credit += ack.advanced.min(self.window);
        if self.credit >= self.window {
            self.credit -= self.window;
            self.window += self.mss;
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.cause {
            Cause::Loss => {
                self.reduce(congestion.in_flight, 0.5);
                self.window = self.threshold;
            }
            Cause::Mark => {
                self.reduce(congestion.in_flight, self.mark);
                self.window = self.threshold;
            }
            Cause::Timeout => {
                self.reduce(congestion.in_flight, 0.5);
                self.window = self.mss;
            }
            Cause::Spurious => {
                self.window = self.window.max(self.undo.0);
                self.threshold = self.undo.1;
            }
            Cause::Recovered => {}
        }
    }

    fn on_idle(&mut self, idle: &Idle) {
        self.threshold = self.threshold.max(idle.threshold);
        self.window = self.window.min(idle.window);
    }

    fn limits(&self) -> Limits {
        Limits::of(self.window)
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            ssthresh: (self.threshold < u64::MAX).then_some(self.threshold),
            state: if self.window < self.threshold {
                "slow start"
            } else {
                "avoidance"
            },
            ..Inspect::default()
        }
    }
}

/// Options of Reno and NewReno.
pub(super) const OPTIONS: &[Opt] = &[
    Opt::new(
        "abe",
        Kind::Flag,
        Default::Is("false"),
        "at a mark keep 0.8 of the flight instead of half (RFC 8511)",
    ),
    slow_start::OPTION,
];

/// The row.
pub const PART: Part<BuildOf<Reno>> = Part {
    id: "reno",
    aliases: &[],
    summary: "slow start, one segment a round, half at a loss",
    source: "RFC 5681",
    options: OPTIONS,
    build: |args, setup| Ok(Reno::new(args, setup)),
};
