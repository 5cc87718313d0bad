//! Demands come from outside through `World::inject`, and their fates go back there. For emulation,
//! learning environments and notebooks that drive a world step by step.

use backwater_transport::part::Part;
use backwater_transport::random::Random;
use backwater_transport::units::Time;

use super::{AnySource, Build, Demand, Source};

/// Demands nothing itself.
#[derive(Clone, Debug)]
pub struct Outside;

impl Source for Outside {
    fn next(&mut self, _now: Time, _random: &mut Random) -> Option<Demand> {
        None
    }
}

pub(super) const PART: Part<Build> = Part {
    id: "outside",
    aliases: &[],
    summary: "packets are injected by the program that drives the world",
    source: "Backwater's outside interface",
    options: &[],
    build: |_| Ok(AnySource::Outside(Outside)),
};
