//! A window and a pacing rate that come from outside, such as those of a learned policy.
//!
//! Detects: what happened since it was last asked (`Interval`). Tells: whoever drives the world. Responds: holds what it was
//! told. Where it is asked at acknowledgements or at rounds nothing leaves from then on until it is told, at the same instant.
//!
//! Reference: the sender of PCC-RL (Aurora), whose intervals these are. Differences: the window is part of it.

use super::controller::{Controller, CustomController, Setup};
use super::decisions::{Departure, Inspect, Limits, Reduction};
use super::signals::{Ack, Cause, Congestion, Lost, Sent};
use crate::units::{Rate, Span, Time};

/// When it asks.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Asks {
    /// Never: its driver looks at a clock.
    #[default]
    Never,
    /// After so many acknowledgements.
    Acks(u64),
    /// When a round ends.
    Rounds,
}

/// The events since the last report. Bytes are payload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interval {
    /// Bytes sent, retransmissions included.
    pub sent: u64,
    /// Bytes acknowledged.
    pub acked: u64,
    /// Bytes declared lost.
    pub lost: u64,
    /// Bytes reported as marked.
    pub marked: u64,
    /// Acknowledgements.
    pub acks: u64,
    /// Congestion events that were timeouts.
    pub timeouts: u64,
    /// Round-trip samples, in ps.
    pub rtts: Vec<u64>,
}

impl Interval {
    /// Mean round trip; none without a sample.
    pub fn mean_rtt(&self) -> Option<f64> {
        mean(&self.rtts)
    }

    /// By how much the mean of the later half of the samples exceeds that of the earlier half, which has the smaller number.
    pub fn increase(&self) -> f64 {
        let (early, late) = self.rtts.split_at(self.rtts.len() / 2);
        match (mean(early), mean(late)) {
            (Some(early), Some(late)) => late - early,
            _ => 0.0,
        }
    }

    fn clear(&mut self) {
        let mut rtts = std::mem::take(&mut self.rtts);
        rtts.clear();
        *self = Interval {
            rtts,
            ..Interval::default()
        };
    }
}

/// In seconds.
fn mean(ps: &[u64]) -> Option<f64> {
    let sum: u128 = ps.iter().map(|one| u128::from(*one)).sum();
    (!ps.is_empty()).then(|| sum as f64 / ps.len() as f64 / 1e12)
}

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Driven {
    window: u64,
    pacing: Option<Rate>,
    mss: u64,
    asks: Asks,
    /// Acknowledgements until it asks.
    left: u64,
    asking: bool,
    interval: Interval,
    /// The content of the last acknowledgement.
    pub heard: Heard,
}

/// Values of the last acknowledgement, and of all so far.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Heard {
    /// When it came.
    pub at: Time,
    /// Smoothed round trip.
    pub srtt: Span,
    /// Least round trip so far.
    pub min_rtt: Span,
    /// Bytes in flight after it, and after each transmission since.
    pub in_flight: u64,
    /// Bytes delivered so far.
    pub delivered: u64,
    /// Least mean round trip of an interval so far, in seconds; zero before the first.
    pub least_mean: f64,
    /// Mean round trip of the last interval that had one, in seconds; zero before the first.
    pub mean: f64,
}

impl Driven {
    /// With the initial window, not paced.
    pub fn new(setup: &Setup) -> Driven {
        Driven {
            window: setup.initial.max(setup.mss),
            pacing: None,
            mss: setup.mss,
            asks: Asks::Never,
            left: 0,
            asking: false,
            interval: Interval::default(),
            heard: Heard::default(),
        }
    }

    /// Says when it asks. It asks for the first time when that comes.
    pub fn ask(&mut self, asks: Asks) {
        self.asks = asks;
        self.left = match asks {
            Asks::Acks(each) => each,
            Asks::Never | Asks::Rounds => 0,
        };
    }

    /// Whether it waits for an answer.
    pub fn is_asking(&self) -> bool {
        self.asking
    }

    /// The events since the last report.
    pub fn interval(&self) -> &Interval {
        &self.interval
    }

    /// Ends an interval.
    pub fn end_interval(&mut self) {
        if let Some(mean) = self.interval.mean_rtt() {
            let least = self.heard.least_mean;
            self.heard.mean = mean;
            self.heard.least_mean = if least > 0.0 { least.min(mean) } else { mean };
        }
    }

    /// Bytes of a full segment.
    pub fn mss(&self) -> u64 {
        self.mss
    }

    /// Its window, bytes, and pacing.
    pub fn settings(&self) -> (u64, Option<Rate>) {
        (self.window, self.pacing)
    }

    /// Sets window and pacing, and begins an interval. A window below a segment is one segment.
    pub fn tell(&mut self, window: u64, pacing: Option<Rate>) {
        self.window = window.max(self.mss);
        self.pacing = pacing;
        self.asking = false;
        self.interval.clear();
    }
}

impl Controller for Driven {
    fn on_ack(&mut self, ack: &Ack) {
        let seen = &mut self.interval;
        seen.acked += ack.acked;
        seen.marked += ack.marked;
        seen.acks += 1;
        seen.rtts.extend(ack.rtt.map(|rtt| rtt.0));
        self.heard = Heard {
            at: ack.now,
            srtt: ack.srtt,
            min_rtt: ack.min_rtt,
            in_flight: ack.in_flight,
            delivered: ack.delivered,
            ..self.heard
        };
        match self.asks {
            Asks::Never => {}
            Asks::Acks(each) => {
                self.left = self.left.saturating_sub(1);
                if self.left == 0 {
                    self.left = each;
                    self.asking = true;
                }
            }
            Asks::Rounds => self.asking |= ack.round_start,
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.interval.timeouts += u64::from(congestion.cause == Cause::Timeout);
        self.asking |= matches!(self.asks, Asks::Acks(_));
    }

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        self.interval.sent += sent.len;
        self.heard.in_flight = sent.in_flight;
        Departure::Noted
    }

    fn on_lost(&mut self, lost: &Lost) {
        self.interval.lost += lost.len;
    }

    fn limits(&self) -> Limits {
        Limits {
            window: if self.asking { 0 } else { self.window },
            pacing: self.pacing,
            wake: Time::NEVER,
        }
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            state: "driven",
            ..Inspect::default()
        }
    }
}

impl CustomController for Driven {
    fn fork(&self) -> Box<dyn CustomController> {
        Box::new(self.clone())
    }

    fn driven(&self) -> Option<&Driven> {
        Some(self)
    }

    fn driven_mut(&mut self) -> Option<&mut Driven> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of five samples the earlier half has two, as in PCC-RL: 15 and 40 on average, in ps.
    #[test]
    fn the_increase_is_between_the_halves_of_the_samples() {
        let of = |rtts: &[u64]| Interval {
            rtts: rtts.to_vec(),
            ..Interval::default()
        };
        let increase = of(&[10, 20, 30, 40, 50]).increase();
        assert!((increase - 25e-12).abs() < 1e-24, "{increase}");
        assert_eq!(of(&[10]).increase(), 0.0);
        assert_eq!(of(&[]).mean_rtt(), None);
    }
}
