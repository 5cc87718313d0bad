//! Detects: left to the recipe. Tells: the station itself, without a frame, to contend less or more, a step at a time. A step
//! takes several equal judgements of the detector in a row: log2(CW) of them for less and 15 - log2(CW) for more, where CW is the
//! present CWmin plus one. So a station with a small window is quick to step back, and one with a large window is
//! quick to return. Any other judgement ends the row. A step holds until the next one.
//! A detector that names a priority (differential-backlog) is obeyed at once.
//! Responds: left to the recipe.
//! Reference: EZ-flow (Aziz, Starobinski, Thiran, El Fawal, CoNEXT 2009), channel access adaptation.
//! Differences: CWmin goes up to CWmax, the source's to 2^15. With another responder than cw-min, CW is what CWmin would be.

use backwater_transport::part::{Default, Kind, Opt, Part};

use super::judgements::OwnTerms;
use super::row::Build;
/// The row.
pub const PART: Part<Build> = Part {
    id: "own-step",
    aliases: &["caa"],
    summary: "the station itself, without a frame: a step after several equal judgements in a row, more of them the further it has stepped back",
    source: "EZ-flow, CoNEXT 2009",
    options: &[Opt::new(
        "exponent",
        Kind::Count,
        Default::Is("15"),
        "log2 of the largest window: a step for more takes this less log2(CWmin) judgements",
    )
    .at_least("4")
    .at_most("15")],
    build: |args| {
        Ok(OwnTerms {
            exponent: args.count("exponent") as u32,
        }
        .into())
    },
};
