//! PCC Vivace as its paper (NSDI 2018) and the authors' program describe it. An interval keeps its samples, and its regression is about
//! their means. Rates in Mbit/s, seconds.

use std::collections::VecDeque;

use backwater_transport::controller::{Ack, Cause, Congestion, Lost, Sent};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::{INITIAL, SEGMENT};

/// What the options say.
#[derive(Clone)]
pub struct Given {
    pub paper: bool,
    pub exponent: f64,
    pub latency: f64,
    pub loss: f64,
    pub deviation: f64,
    pub tolerance: f64,
    pub epsilon: f64,
    pub step: f64,
    pub least_change: f64,
    pub least: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    Starting,
    Probing,
    Moving,
}

/// What an interval is for.
#[derive(Clone, Copy, PartialEq)]
enum For {
    Nothing,
    Step,
    /// The pair, and whether above.
    Trial(usize, bool),
}

struct Interval {
    first: u64,
    /// The first segment behind it, and how long it was.
    over: Option<(u64, f64)>,
    began: Time,
    sent: u64,
    lost: u64,
    what: For,
    /// Times of sending and of acknowledgement.
    seen: Vec<(f64, f64)>,
}

impl Interval {
    fn mean(&self, of: impl Fn(&(f64, f64)) -> f64) -> f64 {
        self.seen.iter().map(of).sum::<f64>() / self.seen.len() as f64
    }

    /// Growth of round trips with the time of sending.
    fn slope(&self) -> f64 {
        let n = self.seen.len();
        if n < 3 {
            return 0.0;
        }
        let (t, r) = (self.mean(|one| one.0), self.mean(|one| one.1 - one.0));
        let spread: f64 = self.seen.iter().map(|one| (one.0 - t).powi(2)).sum();
        let rise = |one: &(f64, f64)| (one.0 - t) * (one.1 - one.0 - r);
        match spread * n as f64 > 1e-12 {
            true => self.seen.iter().map(rise).sum::<f64>() / spread,
            false => 0.0,
        }
    }

    /// Of that and the growth over the time of arrival the one nearer to nought.
    fn flatter(&self) -> f64 {
        let (Some(first), Some(last)) = (self.seen.first(), self.seen.last()) else {
            return 0.0;
        };
        let slope = self.slope();
        let arrivals = last.1 - first.1;
        let growth = match arrivals > 0.0 {
            true => 1.0 - (last.0 - first.0) / arrivals,
            false => 0.0,
        };
        if growth.abs() < slope.abs() {
            growth
        } else {
            slope
        }
    }

    fn deviation(&self) -> f64 {
        if self.seen.len() < 2 {
            return 0.0;
        }
        let mean = self.mean(|one| one.1 - one.0);
        self.mean(|one| (one.1 - one.0 - mean).powi(2)).sqrt()
    }
}

pub struct Vivace {
    given: Given,
    random: Random,
    pub phase: Phase,
    pub rate: f64,
    pub sending: f64,
    /// None before the first.
    pub utility: Option<f64>,
    known: f64,
    pub steps: u32,
    up: bool,
    beyond: u32,
    queue: VecDeque<For>,
    results: Vec<(usize, bool, f64)>,
    intervals: VecDeque<Interval>,
    pub srtt: f64,
    next: u64,
    pub now: Time,
    pub ends: Time,
}

impl Vivace {
    pub fn new(given: Given, random: Random) -> Vivace {
        Vivace {
            random,
            phase: Phase::Starting,
            rate: given.least,
            sending: given.least,
            known: given.least,
            given,
            utility: None,
            steps: 0,
            up: true,
            beyond: 0,
            queue: VecDeque::new(),
            results: Vec::new(),
            intervals: VecDeque::new(),
            srtt: 0.0,
            next: 0,
            now: Time::ZERO,
            ends: Time::ZERO,
        }
    }

    fn set(&mut self, rate: f64) {
        self.rate = rate.max(self.given.least).min(1e7);
    }

    /// A round trip, or as long as ten segments take; from 1 ms to 10 s.
    fn length(&self) -> Span {
        let ten = 80.0 * SEGMENT as f64 / (self.sending * 1e6);
        let seconds = ten.max(self.srtt).clamp(0.001, 10.0);
        Span((seconds * 1e12 + 0.5).floor() as u64)
    }

    fn begin(&mut self, now: Time) {
        let next = self.next;
        let unused = self.intervals.back().is_some_and(|one| one.first == next);
        if !unused {
            if let Some(last) = self.intervals.back_mut() {
                last.over = Some((next, (now.0 - last.began.0) as f64 / 1e12));
            }
            let what = self.queue.pop_front().unwrap_or(For::Nothing);
            self.sending = match what {
                For::Trial(_, true) => self.rate * (1.0 + self.given.epsilon),
                For::Trial(_, false) => self.rate * (1.0 - self.given.epsilon),
                For::Nothing if self.phase != Phase::Probing => self.known,
                For::Nothing | For::Step => self.rate,
            };
            self.intervals.push_back(Interval {
                first: next,
                over: None,
                began: now,
                sent: 0,
                lost: 0,
                what,
                seen: Vec::new(),
            });
        }
        self.ends = now.after(self.length());
    }

    /// The interval in which a segment left: the last that does not begin behind it.
    fn interval_of(&mut self, number: u64) -> Option<&mut Interval> {
        self.intervals
            .iter_mut()
            .rev()
            .find(|one| one.first <= number)
    }

