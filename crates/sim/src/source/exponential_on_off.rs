//! Exponential on and off periods.
//!
//! When, how much, reference, differences: those of `on_off`, with exponential periods.

use backwater_transport::part::{Args, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::Time;

use super::law::Law;
use super::on_off::{OFF, ON, OnOff};
use super::{AnySource, Build, Demand, PACKET, Source, rate};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct ExponentialOnOff(OnOff);

pub(super) const PART: Part<Build> = Part {
    id: "exponential-on-off",
    aliases: &[],
    summary: "packets back to back at a peak rate in exponential on periods",
    source: "ns-3 OnOffApplication with exponential OnTime and OffTime",
    options: &[PACKET, rate("peak rate, in on periods"), ON, OFF],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let source = OnOff::new(args, |mean| Law::Exponential { mean })?;
    Ok(AnySource::ExponentialOnOff(ExponentialOnOff(source)))
}

impl Source for ExponentialOnOff {
    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        self.0.next(now, random)
    }
}
