//! Each packet is lost with the same chance, whatever happens to the others.
//!
//! Reference: mahimahi mm-loss; cellsim's loss rate. No deviations.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::Time;

use super::{AnyBox, Build, Pass, PathBox};
use crate::cause::Cause;

/// See the head of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    share: f64,
}

impl PathBox for Loss {
    fn pass(&mut self, now: Time, random: &mut Random) -> Pass {
        if random.unit() <= self.share {
            Pass::Lost(Cause::RandomLoss)
        } else {
            Pass::At(now)
        }
    }
}

pub(super) const PART: Part<Build> = Part {
    id: "loss",
    aliases: &[],
    summary: "each packet is lost with the same chance",
    source: "mahimahi mm-loss",
    options: &[Opt::new(
        "share",
        Kind::Share,
        Default::Required,
        "share of packets lost",
    )],
    build: |args| {
        Ok(AnyBox::Loss(Loss {
            share: args.share("share"),
        }))
    },
};
