//! IEEE 802.11 without infrastructure services: stations that contend for a medium (DCF or EDCA),
//! RTS/CTS, acknowledgements and retries, over channels that say who hears whom.
//!
//! * `phy` is the radio, `reception` what a receiver makes of frames, `mac` who sends when and what follows.
//! * `queue` holds the packets of a station, `notices` its back-pressure. Each room says what enters and what leaves.
//! * `air` has the tables of all that, `radio` what a station has to send, `events` what 802.11 schedules.
//! * `build_stations` makes stations and hops, `check_medium` and `check_flows` refuse media and flows, `count` is what stations count.
//! * `log_frame` keeps frames for a capture (`air_log`, `wifi_bytes`).
//!
//! Abstractions: no beacons, no association, no fragments, block acknowledgement agreed before the run; one propagation delay
//! between all stations, counted by the sender too, so that stations that hear each other keep common
//! slot boundaries; a station senses a transmission at the instant after it began, so that two that
//! begin at one instant collide. A sender whose answer will not come knows at the end of its frame
//! what it would know at its timeout, and waits until then; so does one that misses its answer (`answer`).

pub mod air;
pub mod air_log;
mod build_stations;
mod check_flows;
mod check_medium;
mod count;
mod events;
mod log_frame;
pub mod mac;
pub(crate) mod notices;
pub mod phy;
pub(crate) mod prefetch;
pub mod queue;
pub mod radio;
pub mod reception;
mod reseed;
pub mod spec;
#[cfg(test)]
mod test_line;
#[cfg(test)]
mod test_refusals;
pub mod wifi_bytes;

use backwater_transport::part::Part;

use super::offer::{Carrier, Offer};
use crate::mechanism::needs::Set;
use backwater_wire::pcapng::LinkType;

/// The row.
pub const PART: Part<Offer> = Part {
    id: "802.11",
    aliases: &["wifi"],
    summary: "802.11b to 802.11be radio, DCF or EDCA, A-MPDUs, between stations on a plane",
    source: "IEEE 802.11-2016 clauses 10, 16, 17",
    options: &[],
    build: Offer {
        name: "802.11",
        carriers: &[
            Carrier::ManagementFrame,
            Carrier::HeaderField,
            Carrier::Mark,
        ],
        gives: Set::EVERYWHERE
            .and(Set::BUSY)
            .and(Set::TRANSMITTER)
            .and(Set::STATION)
            .and(Set::OVERHEARING),
        link: LinkType::Radiotap,
    },
};
