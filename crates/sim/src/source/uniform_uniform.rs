//! Bursts of uniformly distributed size at uniformly distributed intervals.
//!
//! When: intervals U(0, 2T) with T = 8·burst/rate; the first is a residual life.
//! How much: U{64, …, 2·burst} bytes, both ends included, handed to the host at once.
//! Reference: Tobagi, Fraleigh, Noureddine, Congestion Control in Local Area Networks, "Uniform-Uniform".
//! Differences: the slides give the mean of U(64, 2M) as M − 32; it is M + 32. T is theirs, so the
//! offered load is rate·(1 + 32/M): 0.53 % above `rate` at 6 kB, 0.07 % at 48 kB. The slides don't
//! say how the first burst is placed.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Time};

use super::law::{Law, Renewal, mean_gap};
use super::{AnySource, Build, Demand, Source, rate};

/// The least burst of the slides: the least Ethernet frame.
const LEAST: u64 = 64;

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct UniformUniform {
    most: u64,
    instants: Renewal,
}

pub(super) const PART: Part<Build> = Part {
    id: "uniform-uniform",
    aliases: &[],
    summary: "bursts of uniformly distributed size at uniformly distributed intervals",
    source: "Tobagi, Fraleigh, Noureddine: Uniform-Uniform Data Traffic Model",
    options: &[
        Opt::new(
            "burst",
            Kind::Bytes,
            Default::Required,
            "half of the largest burst; sizes lie between 64 B and twice this, their mean is this plus 32 B",
        )
        .at_least("32 B")
        .at_most("500 MB"),
        rate("8 burst / mean interval; the load is higher by the factor 1 + 32 B / burst"),
    ],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let burst = args.bytes("burst");
    let mean = mean_gap(burst.0 as f64, args.rate("rate"));
    Ok(AnySource::UniformUniform(UniformUniform {
        most: 2 * burst.0,
        instants: Renewal::new(Law::Uniform { mean }),
    }))
}

impl Source for UniformUniform {
    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        let at = self.instants.next(now, random)?;
        let bytes = Bytes(random.between(LEAST, self.most));
        Some(Demand { at, bytes })
    }
}
