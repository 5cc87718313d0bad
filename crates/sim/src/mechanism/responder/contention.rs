//! Detects and tells: left to the recipe. Responds: a station asked for less contends less for the access
//! category named, by a step for each request, and takes the step back when asked for more or when requests
//! stop. The step is one of AIFSN, a doubling of CWmin, a halving of the TXOP limit, or the rate of a token
//! bucket. A relay also holds its own flows to what each flow that it forwards gets (`own`).
//! Reference: S0 (AIFSN); the others are alternatives for comparison.
//! Differences: the source doesn't say what a relay does about its own flows; without `own` a relay's own
//! flow starves those that it forwards.

use backwater_transport::part::{Args, Default, Kind, Opt, Part};

use super::{AnyResponder, Build};
use crate::medium::wifi::mac::Category;

/// What a step moves.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Knob {
    /// AIFSN, by one.
    Aifsn,
    /// CWmin, doubled.
    CwMin,
    /// TXOP limit, halved.
    Txop,
    /// A token bucket of the rate asked for.
    Rate,
}

/// How a station answers requests.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Contention {
    /// What a step moves.
    pub knob: Knob,
    /// AIFSN without any step.
    pub lowest: u8,
    /// Most steps of each access category, lowest first.
    pub most: [u8; 4],
    /// Whether a relay holds its own flows back.
    pub own: bool,
}

impl Contention {
    /// Parameters after so many steps.
    pub fn apply(&self, base: Category, level: u8) -> Category {
        match self.knob {
            Knob::Aifsn => Category {
                aifsn: self.lowest + level,
                ..base
            },
            Knob::CwMin => Category {
                cw_min: ((base.cw_min + 1) << level).min(base.cw_max + 1) - 1,
                ..base
            },
            Knob::Txop => Category {
                txop: backwater_transport::units::Span(base.txop.0 >> level),
                ..base
            },
            Knob::Rate => base,
        }
    }
}

const OWN: Opt = Opt::new(
    "own",
    Kind::Flag,
    Default::Is("true"),
    "whether a relay holds its own flows to what each flow that it forwards gets",
);
const STEPS: Opt = Opt::new(
    "steps",
    Kind::Count,
    Default::Is("5"),
    "most steps, each a factor of two",
)
.at_least("1")
.at_most("15");

const fn most(name: &'static str, help: &'static str) -> Opt {
    Opt::new(name, Kind::Count, Default::Absent, help)
        .at_least("1")
        .at_most("255")
}

/// AIFSN.
pub const AIFSN: Part<Build> = Part {
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
    ],
    build: |args| {
        let lowest = args.count("min") as u8;
        let names = ["max_BK", "max_BE", "max_VI", "max_VO"];
        let mut most = [0; 4];
        for (most, name) in most.iter_mut().zip(names) {
            let option = if args.has(name) { name } else { "max" };
            let greatest = args.count(option) as u8;
            *most = greatest.checked_sub(lowest).ok_or_else(|| super::Refusal {
                option,
                what: format!("the greatest AIFSN ({greatest}) lies below the least ({lowest})"),
                fix: "write a greatest AIFSN no less than `min`".into(),
            })?;
        }
        Ok(AnyResponder::Contention(Contention {
            knob: Knob::Aifsn,
            lowest,
            most,
            own: args.flag("own"),
        }))
    },
};

fn stepped(knob: Knob, steps: u8, args: &Args) -> AnyResponder {
    AnyResponder::Contention(Contention {
        knob,
        lowest: 0,
        most: [steps; 4],
        own: args.flag("own"),
    })
}

/// CWmin.
pub const CW_MIN: Part<Build> = Part {
    id: "cw-min",
    aliases: &[],
    summary: "CWmin doubled for each request for less, halved for each for more",
    source: "alternative to S0's AIFSN",
    options: &[STEPS, OWN],
    build: |args| Ok(stepped(Knob::CwMin, args.count("steps") as u8, args)),
};

/// TXOP limit.
pub const TXOP: Part<Build> = Part {
    id: "txop",
    aliases: &[],
    summary: "TXOP limit halved for each request for less, doubled for each for more",
    source: "alternative to S0's AIFSN",
    options: &[STEPS, OWN],
    build: |args| Ok(stepped(Knob::Txop, args.count("steps") as u8, args)),
};

/// Token bucket.
pub const TOKEN_BUCKET: Part<Build> = Part {
    id: "token-bucket",
    aliases: &[],
    summary: "the category sends no faster than the rate asked for",
    source: "alternative to S0's AIFSN",
    options: &[OWN],
    build: |args| Ok(stepped(Knob::Rate, 1, args)),
};
