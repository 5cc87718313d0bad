//! Verus: learn the delay that each window causes, and control the delay.
//!
//! Detects: the greatest delay of each epoch of 5 ms, and whether it grows. Tells: nobody. Responds:
//! moves a target delay down by δ1 or δ2 or up by δ2, and takes the window for that delay from the
//! delay profile, which maps the window at sending to the delay it caused.
//!
//! Reference: Zaki et al., SIGCOMM 2015; the authors' `verus_server.cpp`. Deviations: the profile is the
//! isotonic regression, linear between its points, where the program fits a penalised spline; beyond
//! its last point it continues with the slope of the spline's last knot, up to twice the last window. If
//! it is flat there, slow start begins again, as in the program. The program forgets the windows at and
//! above that of a lost segment when slow start ends (`curveStop`); here each loss does so, because a
//! short queue bounds the delays of what arrives, whatever the window was.
//!
//! Behind a queue that cannot hold six least delays several flows lose much: 8 % with four and 18 % with eight over 20 Mbit/s, 40 ms
//! and 200 kB. That is the published step: a loss is heard a round trip of 120 ms later, in which the target has risen by 24 × δ2
//! = 48 ms, as long as 80 packets take, while some 300 to 500 are sent from one loss to the next. With δ1 = δ2 = 1, 0.5 and 0.25 ms
//! four flows lose 2.4, 1.0 and 0.7 %, eight 8.9, 4.7 and 3.1 %. With `ratio = 2` they lose 6 and 17 %.

mod options;
mod profile;

use std::collections::VecDeque;

use profile::{MAX_WINDOW, Profile};

use crate::building_blocks::bounds;
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Departure, Inspect, Limits, Lost, Reduction, Sent,
};
use crate::part::Part;
use crate::units::{Span, Time};

/// Least growth of the greatest delay that counts, 0.1 µs.
const GROWTH: f64 = 1e-7;

/// Delay in slow start that ends it.
const SLOW_START_DELAY: f64 = 0.5;

/// Window below which a loss does not end slow start.
const SLOW_START_WINDOW: f64 = 20.0;

/// Segments whose windows are remembered behind the newest acknowledged.
const REMEMBERED_SEGMENTS: u64 = 1000;

/// Verus' state; windows in packets, delays in seconds.
#[derive(Clone, Debug)]
pub struct Verus {
    mss: f64,
    initial: f64,
    epoch: Span,
    delta1: f64,
    delta2: f64,
    ratio: f64,
    decrease: f64,
    refit: Span,
    window: f64,
    slow_start: bool,
    loss_phase: bool,
    profile: Profile,
    /// Target delay, least delay, greatest delay and its average, mean delay.
    target_delay: f64,
    least: f64,
    greatest: f64,
    greatest_avg: Option<f64>,
    mean: f64,
    /// Greatest delay of this epoch, if there was one.
    epoch_max: Option<f64>,
    last_ack: Time,
    /// Windows at sending of outstanding segments.
    sent: VecDeque<(u64, f64)>,
    next: u64,
    /// Segments before this belong to an abandoned slow start.
    session: u64,
    in_flight: f64,
    /// Segments that may still leave in this epoch.
    budget: f64,
    epoch_ends: Time,
    refit_at: Time,
    now: Time,
}

impl Verus {
    fn window_at(&self, number: u64) -> f64 {
        let at = self.sent.partition_point(|(n, _)| *n < number);
        match self.sent.get(at) {
            Some((n, window)) if *n == number => *window,
            _ => self.window,
        }
    }

    fn leave_slow_start(&mut self, now: Time) {
        self.slow_start = false;
        self.loss_phase = true;
        self.profile.fit();
        self.refit_at = now.after(self.refit);
        self.epoch_ends = now.after(self.epoch);
    }

    fn restart(&mut self) {
        self.window = self.initial;
        self.slow_start = true;
        self.loss_phase = false;
        self.profile = Profile::default();
        self.target_delay = 0.0;
        self.least = f64::INFINITY;
        self.greatest = 0.0;
        self.greatest_avg = None;
        self.mean = 0.0;
        self.epoch_max = None;
        self.session = self.next;
        self.budget = 0.0;
    }

