//! iACP's sender: approach the target window by a fixed share for each acknowledgement.
//!
//! Detects: nothing; the access point does. Tells: window and round trip in each segment, the latter zero
//! before the first sample. Responds: cwnd ← cwnd + a (target - cwnd) for each acknowledgement, equation (1).
//!
//! Reference: Mao and Liu, "Enhancements on Adaptive Congestion Protocol for Wireless Networks".
//! Readings: the field is a window in packets; the access point that speaks of a rate writes that rate
//! times the round trip of the packet. The paper says nothing of losses: segments are sent again and the
//! window stays, because the access point owns it; `loss = "halve"` is the other reading. "Maximum RTT of TCP"
//! is the greatest round trip that the sender believes.

use crate::building_blocks::network_window::{self, NetworkWindow};
use crate::congestion_header::{CongestionHeader, Layout};
use crate::controller_interface::{
    Ack, BuildOf, Congestion, Controller, Departure, Inspect, Limits, Reduction, Sent,
};
use crate::part::{Default, Kind, Opt, Part};
use crate::segment::Feedback;

/// The sender's state.
#[derive(Clone, Debug)]
pub struct Iacp {
    core: NetworkWindow,
    a: f64,
    target: f64,
}

impl Controller for Iacp {
    fn on_ack(&mut self, ack: &Ack) {
        self.core.on_ack(ack);
        if let Some(&Feedback::Congestion(CongestionHeader::Window { window, .. })) = ack.feedback
            && window.is_finite()
        {
            self.target = window * self.core.mss;
            let window = self.core.window;
            self.core.set(window + self.a * (self.target - window));
        }
    }

    fn on_sent(&mut self, _: &Sent) -> Departure {
        let header = CongestionHeader::Window {
            rtt: self.core.rtt,
            cwnd: self.core.packets(),
            window: f64::INFINITY,
        };
        Departure::Announced(Feedback::Congestion(header))
    }

    network_window::set_by_routers!(Layout::Window);

    fn approach(&self) -> Option<f64> {
        Some(self.a)
    }

    fn limits(&self) -> Limits {
        self.core.limits()
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            values: Inspect::values([("target_bytes", self.target)]),
            state: "explicit",
            ..Inspect::default()
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Iacp>> = Part {
    id: "iacp",
    aliases: &[],
    summary: "approach the target window that an iACP access point writes into the congestion header",
    source: "Mao and Liu, Enhancements on Adaptive Congestion Protocol for Wireless Networks",
    options: &[
        Opt::new(
            "a",
            Kind::Number,
            Default::Is("0.012"),
            "part of the way to the target for each acknowledgement",
        )
        .at_least("0.0001")
        .at_most("1"),
        network_window::loss("keep"),
        network_window::PACE,
        network_window::MAX_RTT,
    ],
    build: |args, setup| {
        Ok(Iacp {
            core: NetworkWindow::new(args, setup),
            a: args.number("a"),
            target: 0.0,
        })
    },
};
