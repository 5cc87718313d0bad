//! ACP's sender: approach the target from below, go down to it at once.
//!
//! Detects: nothing; routers do. Tells: its round trip in each segment. Responds: the echoed target rate
//! times the round trip is the wanted window. A smaller one is taken at once. A larger one is approached by
//! gain / cwnd of the difference for each acknowledgement, and at once until a router has first reported
//! congestion.
//!
//! Reference: Lestas, Pitsillides, Ioannou and Hadjipollas, Computer Networks 51, 2007. The gain of 0.1 and
//! the first phase follow summaries of the paper.

use crate::building_blocks::network_window::{self, NetworkWindow};
use crate::congestion_header::{CongestionHeader, Layout};
use crate::controller_interface::{
    Ack, BuildOf, Congestion, Controller, Departure, Inspect, Limits, Reduction, Sent,
};
use crate::part::{Default, Kind, Opt, Part};
use crate::segment::Feedback;

/// The sender's state.
#[derive(Clone, Debug)]
pub struct Acp {
    core: NetworkWindow,
    gain: f64,
    /// No router has reported congestion so far.
    first: bool,
    wanted: f64,
}

impl Controller for Acp {
    fn on_ack(&mut self, ack: &Ack) {
        self.core.on_ack(ack);
        let Some(&Feedback::Congestion(CongestionHeader::Target {
            rate, congested, ..
        })) = ack.feedback
        else {
            return;
        };
        self.first &= !congested;
        if !rate.is_finite() {
            return;
        }
        self.wanted = self.core.filled_by(rate);
        let above = self.wanted - self.core.window;
        let step = match above > 0.0 && !self.first {
            true => (self.gain / self.core.packets()).min(1.0) * above,
            false => above,
        };
        self.core.set(self.core.window + step);
    }

    fn on_sent(&mut self, _: &Sent) -> Departure {
        let header = CongestionHeader::Target {
            rtt: self.core.rtt,
            rate: f64::INFINITY,
            congested: false,
        };
        Departure::Announced(Feedback::Congestion(header))
    }

    network_window::set_by_routers!(Layout::Target);

    fn limits(&self) -> Limits {
        self.core.limits()
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            values: Inspect::values([("wanted_bytes", self.wanted)]),
            state: if self.first {
                "first phase"
            } else {
                "tracking"
            },
            ..Inspect::default()
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Acp>> = Part {
    id: "acp",
    aliases: &[],
    summary: "approach the target rate that ACP routers write into the congestion header",
    source: "Lestas et al., Computer Networks 51, 2007",
    options: &[
        Opt::new(
            "gain",
            Kind::Number,
            Default::Is("0.1"),
            "part of the way up, divided by the window in packets, for each acknowledgement",
        )
        .at_least("0.0001")
        .at_most("1"),
        network_window::loss("halve"),
        network_window::PACE,
        network_window::MAX_RTT,
    ],
    build: |args, setup| {
        Ok(Acp {
            core: NetworkWindow::new(args, setup),
            gain: args.number("gain"),
            first: true,
            wanted: 0.0,
        })
    },
};
