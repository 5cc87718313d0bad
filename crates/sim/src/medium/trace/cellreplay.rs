//! Two workloads of one network, recorded at the same time: short trains of packets on a link at rest, and a saturated
//! link. A replay of the saturated link alone, as mahimahi has it, knows nothing of the delay that a radio at rest adds.
//!
//! When: packets pass `trains` first; what trains do not let go waits for the opportunities of the heavy trace.
//! Reference: CellReplay (Sentosa et al., NSDI 2025).
//! Differences: those of `trains`. The capacity of the link is that of the heavy trace.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::file::{self, Recorded};
use super::schedule::{Build, Schedule};
use super::trains::Trains;
use crate::source::trace;

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct CellReplay {
    heavy: Recorded,
    trains: Trains,
    timer: Span,
}

impl CellReplay {
    /// The trains and their timer.
    pub fn trains(&self) -> (&Trains, Span) {
        (&self.trains, self.timer)
    }

    /// The trace of the saturated link.
    pub fn heavy(&self) -> &Recorded {
        &self.heavy
    }

    /// The same; the heavy trace is repeated or not. Trains always are.
    pub fn repeated(self, repeat: bool) -> CellReplay {
        CellReplay {
            heavy: self.heavy.repeated(repeat),
            ..self
        }
    }
}

impl Schedule for CellReplay {
    fn next(&mut self, size: u64, random: &mut Random) -> Option<Time> {
        self.heavy.next(size, random)
    }
}

pub(super) const PART: Part<Build<CellReplay>> = Part {
    id: "cellreplay",
    aliases: &["two-workloads"],
    summary: "short trains on a link at rest, and opportunities of a saturated link",
    source: "CellReplay (Sentosa et al., NSDI 2025)",
    options: &[
        Opt::new(
            "light",
            Kind::File,
            Default::Required,
            "the trains: a line for each, with its time, the delay of its first packet and its opportunities after that, in ms",
        ),
        Opt::new(
            "heavy",
            Kind::File,
            Default::Required,
            "opportunities of the saturated link, in mahimahi's format",
        ),
        Opt::new(
            "timer",
            Kind::Span,
            Default::Is("0 s"),
            "how long nothing must be let go until the next packet begins a train",
        )
        .at_most("1000 s"),
    ],
    build: |args| {
        let light = args.file("light");
        let trains = Trains::read(&light.content).map_err(|fault| {
            trace::refusal(
                &fault,
                "light",
                &light,
                "write lines of time, delay and opportunities in milliseconds, such as 0 20 0 1 3",
            )
        })?;
        Ok(CellReplay {
            heavy: file::recorded("heavy", args)?,
            trains,
            timer: args.span("timer"),
        })
    },
};
