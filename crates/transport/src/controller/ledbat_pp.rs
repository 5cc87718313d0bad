//! LEDBAT++: LEDBAT without the late-comer's advantage, on round trips instead of one-way delays, and
//! fair to other LEDBAT++ flows.
//!
//! Detects: a queue, by round trips above their least in the last ten minutes. Tells: nobody. Responds:
//! slow increase, multiplicative decrease in proportion to the excess, and periodic slowdowns of two
//! rounds to measure the base delay.
//!
//! Reference: draft-irtf-iccrg-ledbat-plus-plus, sections 4.1 (slow start with the gain; 3/4 of the target
//! ends the initial one only), 4.2 (gain), 4.3 (decrease; `strength` is its constant) and 4.4 (slowdowns;
//! the ramp after one ends at ssthresh alone, whatever the delay). Deviation: delayed acknowledgements
//! count as round-trip samples like others.

use crate::building_blocks::bounds;
use crate::building_blocks::queueing_delay::{self, QueueingDelay};
use crate::controller_interface::{Ack, BuildOf, Cause, Congestion, Controller, Inspect, Limits};
use crate::part::{Default, Kind, Opt, Part};
use crate::units::{Span, Time};

/// Phase of the algorithm.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// Slow start, up to the threshold.
    Start,
    /// Waits for the first slowdown until this round.
    BeforeSlowdown(u64),
    /// Congestion avoidance.
    Steady,
    /// A slowdown: two packets in flight until this round.
    Slowdown(u64),
}

/// LEDBAT++'s state.
#[derive(Clone, Debug)]
pub struct LedbatPp {
    mss: f64,
    window: f64,
    threshold: f64,
    target: f64,
    strength: f64,
    slow_rounds: u64,
    slow_every: u64,
    phase: Phase,
    /// When the present or last slowdown began (none before the initial one), and when the next is due.
    slowed: Option<Time>,
    slow_at: Time,
    delay_filter: QueueingDelay,
    undo: f64,
}

impl LedbatPp {
    fn floor(&self) -> f64 {
        2.0 * self.mss
    }

    /// 1 / min(16, ⌈2 · target / base⌉): slower than Reno on short paths.
    fn gain(&self) -> f64 {
        let base = self.delay_filter.base().unwrap_or(0.0).max(1e-6);
        1.0 / libm::ceil(2.0 * self.target / base).clamp(1.0, 16.0)
    }

    fn slow_down(&mut self, ack: &Ack) {
        self.threshold = self.window;
        self.window = self.floor();
        self.phase = Phase::Slowdown(ack.round + self.slow_rounds);
        self.slowed = Some(ack.now);
    }

    fn start(&mut self, ack: &Ack, queueing: f64) {
        let late = self.slowed.is_none() && queueing > 0.75 * self.target;
        if !late && self.window < self.threshold {
            self.window += self.gain() * ack.acked as f64;
            return;
        }
        self.window = self.window.min(self.threshold);
        match self.slowed {
            None => {
                self.phase = Phase::BeforeSlowdown(ack.round + 2);
                self.slow_at = Time::NEVER;
            }
            // The slowdown lasted until the window was back; nine times that until the next.
            Some(began) => {
                let lasted = Span(ack.now.0.saturating_sub(began.0));
                self.phase = Phase::Steady;
                self.slow_at = ack.now.after(lasted.times(self.slow_every));
            }
        }
    }

    fn steady(&mut self, ack: &Ack, queueing: f64) {
        let packets = self.window / self.mss;
        let gain = self.gain();
        let step = if queueing <= self.target {
            gain
        } else {
            (gain - self.strength * packets * (queueing / self.target - 1.0)).max(-packets / 2.0)
        };
        // `step` is packets a round; this acknowledgement is acked / window of one.
        self.window += step * ack.acked as f64 * self.mss / self.window;
    }
}

impl Controller for LedbatPp {
    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.delay_filter.update(ack.now, rtt);
        }
        let Some(queueing) = self.delay_filter.queueing() else {
            return;
        };
        if ack.recovering || ack.acked == 0 {
            return;
        }
        match self.phase {
            Phase::Start => self.start(ack, queueing),
            Phase::BeforeSlowdown(round) if ack.round >= round => self.slow_down(ack),
            Phase::Steady if ack.now >= self.slow_at => self.slow_down(ack),
            Phase::Slowdown(round) if ack.round >= round => self.phase = Phase::Start,
            Phase::Slowdown(_) => {}
            Phase::BeforeSlowdown(_) | Phase::Steady if ack.cwnd_limited => {
                self.steady(ack, queueing)
            }
            Phase::BeforeSlowdown(_) | Phase::Steady => {}
        }
        self.window = self.window.clamp(self.floor(), bounds::MAX_WINDOW);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.cause {
            Cause::Loss | Cause::Mark => {
                self.undo = self.window;
                self.window = (self.window / 2.0).max(self.floor());
                self.threshold = self.window;
            }
            Cause::Timeout => {
                self.undo = self.window;
                self.threshold = (self.window / 2.0).max(self.floor());
                self.window = self.floor();
                self.phase = Phase::Start;
                self.slowed = Some(congestion.now);
            }
            Cause::Spurious => self.window = self.window.max(self.undo),
            Cause::Recovered => {}
        }
    }

    fn limits(&self) -> Limits {
        Limits::of(bounds::window(self.window, self.mss as u64))
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            ssthresh: self.threshold.is_finite().then_some(self.threshold as u64),
            state: match self.phase {
                Phase::Start => "slow start",
                Phase::Slowdown(_) => "slowdown",
                Phase::BeforeSlowdown(_) | Phase::Steady => "avoidance",
            },
            values: self.delay_filter.shown([("gain", self.gain())]),
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<LedbatPp>> = Part {
    id: "ledbat-pp",
    aliases: &["ledbat++"],
    summary: "LEDBAT on round trips, with multiplicative decrease and slowdowns",
    source: "draft-irtf-iccrg-ledbat-plus-plus",
    options: &[
        Opt::new(
            "target",
            Kind::Span,
            Default::Is("60 ms"),
            "queueing delay to hold",
        )
        .at_least("1 ms")
        .at_most("1 s"),
        Opt::new(
            "strength",
            Kind::Number,
            Default::Is("1"),
            "share of the window given up at twice the target",
        )
        .at_least("0.01")
        .at_most("10"),
        Opt::new(
            "slowdown-rounds",
            Kind::Count,
            Default::Is("2"),
            "rounds of a slowdown at two packets",
        )
        .at_least("1")
        .at_most("100"),
        Opt::new(
            "slowdown-every",
            Kind::Count,
            Default::Is("9"),
            "time between slowdowns, in lengths of the last",
        )
        .at_least("1")
        .at_most("1000"),
        queueing_delay::MINUTE,
        queueing_delay::HISTORY,
        queueing_delay::FILTER,
        queueing_delay::SAMPLES,
    ],
    build: |args, setup| {
        let mss = setup.mss as f64;
        Ok(LedbatPp {
            mss,
            window: 2.0 * mss,
            threshold: f64::INFINITY,
            target: args.span("target").seconds(),
            strength: args.number("strength"),
            slow_rounds: args.count("slowdown-rounds"),
            slow_every: args.count("slowdown-every"),
            phase: Phase::Start,
            slowed: None,
            slow_at: Time::NEVER,
            delay_filter: queueing_delay::from_options(args),
            undo: 2.0 * mss,
        })
    },
};
