//! Copa: send at 1/(δ · queueing delay); on request, compete when the queue never empties.
//!
//! Detects: the queueing delay, which is the least round trip of the last half round minus the least of
//! ten seconds; and buffer-filling competitors, if the queue was never nearly empty for a few rounds.
//! Tells: nobody. Responds: moves the window at a velocity that doubles while the direction stays, and
//! paces at twice the window per round. In competitive mode it applies AIMD to 1/δ.
//!
//! Reference: Arun and Balakrishnan, NSDI 2018. Three variants: `paper`; `genericcc`, the authors'
//! program (direction by majority of acknowledgements, steps of at most a packet, first ten packets
//! ignored); `mvfst` (the latest round trip makes the queueing
//! delay, velocity is reset at a sudden reversal, no competitive mode, no reaction to loss except to a
//! timeout). The paper does not define the effect of a high velocity at a small window; here a step is
//! at most one packet for each acknowledged packet. Nor does it define a reaction to loss outside the competitive mode. A queue that stays
//! full for ten seconds then is the least round trip, no queueing delay is left to see, and the window grows without end. So
//! `paper` takes the rule of `genericcc`, ×0.7 when 30 % of a round are lost, and applies it to whole rounds.
//!
//! N flows keep N/δ packets on average where their windows are large beside the queue. With δ = 0.1, 20 Mbit/s and 40 ms, four flows of
//! `paper` keep 82 to 123 packets instead of 40, `genericcc` 63 to 76, `mvfst` 67 to 97: the velocity doubles
//! within one round trip, which the queue itself makes twice as long.
//!
//! The competitive mode is off by default, as in mvfst and in the authors' program without `auto`:
//! its detector cannot tell other Copas from a competitor. "Nearly empty" is a tenth of the swing of
//! the queue, and that is less than a packet for two flows. A newcomer's slow start, a delayed
//! acknowledgement or a fall of capacity keeps the queue above it for five rounds too. Then 1/δ grows
//! in all flows without end, because no loss stops it in a large buffer: over 20 Mbit/s and 40 ms eight Copas keep 17 packets
//! without the mode and 1,220 with it, a 95th percentile of 38 and 1,260 ms. The price of the default: beside a Reno flow a Copa gets
//! 0.7 of 18.8 Mbit/s behind 200 kB, and 9.2 with `competitive = true`. With `competitive = true` the
//! variant `paper` takes a queue for empty that holds one packet of each flow above the tenth: the
//! flow sees the queue only when its own packets pass, `1/λ` apart. That is right in steady state, not
//! while flows join, and not on a path of a few packets.
//!
//! Known weakness: one early packet lowers the least round trip for ten seconds and starves the flow.

mod options;
mod velocity;

use crate::building_blocks::bounds;
use crate::building_blocks::minmax::MinMaxFilter;
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Inspect, Limits, Reduction,
};
use crate::part::{Part, Refusal};
use crate::units::{Span, Time};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Variant {
    Paper,
    GenericCc,
    Mvfst,
}

/// Segments that the authors' program ignores at the start.
const IGNORED_SEGMENTS: u64 = 10;

/// Prevents overflow of the velocity; the window's bounds apply long before.
const MAX_VELOCITY: f64 = 1e6;

/// Copa's state; the window is in packets.
#[derive(Clone, Debug)]
pub struct Copa {
    mss: f64,
    variant: Variant,
    delta: f64,
    default_delta: f64,
    competes: bool,
    base_window: Span,
    horizon: f64,
    least: f64,
    window: f64,
    velocity: f64,
    up: bool,
    /// Rounds with the same direction.
    rounds_same_direction: u32,
    slow_start: bool,
    srtt: f64,
    base: MinMaxFilter,
    standing: MinMaxFilter,
    recent_least: MinMaxFilter,
    recent_most: MinMaxFilter,
    /// When the queue was last seen nearly empty.
    emptied: Time,
    competing: bool,
    round: Round,
    acked: u64,
    delay: f64,
    /// Round trip of the pacing rate, in seconds.
    pacing_rtt: f64,
}

/// Counts since the direction was last compared.
#[derive(Copy, Clone, Debug)]
struct Round {
    began: Time,
    window: f64,
    votes: i64,
    acks: i64,
    lost: u64,
    acked: u64,
}

