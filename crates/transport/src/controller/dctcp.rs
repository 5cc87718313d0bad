//! DCTCP: reduce in proportion to the marked share of the last windows.
//!
//! Detects: congestion by CE marks, which the queue sets above a low threshold. Tells: the receiver
//! reports exact counts. Responds: once per window by the factor 1 - α/2; growth and reaction to loss
//! are Reno's.
//!
//! Reference: RFC 8257. The reduction comes with the first mark of a window and uses the α of the
//! windows before, as in Linux; the window does not grow in the rest of that window.

use crate::building_blocks::marked_share::MarkedShare;
use crate::building_blocks::reno_window::RenoWindow;
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Departure, Idle, Inspect, Limits, Sent,
};
use crate::part::{Default, Kind, Opt, Part};
use crate::segment::Ecn;

/// DCTCP's state.
#[derive(Clone, Debug)]
pub struct Dctcp {
    core: RenoWindow,
    marks: MarkedShare,
    /// Segments sent so far, and how many at the last reduction: until one sent since is
    /// acknowledged, there is no other and no growth.
    sent: u64,
    recover: u64,
    ecn: Ecn,
}

impl Controller for Dctcp {
    fn on_ack(&mut self, ack: &Ack) {
        self.marks.count(ack);
        if ack.round_start {
            self.marks.update();
        }
        let mut reduced = ack.number < self.recover;
        if ack.marked > 0 && !reduced && !ack.recovering {
            reduced = true;
            self.recover = self.sent;
            self.core
                .reduce_to(self.core.window * (1.0 - self.marks.alpha / 2.0));
        }
        if reduced || !RenoWindow::may_grow(ack) {
            return;
        }
        match self.core.slow_start() {
            true => self.core.double(ack),
            false => self.core.increase(ack.advanced as f64, 1.0),
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        // Marks are counted in `on_ack`.
        if congestion.cause != Cause::Mark {
            self.core.on_congestion(congestion, 0.5);
        }
    }

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        self.sent = sent.number + 1;
        Departure::Noted
    }

    fn on_idle(&mut self, idle: &Idle) {
        self.core.on_idle(idle);
    }

    fn limits(&self) -> Limits {
        Limits::of(self.core.bytes())
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn inspect(&self) -> Inspect {
        self.core.inspect([("alpha", self.marks.alpha)])
    }
}

/// The row.
pub const PART: Part<BuildOf<Dctcp>> = Part {
    id: "dctcp",
    aliases: &[],
    summary: "reduce by half the share of marked bytes",
    source: "RFC 8257",
    options: &[
        Opt::new(
            "gain",
            Kind::Number,
            Default::Is("0.0625"),
            "weight of a new window in the share of marks (g)",
        )
        .at_least("0.0001")
        .at_most("1"),
        Opt::new(
            "alpha",
            Kind::Share,
            Default::Is("100 %"),
            "share of marks believed at the beginning",
        )
        .at_least("0 %")
        .at_most("100 %"),
        Opt::new(
            "ecn",
            Kind::Choice(&["ect0", "ect1"]),
            Default::Is("ect0"),
            "codepoint of its segments; ect1 asks for the L4S queue",
        ),
    ],
    build: |args, setup| {
        Ok(Dctcp {
            core: RenoWindow::new(setup),
            marks: MarkedShare::new(args.share("alpha"), args.number("gain")),
            sent: 0,
            recover: 0,
            ecn: match args.choice("ecn") {
                "ect1" => Ecn::Ect1,
                _ => Ecn::Ect0,
            },
        })
    },
};
