//! Delay-triggered AIMD.
//!
//! Detects: the mean of the last round trips above a threshold. Tells: nobody. Responds: divides the
//! window by `beta` once until the mean is down again; otherwise adds `alpha` packets per window. With
//! `law = "step"` (other teams' form) each acknowledgement adds or subtracts a fixed number of packets.
//!
//! Reference: the 6.829 report (10 round trips, 70 ms). The report does not say whether it re-arms
//! (`rearm`). Differences: none beyond the options. In the report each packet is acknowledged at once.
//! Over TCP the acknowledgement of a single segment is delayed by up to 40 ms. If that plus the round
//! trip exceeds the threshold, the window stays at its minimum; use `delayed_ack = "0 s"` or a higher
//! threshold.

use crate::building_blocks::bounds;
use crate::building_blocks::moving_mean::MovingMean;
use crate::controller_interface::{
    Ack, BuildOf, Congestion, Controller, Inspect, Limits, Reduction,
};
use crate::part::{Default, Kind, Opt, Part, Refusal};
use crate::units::Span;

/// State: the window in packets, and the parameters.
#[derive(Clone, Debug)]
pub struct DelayTriggered {
    mss: u64,
    window: f64,
    recent: MovingMean,
    threshold: Span,
    alpha: f64,
    beta: f64,
    step: bool,
    rearm: bool,
    armed: bool,
    floor: f64,
}

impl Controller for DelayTriggered {
    fn on_ack(&mut self, ack: &Ack) {
        let Some(rtt) = ack.rtt else {
            return;
        };
        self.recent.push(rtt);
        let congested = self.recent.mean() > self.threshold;
        if self.step {
            self.window += if congested { -self.beta } else { self.alpha };
        } else if !congested {
            self.armed = true;
            self.window += self.alpha / self.window;
        } else if self.armed || !self.rearm {
            self.armed = false;
            self.window /= self.beta;
        }
        self.window = self.window.max(self.floor);
    }

    fn on_congestion(&mut self, _congestion: &Congestion) {}

    fn limits(&self) -> Limits {
        Limits::of((self.window * self.mss as f64) as u64)
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn inspect(&self) -> Inspect {
        let mut inspect = Inspect {
            state: if self.armed { "armed" } else { "cut" },
            ..Inspect::default()
        };
        inspect.values[0] = ("mean_rtt_s", self.recent.mean().seconds());
        inspect
    }
}

/// The row.
pub const PART: Part<BuildOf<DelayTriggered>> = Part {
    id: "delay-triggered",
    aliases: &[],
    summary: "AIMD on the mean of the last round trips",
    source: "6.829 report",
    options: &[
        Opt::new(
            "n",
            Kind::Count,
            Default::Is("10"),
            "round trips in the mean",
        )
        .at_least("1")
        .at_most("10000"),
        Opt::new(
            "threshold",
            Kind::Span,
            Default::Is("70 ms"),
            "a longer mean means congestion; over TCP a delayed acknowledgement (40 ms) is part of it",
        )
        .at_least("1 us")
        .at_most("100 s"),
        Opt::new("alpha", Kind::Number, Default::Is("1"), "packets added")
            .at_least("0")
            .at_most("1000"),
        Opt::new(
            "beta",
            Kind::Number,
            Default::Is("2"),
            "divisor of the window; with law = \"step\", packets taken off",
        )
        .at_least("0.000001")
        .at_most("1000"),
        Opt::new(
            "law",
            Kind::Choice(&["aimd", "step"]),
            Default::Is("aimd"),
            "alpha for each window and division, or steps for each acknowledgement",
        ),
        Opt::new(
            "rearm",
            Kind::Flag,
            Default::Is("true"),
            "no second decrease before the mean is down again",
        ),
        bounds::first_window("1 packets"),
        Opt::new(
            "floor",
            Kind::Packets,
            Default::Is("1 packets"),
            "least window",
        )
        .at_least("1 packets")
        .at_most("1000000 packets"),
    ],
    build: |args, setup| {
        let step = args.choice("law") == "step";
        if !step && args.number("beta") < 1.0 {
            return Err(Refusal {
                option: "beta",
                what: "divides the window, so below 1 it would be an increase".into(),
                fix: "write beta = 2, or law = \"step\"".into(),
            });
        }
        Ok(DelayTriggered {
            mss: setup.mss,
            window: args.packets("initial").max(args.packets("floor")) as f64,
            recent: MovingMean::new(args.count("n") as usize),
            threshold: args.span("threshold"),
            alpha: args.number("alpha"),
            beta: args.number("beta"),
            step,
            rearm: args.flag("rearm"),
            armed: true,
            floor: args.packets("floor") as f64,
        })
    },
};
