//! Pareto on and off periods of one shape.
//!
//! When, how much, differences: those of `on_off`, with Pareto periods.
//! Reference: Willinger, Taqqu, Sherman, Wilson, Self-Similarity Through High-Variability, 1997: many such
//! sources together are long-range dependent with H = (3 − alpha)/2 for 1 < alpha < 2.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::Time;

use super::law::Law;
use super::on_off::{OFF, ON, OnOff};
use super::{AnySource, Build, Demand, PACKET, Source, rate};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct ParetoOnOff(OnOff);

pub(super) const PART: Part<Build> = Part {
    id: "pareto-on-off",
    aliases: &[],
    summary: "packets back to back at a peak rate in Pareto on periods",
    source: "Willinger, Taqqu, Sherman, Wilson 1997",
    options: &[
        PACKET,
        rate("peak rate, in on periods"),
        ON,
        OFF,
        Opt::new(
            "alpha",
            Kind::Number,
            Default::Is("1.5"),
            "shape of both periods; at one and below they have no mean",
        )
        .at_least("1.01")
        .at_most("100"),
    ],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let alpha = args.number("alpha");
    let source = OnOff::new(args, |mean| Law::Pareto { mean, alpha })?;
    Ok(AnySource::ParetoOnOff(ParetoOnOff(source)))
}

impl Source for ParetoOnOff {
    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        self.0.next(now, random)
    }
}
