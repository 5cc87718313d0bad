//! AIMD on a congestion signal: the future work of the 6.829 report, shared by three rows. It halves
//! once at each congestion signal and has a cap on the window.
//!
//! Detects: `ewma`, a moving average of round trips above a threshold; `slope`, round trips that grow
//! faster than time passes (a regression line through the last samples; a sign of collapsing capacity),
//! or a mean above the threshold; `late`, an oldest segment unacknowledged for longer than the
//! threshold, before its acknowledgement. Tells: nobody. Responds: divides the window by `beta`, grows
//! by `alpha` packets per window.
//!
//! Reference: the 6.829 report, section "Future work", and the late-packet trigger of another team of
//! that class. The report gives no numbers; defaults are those of its delay trigger. Over TCP, a
//! threshold below round trip plus delayed-ACK timeout keeps the window at its minimum; `late` suffers
//! most, because every odd segment is late.

use std::collections::VecDeque;

use crate::building_blocks::bounds;
use crate::controller_interface::{
    Ack, Cause, Congestion, Controller, Departure, Inspect, Limits, Reduction, Sent, Setup,
};
use crate::part::{Args, Default, Kind, Opt, Refusal};
use crate::units::{Span, Time};

/// Average of round trips.
pub const EWMA: u8 = 0;
/// Slope of round trips.
pub const SLOPE: u8 = 1;
/// Age of the oldest segment.
pub const LATE: u8 = 2;

/// AIMD with one of the three signals. The window is in packets.
#[derive(Clone, Debug)]
pub struct SignalAimd<const SIGNAL: u8> {
    mss: f64,
    window: f64,
    least: f64,
    cap: f64,
    alpha: f64,
    beta: f64,
    threshold: Span,
    gain: f64,
    steepest: f64,
    n: usize,
    /// Moving average of round trips in seconds; none before the first.
    average: Option<f64>,
    /// Last round trips and when they came, in seconds.
    recent: VecDeque<(f64, f64)>,
    slope: f64,
    /// Outstanding segments: number and time of transmission.
    outstanding: VecDeque<(u64, Time)>,
    /// No second decrease before the signal has ended.
    decreased: bool,
    now: Time,
}

impl<const SIGNAL: u8> SignalAimd<SIGNAL> {
    /// Built from the options of its row.
    ///
    /// # Errors
    /// When the cap lies below the least window.
    pub fn new(args: &Args, setup: &Setup) -> Result<Self, Refusal> {
        let given = |name, default: f64| match args.has(name) {
            true => args.number(name),
            false => default,
        };
        let least = args.packets("least") as f64;
        Ok(SignalAimd {
            mss: setup.mss as f64,
            window: least,
            least,
            cap: match args.has("cap") {
                true => bounds::cap(args.packets("cap") as f64, least)?,
                false => bounds::MAX_WINDOW / setup.mss as f64,
            },
            alpha: args.number("alpha"),
            beta: args.number("beta"),
            threshold: args.span("threshold"),
            gain: given("gain", 1.0),
            steepest: given("steepest", 1.0),
            n: match SIGNAL {
                SLOPE => args.count("n") as usize,
                _ => 1,
            },
            average: None,
            recent: VecDeque::new(),
            slope: 0.0,
            outstanding: VecDeque::new(),
            decreased: false,
            now: Time::ZERO,
        })
    }

    fn observe(&mut self, now: Time, rtt: Span) {
        let rtt = rtt.seconds();
        self.average = Some(match self.average {
            None => rtt,
            Some(average) => average + self.gain * (rtt - average),
        });
        self.recent.push_back((now.seconds(), rtt));
        if self.recent.len() > self.n {
            self.recent.pop_front();
        }
        self.slope = slope(&self.recent);
    }

    fn congested(&self) -> bool {
        let threshold = self.threshold.seconds();
        match SIGNAL {
            SLOPE => {
                let n = self.recent.len() as f64;
                let mean = self.recent.iter().map(|(_, rtt)| rtt).sum::<f64>() / n;
                let falling = self.recent.len() == self.n && self.slope > self.steepest;
                falling || mean > threshold
            }
            LATE => self.late_at() <= self.now,
            _ => self.average.is_some_and(|average| average > threshold),
        }
    }

    fn late_at(&self) -> Time {
        match self.outstanding.front() {
            Some((_, sent)) if SIGNAL == LATE => sent.after(self.threshold),
            _ => Time::NEVER,
        }
    }

    fn decrease(&mut self) {
        if !self.decreased {
            self.decreased = true;
            self.window = (self.window / self.beta).max(self.least);
        }
    }
}

