//! Bursts of one size at uniformly distributed intervals.
//!
//! When: intervals U(0, 2T) with T = 8·burst/rate; the first is a residual life.
//! How much: `burst`, handed to the host at once.
//! Reference: Tobagi, Fraleigh, Noureddine, Congestion Control in Local Area Networks, "Uniform-Fixed".
//! Differences: the slides don't say how the first burst is placed.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Time};

use super::law::{Law, Renewal, mean_gap};
use super::{AnySource, Build, Demand, Source, rate};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct UniformFixed {
    burst: Bytes,
    instants: Renewal,
}

pub(super) const PART: Part<Build> = Part {
    id: "uniform-fixed",
    aliases: &[],
    summary: "bursts of one size at uniformly distributed intervals",
    source: "Tobagi, Fraleigh, Noureddine: Uniform-Fixed Data Traffic Model",
    options: &[
        Opt::new(
            "burst",
            Kind::Bytes,
            Default::Required,
            "size of each burst",
        )
        .at_least("1 B")
        .at_most("1000 MB"),
        rate("mean rate"),
    ],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let burst = args.bytes("burst");
    let mean = mean_gap(burst.0 as f64, args.rate("rate"));
    Ok(AnySource::UniformFixed(UniformFixed {
        burst,
        instants: Renewal::new(Law::Uniform { mean }),
    }))
}

impl Source for UniformFixed {
    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        let at = self.instants.next(now, random)?;
        Some(Demand {
            at,
            bytes: self.burst,
        })
    }
}
