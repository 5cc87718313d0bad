//! Each packet comes out twice with the same chance, the copy right behind it.
//!
//! Reference: the duplication metric of RFC 5560, as `tc-netem duplicate` has it. No deviations. A copy is a packet that
//! entered: it counts in its flow, and boxes and queues behind this one treat it as any other.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::Time;

use super::{AnyBox, Build, Pass, PathBox};

/// See the head of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Duplicate {
    share: f64,
}

impl PathBox for Duplicate {
    fn pass(&mut self, now: Time, random: &mut Random) -> Pass {
        match random.unit() <= self.share {
            true => Pass::Twice(now),
            false => Pass::At(now),
        }
    }
}

pub(super) const PART: Part<Build> = Part {
    id: "duplicate",
    aliases: &[],
    summary: "each packet comes out twice with the same chance",
    source: "RFC 5560",
    options: &[Opt::new(
        "share",
        Kind::Share,
        Default::Required,
        "share of packets that come out twice",
    )],
    build: |args| {
        Ok(AnyBox::Duplicate(Duplicate {
            share: args.share("share"),
        }))
    },
};