    fn reduce_after_loss(&mut self, at_sending: f64, now: Time) {
        self.window = self.window.min(self.decrease * at_sending).max(1.0);
        self.profile.forget_from(at_sending);
        if self.slow_start {
            self.leave_slow_start(now);
        }
        self.loss_phase = true;
        self.target_delay = self.profile.delay(self.window).unwrap_or(self.least);
    }

    fn end_epoch(&mut self, now: Time) {
        if now >= self.refit_at {
            self.profile.fit();
            self.refit_at = now.after(self.refit);
        }
        let silence = Span(now.0.saturating_sub(self.last_ack.0)).seconds();
        self.greatest = self
            .epoch_max
            .take()
            .unwrap_or_else(|| self.greatest.max(silence));
        let average = self.greatest_avg.unwrap_or(self.greatest);
        let mut silent = false;
        if !self.loss_phase {
            silent = self.update_target_delay(average);
        }
        self.greatest_avg = Some(0.2 * average + 0.8 * self.greatest);
        if !self.slow_start {
            let epochs = libm::ceil(self.mean / self.epoch.seconds());
            self.budget = match silent {
                true => 0.0,
                false => allowance(self.window, self.in_flight, epochs),
            };
        }
    }

    /// Moves the target delay and looks up its window. True if nothing may be sent.
    fn update_target_delay(&mut self, average: f64) -> bool {
        let mut silent = false;
        if average / self.least > self.ratio {
            if self.target_delay <= self.least {
                // Even the least delay is too long: raise it if nothing is in flight, otherwise wait.
                match self.in_flight < 2.0 {
                    true => self.least += 0.010,
                    false => silent = true,
                }
            }
            self.target_delay = (self.target_delay - self.delta2).max(self.least);
        } else if self.greatest - average > GROWTH {
            self.target_delay = (self.target_delay - self.delta1).max(self.least);
        } else {
            self.target_delay += self.delta2;
        }
        match self.profile.window(self.target_delay) {
            Some(window) => self.window = window,
            None => self.restart(),
        }
        silent
    }
}

/// Segments of an epoch: S = w + in flight · (2 - n)/(n - 1), where a mean delay lasts n epochs.
fn allowance(window: f64, in_flight: f64, epochs: f64) -> f64 {
    let wanted = match epochs > 1.0 {
        true => window + in_flight * (2.0 - epochs) / (epochs - 1.0),
        false => window - in_flight,
    };
    libm::floor(wanted.max(0.0))
}

impl Controller for Verus {
    fn on_ack(&mut self, ack: &Ack) {
        self.now = ack.now;
        self.in_flight = ack.in_flight as f64 / self.mss;
        let at_sending = self.window_at(ack.number);
        // Losses are reported after later segments have been acknowledged.
        let kept = ack.number.saturating_sub(REMEMBERED_SEGMENTS);
        while self.sent.front().is_some_and(|(n, _)| *n < kept) {
            self.sent.pop_front();
        }
        let Some(delay) = ack.rtt.map(Span::seconds) else {
            return;
        };
        if ack.number < self.session {
            return;
        }
        self.last_ack = ack.now;
        if self.slow_start && delay > SLOW_START_DELAY {
            self.window = (self.decrease * at_sending).max(1.0);
            self.target_delay = 0.75 * self.least.min(delay) * self.ratio;
            self.leave_slow_start(ack.now);
        }
        if self.loss_phase && at_sending <= self.window {
            self.loss_phase = false;
            self.epoch_max = None;
        }
        self.epoch_max = Some(self.epoch_max.map_or(delay, |seen| seen.max(delay)));
        self.mean = match self.mean == 0.0 {
            true => delay,
            false => 0.875 * self.mean + 0.125 * delay,
        };
        self.least = self.least.min(delay);
        if !self.loss_phase {
            self.profile.record(at_sending, delay);
        } else {
            self.window = (self.window + 1.0 / self.window).min(MAX_WINDOW);
            if let Some(delay) = self.profile.delay(self.window) {
                self.target_delay = self.target_delay.min(delay);
            }
        }
        if self.slow_start {
            self.window = (self.window + 1.0).min(MAX_WINDOW);
        }
    }

