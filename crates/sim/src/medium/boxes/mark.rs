//! Each packet whose transport takes marks is marked with the same chance (CE); others pass as they are.
//!
//! Reference: RFC 3168 section 5. Differences: a router that marks for congestion drops what it cannot mark; this box has no
//! queue, so nothing is congested.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::Time;

use super::{AnyBox, Build, Pass, PathBox};

/// See the head of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    share: f64,
}

impl PathBox for Mark {
    fn pass(&mut self, now: Time, random: &mut Random) -> Pass {
        match random.unit() <= self.share {
            true => Pass::Marked(now),
            false => Pass::At(now),
        }
    }
}

pub(super) const PART: Part<Build> = Part {
    id: "mark",
    aliases: &[],
    summary: "packets that can be marked are marked with the same chance",
    source: "RFC 3168 section 5",
    options: &[Opt::new(
        "share",
        Kind::Share,
        Default::Required,
        "share of packets marked",
    )],
    build: |args| {
        Ok(AnyBox::Mark(Mark {
            share: args.share("share"),
        }))
    },
};
