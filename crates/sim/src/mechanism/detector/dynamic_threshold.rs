//! Detects: an (ingress, class) that has reached its dynamic threshold of the shared pool or stands
//! in headroom; over when headroom is empty and its shared bytes lie a gap below the threshold.
//! Tells and responds: left to the recipe; the notice goes to that interface's neighbour alone.
//! Reference: the HPCC authors' ns-3 switch model (pause when headroom > 0 or shared ≥ T; resume when headroom = 0 and
//! (shared = 0 or shared + gap ≤ T)); dynamic thresholds after Choudhury and Hahne, ToN 6(2), 1998.
//! Differences: none known.

use backwater_transport::part::{Default, Kind, Opt, Part};

use super::row::{Build, Detector};
use crate::mechanism::moment::{Moment, Signal};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::place::View;

/// The resume gap.
#[derive(Clone, Debug)]
pub struct DynamicThreshold {
    gap: u64,
}

impl DynamicThreshold {
    /// Whether this level lies a gap below the threshold.
    fn below(&self, level: &View) -> bool {
        level.headroom == 0 && (level.held == 0 || level.held + self.gap <= level.room)
    }
}

impl Detector for DynamicThreshold {
    fn remembers(&self) -> bool {
        false
    }

    fn needs(&self) -> Needs {
        NEEDS
    }

    fn observe(&mut self, moment: &Moment, level: &View) -> Option<Signal> {
        match moment {
            Moment::Enqueued(_) if !level.congested => {
                let reached = level.headroom > 0 || (level.held > 0 && level.held >= level.room);
                reached.then_some(Signal::Congested)
            }
            Moment::Sent(_) | Moment::Lost(_) => self.below(level).then_some(Signal::Clear),
            _ => None,
        }
    }

    fn may_relieve(&self, level: &View) -> bool {
        self.below(level)
    }
}

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::INTERFACES.and(Set::POOL));

/// The row.
pub const PART: Part<Build<DynamicThreshold>> = Part {
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
        Ok(DynamicThreshold {
            gap: args.bytes("gap").0,
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::moment::Seen;
    use backwater_transport::units::Time;

    /// The rule of the reference: a class in headroom is congested however few bytes it has in the pool, and stays so
    /// until its headroom is empty.
    #[test]
    fn bytes_in_headroom_are_congestion_below_the_threshold_too() {
        let mut detector = DynamicThreshold { gap: 100 };
        let seen = Seen::of_class(0);
        for (held, headroom, congested) in [
            (50, 0, false),
            (50, 1, true),
            (1000, 0, true),
            (1000, 1, true),
        ] {
            let level = View {
                headroom,
                ..View::level(Time::ZERO, 0, held, 1000)
            };
            let told = detector.observe(&Moment::Enqueued(&seen), &level);
            assert_eq!(
                told == Some(Signal::Congested),
                congested,
                "{held} {headroom}"
            );
            let relieved = detector.may_relieve(&level);
            assert_eq!(
                relieved,
                headroom == 0 && held + 100 <= 1000,
                "{held} {headroom}"
            );
        }
    }
}
