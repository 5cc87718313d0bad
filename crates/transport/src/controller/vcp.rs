//! VCP's sender: multiplicative or additive increase or multiplicative decrease, as two bits say.
//!
//! Detects: nothing; routers do. Tells: ECT(1), "low load", in each packet; a router raises it to ECT(0),
//! "high load", or CE, "overload". Responds: low load: the window grows by the factor 1 + ξ for each t_ρ;
//! high load: by α segments for each t_ρ; overload: by the factor β once, then it rests for t_ρ and grows
//! additively for a round trip. Both increases are scaled by the round trip over t_ρ, so that flows with
//! different round trips get equal shares.
//!
//! Reference: Xia, Subramanian, Stoica and Kalyanaraman, SIGCOMM 2005, section 4. Deviations: an
//! acknowledgement that covers several packets counts as the highest load among them; a round trip at most
//! doubles the window. Losses halve the window, as in TCP.

use crate::building_blocks::bounds;
use crate::building_blocks::reno_window::RenoWindow;
use crate::congestion_header::{CongestionHeader, Layout};
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Idle, Inspect, Limits, Reduction,
};
use crate::part::{Default, Kind, Opt, Part};
use crate::segment::{Ecn, Feedback};
use crate::units::{Span, Time};

/// Load of the path.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Load {
    Low,
    High,
    Over,
}

/// The sender's state.
#[derive(Clone, Debug)]
pub struct Vcp {
    core: RenoWindow,
    xi: f64,
    alpha: f64,
    beta: f64,
    interval: Span,
    load: Load,
    /// After an overload: at rest until the first instant, additive increase until the second.
    rest: Time,
    cautious: Time,
}

impl Vcp {
    /// The load that an echo reports.
    fn reported(feedback: Option<&Feedback>) -> Option<Load> {
        match feedback? {
            Feedback::Congestion(CongestionHeader::Codepoints { ect1, ect0, ce }) => {
                match (ce, ect0, ect1) {
                    (1.., _, _) => Some(Load::Over),
                    (0, 1.., _) => Some(Load::High),
                    (0, 0, 1..) => Some(Load::Low),
                    (0, 0, 0) => None,
                }
            }
            _ => None,
        }
    }

    fn increase(&mut self, ack: &Ack, load: Load) {
        let ratio = ack.srtt.seconds() / self.interval.seconds();
        match load {
            Load::Low => {
                // For each window acknowledged the window grows by this share.
                let growth = (libm::pow(1.0 + self.xi, ratio) - 1.0).min(1.0);
                self.core.window += growth * ack.acked as f64;
            }
            Load::High | Load::Over => self
                .core
                .increase(ack.acked as f64, self.alpha * ratio * ratio),
        }
        self.core.window = self.core.window.min(bounds::MAX_WINDOW);
    }
}

impl Controller for Vcp {
    fn on_ack(&mut self, ack: &Ack) {
        let Some(load) = Vcp::reported(ack.feedback) else {
            return;
        };
        self.load = load;
        if ack.now < self.rest {
            return;
        }
        if ack.now < self.cautious {
            return self.increase(ack, Load::High);
        }
        if load == Load::Over {
            self.core.window = (self.core.window * self.beta).max(self.core.mss);
            self.rest = ack.now.after(self.interval);
            self.cautious = self.rest.after(ack.srtt);
        } else if RenoWindow::may_grow(ack) {
            self.increase(ack, load);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        // CE says overload, which each acknowledgement has reported.
        if congestion.cause != Cause::Mark {
            self.core.on_congestion(congestion, 0.5);
        }
    }

    fn on_idle(&mut self, idle: &Idle) {
        self.core.on_idle(idle);
    }

    fn congestion_header(&self) -> Option<Layout> {
        Some(Layout::Load)
    }

    fn ecn(&self) -> Ecn {
        Ecn::Ect1
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn limits(&self) -> Limits {
        Limits::of(self.core.bytes())
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            state: match self.load {
                Load::Low => "multiplicative increase",
                Load::High => "additive increase",
                Load::Over => "decrease",
            },
            ..Inspect::default()
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Vcp>> = Part {
    id: "vcp",
    aliases: &[],
    summary: "increase by a factor, by a step, or decrease, as two bits from VCP routers say",
    source: "Xia et al., SIGCOMM 2005",
    options: &[
        Opt::new(
            "xi",
            Kind::Number,
            Default::Is("0.0625"),
            "multiplicative increase for each interval",
        )
        .at_least("0.0001")
        .at_most("1"),
        Opt::new(
            "alpha",
            Kind::Number,
            Default::Is("1"),
            "additive increase in segments for each interval",
        )
        .at_least("0.01")
        .at_most("100"),
        Opt::new(
            "beta",
            Kind::Number,
            Default::Is("0.875"),
            "share of the window kept at an overload",
        )
        .at_least("0.1")
        .at_most("0.99"),
        Opt::new(
            "interval",
            Kind::Span,
            Default::Is("200 ms"),
            "t_ρ: the interval over which routers measure the load",
        )
        .at_least("1 ms")
        .at_most("10 s"),
    ],
    build: |args, setup| {
        Ok(Vcp {
            core: RenoWindow::new(setup),
            xi: args.number("xi"),
            alpha: args.number("alpha"),
            beta: args.number("beta"),
            interval: args.span("interval"),
            load: Load::Low,
            rest: Time::ZERO,
            cautious: Time::ZERO,
        })
    },
};
