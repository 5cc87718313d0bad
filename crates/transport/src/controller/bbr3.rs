//! BBRv3 of the Internet-Draft: see `bbr3_engine` for the algorithm. No ECN.
//!
//! Reference: draft-ietf-ccwg-bbr-06. `variant = "head"` takes ProbeRTT from the draft's head of August
//! 2026: it starts when the least round trip expires, and its window comes from the round trip before.
//!
//! Known weakness: if capacity varies and nothing is dropped, the queue is unbounded. A cycle of
//! ProbeBW takes two seconds and six rounds. ProbeRTT starts every five seconds and restarts the cycle
//! without advancing the rate filter, because its samples count as application-limited. So with round
//! trips above half a second, queue included, the greatest rate never expires. When capacity falls
//! below half, half a BDP at that rate drains no queue, and the least round trip grows with every
//! ProbeRTT. Linux does the same. `probe-rtt-ends-cycle` is our remedy and confirms the cause. The
//! draft bounds the aggregation estimate only by the window, which that estimate widens;
//! `extra-acked-cap` is the bound of Linux.

use crate::building_blocks::bbr3_engine::{Engine, options as o};
use crate::controller_interface::BuildOf;
use crate::part::{Default, Kind, Opt, Part};

/// The engine with the draft's constants.
pub type Bbr3 = Engine<false>;

/// The row.
pub const PART: Part<BuildOf<Bbr3>> = Part {
    id: "bbr3",
    aliases: &["bbr"],
    summary: "a model of rate and round trip, bounded by loss: the Internet-Draft",
    source: "draft-ietf-ccwg-bbr-06",
    options: o::row!(
        "0.5",
        "0.9",
        Default::Absent,
        Opt::new(
            "variant",
            Kind::Choice(&["06", "head"]),
            Default::Is("06"),
            "ProbeRTT of draft-06, or of the draft's head",
        ),
        Opt::new(
            "drain-rounds",
            Kind::Count,
            Default::Is("3"),
            "rounds after which Drain ends in any case",
        )
        .at_least("1")
        .at_most("1000"),
    ),
    build: |args, setup| {
        let mut constants = o::constants(args, setup.mss)?;
        constants.head = args.choice("variant") == "head";
        constants.drain_rounds = Some(args.count("drain-rounds"));
        Ok(Bbr3::new(setup, constants))
    },
};
