//! Always has something to send: whenever one of its packets has left the station's queue, the next takes
//! its place.
//!
//! When: two packets at the flow's start, then one for each that left.
//! How much: one packet.
//! Reference: the saturated stations of Bianchi, JSAC 2000.
//! Differences: only 802.11 stations ask for the next packet; hosts on a wire send the first two.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Time};

use super::{AnySource, Build, Demand, Source};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Saturated {
    packet: Bytes,
    /// Packets of the start that are still to come.
    first: u8,
}

impl Saturated {
    /// Size of each packet.
    pub fn packet(&self) -> Bytes {
        self.packet
    }
}

pub(super) const PART: Part<Build> = Part {
    id: "saturated",
    aliases: &["backlogged"],
    summary: "always has a packet to send (802.11 stations)",
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
    fn next(&mut self, now: Time, _: &mut Random) -> Option<Demand> {
        self.first = self.first.checked_sub(1)?;
        Some(Demand {
            at: now,
            bytes: self.packet,
        })
    }
}
