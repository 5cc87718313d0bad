//! Detects: at a station, the backlog of its next stations. A station keeps the last 1000 packets that it sent to each next
//! station. When it overhears that station send one of them on, the packets sent after that one wait there: the backlog. Packets
//! that end at the next station are not kept, since nobody sends them on. Every `samples` backlogs their mean is compared with two
//! marks: above the upper one there is congestion, below the lower one the next station could take more.
//! Tells and responds: left to the recipe.
//! Reference: EZ-flow (Aziz, Starobinski, Thiran, El Fawal, CoNEXT 2009), buffer occupancy estimation.
//! Differences: the source gives a queue and a CWmin to each next station. Here a category has one of each, so the next
//! station with the greatest mean decides for the category. The source compares 16-bit checksums of packets, which may collide.

use std::collections::VecDeque;

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};

use super::row::{Build, Detector};
use crate::mechanism::moment::{Identity, Moment, Signal};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::place::View;

/// Packets kept of those sent to a next station.
const KEPT: usize = 1000;

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct OverheardBacklog {
    /// Congested above this mean backlog, in packets.
    pub high: f64,
    /// Underused below.
    pub low: f64,
    /// Backlogs in a mean.
    pub samples: u32,
    next: Vec<NextStation>,
}

/// The knowledge about a next station and a category.
#[derive(Clone, Debug)]
struct NextStation {
    station: u32,
    class: u8,
    sent: VecDeque<Identity>,
    sum: u64,
    count: u32,
    mean: f64,
}

impl OverheardBacklog {
    /// A detector that has overheard nothing.
    pub fn new([low, high]: [f64; 2], samples: u32) -> OverheardBacklog {
        OverheardBacklog {
            high,
            low,
            samples,
            next: Vec::new(),
        }
    }

    fn next_station(&mut self, station: u32, class: u8) -> &mut NextStation {
        let same = |n: &NextStation| (n.station, n.class) == (station, class);
        let at = self.next.iter().position(same).unwrap_or_else(|| {
            self.next.push(NextStation::new(station, class));
            self.next.len() - 1
        });
        &mut self.next[at]
    }

    /// A next station has sent a packet on.
    fn overhear(&mut self, station: u32, class: u8, packet: Identity) -> Option<Signal> {
        let samples = self.samples;
        let mean = self
            .next_station(station, class)
            .overhear(packet, samples)?;
        let others = self.next.iter().filter(|n| n.class == class);
        if others.clone().any(|n| n.mean > mean) {
            return None;
        }
        Some(if mean > self.high {
            Signal::Congested
        } else if mean < self.low {
            Signal::Underused
        } else {
            Signal::Clear
        })
    }
}

impl NextStation {
    fn new(station: u32, class: u8) -> NextStation {
        NextStation {
            station,
            class,
            sent: VecDeque::new(),
            sum: 0,
            count: 0,
            mean: 0.0,
        }
    }

    /// A packet was sent to it.
    fn keep(&mut self, packet: Identity) {
        if self.sent.len() == KEPT {
            self.sent.pop_front();
        }
        self.sent.push_back(packet);
    }

    /// It has sent a packet on. Gives the mean of its backlogs when there are enough.
    fn overhear(&mut self, packet: Identity, samples: u32) -> Option<f64> {
        let at = self.sent.iter().rposition(|sent| *sent == packet)?;
        self.sum += (self.sent.len() - 1 - at) as u64;
        self.count += 1;
        if self.count < samples {
            return None;
        }
        self.mean = self.sum as f64 / f64::from(self.count);
        (self.sum, self.count) = (0, 0);
        Some(self.mean)
    }
}

impl Detector for OverheardBacklog {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn observe(&mut self, moment: &Moment, _: &View) -> Option<Signal> {
        match moment {
            Moment::Sent(seen) => {
                if let (Some(packet), Some(next)) = (seen.packet, seen.next) {
                    self.next_station(next, seen.class).keep(packet);
                }
                None
            }
            Moment::Overheard(seen) => self.overhear(seen.by, seen.class, seen.packet),
            _ => None,
        }
    }
}

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::OVERHEARING).giving(Set::NEXT_QUEUE);

/// The row.
pub const PART: Part<Build<OverheardBacklog>> = Part {
    id: "overheard-backlog",
    aliases: &["boe"],
    summary: "the next station's backlog: packets sent to it that it was not yet overheard to send on",
    source: "EZ-flow, CoNEXT 2009",
    options: &[
        Opt::new(
            "b_max",
            Kind::Number,
            Default::Is("20"),
            "mean backlog in packets above which there is congestion",
        )
        .at_least("0")
        .at_most("1000"),
        Opt::new(
            "b_min",
            Kind::Number,
            Default::Is("0.05"),
            "mean backlog in packets below which the next station could take more",
        )
        .at_least("0")
        .at_most("1000"),
        Opt::new(
            "samples",
            Kind::Count,
            Default::Is("50"),
            "backlogs in a mean",
        )
        .at_least("1")
        .at_most("1000"),
    ],
    build,
};

