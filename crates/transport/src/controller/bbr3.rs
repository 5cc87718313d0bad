//! BBRv3 of the Internet-Draft: see `bbr` for what it does. No ECN.
//!
//! Reference: draft-ietf-ccwg-bbr-06. `variant = "head"` takes ProbeRTT from the draft's head of
//! August 2026, which goes there when the least round trip expires and sizes the window from the
//! round trip of before.
//!
//! As published it has no bound of its own where capacity swings and nothing is dropped. A cycle of
//! ProbeBW takes two seconds and six rounds; ProbeRTT comes every five seconds, begins it anew and moves
//! the rate's filter on by nothing, since its samples count as limited by the application. So where
//! round trips take more than half a second, queue included, the greatest rate ever seen is kept; half
//! a BDP of it drains no queue when capacity has fallen below half, and the least round trip grows with
//! every ProbeRTT. Linux does the same. `probe-rtt-ends-cycle` is our remedy and tells that this is the
//! cause. The draft also bounds the estimate of aggregation by the window only, which that estimate
//! widens; `extra-acked-cap` is Linux' bound.

use crate::controller_interface::{BuildOf};
use crate::building_blocks::bbr3_engine::{Engine, options as o};
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
