//! Detects: at a relay, what came in to be forwarded exceeding what its next stations acknowledged, in any
//! access category, over a sliding window; and, where that is not so, a medium that is not fully used.
//! Tells and responds: left to the recipe.
//! Reference: S0 (IEEE 802.11-05/0562r0), looked at every 250 ms over one second.
//! Differences: alpha and the mark of a medium not fully used are not in the source; 1.08 and 80 % are ours.

use backwater_transport::part::{Default, Kind, Opt, Part};

use super::station::{Judgement, PERIOD, Rhythm, Seen, StationDetector, WINDOW, rhythm};
use super::{AnyDetector, Build};

/// See the head of the file.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct RateComparison {
    /// Congested where more than `alpha` times what left came in.
    pub alpha: f64,
    /// Not fully used where the medium was busy for less than this share.
    pub busy_below: f64,
    /// When it looks.
    pub rhythm: Rhythm,
}

impl RateComparison {
    /// See the head of the file.
    pub fn judge(&self, seen: &Seen) -> Judgement {
        if seen.came as f64 > self.alpha * seen.left as f64 {
            Judgement::Less
        } else if seen.busy < self.busy_below {
            Judgement::More
        } else {
            Judgement::Keep
        }
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "rate-comparison",
    aliases: &[],
    summary: "at an 802.11 relay: more came in than left within the window, or the medium is not fully used",
    source: "S0; IEEE 802.11-05/0562r0",
    options: &[
        Opt::new(
            "alpha",
            Kind::Number,
            Default::Is("1.08"),
            "congested where more than alpha times what left came in",
        )
        .at_least("1.0")
        .at_most("10.0"),
        Opt::new(
            "busy_below",
            Kind::Share,
            Default::Is("80 %"),
            "share of time below which a busy medium counts as not fully used",
        )
        .at_least("0 %")
        .at_most("100 %"),
        PERIOD,
        WINDOW,
    ],
    build: |args| {
        let detector = RateComparison {
            alpha: args.number("alpha"),
            busy_below: args.share("busy_below"),
            rhythm: rhythm(args),
        };
        Ok(AnyDetector::Station(StationDetector::RateComparison(
            detector,
        )))
    },
};
