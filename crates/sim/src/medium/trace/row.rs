//! The row of trace links in the table of media, and their options.

use backwater_transport::part::{Default, Kind, Opt, Part};

use super::super::offer::Offer;
use crate::mechanism::needs::Set;
use backwater_wire::pcapng::LinkType;

/// The row. The traces themselves are listed in `TRACES`.
pub const PART: Part<Offer> = Part {
    id: "trace",
    aliases: &["cellular"],
    summary: "one direction, served at the opportunities of a trace",
    source: "mahimahi; cellsim (Sprout, multisend)",
    options: &[
        EMULATOR,
        OPPORTUNITY,
        OVERHEAD,
        FIRST,
        CLOCK,
        REPEAT,
        PHASE,
        DELAY,
        DELAY_AT,
        MAX_FRAME,
    ],
    build: Offer {
        name: "trace",
        carriers: &[],
        gives: Set::NONE,
        link: LinkType::Ethernet,
    },
};

/// Which emulator the link behaves like, where no option says otherwise.
pub const EMULATOR: Opt = Opt::new(
    "emulator",
    Kind::Choice(&["mahimahi", "cellsim-2013"]),
    Default::Is("mahimahi"),
    "whose opportunity size, header accounting and order of ties hold where they are not written",
);
/// Bytes of an opportunity.
pub const OPPORTUNITY: Opt = Opt::new(
    "opportunity",
    Kind::Bytes,
    Default::Absent,
    "bytes of an opportunity; mahimahi: 1504 B, cellsim: 1500 B",
)
.at_least("1 B")
.at_most("1 MB");
/// Bytes besides the IP packet.
pub const OVERHEAD: Opt = Opt::new(
    "overhead",
    Kind::Bytes,
    Default::Absent,
    "bytes a packet takes besides its IP bytes; mahimahi: 4 B, cellsim: 14 B",
)
.at_most("1 kB");
/// Order of ties.
pub const FIRST: Opt = Opt::new(
    "first",
    Kind::Choice(&["opportunity", "arrival"]),
    Default::Absent,
    "which goes first at one instant; mahimahi: opportunity, cellsim: arrival",
);
/// Clock of opportunities and delay.
pub const CLOCK: Opt = Opt::new(
    "clock",
    Kind::Choice(&["ms", "exact"]),
    Default::Is("ms"),
    "whether opportunities, the delay before the queue and delays in logs count whole milliseconds",
);
/// Whether the trace begins again.
pub const REPEAT: Opt = Opt::new(
    "repeat",
    Kind::Flag,
    Default::Absent,
    "begin a recorded trace again after its end; true where it is left out",
);
/// Where a recorded trace begins.
pub const PHASE: Opt = Opt::new(
    "phase",
    Kind::Choice(&["recorded", "drawn"]),
    Default::Is("recorded"),
    "where a recorded trace begins: at its first line, or at a millisecond of it that the seed chooses, each direction on its own",
);
/// Delay.
pub const DELAY: Opt =
    Opt::new("delay", Kind::Span, Default::Is("0 s"), "propagation delay").at_most("1000 s");
/// Where the delay is.
pub const DELAY_AT: Opt = Opt::new(
    "delay_at",
    Kind::Choice(&["before-queue", "after-queue"]),
    Default::Is("before-queue"),
    "where a packet waits for the delay: before the queue, as in both directions of cellsim, or behind it, as what leaves mm-link inside mm-delay",
);
/// Largest frame.
pub const MAX_FRAME: Opt = Opt::new(
    "max_frame",
    Kind::Bytes,
    Default::Is("1518 B"),
    "largest frame, header and FCS included",
)
.at_least("64 B")
.at_most("65535 B");