impl Copa {
    fn update_filters(&mut self, now: Time, rtt: Span) {
        self.srtt = match self.srtt == 0.0 {
            true => rtt.seconds(),
            false => self.srtt + (rtt.seconds() - self.srtt) / 16.0,
        };
        let rounds = |n: f64| Span::from_seconds(n * self.srtt).0;
        let base = match self.variant {
            // The program keeps 20 round trips where those are longer.
            Variant::GenericCc => {
                let least = self.base.get().unwrap_or(rtt.0);
                self.base_window.0.max(least.saturating_mul(20))
            }
            _ => self.base_window.0,
        };
        let horizon = rounds(self.horizon);
        self.base.update(now.0, base, rtt.0);
        self.standing.update(now.0, rounds(0.5), rtt.0);
        self.recent_least.update(now.0, horizon, rtt.0);
        self.recent_most.update(now.0, rounds(4.0), rtt.0);
    }

    /// Least round trip, standing round trip, both in seconds.
    fn delays(&self) -> Option<(f64, f64)> {
        let seconds = |x: &MinMaxFilter| x.get().map(|v| Span(v).seconds());
        Some((seconds(&self.base)?, seconds(&self.standing)?))
    }

    /// Selects the mode, default or competitive, and adjusts δ.
    fn choose_mode(&mut self, ack: &Ack, base: f64, standing: f64) {
        if !self.competes {
            return;
        }
        let extreme = |x: &MinMaxFilter| x.get().map_or(base, |v| Span(v).seconds());
        let empty_below = base + 0.1 * (extreme(&self.recent_most) - base);
        self.competing = match self.variant {
            Variant::GenericCc => extreme(&self.recent_least) > empty_below,
            _ => {
                let own_spacing = standing / self.window;
                if standing <= empty_below + own_spacing {
                    self.emptied = ack.now;
                }
                let patience = Span::from_seconds(self.horizon * self.srtt);
                self.emptied.after(patience) < ack.now
            }
        };
        if !self.competing {
            self.delta = self.default_delta;
        } else if ack.round_start && !ack.recovering {
            self.delta = 1.0 / (1.0 + 1.0 / self.delta);
        }
    }

    /// A round that loses 30 % of its packets reduces the window. The program looks at each acknowledgement, `paper` at
    /// whole rounds: else one random loss among the first packets of a round would count as a third of it.
    fn answer_losses(&mut self, ack: &Ack) {
        let due = match self.variant {
            Variant::GenericCc => true,
            Variant::Paper => ack.round_start,
            Variant::Mvfst => false,
        };
        if !due {
            return;
        }
        let all = self.round.lost + self.round.acked;
        if self.round.lost > 0 && self.round.lost as f64 > 0.3 * all as f64 {
            self.window *= 0.7;
            self.slow_start = false;
            self.begin_round(ack.now);
        }
        if self.variant == Variant::Paper {
            (self.round.lost, self.round.acked) = (0, 0);
        }
    }

    fn begin_round(&mut self, now: Time) {
        self.round = Round {
            began: now,
            window: self.window,
            votes: 0,
            acks: 0,
            lost: 0,
            acked: 0,
        };
    }

    fn step(&mut self, ack: &Ack, up: bool) {
        let packets = ack.acked as f64 / self.mss;
        if self.slow_start {
            if up {
                self.window += packets;
                return;
            }
            self.slow_start = false;
            self.set_direction(false);
            self.begin_round(ack.now);
        }
        if self.variant == Variant::Mvfst && up != self.up && self.velocity > 1.0 {
            self.set_direction(up);
            self.begin_round(ack.now);
        }
        if self.variant != Variant::Mvfst {
            while self.velocity > (self.window * self.delta).max(1.0) {
                self.velocity = (self.velocity / 2.0).max(1.0);
            }
        }
        self.round.acks += 1;
        self.round.votes += if up { 1 } else { -1 };
        let step = packets * self.velocity / (self.delta * self.window);
        self.window += if up { step } else { -step };
    }
}

