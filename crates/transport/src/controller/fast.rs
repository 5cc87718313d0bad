//! FAST: move the window toward the one that keeps α packets in the queue.
//!
//! Detects: a queue, by the average round trip against the least ever. Tells: nobody. Responds: once a
//! round by w ← min(2w, (1 - γ) w + γ (base/rtt · w + α)); halves at a loss.
//!
//! Reference: Jin, Wei and Low, INFOCOM 2004; Wei et al., IEEE/ACM ToN 14(6), 2006. Deviation: the
//! round trip is averaged with weight min(3/w, 1/4) as in the latter, and the window is updated each
//! round, not every 20 ms.

use crate::building_blocks::bounds;
use crate::building_blocks::reno_window::RenoWindow;
use crate::controller_interface::{Ack, BuildOf, Congestion, Controller, Idle, Inspect, Limits};
use crate::part::{Default, Kind, Opt, Part};
use crate::units::Span;

/// FAST's state.
#[derive(Clone, Debug)]
pub struct Fast {
    core: RenoWindow,
    alpha: f64,
    gamma: f64,
    base: Span,
    average: f64,
}

impl Fast {
    fn update(&mut self) {
        let base = self.base.seconds();
        let window = self.core.window / self.core.mss;
        let wanted = base / self.average.max(base) * window + self.alpha;
        let next = ((1.0 - self.gamma) * window + self.gamma * wanted).min(2.0 * window);
        self.core.window = (next * self.core.mss).clamp(2.0 * self.core.mss, bounds::MAX_WINDOW);
    }
}

impl Controller for Fast {
    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.base = self.base.min(rtt);
            let packets = self.core.window / self.core.mss;
            let weight = (3.0 / packets).min(0.25);
            self.average = match self.average == 0.0 {
                true => rtt.seconds(),
                false => self.average + weight * (rtt.seconds() - self.average),
            };
        }
        if ack.round_start && self.average > 0.0 && ack.cwnd_limited && !ack.recovering {
            self.update();
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.core.on_congestion(congestion, 0.5);
    }

    fn on_idle(&mut self, idle: &Idle) {
        self.core.on_idle(idle);
    }

    fn limits(&self) -> Limits {
        Limits::of(self.core.bytes())
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            ssthresh: None,
            state: "avoidance",
            values: Inspect::values([("average_rtt_s", self.average)]),
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Fast>> = Part {
    id: "fast",
    aliases: &[],
    summary: "keep a fixed number of packets in the queue, by proportional steps",
    source: "Jin, Wei and Low, INFOCOM 2004",
    options: &[
        Opt::new(
            "alpha",
            Kind::Number,
            Default::Is("20"),
            "packets to keep in the queue",
        )
        .at_least("0.1")
        .at_most("100000"),
        Opt::new(
            "gamma",
            Kind::Number,
            Default::Is("0.5"),
            "how far a step goes toward the wanted window",
        )
        .at_least("0.01")
        .at_most("1"),
    ],
    build: |args, setup| {
        Ok(Fast {
            core: RenoWindow::new(setup),
            alpha: args.number("alpha"),
            gamma: args.number("gamma"),
            base: Span::MAX,
            average: 0.0,
        })
    },
};
