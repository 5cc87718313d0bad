//! Detects and tells: left to the recipe. Responds: a station sends no data at all until the time of the notice is over or a
//! notice of no time ends it; management frames still go. It has one timer for each category: the notice that came last
//! counts, whoever sent it.
//! Reference: S4, 3.2 (total congestion control). Differences: none known.

use backwater_transport::part::Part;

use super::{AnyResponder, Build, Knobs, Responder};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::notice::Notice;

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::GATES.and(Set::STATION));

/// See the head of the file.
#[derive(Copy, Clone, Debug)]
pub struct StopAll;

impl Responder for StopAll {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn react(&mut self, notice: &Notice, knobs: &mut Knobs) {
        // Whatever the next hop.
        knobs.next = None;
        knobs.gate(notice);
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "stop-all",
    aliases: &[],
    summary: "a station sends no data to anybody until the timer runs out or it is taken back",
    source: "S4, 3.2",
    options: &[],
    build: |_| Ok(AnyResponder::StopAll(StopAll)),
};