    fn on_lost(&mut self, lost: &Lost) {
        self.now = lost.now;
        self.in_flight = lost.in_flight as f64 / self.mss;
        let at_sending = self.window_at(lost.number);
        let counts = match self.slow_start {
            true => self.window > SLOW_START_WINDOW,
            false => !self.loss_phase,
        };
        if counts && lost.number >= self.session {
            self.reduce_after_loss(at_sending, lost.now);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.now = congestion.now;
        if congestion.cause == Cause::Timeout {
            self.in_flight = 0.0;
            if self.slow_start {
                self.window = (self.decrease * self.window).max(1.0);
                self.leave_slow_start(congestion.now);
            }
            self.loss_phase = true;
            if self.least.is_finite() {
                self.target_delay = self.least;
            }
        }
    }

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        self.now = sent.now;
        self.in_flight = sent.in_flight as f64 / self.mss;
        self.next = sent.number + 1;
        self.budget = (self.budget - 1.0).max(0.0);
        self.sent.push_back((sent.number, self.window));
        Departure::Noted
    }

    fn on_timer(&mut self, now: Time) {
        self.now = now;
        if !self.slow_start && now >= self.epoch_ends {
            self.end_epoch(now);
            self.epoch_ends = now.after(self.epoch);
        }
    }

    fn limits(&self) -> Limits {
        let packets = match self.slow_start {
            true => self.window,
            false => self.in_flight + self.budget,
        };
        Limits {
            window: bounds::window(packets * self.mss, self.mss as u64),
            pacing: None,
            wake: match self.slow_start {
                true => Time::NEVER,
                false => self.epoch_ends.max(self.now),
            },
        }
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            ssthresh: None,
            state: match (self.slow_start, self.loss_phase) {
                (true, _) => "slow start",
                (false, true) => "loss phase",
                (false, false) => "steering",
            },
            values: [
                ("window_pkts", self.window),
                ("wanted_s", self.target_delay),
                (
                    "least_s",
                    if self.least.is_finite() {
                        self.least
                    } else {
                        0.0
                    },
                ),
                ("budget_pkts", self.budget),
            ],
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Verus>> = Part {
    id: "verus",
    aliases: &[],
    summary: "steer the delay by a learned profile of windows",
    source: "Zaki et al., SIGCOMM 2015; verus_server.cpp",
    options: options::OPTIONS,
    build: |args, setup| {
        let initial = args.packets("initial") as f64;
        Ok(Verus {
            mss: setup.mss as f64,
            initial,
            epoch: args.span("epoch"),
            delta1: args.span("delta1").seconds(),
            delta2: args.span("delta2").seconds(),
            ratio: args.number("ratio"),
            decrease: args.share("decrease"),
            refit: args.span("refit"),
            window: initial,
            slow_start: true,
            loss_phase: false,
            profile: Profile::default(),
            target_delay: 0.0,
            least: f64::INFINITY,
            greatest: 0.0,
            greatest_avg: None,
            mean: 0.0,
            epoch_max: None,
            last_ack: Time::ZERO,
            sent: VecDeque::new(),
            next: 0,
            session: 0,
            in_flight: 0.0,
            budget: 0.0,
            epoch_ends: Time::ZERO,
            refit_at: Time::ZERO,
            now: Time::ZERO,
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_sends_its_share_of_the_window() {
        // 20 - 14 · 6/7; two epochs: all of the window; one: what is not yet out; never less than none.
        assert_eq!(allowance(20.0, 14.0, 8.0), 8.0);
        assert_eq!(allowance(20.0, 14.0, 2.0), 20.0);
        assert_eq!(allowance(20.0, 14.0, 1.0), 6.0);
        assert_eq!(allowance(5.0, 14.0, 8.0), 0.0);
    }
}
