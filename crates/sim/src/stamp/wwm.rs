//! The weighted window method: an access point lowers the receive window in acknowledgements that cross it.
//!
//! Detects: active flows. Tells: the receive window of each acknowledgement, at most the flow's share of the
//! buffer. Responds: any TCP sender, which respects the receive window.
//!
//! Reference: Seyedzadegan and Othman, "Weighted window method for TCP fairness in WLANs", ITSim 2008. Only one
//! sentence about it was available ("limits the size of the receiver window of TCP flows"), so that this is a
//! reconstruction: each flow gets weight × buffer / flows packets, at least one. What is missing is how the
//! paper weighs uplink against downlink flows; `weight` is the same for all.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::units::Time;

use super::Build;
use super::law::{BUFFER, BufferOption, LawPacket, LawQueue, Passing, Senders, Stamp};
use super::measure::{FLOW_TIMEOUT, Flows};

/// The options and the state.
#[derive(Clone, Debug)]
pub struct WeightedWindow {
    weight: f64,
    segment: f64,
    room: BufferOption,
    buffer: f64,
    flows: Flows,
}

impl WeightedWindow {
    fn packets(&self) -> f64 {
        (self.weight * self.buffer / self.flows.count()).max(1.0)
    }
}

impl Stamp for WeightedWindow {
    fn layout(&self) -> Option<Layout> {
        None
    }

    fn needs_packets(&self) -> bool {
        self.room.needs_packets()
    }

    fn attach(&mut self, place: &LawQueue) {
        self.buffer = self.room.at(place);
    }

    fn arrive(&mut self, seen: &LawPacket, _: Option<&CongestionHeader>) {
        self.flows.note(seen.now, seen.ends);
    }

    fn depart(&mut self, _: &LawPacket, passing: &mut Passing) {
        if let Some(window) = passing.window.as_deref_mut() {
            *window = (*window).min((self.packets() * self.segment) as u32);
        }
    }

    fn warnings(&self, _: Time, senders: &Senders) -> Vec<String> {
        [self.room.warning(), Flows::warning(senders)]
            .into_iter()
            .flatten()
            .collect()
    }

    fn values(&self) -> [(&'static str, f64); 4] {
        [
            ("window_pkts", self.packets()),
            ("flows", self.flows.count()),
            ("", 0.0),
            ("", 0.0),
        ]
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "wwm",
    aliases: &[],
    summary: "weighted window method: lower the receive window in acknowledgements; a reconstruction",
    source: "Seyedzadegan and Othman, ITSim 2008 (only summaries available)",
    options: &[
        Opt::new(
            "weight",
            Kind::Number,
            Default::Is("1"),
            "factor on the equal share of the buffer",
        )
        .at_least("0.01")
        .at_most("100"),
        Opt::new(
            "segment",
            Kind::Bytes,
            Default::Is("1448 B"),
            "payload of a packet",
        )
        .at_least("1 B")
        .at_most("65535 B"),
        FLOW_TIMEOUT,
        BUFFER,
    ],
    build: |args| {
        let law = WeightedWindow {
            weight: args.number("weight"),
            segment: args.bytes("segment").0 as f64,
            room: BufferOption::new(args),
            buffer: 0.0,
            flows: Flows::new(args.span("flow_timeout")),
        };
        Ok(law.into())
    },
};
