//! Detects and tells: left to the recipe. Responds: closes the gate for the frames that the notice
//! covers until the timer runs out or a notice of zero quanta opens it. A new PAUSE replaces the
//! timer; notices that name destinations are kept per origin.
//! Reference: IEEE 802.3 Annex 31B; S2 block/unblock.
//! Differences: none known.

use backwater_transport::part::Part;
use backwater_transport::units::Time;

use super::{AnyResponder, Build, Knobs};
use crate::mechanism::gates::Bar;
use crate::mechanism::notice::Notice;

pub(super) fn react(now: Time, notice: &Notice, knobs: &mut Knobs) {
    let until = now.after(knobs.quantum.times(u64::from(notice.quanta)));
    match &notice.hosts {
        None => knobs.gates.set(now, notice.classes, until),
        Some(_) if notice.quanta == 0 => knobs.gates.lift(now, notice.key),
        Some(hosts) => {
            let bar = Bar {
                key: notice.key,
                classes: notice.classes,
                hosts: Some(hosts.clone()),
                next: None,
                until,
                bucket: None,
            };
            knobs.gates.lower(now, bar);
        }
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "gate",
    aliases: &["block"],
    summary: "stop what the notice covers until the timer runs out or it is taken back",
    source: "IEEE 802.3 Annex 31B; S2 block/unblock",
    options: &[],
    build: |_| Ok(AnyResponder::Gate),
};
