//! Packets of one size at the instants of a Poisson process.
//!
//! When: exponential intervals with mean 8·packet/rate.
//! How much: one packet.
//! Reference: the arrivals of M/D/1 and M/G/1.
//! Differences: none.

use backwater_transport::part::{Args, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Time};

use super::law::{Law, Renewal, mean_gap};
use super::{AnySource, Build, Demand, PACKET, Source, rate};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Poisson {
    packet: Bytes,
    instants: Renewal,
}

pub(super) const PART: Part<Build> = Part {
    id: "poisson",
    aliases: &[],
    summary: "packets of one size at exponential intervals",
    source: "Poisson process; the arrivals of M/D/1",
    options: &[PACKET, rate("mean rate")],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let packet = args.bytes("packet");
    let mean = mean_gap(packet.0 as f64, args.rate("rate"));
    Ok(AnySource::Poisson(Poisson {
        packet,
        instants: Renewal::new(Law::Exponential { mean }),
    }))
}

impl Source for Poisson {
    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        let at = self.instants.next(now, random)?;
        Some(Demand {
            at,
            bytes: self.packet,
        })
    }

    fn forgets(&self) -> bool {
        true
    }
}
