//! A rate that is cut and then raised in steps, by time and by bytes: what QCN and DCQCN share.
//!
//! A timer and a byte counter step each for itself. At a step the rate goes half the way to its target. After `stages` steps of either
//! the target rises by `additive`, after so many of both by `hyper`. A cut sets both counters back.
//! Reference: IEEE 802.1Qau (reaction point); Zhu et al., SIGCOMM 2015, section 5. Where published readings differ, `Rise` says how.

use crate::controller_interface::Limits;
use crate::setup::MAX_UNACKNOWLEDGED;
use crate::units::{Rate, Span, Time};

/// When the periods of counters become half as long.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Halves {
    /// Never.
    Never,
    /// Once both counters have made so many steps.
    Both(u32),
    /// That of each counter once it has made so many steps.
    Each(u32),
}

/// The law by which a rate rises.
#[derive(Copy, Clone, Debug)]
pub struct Rise {
    /// Steps of a counter without a rise of the target, plus one.
    pub stages: u32,
    /// Period of the timer.
    pub timer: Span,
    /// Period of the byte counter; none: there is none.
    pub bytes: Option<u64>,
    /// What is added to the target, bit/s.
    pub additive: f64,
    /// The same once both counters are past `stages`.
    pub hyper: f64,
    /// The target rises by (least count − `stages` + this) times `hyper`; none: by `hyper`.
    pub hyper_grows: Option<u32>,
    /// The target rises by `additive` in step `stages` only, then by `hyper`, whichever counter steps.
    pub additive_once: bool,
    /// Shorter periods.
    pub halves: Halves,
    /// At the first step of a counter a target above ten rates falls to an eighth.
    pub shrinks_target: bool,
}

/// The rate in bit/s, its target and the counters.
#[derive(Clone, Debug)]
pub struct RateSteps {
    rise: Rise,
    /// Rate of the host's line, which it does not exceed.
    pub line: f64,
    /// The rate in force.
    pub current: f64,
    /// Where steps lead to.
    pub target: f64,
    /// When the timer steps.
    pub step_at: Time,
    sent: u64,
    by_time: u32,
    pub(crate) by_bytes: u32,
}

impl RateSteps {
    /// At the rate of the line.
    pub fn new(rise: Rise, line: f64) -> RateSteps {
        RateSteps {
            rise,
            line,
            current: line,
            target: line,
            step_at: Time::NEVER,
            sent: 0,
            by_time: 0,
            by_bytes: 0,
        }
    }

    /// Whether a counter has stepped since the last cut.
    pub fn stepped(&self) -> bool {
        self.by_time.max(self.by_bytes) > 0
    }

    /// Whether the line limits the sender and nothing else.
    pub fn is_at_line(&self) -> bool {
        self.current >= self.line
    }

    /// Cuts the rate to a share of itself, not below `least`; the target becomes the rate before where it `follows`.
    pub fn cut(&mut self, share: f64, least: f64, follows: bool, now: Time) {
        if follows {
            self.target = self.current;
        }
        self.current = (self.current * share).max(least.min(self.line));
        (self.by_time, self.by_bytes, self.sent) = (0, 0, 0);
        self.step_at = now.after(self.rise.timer);
    }

    /// So many bytes leave. Nothing is counted at the rate of the line. What is beyond a period is dropped.
    pub fn on_sent(&mut self, bytes: u64) {
        let Some(period) = self.rise.bytes.filter(|_| !self.is_at_line()) else {
            return;
        };
        self.sent += bytes;
        if self.sent >= period >> u32::from(self.halved(self.by_bytes)) {
            self.sent = 0;
            self.by_bytes += 1;
            self.step();
        }
    }

    /// The timer may be over.
    pub fn on_timer(&mut self, now: Time) {
        if self.step_at > now {
            return;
        }
        self.by_time += 1;
        self.step();
        self.step_at = match self.is_at_line() {
            true => Time::NEVER,
            false => now.after(Span(
                self.rise.timer.0 >> u32::from(self.halved(self.by_time)),
            )),
        };
    }

    fn step(&mut self) {
        let rise = self.rise;
        let (low, high) = (
            self.by_time.min(self.by_bytes),
            self.by_time.max(self.by_bytes),
        );
        if rise.shrinks_target && high == 1 && self.target > 10.0 * self.current {
            self.target /= 8.0;
        }
        let hyper = match (rise.additive_once, rise.hyper_grows) {
            (true, _) => high > rise.stages,
            (false, Some(more)) => low + more > rise.stages,
            (false, None) => low > rise.stages,
        };
        if hyper {
            let times = rise.hyper_grows.map_or(1, |more| low + more - rise.stages);
            self.target += f64::from(times) * rise.hyper;
        } else if high >= rise.stages {
            self.target += rise.additive;
        }
        self.target = self.target.min(self.line);
        self.current = f64::midpoint(self.target, self.current).min(self.line);
    }

    /// Whether the period of a counter that has made so many steps is half as long.
    fn halved(&self, steps: u32) -> bool {
        match self.rise.halves {
            Halves::Never => false,
            Halves::Both(from) => self.by_time.min(self.by_bytes) >= from,
            Halves::Each(from) => steps >= from,
        }
    }

    /// The pace, without a window but for what may be unacknowledged.
    pub fn limits(&self, mss: u64) -> Limits {
        Limits {
            pacing: Some(Rate(self.current as u64)),
            wake: self.step_at,
            ..Limits::of(MAX_UNACKNOWLEDGED * mss)
        }
    }
}
