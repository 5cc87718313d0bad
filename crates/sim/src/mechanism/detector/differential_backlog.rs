//! Detects: at a station, how much longer its queue toward a destination is than the next station's: the differential backlog. Each data
//! frame of a watched station says in its header how many packets the station holds for the frame's destination, and is longer
//! by that field. Stations overhear it. A next station that was never overheard holds nothing. The greatest
//! differential backlog of an access category counts: the station contends with one of four priorities, one higher for each
//! `step` packets.
//! Tells and responds: left to the recipe.
//! Reference: DiffQ (Warrier, Janakiraman, Ha, Rhee, INFOCOM 2009); backlogs as weights: Tassiulas, Ephremides, IEEE Trans. Automatic
//! Control 37(12), 1992.
//! Which packet of a category is sent: the oldest, or with `serve = "greatest"` the oldest for the next station and destination of the greatest
//! differential backlog, if one is above zero.
//! Differences: DiffQ has a queue for each destination, each with the priority of its own differential backlog. Here the greatest sets
//! that of the category. `step` is ours. In the paper of 1992 a central scheduler weighs a differential backlog with the rate of its link and
//! leaves a link idle whose differential is not above zero; here stations contend, all links weigh the same, and the oldest packet is sent then,
//! because what was overheard may be out of date.

use std::collections::BTreeMap;

use backwater_transport::part::{Default, Kind, Opt, Part};

use super::row::{Build, Detector};
use crate::limit::MAX_CLASSES;
use crate::mechanism::moment::{LOWEST_PRIORITY, Moment, Seen, Signal};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::place::View;

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct DifferentialBacklog {
    /// Packets of differential backlog between two priorities.
    pub step: u32,
    /// Bytes of the header field.
    pub field: u64,
    /// Whether the packets of the greatest differential backlog are sent first.
    pub greatest: bool,
    /// By category, next station and destination.
    backlogs: BTreeMap<(u8, u32, u32), Backlog>,
    said: [Option<u8>; MAX_CLASSES],
}

/// Packets for a destination, here and at the next station.
#[derive(Copy, Clone, Debug, std::default::Default)]
struct Backlog {
    here: u32,
    there: u32,
}

impl DifferentialBacklog {
    /// A detector of a station that holds nothing.
    pub fn new(step: u32, field: u64, greatest: bool) -> DifferentialBacklog {
        DifferentialBacklog {
            step,
            field,
            greatest,
            backlogs: BTreeMap::new(),
            said: [None; MAX_CLASSES],
        }
    }

    fn backlog(&mut self, seen: &Seen) -> Option<&mut Backlog> {
        let key = (seen.class, seen.next?, seen.to?);
        Some(self.backlogs.entry(key).or_default())
    }

    /// Next station, destination and differential backlog of the packets of a category.
    fn differentials(&self, number: u8) -> impl Iterator<Item = (u32, u32, u32)> {
        let of_class = (number, 0, 0)..=(number, u32::MAX, u32::MAX);
        let waiting = self.backlogs.range(of_class).filter(|(_, b)| b.here > 0);
        waiting.map(|((_, next, to), b)| (*next, *to, b.here.saturating_sub(b.there)))
    }

    /// Steps back from the highest priority, where they have changed.
    fn judge(&mut self, class: usize) -> Option<Signal> {
        let greatest = self.differentials(class as u8).map(|(.., d)| d).max();
        let higher = (greatest? / self.step).min(u32::from(LOWEST_PRIORITY)) as u8;
        let back = LOWEST_PRIORITY - higher;
        (self.said[class].replace(back) != Some(back)).then_some(Signal::Back(back))
    }
}

impl Detector for DifferentialBacklog {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn field(&self) -> u64 {
        self.field
    }

