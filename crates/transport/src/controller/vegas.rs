//! Vegas: keep two to four of the flow's packets in the queue.
//!
//! Detects: a queue, by the least round trip of the last round against the least ever. Tells: nobody.
//! Responds: once a round by one segment up or down.
//!
//! Reference: Brakmo and Peterson, JSAC 13(8), 1995; Linux `tcp_vegas.c`. They differ in two points,
//! selected by `variant`: Linux measures the difference against the base round trip (cwnd (rtt -
//! base)/base; the paper divides by rtt) and doubles each round in slow start (the paper every other
//! round). Deviation: no fine-grained retransmission, and not the paper's initial window; the reaction
//! to loss is Reno's.

use crate::building_blocks::reno_window::RenoWindow;
use crate::controller_interface::{Ack, BuildOf, Congestion, Controller, Idle, Inspect, Limits};
use crate::part::{Default, Kind, Opt, Part, Refusal};
use crate::units::Span;

/// Vegas' state.
#[derive(Clone, Debug)]
pub struct Vegas {
    core: RenoWindow,
    paper: bool,
    /// Bounds of the packets in the queue; slow start ends above `gamma`.
    least: f64,
    most: f64,
    gamma: f64,
    base: Span,
    /// Least round trip of the present round, and the number of samples.
    round_min: Span,
    samples: u32,
    /// Slow start grows in this round.
    doubling: bool,
    diff: f64,
}

impl Vegas {
    fn end_round(&mut self) {
        let mss = self.core.mss;
        let (rtt, base) = (self.round_min.seconds(), self.base.seconds());
        let window = self.core.window / mss;
        self.diff = window * (rtt - base) / if self.paper { rtt } else { base };
        if self.core.slow_start() {
            if self.diff > self.gamma {
                let fitting = window * base / rtt + 1.0;
                self.core.window = (window.min(fitting) * mss).max(2.0 * mss);
                self.core.threshold = self.core.threshold.min(self.core.window);
            }
            return;
        }
        if self.diff > self.most {
            self.core.window -= mss;
        } else if self.diff < self.least {
            self.core.window += mss;
        }
        self.core.window = self
            .core
            .window
            .clamp(2.0 * mss, crate::building_blocks::bounds::MAX_WINDOW);
        self.core.threshold = self.core.threshold.min(self.core.window);
    }
}

impl Controller for Vegas {
    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.base = self.base.min(rtt);
            self.round_min = self.round_min.min(rtt);
            self.samples += 1;
        }
        if ack.round_start {
            let enough = self.samples > 2;
            if enough && !ack.recovering {
                self.end_round();
            } else if RenoWindow::may_grow(ack) && !self.core.slow_start() {
                // Too few samples to detect a queue: one round of Reno.
                self.core.window += self.core.mss;
            }
            self.round_min = Span::MAX;
            self.samples = 0;
            self.doubling = !self.paper || !self.doubling;
        }
        if RenoWindow::may_grow(ack) && self.core.slow_start() && self.doubling {
            self.core.double(ack);
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
        self.core.inspect([("diff_pkts", self.diff)])
    }
}

/// The row.
pub const PART: Part<BuildOf<Vegas>> = Part {
    id: "vegas",
    aliases: &[],
    summary: "keep two to four packets in the queue",
    source: "Brakmo and Peterson, JSAC 1995; Linux tcp_vegas.c",
    options: &[
        Opt::new(
            "variant",
            Kind::Choice(&["linux", "paper"]),
            Default::Is("linux"),
            "queue from base or from present round trip; doubling each or every other round",
        ),
        Opt::new(
            "alpha",
            Kind::Number,
            Default::Is("2"),
            "fewest packets in the queue",
        )
        .at_least("0")
        .at_most("1000"),
        Opt::new(
            "beta",
            Kind::Number,
            Default::Is("4"),
            "most packets in the queue",
        )
        .at_least("0")
        .at_most("1000"),
        Opt::new(
            "gamma",
            Kind::Number,
            Default::Is("1"),
            "packets in the queue that end slow start",
        )
        .at_least("0")
        .at_most("1000"),
    ],
    build: |args, setup| {
        let (least, most) = (args.number("alpha"), args.number("beta"));
        if least > most {
            return Err(Refusal {
                option: "alpha",
                what: format!("fewest packets {least} above most {most}"),
                fix: "write alpha not above beta".to_owned(),
            });
        }
        Ok(Vegas {
            core: RenoWindow::new(setup),
            paper: args.choice("variant") == "paper",
            least,
            most,
            gamma: args.number("gamma"),
            base: Span::MAX,
            round_min: Span::MAX,
            samples: 0,
            doubling: true,
            diff: 0.0,
        })
    },
};
