//! PCC Vivace: learn online which rate has the greatest utility.
//!
//! Detects: throughput, loss and growth of the round trip at each rate, over monitor intervals of a
//! round trip. Tells: nobody. Responds: doubles while utility grows, then tries a slightly higher and a
//! slightly lower rate, twice, and steps along the gradient; steps grow while the gradient keeps its
//! sign.
//!
//! Reference: Dong et al., NSDI 2018; PCC-Uspace. `variant` selects the paper (amplifier τ, then 2τ -
//! 3; boundary growing by 10 %; falling round trips are rewarded; slope over the time of sending) or
//! the program (τ^1.2; 5 %; falling round trips count as steady; slope over the time of sending or of
//! arrival, whichever is flatter). `scavenger` subtracts the deviation of round trips (Proteus-S,
//! SIGCOMM 2020). Deviations: while the result of a step is pending, the sender uses the last rate
//! whose utility is known; the program's third estimate of the slope, from the means of two halves, is
//! not implemented.
//!
//! Known weakness: it assumes a constant path. While capacity falls, the last trial looks worst, even
//! with the lower rate, so trials contradict each other and the rate stays. After a fall to 1/r, data
//! sent t later are acknowledged r·t later: in an unlimited queue the time between decisions grows by a
//! factor r, each changes the rate by about 10 %, and the queue grows faster. Only loss ends that.

mod interval;
mod options;
mod search;
mod utility;

use std::collections::VecDeque;

use interval::{Interval, Purpose};
use utility::Utility;

use crate::building_blocks::bounds;
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Departure, Inspect, Limits, Lost, Reduction, Sent,
};
use crate::part::Part;
use crate::random::Random;
use crate::units::{Rate, Span, Time};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Phase {
    Starting,
    Probing,
    Moving,
}

/// Vivace's state; rates in Mbit/s.
#[derive(Clone, Debug)]
pub struct Vivace {
    mss: f64,
    initial: f64,
    random: Random,
    utility: Utility,
    paper: bool,
    epsilon: f64,
    step: f64,
    boundary: f64,
    growth: f64,
    least_change: f64,
    least: f64,
    phase: Phase,
    /// The base rate, and the rate of the present interval.
    rate: f64,
    sending: f64,
    last_utility: f64,
    last_rate: f64,
    /// Steps in one direction.
    same_sign_steps: u32,
    up: bool,
    out_of_bound: u32,
    /// Pending trials, and the utilities of finished ones: [pair][above].
    queue: VecDeque<Purpose>,
    results: [[Option<f64>; 2]; 2],
    intervals: VecDeque<Interval>,
    srtt: f64,
    next_number: u64,
    now: Time,
    interval_ends: Time,
}

impl Vivace {
    fn rate_for(&self, purpose: Purpose) -> f64 {
        match purpose {
            Purpose::Trial(_, true) => self.rate * (1.0 + self.epsilon),
            Purpose::Trial(_, false) => self.rate * (1.0 - self.epsilon),
            Purpose::Step => self.rate,
            // The last rate whose utility is known.
            Purpose::Fill => match self.phase {
                Phase::Probing => self.rate,
                Phase::Starting | Phase::Moving => self.last_rate,
            },
        }
    }

    /// Ends the present interval and begins the next one.
    fn begin_interval(&mut self, now: Time) {
        let next = self.next_number;
        if let Some(last) = self.intervals.back_mut() {
            if next == last.first {
                // Nothing was sent, so the interval continues.
                self.interval_ends = now.after(self.length());
                return;
            }
            last.end = Some(next);
            last.lasted = Span(now.0.saturating_sub(last.began.0)).seconds();
        }
        let purpose = self.queue.pop_front().unwrap_or(Purpose::Fill);
        self.sending = self.rate_for(purpose);
        self.intervals.push_back(Interval::new(next, now, purpose));
        self.interval_ends = now.after(self.length());
    }

    /// A round trip, but long enough for ten segments.
    fn length(&self) -> Span {
        let ten = 10.0 * self.mss * 8.0 / (self.sending * 1e6);
        Span::from_seconds(self.srtt.max(ten).clamp(1e-3, 10.0))
    }

    fn interval_of(&mut self, number: u64) -> Option<&mut Interval> {
        self.intervals
            .iter_mut()
            .find(|i| i.first <= number && i.end.is_none_or(|end| number < end))
    }

    /// Evaluates finished intervals whose segments are all acknowledged or lost.
    fn evaluate_finished(&mut self, acked: u64) {
        while self
            .intervals
            .front()
            .and_then(|i| i.end)
            .is_some_and(|end| acked >= end + 2)
        {
            let interval = self.intervals.pop_front().expect("there is a first one");
            let utility = self.evaluate(&interval);
            match (interval.purpose, utility) {
                (Purpose::Step, Some((utility, rate))) => self.on_step_result(utility, rate),
                (Purpose::Trial(pair, above), Some((utility, _))) => {
                    self.results[pair][usize::from(above)] = Some(utility);
                    self.on_trial_result();
                }
                (Purpose::Step | Purpose::Trial(..), None) => self.probe(),
                (Purpose::Fill, _) => {}
            }
        }
    }

