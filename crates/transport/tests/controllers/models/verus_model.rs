//! Verus as its paper and its authors' program describe it. The profile is another one than the controller's: the regression by the
//! least of the greatest means, windows looked up one after the other. Windows in packets, seconds.

use std::collections::BTreeMap;

use backwater_transport::controller::{Ack, Cause, Congestion, Lost, Sent};
use backwater_transport::units::{Span, Time};

use super::SEGMENT;

/// The delay that each window caused.
#[derive(Default)]
pub struct Profile {
    pub seen: BTreeMap<u64, f64>,
    curve: Vec<(f64, f64)>,
}

impl Profile {
    fn record(&mut self, window: f64, delay: f64) {
        let old = self.seen.entry(window as u64).or_insert(delay);
        *old -= (*old - delay) / 8.0;
    }

    /// Isotonic regression: of a point the greatest, over all beginnings, of the least mean over all ends.
    pub fn fit(&mut self) {
        let points: Vec<(u64, f64)> = self.seen.iter().map(|(w, d)| (*w, *d)).collect();
        let mut levels = vec![0.0_f64; points.len()];
        for from in 0..points.len() {
            let mut sum = 0.0;
            let mut means = Vec::new();
            for (n, point) in (1..).zip(&points[from..]) {
                sum += point.1;
                means.push(sum / f64::from(n));
            }
            let mut least = f64::INFINITY;
            for (at, mean) in means.into_iter().enumerate().rev() {
                least = least.min(mean);
                levels[from + at] = levels[from + at].max(least);
            }
        }
        let windows = points.iter().map(|point| point.0 as f64);
        self.curve = windows.zip(levels).collect();
    }

    /// Growth at the end of the curve: from the first of the last fifteen windows, or the one before the last.
    fn slope(&self) -> f64 {
        let Some((end, rest)) = self.curve.split_last() else {
            return 0.0;
        };
        let near = rest.iter().find(|point| end.0 - point.0 <= 15.0);
        let from = near.or(rest.last()).unwrap_or(end);
        match end.0 > from.0 {
            true => (end.1 - from.1) / (end.0 - from.0),
            false => 0.0,
        }
    }

    pub fn delay(&self, window: f64) -> Option<f64> {
        let (first, last) = (self.curve.first()?, self.curve.last()?);
        if window >= last.0 {
            return Some(last.1 + self.slope() * (window - last.0));
        }
        let pair = self.curve.windows(2).find(|pair| window < pair[1].0)?;
        let share = (window - pair[0].0).max(0.0) / (pair[1].0 - pair[0].0);
        Some((pair[0].1 + share * (pair[1].1 - pair[0].1)).max(first.1))
    }

    /// The greatest whole window of at most this delay, one at least, twice the last at most. Where two neighbours differ by what is
    /// rounded off, `other` is as right.
    pub fn window(&self, delay: f64, other: f64) -> Option<f64> {
        let (first, last) = (self.curve.first()?, self.curve.last()?);
        if first.1 > delay {
            return Some(1.0);
        }
        if delay > last.1 && self.slope() <= 0.0 {
            return None;
        }
        let most = if delay > last.1 {
            2 * last.0 as u64
        } else {
            last.0 as u64
        };
        let far = |window: f64| self.delay(window).map_or(0.0, |there| there - delay);
        let found = (1..=most).rev().find(|window| far(*window as f64) <= 0.0);
        let found = found.unwrap_or(1) as f64;
        let beside =
            far(found.max(other)).abs() < 1e-12 || (other == 1.0 && far(1.0).abs() < 1e-12);
        let found = if beside { other } else { found };
        (found < 40_000.0).then_some(found)
    }
}

/// What the options say.
#[derive(Clone)]
pub struct Given {
    pub epoch: Span,
    pub down: f64,
    pub up: f64,
    pub ratio: f64,
    pub kept: f64,
    pub refit: Span,
    pub initial: f64,
}

pub struct Verus {
    given: Given,
    pub window: f64,
    pub starting: bool,
    pub losing: bool,
    pub profile: Profile,
    pub target: f64,
    /// Infinite before the first delay.
    pub least: f64,
    greatest: f64,
    average: Option<f64>,
    mean: Option<f64>,
    delays: Vec<f64>,
    heard: Time,
    sent: BTreeMap<u64, f64>,
    next: u64,
    session: u64,
    pub flight: f64,
    pub budget: f64,
    pub ends: Time,
    refit_at: Time,
    pub now: Time,
}

impl Verus {
    pub fn new(given: Given) -> Verus {
        Verus {
            window: given.initial,
            given,
            starting: true,
            losing: false,
            profile: Profile::default(),
            target: 0.0,
            least: f64::INFINITY,
            greatest: 0.0,
            average: None,
            mean: None,
            delays: Vec::new(),
            heard: Time::ZERO,
            sent: BTreeMap::new(),
            next: 0,
            session: 0,
            flight: 0.0,
            budget: 0.0,
            ends: Time::ZERO,
            refit_at: Time::ZERO,
            now: Time::ZERO,
        }
    }

    fn window_of(&self, number: u64) -> f64 {
        self.sent.get(&number).copied().unwrap_or(self.window)
    }

    fn steer_from(&mut self, now: Time) {
        (self.starting, self.losing) = (false, true);
        self.profile.fit();
        self.refit_at = now.after(self.given.refit);
        self.ends = now.after(self.given.epoch);
    }

