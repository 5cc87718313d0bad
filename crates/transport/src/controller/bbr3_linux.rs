//! BBRv3 as in Linux (google/bbr, branch v3): see `bbr3_engine` for the algorithm.
//!
//! Differs from the draft in the gains of Drain (0.347) and ProbeBW_DOWN (0.91), has no limit on the
//! length of Drain, bounds aggregation to 100 ms, and reacts to exact marks on paths of at most 5 ms.
//! Deviation: the share of marks is compared with its threshold once per round, not per rate sample.

use crate::building_blocks::bbr3_engine::{Engine, options as o};
use crate::controller_interface::BuildOf;
use crate::part::{Default, Kind, Opt, Part};
use crate::segment::Ecn;

/// The engine with Linux' constants.
pub type Bbr3Linux = Engine<true>;

/// The row.
pub const PART: Part<BuildOf<Bbr3Linux>> = Part {
    id: "bbr3-linux",
    aliases: &[],
    summary: "a model of rate and round trip, bounded by loss and marks: Linux",
    source: "google/bbr v3, tcp_bbr.c",
    options: o::row!(
        "0.347",
        "0.91",
        Default::Is("100 ms"),
        Opt::new(
            "ecn",
            Kind::Choice(&["off", "ect0", "ect1"]),
            Default::Is("ect1"),
            "codepoint of its segments; off: marks are not answered",
        ),
        Opt::new(
            "ecn-gain",
            Kind::Number,
            Default::Is("0.0625"),
            "weight of a new round in the share of marks",
        )
        .at_least("0.0001")
        .at_most("1"),
        Opt::new(
            "ecn-factor",
            Kind::Number,
            Default::Is("0.3333333333"),
            "cut of the flight at a share of marks of 1",
        )
        .at_least("0")
        .at_most("1"),
        Opt::new(
            "ecn-threshold",
            Kind::Share,
            Default::Is("50 %"),
            "share of marks in a round that is too high for a probe",
        )
        .at_least("1 %")
        .at_most("100 %"),
        Opt::new(
            "ecn-most-rtt",
            Kind::Span,
            Default::Is("5 ms"),
            "longest round trip on which marks are answered",
        )
        .at_most("10 s"),
    ),
    build: |args, setup| {
        let mut constants = o::constants(args, setup.mss)?;
        constants.drain_rounds = None;
        constants.ecn = match args.choice("ecn") {
            "ect0" => Ecn::Ect0,
            "ect1" => Ecn::Ect1,
            _ => Ecn::NotEct,
        };
        constants.ecn_gain = args.number("ecn-gain");
        constants.ecn_factor = args.number("ecn-factor");
        constants.ecn_thresh = args.share("ecn-threshold");
        constants.ecn_most_rtt = args.span("ecn-most-rtt");
        Ok(Bbr3Linux::new(setup, constants))
    },
};
