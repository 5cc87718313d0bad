//! Batches of equal packets at the instants of a Poisson process.
//!
//! When: exponential intervals with mean 8·batch·packet/rate.
//! How much: `batch` packets at one instant, each a demand of its own, so that the flow's packet size
//! doesn't merge them.
//! Reference: M^\[B\]/D/1 with constant batches: W_q/S = ρ/(2(1 − ρ)) + (B − 1)/(2(1 − ρ)).
//! Differences: none.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Time};

use super::law::{Law, Renewal, mean_gap};
use super::{AnySource, Build, Demand, PACKET, Source, rate};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct BatchPoisson {
    batch: u64,
    packet: Bytes,
    /// Packets of the present batch still to come.
    left: u64,
    instants: Renewal,
}

pub(super) const PART: Part<Build> = Part {
    id: "batch-poisson",
    aliases: &[],
    summary: "batches of equal packets at exponential intervals",
    source: "Batch Poisson process; the arrivals of M[B]/D/1",
    options: &[
        Opt::new(
            "batch",
            Kind::Count,
            Default::Required,
            "packets of each batch",
        )
        .at_least("1")
        .at_most("1000000"),
        PACKET,
        rate("mean rate"),
    ],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let (batch, packet) = (args.count("batch"), args.bytes("packet"));
    let mean = mean_gap(batch as f64 * packet.0 as f64, args.rate("rate"));
    Ok(AnySource::BatchPoisson(BatchPoisson {
        batch,
        packet,
        left: 0,
        instants: Renewal::new(Law::Exponential { mean }),
    }))
}

impl Source for BatchPoisson {
    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        let at = if self.left == 0 {
            self.left = self.batch;
            self.instants.next(now, random)?
        } else {
            now
        };
        self.left -= 1;
        Some(Demand {
            at,
            bytes: self.packet,
        })
    }
}
