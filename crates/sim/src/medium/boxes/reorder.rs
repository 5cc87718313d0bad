//! Each packet is held back with the same probability; packets that arrive meanwhile overtake it.
//!
//! Reference: packet reordering of RFC 4737, as parallel paths of unequal length make it. No deviations.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::{AnyBox, Build, Pass, PathBox};

/// See the head of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Reorder {
    share: f64,
    by: Span,
}

impl PathBox for Reorder {
    fn pass(&mut self, now: Time, random: &mut Random) -> Pass {
        match random.unit() <= self.share {
            true => Pass::At(now.after(self.by)),
            false => Pass::At(now),
        }
    }
}

pub(super) const PART: Part<Build> = Part {
    id: "reorder",
    aliases: &[],
    summary: "some packets are held back, and others overtake them",
    source: "RFC 4737",
    options: &[
        Opt::new(
            "share",
            Kind::Share,
            Default::Required,
            "share of packets held back",
        ),
        Opt::new("by", Kind::Span, Default::Required, "for how long").at_most("1000 s"),
    ],
    build: |args| {
        Ok(AnyBox::Reorder(Reorder {
            share: args.share("share"),
            by: args.span("by"),
        }))
    },
};
