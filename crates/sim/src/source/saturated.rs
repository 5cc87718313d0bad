//! Always has something to send: the queue of the place where its packets are born never runs empty. It has no
//! transport: that would take whatever it is given, and the source that never runs out of data for it is `bulk`.
//!
//! When: at an 802.11 station two packets at the flow's start (with A-MPDUs as many as a window has, if the buffer takes them), then one for each that left the station's queue; at a host
//! on a link one at the flow's start, then one whenever its packet begins to be sent. Where the queue has no room, when
//! there is. See `world/station.rs` and `world/refill.rs`.
//! How much: one packet.
//! Reference: the saturated stations of Bianchi, JSAC 2000.
//! Differences: Bianchi has stations only; boxes before the host's own queue are refused.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Time};
use backwater_transport::walk::Walk;

use super::{AnySource, Build, Demand, Source};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Saturated {
    packet: Bytes,
    /// Packets of the start that are still to come.
    first: u16,
}

impl Saturated {
    /// So many packets wait from the start on, where more than one goes at a time.
    pub fn keep(&mut self, packets: u16) {
        self.first = self.first.max(packets);
    }

    /// Size of each packet.
    pub fn packet(&self) -> Bytes {
        self.packet
    }
}

pub(super) const PART: Part<Build> = Part {
    id: "saturated",
    aliases: &["backlogged"],
    summary: "always has a packet to send, without a transport",
    source: "Bianchi 2000",
    options: &[Opt::new(
        "packet",
        Kind::Bytes,
        Default::Is("1500 B"),
        "size of each IP packet",
    )
    .at_least("1 B")
    .at_most("2296 B")],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    Ok(AnySource::Saturated(Saturated {
        packet: args.bytes("packet"),
        first: 2,
    }))
}

impl Source for Saturated {
    fn walk(&mut self, walk: &mut Walk, _flow: &str, _begun: bool) {
        walk.same(self.first);
    }

    fn next(&mut self, now: Time, _: &mut Random) -> Option<Demand> {
        self.first = self.first.checked_sub(1)?;
        Some(Demand {
            at: now,
            bytes: self.packet,
        })
    }
}
