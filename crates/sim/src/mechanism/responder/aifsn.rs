//! Detects and tells: left to the recipe. Responds: a station asked for less contends less for the access category named,
//! by one AIFSN for each step, and takes the step back when asked for more or when requests stop. A relay that is
//! congested also holds its own flows to what each flow that it forwards gets (`own`).
//! Reference: S0; IEEE 802.11-05/0562r0.
//! Differences: the source doesn't say what a relay does about its own flows; without `own` a relay's own
//! flow starves those that it forwards.

use backwater_transport::part::{Default, Kind, Opt, Part, Refusal};

use super::Build;
use super::own::{OWN, OWN_WHILE, Shares};
use super::steps::{Knob, Steps};

const fn most(name: &'static str, help: &'static str) -> Opt {
    Opt::new(name, Kind::Count, Default::Absent, help)
        .at_least("1")
        .at_most("255")
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "aifsn",
    aliases: &[],
    summary: "one AIFSN more for each request for less, one less for each for more",
    source: "S0; IEEE 802.11-05/0562r0",
    options: &[
        Opt::new("min", Kind::Count, Default::Is("2"), "least AIFSN")
            .at_least("1")
            .at_most("255"),
        Opt::new(
            "max",
            Kind::Count,
            Default::Is("31"),
            "greatest AIFSN, of the categories without their own",
        )
        .at_least("1")
        .at_most("255"),
        most("max_BK", "greatest AIFSN of BK"),
        most("max_BE", "greatest AIFSN of BE"),
        most("max_VI", "greatest AIFSN of VI"),
        most("max_VO", "greatest AIFSN of VO"),
        OWN,
        OWN_WHILE,
    ],
    build: |args| {
        let lowest = args.count("min") as u8;
        let names = ["max_BK", "max_BE", "max_VI", "max_VO"];
        let mut most = [0; 4];
        for (most, name) in most.iter_mut().zip(names) {
            let option = if args.has(name) { name } else { "max" };
            let greatest = args.count(option) as u8;
            *most = greatest.checked_sub(lowest).ok_or_else(|| Refusal {
                option,
                what: format!("the greatest AIFSN ({greatest}) lies below the least ({lowest})"),
                fix: "write a greatest AIFSN no less than `min`".into(),
            })?;
        }
        Ok(Steps::responder(
            Knob::Aifsn,
            lowest,
            most,
            Shares::of(args),
        ))
    },
};