    /// Utility and rate of an interval that sent something.
    fn evaluate(&self, interval: &Interval) -> Option<(f64, f64)> {
        if interval.sent <= 0.0 || interval.lasted <= 0.0 {
            return None;
        }
        let rate = interval.sent * 8.0 / interval.lasted / 1e6;
        let loss = (interval.lost / interval.sent).min(1.0);
        let slope = match self.paper {
            true => interval.slope(),
            false => interval.flatter_slope(),
        };
        let deviation = interval.deviation();
        Some((self.utility.of(rate, slope, loss, deviation), rate))
    }
}

impl Controller for Vivace {
    fn stream(&mut self) -> Option<&mut Random> {
        Some(&mut self.random)
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.now = ack.now;
        if self.srtt == 0.0 && ack.srtt > Span::ZERO {
            self.srtt = ack.srtt.seconds();
            // First round trip: the first rate is twice the initial window per round trip.
            self.last_rate = (self.initial * 8.0 / self.srtt / 1e6).max(self.least);
            self.set_rate(2.0 * self.last_rate);
            self.queue.push_back(Purpose::Step);
            self.begin_interval(ack.now);
        }
        self.srtt = ack.srtt.seconds();
        if let Some(rtt) = ack.rtt
            && let Some(interval) = self.interval_of(ack.number)
        {
            interval.observe(ack.now, rtt);
        }
        self.evaluate_finished(ack.number);
        if self.srtt > 0.0 && ack.now >= self.interval_ends {
            self.begin_interval(ack.now);
        }
    }

    fn on_lost(&mut self, lost: &Lost) {
        self.now = lost.now;
        let len = lost.len as f64;
        if let Some(interval) = self.interval_of(lost.number) {
            interval.lost += len;
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.now = congestion.now;
        if congestion.cause == Cause::Timeout {
            // After a timeout the pending intervals are invalid.
            self.intervals.clear();
            self.set_rate(self.rate / 2.0);
            self.probe();
            if self.srtt > 0.0 {
                self.begin_interval(congestion.now);
            }
        }
    }

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        self.now = sent.now;
        self.next_number = sent.number + 1;
        if let Some(interval) = self.intervals.back_mut() {
            interval.sent += sent.len as f64;
        }
        Departure::Noted
    }

    fn on_timer(&mut self, now: Time) {
        self.now = now;
        if now >= self.interval_ends {
            self.begin_interval(now);
        }
    }

    fn limits(&self) -> Limits {
        let unknown = self.srtt == 0.0;
        // The rate controls. The window only limits the flight when acknowledgements stop.
        let flight = match unknown {
            true => self.initial,
            false => (2.0 * self.sending * 1e6 / 8.0 * self.srtt).max(self.initial),
        };
        Limits {
            window: bounds::window(flight, self.mss as u64),
            pacing: (!unknown).then(|| Rate((self.sending * 1e6).clamp(1.0, 1e13) as u64)),
            wake: match unknown {
                true => Time::NEVER,
                false => self.interval_ends.max(self.now),
            },
        }
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            ssthresh: None,
            state: match self.phase {
                Phase::Starting => "starting",
                Phase::Probing => "probing",
                Phase::Moving => "moving",
            },
            values: Inspect::values([
                ("rate_bps", self.rate * 1e6),
                ("utility", self.last_utility.max(-1e300)),
                ("run", f64::from(self.same_sign_steps)),
            ]),
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Vivace>> = Part {
    id: "vivace",
    aliases: &["pcc-vivace"],
    summary: "online learning of the rate with the greatest utility",
    source: "Dong et al., NSDI 2018; PCC-Uspace",
    options: options::OPTIONS,
    build: |args, setup| {
        let paper = args.choice("variant") == "paper";
        let least = args.rate("least").0 as f64 / 1e6;
        Ok(Vivace {
            mss: setup.mss as f64,
            initial: setup.initial.max(setup.mss) as f64,
            random: setup.random.clone(),
            utility: Utility {
                exponent: args.number("exponent"),
                latency: args.number("latency-weight"),
                loss: args.number("loss-weight"),
                deviation: match args.flag("scavenger") {
                    true => args.number("deviation-weight"),
                    false => 0.0,
                },
                tolerance: args.number("tolerance"),
                rewards: paper,
            },
            paper,
            epsilon: args.share("epsilon"),
            step: args.number("step"),
            boundary: 0.05,
            growth: if paper { 0.1 } else { 0.05 },
            least_change: args.rate("least-change").0 as f64 / 1e6,
            least,
            phase: Phase::Starting,
            rate: least,
            sending: least,
            last_utility: f64::MIN,
            last_rate: least,
            same_sign_steps: 0,
            up: true,
            out_of_bound: 0,
            queue: VecDeque::new(),
            results: [[None; 2]; 2],
            intervals: VecDeque::new(),
            srtt: 0.0,
            next_number: 0,
            now: Time::ZERO,
            interval_ends: Time::ZERO,
        })
    },
};