    /// Slow start anew; what was sent before no longer counts.
    fn restart(&mut self) {
        let (sent, next, flight) = (std::mem::take(&mut self.sent), self.next, self.flight);
        *self = Verus {
            sent,
            next,
            session: next,
            flight,
            heard: self.heard,
            ends: self.ends,
            refit_at: self.refit_at,
            now: self.now,
            ..Verus::new(self.given.clone())
        };
    }

    pub fn ack(&mut self, ack: &Ack) {
        self.now = ack.now;
        self.flight = ack.in_flight as f64 / SEGMENT as f64;
        let window = self.window_of(ack.number);
        // A thousand segments behind the newest are remembered.
        let remembered = ack.number.saturating_sub(1000);
        self.sent.retain(|number, _| *number >= remembered);
        let Some(rtt) = ack.rtt.filter(|_| ack.number >= self.session) else {
            return;
        };
        let delay = rtt.0 as f64 / 1e12;
        self.heard = ack.now;
        if self.starting && delay > 0.5 {
            self.window = (self.given.kept * window).max(1.0);
            self.target = 0.75 * self.given.ratio * self.least.min(delay);
            self.steer_from(ack.now);
        }
        if self.losing && window <= self.window {
            self.losing = false;
            self.delays.clear();
        }
        self.delays.push(delay);
        self.mean = Some(self.mean.map_or(delay, |mean| mean + (delay - mean) / 8.0));
        self.least = self.least.min(delay);
        if self.losing {
            self.window = (self.window + 1.0 / self.window).min(40_000.0);
            let here = self.profile.delay(self.window).unwrap_or(f64::INFINITY);
            self.target = self.target.min(here);
        } else {
            self.profile.record(window.min(40_000.0), delay);
        }
        if self.starting {
            self.window = (self.window + 1.0).min(40_000.0);
        }
    }

    pub fn lost(&mut self, lost: &Lost) {
        self.now = lost.now;
        self.flight = lost.in_flight as f64 / SEGMENT as f64;
        let ignored = match self.starting {
            true => self.window <= 20.0,
            false => self.losing,
        };
        if ignored || lost.number < self.session {
            return;
        }
        let window = self.window_of(lost.number);
        self.window = (self.given.kept * window).min(self.window).max(1.0);
        self.profile
            .seen
            .retain(|known, _| (*known as f64) < window.floor());
        if self.starting {
            self.steer_from(lost.now);
        }
        self.losing = true;
        self.target = self.profile.delay(self.window).unwrap_or(self.least);
    }

    pub fn congestion(&mut self, told: &Congestion) {
        self.now = told.now;
        if told.cause != Cause::Timeout {
            return;
        }
        self.flight = 0.0;
        if self.starting {
            self.window = (self.given.kept * self.window).max(1.0);
            self.steer_from(told.now);
        }
        self.losing = true;
        if self.least < f64::INFINITY {
            self.target = self.least;
        }
    }

    pub fn sent(&mut self, sent: &Sent) {
        self.now = sent.now;
        self.flight = sent.in_flight as f64 / SEGMENT as f64;
        self.next = sent.number + 1;
        self.budget = (self.budget - 1.0).max(0.0);
        self.sent.insert(sent.number, self.window);
    }

    /// `other` is the window that the controller has after it.
    pub fn timer(&mut self, now: Time, other: f64) {
        self.now = now;
        if self.starting || now < self.ends {
            return;
        }
        if now >= self.refit_at {
            self.profile.fit();
            self.refit_at = now.after(self.given.refit);
        }
        let silent = (now.0 - self.heard.0.min(now.0)) as f64 / 1e12;
        let in_epoch = self.delays.drain(..).reduce(f64::max);
        self.greatest = in_epoch.unwrap_or(self.greatest.max(silent));
        let before = self.average.unwrap_or(self.greatest);
        let mut wait = false;
        if !self.losing {
            wait = self.steer(before, other);
        }
        self.average = Some(0.2 * before + 0.8 * self.greatest);
        if !self.starting {
            self.budget = if wait { 0.0 } else { self.allowed() };
        }
        self.ends = now.after(self.given.epoch);
    }

    /// Moves the wanted delay and takes its window. True where even the least delay is too long.
    fn steer(&mut self, before: f64, other: f64) -> bool {
        let mut wait = false;
        let step = if before > self.given.ratio * self.least {
            if self.target <= self.least {
                wait = self.flight >= 2.0;
                self.least += if wait { 0.0 } else { 0.010 };
            }
            -self.given.up
        } else if self.greatest > before + 1e-7 {
            -self.given.down
        } else {
            self.given.up
        };
        self.target += step;
        if step < 0.0 {
            self.target = self.target.max(self.least);
        }
        match self.profile.window(self.target, other) {
            Some(window) => self.window = window,
            None => self.restart(),
        }
        wait
    }

    /// Of the window what is to leave in one of the n epochs that a mean delay takes.
    fn allowed(&self) -> f64 {
        let n = (self.mean.unwrap_or(0.0) * 1e12 / self.given.epoch.0 as f64).ceil();
        let wanted = match n <= 1.0 {
            true => self.window - self.flight,
            false => self.window - self.flight * (n - 2.0) / (n - 1.0),
        };
        wanted.max(0.0).floor()
    }
}
