//! LEDBAT: a scavenger that keeps a constant one-way queueing delay and yields to other flows.
//!
//! Detects: a queue, by one-way delay above its least in the last ten minutes. Tells: the receiver
//! reports the delay. Responds: linearly to the distance from the target.
//!
//! Reference: RFC 6817. Known weaknesses of the algorithm: a late-comer mistakes the standing queue of
//! others for base delay, and clock drift shifts the measured delay.

use crate::building_blocks::bounds;
use crate::building_blocks::queueing_delay::{self, QueueingDelay};
use crate::controller_interface::{Ack, BuildOf, Cause, Congestion, Controller, Inspect, Limits};
use crate::part::{Default, Kind, Opt, Part};
use crate::units::Span;

/// LEDBAT's state.
#[derive(Clone, Debug)]
pub struct Ledbat {
    mss: f64,
    window: f64,
    target: f64,
    gain: f64,
    allowed: f64,
    least: f64,
    delay_filter: QueueingDelay,
    undo: f64,
}

impl Controller for Ledbat {
    fn on_ack(&mut self, ack: &Ack) {
        if let Some(delay) = ack.one_way {
            self.delay_filter.update(ack.now, delay);
        }
        let Some(queueing) = self.delay_filter.queueing() else {
            return;
        };
        if ack.recovering || ack.acked == 0 {
            return;
        }
        let off = (self.target - queueing) / self.target;
        self.window += self.gain * off * ack.acked as f64 * self.mss / self.window;
        let most = ack.prior_in_flight as f64 + self.allowed * self.mss;
        self.window = self
            .window
            .min(most)
            .min(bounds::MAX_WINDOW)
            .max(self.least);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.cause {
            Cause::Loss | Cause::Mark => {
                self.undo = self.window;
                self.window = self.window.min((self.window / 2.0).max(self.least));
            }
            Cause::Timeout => {
                self.undo = self.window;
                self.window = self.mss;
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
            ssthresh: None,
            state: "avoidance",
            values: self.delay_filter.shown([]),
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Ledbat>> = Part {
    id: "ledbat",
    aliases: &[],
    summary: "a scavenger that holds a constant one-way queueing delay",
    source: "RFC 6817",
    options: &[
        Opt::new(
            "target",
            Kind::Span,
            Default::Is("100 ms"),
            "queueing delay to hold; the RFC allows 100 ms at most",
        )
        .at_least("1 ms")
        .at_most("100 ms"),
        Opt::new(
            "gain",
            Kind::Number,
            Default::Is("1"),
            "segments a round at no queueing delay",
        )
        .at_least("0.01")
        .at_most("1"),
        Opt::new(
            "allowed-increase",
            Kind::Packets,
            Default::Is("1 packets"),
            "how far the window may be above the flight",
        )
        .at_least("1 packets")
        .at_most("100 packets"),
        Opt::new(
            "least",
            Kind::Packets,
            Default::Is("2 packets"),
            "least and initial window",
        )
        .at_least("1 packets")
        .at_most("100 packets"),
        queueing_delay::MINUTE,
        queueing_delay::HISTORY,
        queueing_delay::FILTER,
        queueing_delay::SAMPLES,
    ],
    build: |args, setup| {
        let mss = setup.mss as f64;
        let least = args.packets("least") as f64 * mss;
        Ok(Ledbat {
            mss,
            window: least,
            target: Span::seconds(args.span("target")),
            gain: args.number("gain"),
            allowed: args.packets("allowed-increase") as f64,
            least,
            delay_filter: queueing_delay::from_options(args),
            undo: least,
        })
    },
};