/// Slope of the least-squares line through these points; 0 for fewer than two instants.
fn slope(points: &VecDeque<(f64, f64)>) -> f64 {
    let n = points.len() as f64;
    let mean_t = points.iter().map(|(t, _)| t).sum::<f64>() / n;
    let mean_r = points.iter().map(|(_, r)| r).sum::<f64>() / n;
    let (mut tt, mut tr) = (0.0, 0.0);
    for (t, r) in points {
        tt += (t - mean_t) * (t - mean_t);
        tr += (t - mean_t) * (r - mean_r);
    }
    if tt > 1e-18 { tr / tt } else { 0.0 }
}

impl<const SIGNAL: u8> Controller for SignalAimd<SIGNAL> {
    fn on_ack(&mut self, ack: &Ack) {
        self.now = ack.now;
        while self
            .outstanding
            .front()
            .is_some_and(|(n, _)| *n <= ack.number)
        {
            self.outstanding.pop_front();
        }
        let Some(rtt) = ack.rtt else { return };
        self.observe(ack.now, rtt);
        // A late acknowledgement is the same signal as the timer.
        if self.congested() || (SIGNAL == LATE && rtt > self.threshold) {
            self.decrease();
            return;
        }
        self.decreased = false;
        let packets = ack.acked as f64 / self.mss;
        self.window += self.alpha * packets / self.window;
        self.window = self.window.min(self.cap);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.now = congestion.now;
        match congestion.cause {
            Cause::Loss => self.decrease(),
            Cause::Timeout => {
                self.outstanding.clear();
                self.decrease();
            }
            Cause::Mark | Cause::Spurious | Cause::Recovered => {}
        }
    }

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        self.now = sent.now;
        if SIGNAL == LATE {
            self.outstanding.push_back((sent.number, sent.now));
        }
        Departure::Noted
    }

    fn on_timer(&mut self, now: Time) {
        self.now = now;
        if self.late_at() <= now {
            self.decrease();
        }
    }

    fn limits(&self) -> Limits {
        let late = self.late_at();
        Limits {
            window: bounds::window(self.window * self.mss, self.mss as u64),
            pacing: None,
            wake: match self.decreased || late <= self.now {
                true => Time::NEVER,
                false => late,
            },
        }
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            ssthresh: None,
            state: if self.decreased { "cut" } else { "armed" },
            values: Inspect::values([
                ("average_rtt_s", self.average.unwrap_or(0.0)),
                ("slope", self.slope),
            ]),
        }
    }
}

/// Congestion threshold, an option of all three.
pub const THRESHOLD: Opt = Opt::new(
    "threshold",
    Kind::Span,
    Default::Is("70 ms"),
    "a longer delay means congestion; over TCP a delayed acknowledgement (40 ms) is part of it",
)
.at_least("1 ms")
.at_most("100 s");

/// Increase, an option of all three.
pub const ALPHA: Opt = Opt::new(
    "alpha",
    Kind::Number,
    Default::Is("1"),
    "packets added for each window acknowledged",
)
.at_least("0")
.at_most("1000");

/// Decrease, an option of all three.
pub const BETA: Opt = Opt::new(
    "beta",
    Kind::Number,
    Default::Is("2"),
    "divisor of the window at congestion",
)
.at_least("1")
.at_most("1000");

/// Floor, an option of all three.
pub const LEAST: Opt = Opt::new(
    "least",
    Kind::Packets,
    Default::Is("2 packets"),
    "least and initial window",
)
.at_least("1 packets")
.at_most("1000 packets");

/// Cap, an option of all three.
pub const CAP: Opt = Opt::new(
    "cap",
    Kind::Packets,
    Default::Absent,
    "greatest window; if absent there is none",
)
.at_least("1 packets")
.at_most("1000000 packets");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_is_that_of_least_squares() {
        // (0, 1), (1, 1), (2, 4): mean t 1, mean r 2; Σ = (-1)(-1) + 0 + (1)(2) = 3 over 2.
        let points = VecDeque::from([(0.0, 1.0), (1.0, 1.0), (2.0, 4.0)]);
        assert!((slope(&points) - 1.5).abs() < 1e-12);
        assert_eq!(slope(&VecDeque::from([(1.0, 1.0), (1.0, 2.0)])), 0.0);
    }

    /// Of two instants Σ(t − t̄)² is half of the square of the time between them: from 1.42 ns on they are two.
    #[test]
    fn instants_of_a_nanosecond_are_one() {
        let rising = |apart: f64| slope(&VecDeque::from([(0.0, 0.0), (apart, apart)]));
        assert_eq!(rising(1.4e-9), 0.0);
        assert!((rising(1.43e-9) - 1.0).abs() < 1e-9);
    }
}
