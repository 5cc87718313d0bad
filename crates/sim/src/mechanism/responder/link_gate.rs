//! Detects and tells: left to the recipe. Responds: a station sends nothing to the sender of the notice until the notice's time is
//! over or a notice of zero time ends it. Frames to other stations are sent meanwhile, in order of arrival. Own packets behind
//! the gate may fill only a part of the room for own packets, so that packets to other stations find room.
//! Reference: S4, 3.3 (link selective congestion control): half of the share of own packets.
//! Differences: own packets that waited already when the gate closed stay queued.

use backwater_transport::part::{Default, Kind, Opt, Part};

use super::{AnyResponder, Build, Knobs, Responder};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::notice::Notice;

/// Its needs.
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
