//! Full-duplex point-to-point Ethernet (IEEE 802.3): what surrounds a payload on the wire.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::units::{Bytes, PS_PER_S, Rate, Span};

use super::offer::{Carrier, Offer};
use crate::mechanism::needs::Set;
use backwater_wire::pcapng::LinkType;

/// Destination, source, type (14) and frame check sequence (4). 802.3 clause 3.1.1.
pub const HEADER_FCS: u64 = 18;
/// Shortest frame, header and FCS included. 802.3 clause 4A.4.2 (minFrameSize).
pub const MIN_FRAME: u64 = 64;
/// Longest frame without jumbo. 802.3 clause 4A.4.2 (maxBasicFrameSize).
pub const MAX_FRAME: u64 = 1518;
/// Longest jumbo frame that is accepted.
pub const MAX_JUMBO: u64 = 9216;
/// Preamble and start delimiter. 802.3 clause 3.1.1.
pub const PREAMBLE: u64 = 8;
/// Inter-packet gap, 96 bit times. 802.3 clause 4A.4.2.
pub const GAP: u64 = 12;

/// Ticks of a byte, rounded up; 0 where there is no line rate.
pub fn ps_per_byte(rate: Rate) -> u64 {
    match rate.0 {
        0 => 0,
        bps => (8 * PS_PER_S).div_ceil(bps),
    }
}

/// Frame bytes for a payload.
pub fn frame(payload: u64) -> u64 {
    (payload + HEADER_FCS).max(MIN_FRAME)
}

/// Time from the end of a received PAUSE frame until transmission must have stopped.
/// IEEE 802.3 Annex 31B.3.7 gives 1 quantum up to 100 Mbit/s, 2 at 1 Gbit/s, 60 at 10 Gbit/s, 118 at
/// 40 Gbit/s, 394 at 100 Gbit/s. A rate between two of them takes the row below it in speed that is
/// the next listed one above it; above 100 Gbit/s the last row holds (our assumption).
pub fn reaction(rate: Rate) -> Span {
    let quanta = match rate.0 {
        0..=100_000_000 => 1,
        100_000_001..=1_000_000_000 => 2,
        1_000_000_001..=10_000_000_000 => 60,
        10_000_000_001..=40_000_000_000 => 118,
        _ => 394,
    };
    rate.time_for(Bytes(64 * quanta))
}

/// The row.
pub const PART: Part<Offer> = Part {
    id: "ethernet",
    aliases: &["wire"],
    summary: "full-duplex point-to-point Ethernet, 10 Mbit/s to 800 Gbit/s",
    source: "IEEE 802.3",
    options: &[
        Opt::new(
            "rate",
            Kind::Rate,
            Default::Required,
            "line rate, both ways",
        )
        .at_least("1 bit/s")
        .at_most("800 Gbit/s"),
        Opt::new("delay", Kind::Span, Default::Is("0 s"), "propagation delay")
            .at_least("0 s")
            .at_most("10 s"),
        Opt::new(
            "max_frame",
            Kind::Bytes,
            Default::Is("1518 B"),
            "longest frame, header and FCS included",
        )
        .at_least("64 B")
        .at_most("9216 B"),
    ],
    build: Offer {
        name: "wire",
        carriers: &[Carrier::ControlFrame, Carrier::HeaderField, Carrier::Mark],
        // A queue that drains at a line rate gives every notice a rate to name.
        gives: Set::EVERYWHERE
            .and(Set::INTERFACES)
            .and(Set::POOL)
            .and(Set::RATE),
        link: LinkType::Ethernet,
    },
};
