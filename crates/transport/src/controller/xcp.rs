//! XCP's sender: the window changes by what routers grant.
//!
//! Detects: nothing; routers do. Tells: round trip, spacing of packets and the change of throughput it
//! wants, in each segment. Responds: each acknowledgement brings the change of throughput that the routers
//! gave the segments it covers; the window grows or shrinks by that change times the round trip.
//!
//! Reference: Katabi, Handley and Rohrs, SIGCOMM 2002, section 3.2; draft-falk-xcp-spec-03 section 3.
//! Deviations: a flow that does not fill its window takes no increase, so that an idle sender saves no
//! window for a burst; an echo that no router has lowered changes nothing. The blind form of the routers
//! needs the same sender.

use crate::building_blocks::network_window::{self, NetworkWindow};
use crate::congestion_header::{CongestionHeader, Layout};
use crate::controller_interface::{
    Ack, BuildOf, Congestion, Controller, Departure, Inspect, Limits, Reduction, Sent,
};
use crate::part::{Default, Kind, Opt, Part};
use crate::segment::Feedback;
use crate::units::Span;

/// The sender's state.
#[derive(Clone, Debug)]
pub struct Xcp {
    core: NetworkWindow,
    /// Wanted throughput on the link, bytes/s.
    demand: f64,
    last: f64,
}

impl Xcp {
    /// The change of throughput that a packet asks for, bytes/s.
    fn wanted(&self) -> f64 {
        let have = self.core.window * self.core.expansion / self.core.rtt.seconds();
        (self.demand - have) / self.core.packets()
    }
}

impl Controller for Xcp {
    fn on_ack(&mut self, ack: &Ack) {
        self.core.on_ack(ack);
        let Some(&Feedback::Congestion(CongestionHeader::Change { change, .. })) = ack.feedback
        else {
            return;
        };
        if change.is_finite() && (change < 0.0 || ack.cwnd_limited) {
            self.last = self.core.filled_by(change);
            self.core.set(self.core.window + self.last);
        }
    }

    fn on_sent(&mut self, _: &Sent) -> Departure {
        let known = self.core.rtt > Span::ZERO;
        let header = CongestionHeader::Change {
            rtt: self.core.rtt,
            spacing: self.core.rtt.seconds() / self.core.packets(),
            change: if known { self.wanted() } else { 0.0 },
        };
        Departure::Announced(Feedback::Congestion(header))
    }

    network_window::set_by_routers!(Layout::Change);

    fn limits(&self) -> Limits {
        self.core.limits()
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            values: Inspect::values([("change_bytes", self.last)]),
            state: "explicit",
            ..Inspect::default()
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Xcp>> = Part {
    id: "xcp",
    aliases: &["xcpb"],
    summary: "change the window by what XCP routers write into the congestion header",
    source: "Katabi, Handley and Rohrs, SIGCOMM 2002; draft-falk-xcp-spec-03",
    options: &[
        Opt::new(
            "demand",
            Kind::Rate,
            Default::Absent,
            "throughput on the link that the sender asks for; absent: all it can get",
        )
        .at_least("1 bit/s")
        .at_most("800 Gbit/s"),
        network_window::loss("halve"),
        network_window::PACE,
        network_window::MAX_RTT,
    ],
    build: |args, setup| {
        Ok(Xcp {
            core: NetworkWindow::new(args, setup),
            demand: match args.has("demand") {
                true => args.rate("demand").0 as f64 / 8.0,
                false => f64::INFINITY,
            },
            last: 0.0,
        })
    },
};
