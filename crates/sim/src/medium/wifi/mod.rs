//! IEEE 802.11 without infrastructure services: stations that contend for a medium (DCF or EDCA),
//! RTS/CTS, acknowledgements and retries, over channels that say who hears whom.
//!
//! * `phy` has the timing of 802.11b and OFDM.
//! * `mac` has the contention of one access category.
//! * `channel` turns positions into who hears whom.
//! * `physical` has path loss and shadowing, `errors` the frame errors of a rate, `reception` what a receiver
//!   makes of all that.
//! * `collision` has reception under the unit disc.
//! * `answer` says which answers their addressees miss.
//! * `carrier_sense`, `radio` and `frame` are what a station senses, what it has to send, and what it sends.
//! * `air` has the tables of all that, `timing` what the stations of a medium have in common.
//! * `build_stations` makes stations and hops, `station_mechanisms` what watches them.
//! * `station_queue` takes packets in, `line_up` orders them (`rounds`: round-robin by flow), `next_frame` chooses one at the attempt,
//!   `blocked_share` limits what waits at gates, `judge` lets queue management decide.
//! * `contend` lets stations count down and send, `exchange` and `failure` draw the consequences, `group_frames` has those to many.
//! * `notices` sends management frames of mechanisms, `carried` brings notices with data frames.
//! * `observe_station` lets detectors look, `overhear` tells them what others send on, `log_frame` keeps frames for a capture (`air_log`, `wifi_bytes`).

//!
//! Abstractions: no beacons, no association, no fragments, no aggregation; one propagation delay
//! between all stations, counted by the sender too, so that stations that hear each other keep common
//! slot boundaries; a station senses a transmission at the instant after it began, so that two that
//! begin at one instant collide. A sender whose answer will not come knows at the end of its frame
//! what it would know at its timeout, and waits until then; so does one that misses its answer (`answer`).

mod access_point;
pub mod air;
pub mod air_log;
mod answer;
mod blocked_share;
mod build_stations;
mod carried;
pub mod carrier_sense;
pub mod channel;
mod check_flows;
mod collision;
mod contend;
pub mod errors;
mod events;
mod exchange;
mod failure;
pub mod frame;
mod group_frames;
mod judge;
mod line_up;
mod log_frame;
pub mod mac;
mod next_frame;
mod notices;
mod observe_station;
mod overhear;
pub mod phy;
pub mod physical;
mod power_level;
pub mod radio;
pub mod reception;
mod responders;
pub mod rounds;
pub mod spec;
mod station_mechanisms;
mod station_queue;
mod stopped_links;
#[cfg(test)]
mod test_line;
pub mod timing;
pub mod wifi_bytes;

use backwater_transport::part::Part;

use super::offer::{Carrier, Offer};
use crate::mechanism::needs::Set;
use crate::record::pcapng::LinkType;

/// The row.
pub const PART: Part<Offer> = Part {
    id: "802.11",
    aliases: &["wifi"],
    summary: "802.11b or OFDM radio, DCF or EDCA, between stations on a plane",
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
