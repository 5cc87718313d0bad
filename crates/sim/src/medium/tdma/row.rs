//! The row of TDMA in the table of media, and the options of frames and terminals.

use backwater_transport::part::{Default, Kind, Opt, Part};

use super::super::offer::Offer;
use super::spec::Demand;
use crate::mechanism::needs::Set;
use backwater_wire::pcapng::LinkType;

/// The row.
pub const PART: Part<Offer> = Part {
    id: "tdma",
    aliases: &["slots"],
    summary: "a frame of slots that terminals share, by constant assignment and on demand, as on a satellite's return link",
    source: "ETSI EN 301 790 (DVB-RCS)",
    options: &[FRAME, SLOTS, SLOT, REQUEST_DELAY, FREE],
    build: Offer {
        name: "tdma",
        carriers: &[],
        gives: Set::NONE,
        link: LinkType::Ethernet,
    },
};

/// Duration of a frame.
pub const FRAME: Opt = Opt::new(
    "frame",
    Kind::Span,
    Default::Required,
    "duration of a frame",
)
.at_least("1 us")
.at_most("10 s");
/// Slots of a frame.
pub const SLOTS: Opt = Opt::new("slots", Kind::Count, Default::Required, "slots of a frame")
    .at_least("1")
    .at_most("65536");
/// Bytes of a slot.
pub const SLOT: Opt = Opt::new(
    "slot",
    Kind::Bytes,
    Default::Required,
    "bytes of packets that a slot carries; packets are cut and joined to fill slots",
)
.at_least("1 B")
.at_most("1 MB");
/// Time to the answer.
pub const REQUEST_DELAY: Opt = Opt::new(
    "request_delay",
    Kind::Span,
    Default::Absent,
    "time from a request, at the beginning of a frame, until the first frame whose slots answer it, in whole frames; left out: \
     twice the longest delay of a terminal",
)
.at_most("1000 s");
/// Free slots.
pub const FREE: Opt = Opt::new(
    "free",
    Kind::Flag,
    Default::Is("false"),
    "share slots that nobody asked for among all terminals",
);
/// Own slots.
pub const CONSTANT: Opt = Opt::new(
    "constant",
    Kind::Count,
    Default::Is("0"),
    "slots of each frame that are this terminal's own",
)
.at_most("65536");
/// Names of the ways to ask.
pub const DEMANDS: [(&str, Demand); 3] = [
    ("none", Demand::None),
    ("rate", Demand::Rate),
    ("volume", Demand::Volume),
];
/// How it asks.
pub const DEMAND: Opt = Opt::new(
    "demand",
    Kind::Choice(&[DEMANDS[0].0, DEMANDS[1].0, DEMANDS[2].0]),
    Default::Is("volume"),
    "what it asks for at the beginning of a frame: nothing, slots for the bytes that came in the frame before, or slots for the \
     bytes that wait and were not asked for",
);
/// Most of a frame.
pub const MOST: Opt = Opt::new(
    "most",
    Kind::Count,
    Default::Absent,
    "most slots of a frame that it gets because it asked; left out: all",
)
.at_least("1")
.at_most("65536");
/// Bytes besides the IP packet.
pub const OVERHEAD: Opt = Opt::new(
    "overhead",
    Kind::Bytes,
    Default::Is("0 B"),
    "bytes a packet takes besides its IP bytes",
)
.at_most("1 kB");
/// Delay.
pub const DELAY: Opt = Opt::new(
    "delay",
    Kind::Span,
    Default::Is("0 s"),
    "propagation delay to the hub, by the satellite where there is one",
)
.at_most("10 s");
/// Largest frame.
pub const MAX_FRAME: Opt = Opt::new(
    "max_frame",
    Kind::Bytes,
    Default::Is("1518 B"),
    "largest frame, header and FCS included",
)
.at_least("64 B")
.at_most("9216 B");