    fn finish(&mut self, acked: u64) {
        loop {
            let over = self.intervals.front().and_then(|one| one.over);
            let Some((end, lasted)) = over.filter(|over| acked >= over.0 + 2) else {
                return;
            };
            let one = self.intervals.pop_front().expect("a first one");
            assert!(end > one.first && lasted > 0.0);
            let rate = one.sent as f64 * 8.0 / lasted / 1e6;
            let utility = self.utility_of(&one, rate);
            match one.what {
                For::Nothing => {}
                For::Step => self.step_done(utility, rate),
                For::Trial(pair, above) => {
                    self.results.push((pair, above, utility));
                    self.trial_done();
                }
            }
        }
    }

    fn utility_of(&self, one: &Interval, rate: f64) -> f64 {
        let given = &self.given;
        let mut slope = if given.paper {
            one.slope()
        } else {
            one.flatter()
        };
        if slope.abs() < given.tolerance || (slope < 0.0 && !given.paper) {
            slope = 0.0;
        }
        let loss = (one.lost as f64 / one.sent as f64).min(1.0);
        let pains = given.latency * slope + given.loss * loss + given.deviation * one.deviation();
        libm::pow(rate, given.exponent) - rate * pains
    }

    fn step_done(&mut self, utility: f64, sent_at: f64) {
        let last = self.utility;
        match self.phase {
            Phase::Probing => {}
            Phase::Starting if last.is_none_or(|last| utility > last) => {
                self.utility = Some(utility);
                self.known = self.rate;
                self.set((2.0 * self.rate).min(3.0 * sent_at));
                self.queue.push_back(For::Step);
            }
            Phase::Starting => {
                self.set(self.known);
                self.try_both();
            }
            Phase::Moving => {
                let change = self.rate - self.known;
                let better = utility - last.expect("a utility");
                let gradient = if change.abs() > 1e-9 {
                    better / change
                } else {
                    0.0
                };
                let on = if self.up {
                    gradient > 0.0
                } else {
                    gradient < 0.0
                };
                if on {
                    self.utility = Some(utility);
                    self.advance(gradient);
                } else {
                    self.set(self.known);
                    self.try_both();
                }
            }
        }
    }

    /// Both pairs must say the same.
    fn trial_done(&mut self) {
        if self.results.len() < 4 {
            return;
        }
        let of = |pair, above| {
            let found = self
                .results
                .iter()
                .find(|one| (one.0, one.1) == (pair, above));
            found.expect("a result").2
        };
        let gains = [of(0, true) - of(0, false), of(1, true) - of(1, false)];
        if (gains[0] > 0.0) != (gains[1] > 0.0) {
            return self.try_both();
        }
        let mean = self.results.iter().map(|one| one.2).sum::<f64>() / 4.0;
        let gradient = (gains[0] + gains[1]) / (4.0 * self.given.epsilon * self.rate);
        self.phase = Phase::Moving;
        self.up = gradient > 0.0;
        (self.steps, self.beyond) = (0, 0);
        self.utility = Some(mean);
        self.advance(gradient);
    }

    fn advance(&mut self, gradient: f64) {
        self.steps += 1;
        let k = f64::from(self.steps);
        let amplifier = match (self.given.paper, self.steps) {
            (true, 1..=3) => k,
            (true, _) => k + k - 3.0,
            (false, _) => libm::pow(k, 1.2),
        };
        let growth = if self.given.paper { 0.1 } else { 0.05 };
        let most = (0.05 + growth * f64::from(self.beyond)) * self.rate;
        let wanted = (amplifier * self.given.step * gradient).abs();
        self.beyond = if wanted > most { self.beyond + 1 } else { 0 };
        let size = most.min(wanted).max(self.given.least_change);
        self.known = self.rate;
        self.set(if gradient > 0.0 {
            self.rate + size
        } else {
            self.rate - size
        });
        self.queue = [For::Step].into();
    }

    fn try_both(&mut self) {
        self.phase = Phase::Probing;
        self.results.clear();
        self.queue.clear();
        for pair in [0, 1] {
            let above = self.random.between(0, 1) > 0;
            self.queue
                .extend([For::Trial(pair, above), For::Trial(pair, !above)]);
        }
        self.intervals
            .iter_mut()
            .for_each(|one| one.what = For::Nothing);
    }

    pub fn ack(&mut self, ack: &Ack) {
        self.now = ack.now;
        let srtt = ack.srtt.0 as f64 / 1e12;
        if self.srtt == 0.0 && srtt > 0.0 {
            self.srtt = srtt;
            self.known = (8.0 * INITIAL as f64 / srtt / 1e6).max(self.given.least);
            self.set(2.0 * self.known);
            self.queue.push_back(For::Step);
            self.begin(ack.now);
        }
        self.srtt = srtt;
        if let Some(rtt) = ack.rtt
            && let Some(interval) = self.interval_of(ack.number)
        {
            let back = (ack.now.0 - interval.began.0) as f64 / 1e12;
            interval.seen.push((back - rtt.0 as f64 / 1e12, back));
        }
        self.finish(ack.number);
        if self.srtt > 0.0 && ack.now >= self.ends {
            self.begin(ack.now);
        }
    }

    pub fn lost(&mut self, lost: &Lost) {
        self.now = lost.now;
        if let Some(interval) = self.interval_of(lost.number) {
            interval.lost += lost.len;
        }
    }

    pub fn congestion(&mut self, told: &Congestion) {
        self.now = told.now;
        if told.cause == Cause::Timeout {
            self.intervals.clear();
            self.set(self.rate / 2.0);
            self.try_both();
            if self.srtt > 0.0 {
                self.begin(told.now);
            }
        }
    }

    pub fn sent(&mut self, sent: &Sent) {
        self.now = sent.now;
        self.next = sent.number + 1;
        if let Some(interval) = self.intervals.back_mut() {
            interval.sent += sent.len;
        }
    }

    pub fn timer(&mut self, now: Time) {
        self.now = now;
        if now >= self.ends {
            self.begin(now);
        }
    }
}
