//! Detects and tells: left to the recipe. Responds: closes the gate for the frames that the notice
//! covers until the timer runs out or a notice of zero quanta opens it. A new PAUSE replaces the
//! timer; notices that name destinations are kept per origin. At a station the gate is closed for what goes to
//! the sender of the notice; a request for less closes it until the request expires, one for more opens it.
//! Reference: IEEE 802.3 Annex 31B; S2 block/unblock.
//! Differences: none known.

use backwater_transport::part::Part;

use super::{AnyResponder, Build, Knobs, Responder};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::notice::Notice;

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::GATES);

/// See the head of the file.
#[derive(Copy, Clone, Debug)]
pub struct Gate;

impl Responder for Gate {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn react(&mut self, notice: &Notice, knobs: &mut Knobs) {
        knobs.gate(notice);
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "gate",
    aliases: &["block"],
    summary: "stop what the notice covers until the timer runs out or it is taken back",
    source: "IEEE 802.3 Annex 31B; S2 block/unblock",
    options: &[],
    build: |_| Ok(AnyResponder::Gate(Gate)),
};