    fn serves_first(&self, class: u8) -> Option<(u32, u32)> {
        let above = self.differentials(class).filter(|(.., d)| *d > 0);
        let (next, to, _) = above.max_by_key(|(.., d)| *d).filter(|_| self.greatest)?;
        Some((next, to))
    }

    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        match moment {
            Moment::Enqueued(seen) => self.backlog(seen)?.here += 1,
            Moment::Sent(seen) | Moment::Lost(seen) => self.backlog(seen)?.here -= 1,
            Moment::Overheard(seen) => {
                let key = (seen.class, seen.by, seen.to);
                self.backlogs.entry(key).or_default().there = seen.backlog?;
            }
            Moment::Refused(_) | Moment::Timer | Moment::Expiring => return None,
        }
        self.judge(view.class)
    }
}

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::OVERHEARING).giving(Set::NEXT_QUEUE);

/// The row.
pub const PART: Part<Build<DifferentialBacklog>> = Part {
    id: "differential-backlog",
    aliases: &[],
    summary: "packets for a destination here less those at the next station, which says so in the header of its data frames",
    source: "DiffQ, INFOCOM 2009",
    options: &[
        Opt::new(
            "step",
            Kind::Count,
            Default::Is("10"),
            "packets of differential backlog from one priority to the next",
        )
        .at_least("1")
        .at_most("10000"),
        Opt::new(
            "field",
            Kind::Bytes,
            Default::Is("2 B"),
            "length of the header field",
        )
        .at_least("1 B")
        .at_most("64 B"),
        Opt::new(
            "serve",
            Kind::Choice(&["oldest", "greatest"]),
            Default::Is("oldest"),
            "which packet of a category is sent: the oldest, or one of the greatest differential backlog",
        ),
    ],
    build: |args| {
        let (step, field) = (args.count("step") as u32, args.bytes("field").0);
        let greatest = args.choice("serve") == "greatest";
        Ok(DifferentialBacklog::new(step, field, greatest))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::moment::{Identity, Overheard};
    use crate::table::Id;
    use backwater_transport::units::Time;

    fn tell(detector: &mut DifferentialBacklog, moment: &Moment) -> Option<Signal> {
        detector.observe(moment, &View::level(Time::ZERO, 0, 0, 100))
    }

    fn toward(to: u32) -> Seen {
        Seen {
            next: Some(1),
            to: Some(to),
            ..Seen::of_class(0)
        }
    }

    fn overheard(to: u32, backlog: u32) -> Overheard {
        Overheard {
            class: 0,
            by: 1,
            to,
            backlog: Some(backlog),
            packet: Identity {
                flow: Id::raw(0),
                seq: 0,
            },
        }
    }

    /// 0 to 9 packets more than the next station: the lowest priority, three steps back; 10 to 19 two; from 30 on none.
    #[test]
    fn each_step_of_differential_backlog_is_a_priority() {
        let mut detector = DifferentialBacklog::new(10, 2, false);
        let mut said = Vec::new();
        for packets in 1..=40 {
            if let Some(signal) = tell(&mut detector, &Moment::Enqueued(&toward(5))) {
                said.push((packets, signal));
            }
        }
        let back = Signal::Back;
        assert_eq!(
            said,
            [(1, back(3)), (10, back(2)), (20, back(1)), (30, back(0))]
        );
        // The next station holds 25 of the same: 15 more here.
        let said = tell(&mut detector, &Moment::Overheard(&overheard(5, 25)));
        assert_eq!(said, Some(back(2)));
        // It holds more than this station does.
        let said = tell(&mut detector, &Moment::Overheard(&overheard(5, 99)));
        assert_eq!(said, Some(back(3)));
    }

    /// Packets for another destination do not wait there: their differential is the greatest.
    #[test]
    fn the_destination_with_the_greatest_differential_counts() {
        let mut detector = DifferentialBacklog::new(1, 2, true);
        tell(&mut detector, &Moment::Overheard(&overheard(5, 50)));
        for to in [5, 6, 6] {
            tell(&mut detector, &Moment::Enqueued(&toward(to)));
        }
        assert_eq!(detector.said[0], Some(1));
        assert_eq!(detector.serves_first(0), Some((1, 6)));
        assert_eq!(
            tell(&mut detector, &Moment::Sent(&toward(6))),
            Some(Signal::Back(2))
        );
        assert_eq!(
            tell(&mut detector, &Moment::Sent(&toward(6))),
            Some(Signal::Back(3))
        );
    }
}