fn build(args: &Args) -> Result<OverheardBacklog, Refusal> {
    let [low, high] = ["b_min", "b_max"].map(|mark| args.number(mark));
    if low > high {
        return Err(Refusal {
            option: "b_min",
            what: "the lower mark lies above the upper one".into(),
            fix: "write a mark no greater than `b_max`".into(),
        });
    }
    let samples = args.count("samples") as u32;
    Ok(OverheardBacklog::new([low, high], samples))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::moment::{Overheard, Seen};
    use crate::table::Id;
    use backwater_transport::units::Time;

    fn identity(seq: u32) -> Identity {
        Identity {
            flow: Id::raw(0),
            seq,
        }
    }

    fn tell(detector: &mut OverheardBacklog, moment: &Moment) -> Option<Signal> {
        detector.observe(moment, &View::level(Time::ZERO, 0, 0, 100))
    }

    /// Sends packets up to `sent` to a next station, which sends on those up to `on`; gives what is said of the mean of two.
    fn judged(detector: &mut OverheardBacklog, next: u32, sent: u32, on: u32) -> Option<Signal> {
        for seq in 0..sent {
            let seen = Seen {
                next: Some(next),
                packet: Some(identity(seq)),
                ..Seen::of_class(0)
            };
            assert_eq!(tell(detector, &Moment::Sent(&seen)), None);
        }
        let sent_on = |seq| Overheard {
            class: 0,
            by: next,
            packet: identity(seq),
            to: 0,
            backlog: None,
        };
        assert_eq!(tell(detector, &Moment::Overheard(&sent_on(on - 2))), None);
        tell(detector, &Moment::Overheard(&sent_on(on - 1)))
    }

    /// Of 24 packets the next station sends on the second and the third: 22 and 21 wait, 21.5 on average.
    #[test]
    fn the_backlog_is_what_was_sent_after_the_packet_that_is_overheard() {
        let judge = |high: f64, low: f64| {
            let mut detector = OverheardBacklog::new([low, high], 2);
            judged(&mut detector, 1, 24, 3)
        };
        assert_eq!(judge(21.4, 0.05), Some(Signal::Congested));
        assert_eq!(judge(21.5, 0.05), Some(Signal::Clear));
        assert_eq!(judge(30.0, 21.6), Some(Signal::Underused));
    }

    /// A category has one CWmin: the next station with the greatest mean backlog decides.
    #[test]
    fn the_next_station_with_the_greatest_backlog_decides() {
        let mut detector = OverheardBacklog::new([0.6, 20.0], 2);
        assert_eq!(judged(&mut detector, 1, 24, 2), Some(Signal::Congested));
        assert_eq!(judged(&mut detector, 2, 2, 2), None);
        let mut detector = OverheardBacklog::new([0.6, 20.0], 2);
        assert_eq!(judged(&mut detector, 2, 2, 2), Some(Signal::Underused));
    }

    /// A packet that was never sent there, or one of a thousand packets ago, says nothing.
    #[test]
    fn packets_that_are_not_kept_say_nothing() {
        let mut detector = OverheardBacklog::new([0.05, 20.0], 1);
        let overheard = |seq| Overheard {
            class: 0,
            by: 1,
            packet: identity(seq),
            to: 0,
            backlog: None,
        };
        for seq in 0..1001 {
            let seen = Seen {
                next: Some(1),
                packet: Some(identity(seq)),
                ..Seen::of_class(0)
            };
            tell(&mut detector, &Moment::Sent(&seen));
        }
        for seq in [0, 5000] {
            assert_eq!(
                tell(&mut detector, &Moment::Overheard(&overheard(seq))),
                None
            );
        }
        let oldest = tell(&mut detector, &Moment::Overheard(&overheard(1)));
        assert_eq!(oldest, Some(Signal::Congested));
    }

    /// A mean at a mark is neither above nor below it.
    #[test]
    fn a_mean_at_the_lower_mark_is_no_underuse() {
        let mut detector = OverheardBacklog::new([21.5, 30.0], 2);
        assert_eq!(judged(&mut detector, 1, 24, 3), Some(Signal::Clear));
    }

    /// Backlogs 22 and 21, then 20 and 19: means 21.5 and 19.5, each of its own two.
    #[test]
    fn each_mean_is_of_its_own_backlogs() {
        let mut detector = OverheardBacklog::new([19.5, 19.5], 2);
        assert_eq!(judged(&mut detector, 1, 24, 3), Some(Signal::Congested));
        let mut overhear = |seq| {
            let seen = Overheard {
                class: 0,
                by: 1,
                packet: identity(seq),
                to: 0,
                backlog: None,
            };
            tell(&mut detector, &Moment::Overheard(&seen))
        };
        assert_eq!([3, 4].map(&mut overhear), [None, Some(Signal::Clear)]);
    }
}
