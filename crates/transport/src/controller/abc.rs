//! ABC's sender: one packet more for each accelerate, one less for each brake.
//!
//! Detects: nothing; routers do. Tells: ECT(1) in each packet, which says accelerate; a router turns it into
//! a brake. Responds: for each packet acknowledged the window grows by 1 + 1/w or by -1 + 1/w. A second window
//! reacts to losses and classic marks for links without such a router; the smaller of the two counts, and
//! neither exceeds twice the bytes in flight.
//!
//! Reference: Goyal et al., NSDI 2020, sections 3 and 5; the authors' kernel module. Where they differ,
//! `variant` selects: in the paper ECT(0) is a brake and CE a classic mark, in the code CE is a brake.
//! Deviations: the second window is Reno's, not CUBIC's. An acknowledgement that covers several packets applies
//! the share of accelerates among those it reports, so that a lost acknowledgement costs no window.

use crate::building_blocks::bounds;
use crate::building_blocks::reno_window::RenoWindow;
use crate::congestion_header::{CongestionHeader, Layout};
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Idle, Inspect, Limits, Reduction,
};
use crate::part::{Default, Kind, Opt, Part};
use crate::segment::{Ecn, Feedback};
use crate::units::{Span, Time};

/// The sender's state.
#[derive(Clone, Debug)]
pub struct Abc {
    /// The window for links without an ABC router.
    classic: RenoWindow,
    dual: bool,
    window: f64,
    least: f64,
    /// CE is a brake.
    as_coded: bool,
    pace: bool,
    srtt: Span,
}

impl Abc {
    fn mss(&self) -> f64 {
        self.classic.mss
    }

    fn binding(&self) -> f64 {
        match self.dual {
            true => self.window.min(self.classic.window),
            false => self.window,
        }
    }

    /// The share of accelerates in an echo; none where it reports no packet of this scheme.
    fn accelerates(&self, header: &CongestionHeader) -> Option<f64> {
        let CongestionHeader::Codepoints { ect1, ect0, ce } = *header else {
            return None;
        };
        // In the paper's form a packet with CE says neither.
        let brakes = if self.as_coded { ce } else { ect0 };
        let total = f64::from(ect1) + f64::from(brakes);
        (total > 0.0).then(|| f64::from(ect1) / total)
    }
}

impl Controller for Abc {
    fn on_ack(&mut self, ack: &Ack) {
        self.srtt = ack.srtt;
        if RenoWindow::may_grow(ack) {
            match self.classic.slow_start() {
                true => self.classic.double(ack),
                false => self.classic.increase(ack.advanced as f64, 1.0),
            }
        }
        if let Some(Feedback::Congestion(header)) = ack.feedback
            && let Some(share) = self.accelerates(header)
        {
            let acked = ack.acked as f64;
            let additive = self.mss() * acked / self.window;
            self.window += (2.0 * share - 1.0) * acked + additive;
        }
        let cap = (2.0 * ack.prior_in_flight as f64).max(self.least);
        self.window = self.window.min(cap).clamp(self.least, bounds::MAX_WINDOW);
        self.classic.window = self.classic.window.min(cap.max(2.0 * self.mss()));
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        // In the code's form CE is a brake, which each acknowledgement has reported.
        if !(self.as_coded && congestion.cause == Cause::Mark) {
            self.classic.on_congestion(congestion, 0.5);
        }
    }

    fn on_idle(&mut self, idle: &Idle) {
        self.classic.on_idle(idle);
        self.window = self.window.min(idle.window as f64).max(self.least);
    }

    fn congestion_header(&self) -> Option<Layout> {
        Some(Layout::Brake)
    }

    fn ecn(&self) -> Ecn {
        Ecn::Ect1
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn limits(&self) -> Limits {
        let bytes = self.binding();
        let paced = self.pace && self.srtt > Span::ZERO;
        Limits {
            window: bounds::window(bytes, self.mss() as u64),
            pacing: paced.then(|| bounds::rate(2.0 * bytes, self.srtt)),
            wake: Time::NEVER,
        }
    }

    fn inspect(&self) -> Inspect {
        let values = [
            ("abc_window", self.window),
            ("classic_window", self.classic.window),
        ];
        let classic = self.dual && self.classic.window < self.window;
        Inspect {
            state: if classic { "classic" } else { "explicit" },
            values: Inspect::values(values),
            ..Inspect::default()
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Abc>> = Part {
    id: "abc",
    aliases: &[],
    summary: "a packet more for each accelerate, a packet less for each brake",
    source: "Goyal et al., NSDI 2020",
    options: &[
        Opt::new(
            "variant",
            Kind::Choice(&["paper", "code"]),
            Default::Is("paper"),
            "a brake is ECT(0) and CE a classic mark (paper), or CE is a brake (the authors' kernel module)",
        ),
        Opt::new(
            "dual_window",
            Kind::Flag,
            Default::Is("true"),
            "keep a second window for links without an ABC router; the smaller counts",
        ),
        Opt::new(
            "floor",
            Kind::Packets,
            Default::Is("1 packets"),
            "least window; the authors' kernel module has 5 packets",
        )
        .at_least("1 packets")
        .at_most("1000 packets"),
        Opt::new(
            "pace",
            Kind::Flag,
            Default::Is("false"),
            "pace at two windows for each round trip, as the authors' kernel module does",
        ),
    ],
    build: |args, setup| {
        let classic = RenoWindow::new(setup);
        Ok(Abc {
            window: classic.window,
            least: args.packets("floor") as f64 * classic.mss,
            classic,
            dual: args.flag("dual_window"),
            as_coded: args.choice("variant") == "code",
            pace: args.flag("pace"),
            srtt: Span::ZERO,
        })
    },
};
