//! Detects: an (ingress, class) that has reached its dynamic threshold of the shared pool or stands
//! in headroom; over when headroom is empty and its shared bytes lie a gap below the threshold.
//! Tells and responds: left to the recipe; the notice goes to that interface's neighbour alone.
//! Reference: the HPCC authors' ns-3 switch model (pause when headroom > 0 or shared ≥ T; resume when headroom = 0 and
//! (shared = 0 or shared + gap ≤ T)); dynamic thresholds after Choudhury and Hahne, ToN 6(2), 1998.
//! Differences: none known.

use backwater_transport::part::{Default, Kind, Opt, Part};

use super::{AnyDetector, Build, Detector, Level, Watch};

/// The resume gap.
#[derive(Clone, Debug)]
pub struct DynamicThreshold {
    gap: u64,
}

impl DynamicThreshold {
    /// Whether this level lies a gap below the threshold.
    fn below(&self, level: &Level) -> bool {
        level.headroom == 0 && (level.held == 0 || level.held + self.gap <= level.room)
    }
}

impl Detector for DynamicThreshold {
    fn watch(&self) -> Watch {
        Watch::Pool
    }

    fn alarm(&mut self, level: &Level) -> bool {
        level.headroom > 0 || (level.held > 0 && level.held >= level.room)
    }

    fn relief(&mut self, level: &Level) -> bool {
        self.below(level)
    }

    fn may_relieve(&self, level: &Level) -> bool {
        self.below(level)
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "dynamic-threshold",
    aliases: &[],
    summary: "shared memory: congested at the dynamic threshold, until a gap below it",
    source: "Choudhury and Hahne, ToN 1998; HPCC ns-3 switch model",
    options: &[Opt::new(
        "gap",
        Kind::Bytes,
        Default::Is("3 kB"),
        "distance below the threshold at which the neighbour may go on",
    )
    .at_least("0 B")],
    build: |args| {
        Ok(AnyDetector::DynamicThreshold(DynamicThreshold {
            gap: args.bytes("gap").0,
        }))
    },
};