impl Controller for Copa {
    fn on_ack(&mut self, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        self.update_filters(ack.now, rtt);
        self.acked += u64::from(ack.acked_segments);
        self.round.acked += ack.acked;
        self.round.lost += ack.lost;
        let Some((base, standing)) = self.delays() else {
            return;
        };
        if self.emptied == Time::ZERO {
            self.emptied = ack.now;
        }
        self.choose_mode(ack, base, standing);
        let present = match self.variant {
            Variant::Mvfst => rtt.seconds(),
            _ => standing,
        };
        self.delay = present - base;
        self.pacing_rtt = match self.variant {
            Variant::Mvfst => ack.srtt.seconds(),
            _ => standing,
        };
        if self.variant == Variant::GenericCc && self.acked < IGNORED_SEGMENTS {
            return;
        }
        self.answer_losses(ack);
        if !self.slow_start {
            self.update_velocity(ack);
        }
        // λ = window / standing against 1 / (δ · delay), without dividing by either delay.
        let up = self.window * self.delta * self.delay <= standing;
        self.step(ack, up);
        self.window = self.window.clamp(self.least, bounds::MAX_WINDOW / self.mss);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.cause {
            Cause::Loss if self.competing => {
                self.delta = (2.0 * self.delta).min(self.default_delta)
            }
            Cause::Timeout => {
                self.window = self.least;
                self.slow_start = self.variant == Variant::Paper;
                self.set_direction(true);
                self.begin_round(congestion.now);
            }
            _ => {}
        }
    }

    fn limits(&self) -> Limits {
        let bytes = self.window * self.mss;
        Limits {
            window: bounds::window(bytes, self.mss as u64),
            pacing: (self.pacing_rtt > 0.0)
                .then(|| bounds::rate(2.0 * bytes, Span::from_seconds(self.pacing_rtt))),
            wake: Time::NEVER,
        }
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            ssthresh: None,
            state: match (self.slow_start, self.competing) {
                (true, _) => "slow start",
                (false, true) => "competitive",
                (false, false) => "default",
            },
            values: [
                ("velocity", self.velocity),
                ("delta", self.delta),
                ("queueing_s", self.delay),
                ("up", f64::from(u8::from(self.up))),
            ],
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Copa>> = Part {
    id: "copa",
    aliases: &[],
    summary: "rate 1/(delta x queueing delay), with a competitive mode",
    source: "Arun and Balakrishnan, NSDI 2018; genericCC; mvfst",
    options: options::OPTIONS,
    build: |args, setup| {
        let variant = match args.choice("variant") {
            "genericcc" => Variant::GenericCc,
            "mvfst" => Variant::Mvfst,
            _ => Variant::Paper,
        };
        let given = |name, default: f64| {
            if args.has(name) {
                args.number(name)
            } else {
                default
            }
        };
        let delta = given("delta", if variant == Variant::Mvfst { 0.05 } else { 0.5 });
        if args.flag("competitive") && variant == Variant::Mvfst {
            return Err(Refusal {
                option: "competitive",
                what: "is true, but mvfst has no competitive mode".to_owned(),
                fix: "leave competitive out, or write variant = \"paper\"".to_owned(),
            });
        }
        let mss = setup.mss as f64;
        let least = args.packets("least") as f64;
        let window = (setup.initial as f64 / mss).max(least);
        Ok(Copa {
            mss,
            variant,
            delta,
            default_delta: delta,
            competes: args.flag("competitive"),
            base_window: args.span("base-window"),
            horizon: given(
                "patience",
                if variant == Variant::GenericCc {
                    4.0
                } else {
                    5.0
                },
            ),
            least,
            window,
            velocity: 1.0,
            up: true,
            rounds_same_direction: 0,
            slow_start: true,
            srtt: 0.0,
            base: MinMaxFilter::min(),
            standing: MinMaxFilter::min(),
            recent_least: MinMaxFilter::min(),
            recent_most: MinMaxFilter::max(),
            emptied: Time::ZERO,
            competing: false,
            round: Round {
                began: Time::ZERO,
                window,
                votes: 0,
                acks: 0,
                lost: 0,
                acked: 0,
            },
            acked: 0,
            delay: 0.0,
            pacing_rtt: 0.0,
        })
    },
};
