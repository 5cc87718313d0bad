//! RCP's sender: send at the rate that routers grant.
//!
//! Detects: nothing; routers do. Tells: its round trip in each segment, and asks for any rate. Responds:
//! paces at the least rate that a router on the path has written.
//!
//! Reference: Dukkipati, Kobayashi, Zhang-Shen and McKeown, IWQoS 2005; Dukkipati, Stanford thesis, 2008.
//! Deviations: there is no handshake, so the first window takes the place of the SYN that asks for a rate;
//! after an idle time longer than the retransmission timeout the sender begins with it again. The window,
//! which the paper does not have, is the rate times the round trip and one segment.

use crate::building_blocks::bounds;
use crate::building_blocks::network_window::{self, NetworkWindow};
use crate::congestion_header::{CongestionHeader, Layout};
use crate::controller_interface::{
    Ack, BuildOf, Congestion, Controller, Departure, Idle, Inspect, Limits, Reduction, Sent,
};
use crate::part::Part;
use crate::segment::Feedback;

/// The sender's state.
#[derive(Clone, Debug)]
pub struct Rcp {
    core: NetworkWindow,
    initial: u64,
    /// Granted rate on the link, bytes/s; none before the first grant.
    rate: Option<f64>,
}

impl Controller for Rcp {
    fn on_ack(&mut self, ack: &Ack) {
        self.core.on_ack(ack);
        if let Some(&Feedback::Congestion(CongestionHeader::Rate { rate, .. })) = ack.feedback
            && rate.is_finite()
        {
            self.rate = Some(rate);
            self.core.set(self.core.filled_by(rate) + self.core.mss);
        }
    }

    fn on_sent(&mut self, _: &Sent) -> Departure {
        let header = CongestionHeader::Rate {
            rtt: self.core.rtt,
            rate: f64::INFINITY,
        };
        Departure::Announced(Feedback::Congestion(header))
    }

    network_window::set_by_routers!(Layout::Rate);

    fn on_idle(&mut self, idle: &Idle) {
        if idle.window < u64::MAX {
            self.rate = None;
            self.core.set(self.initial as f64);
        }
    }

    fn limits(&self) -> Limits {
        Limits {
            pacing: self.rate.map(|rate| self.core.payload_rate(rate)),
            ..self.core.limits()
        }
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            values: Inspect::values([("granted_bytes_per_s", self.rate.unwrap_or(0.0))]),
            state: if self.rate.is_some() {
                "granted"
            } else {
                "asking"
            },
            ..Inspect::default()
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Rcp>> = Part {
    id: "rcp",
    aliases: &[],
    summary: "send at the rate that RCP routers write into the congestion header",
    source: "Dukkipati et al., IWQoS 2005",
    options: &[network_window::loss("keep"), network_window::MAX_RTT],
    build: |args, setup| {
        Ok(Rcp {
            core: NetworkWindow::new(args, setup),
            initial: bounds::window(setup.initial as f64, setup.mss),
            rate: None,
        })
    },
};
