//! Detects and tells: left to the recipe. Responds: a station sends nothing to the sender of the notice until its time is over
//! or a notice of no time ends it; what goes to others passes by, in order of arrival. Own packets that are held back so may take
//! no more than a part of what own packets may take: others find room.
//! Reference: S4, 3.3 (link selective congestion control): half of the share of own packets.
//! Differences: own packets that waited already when the gate closed stay.

use backwater_transport::part::{Default, Kind, Opt, Part};

use super::{AnyResponder, Build, Knobs, Responder};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::notice::Notice;

/// What it needs.
pub const NEEDS: Needs = Needs::of(Set::GATES.and(Set::STATION));

/// See the head of the file.
#[derive(Copy, Clone, Debug)]
pub struct LinkGate {
    blocked: f64,
}

impl Responder for LinkGate {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn blocked_share(&self) -> f64 {
        self.blocked
    }

    fn react(&mut self, notice: &Notice, knobs: &mut Knobs) {
        knobs.gate(notice);
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "link-gate",
    aliases: &[],
    summary: "a station sends nothing to the sender of the notice, and lets few own packets wait for that",
    source: "S4, 3.3",
    options: &[Opt::new(
        "blocked",
        Kind::Share,
        Default::Is("50 %"),
        "part of the room for own packets that those may take which are held back",
    )
    .at_least("0 %")
    .at_most("100 %")],
    build: |args| {
        Ok(AnyResponder::LinkGate(LinkGate {
            blocked: args.share("blocked"),
        }))
    },
};
