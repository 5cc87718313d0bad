//! Stations that all hear one another, under the disc without capture, sense the same but for a few: those that send, that are addressed,
//! that have missed something or that got a frame while they had none. So one record serves the others. A frame touches the record and those
//! apart from it, however many stations there are.
//!
//! A station *follows* the record while its own would have the same effect; `CarrierSense::cover` is `NOBODY` then. The record counts the slots that have passed,
//! for each AIFS. A category keeps at which of them its counter is zero (`Contention::zero_at`), and the least of these, from a
//! heap, sends next. Before what a station senses is read or changed for itself, it takes a copy of the record
//! (`Air::leave_record`). When a frame has ended and nothing follows on it, those apart whose own record has the same effect follow again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use backwater_transport::product;
use backwater_transport::units::{Span, Time};
use smallvec::SmallVec;

use crate::medium::wifi::mac::carrier_sense::CarrierSense;
use crate::medium::wifi::mac::category::{Contention, Countdown};
use crate::medium::wifi::mac::frame::{NOBODY, Number};
use crate::medium::wifi::phy::channel::Link;
use crate::medium::wifi::phy::timing::Medium;
use crate::medium::wifi::radio::Radio;
use crate::medium::wifi::reception::parts::Hits;

/// Fewer stations are looked at one by one.
pub(super) const LEAST: usize = 6;

/// A frame as the stations of a cell sense it: without capture one power is as good as another.
pub(super) const LINK: Link = Link {
    to: NOBODY - 1,
    decodes: true,
    senses: true,
    power: 1,
};

/// The stations of a medium that all hear one another.
#[derive(Clone, Debug)]
pub(in crate::medium::wifi) struct Cell {
    /// Which, ascending.
    pub(super) stations: Vec<u32>,
    /// The place of each there, by its number less that of the first.
    places: Vec<Number>,
    /// The carrier sense of those that follow the record.
    pub(super) sense: CarrierSense,
    /// The damage by collisions to the burst that they receive; one entry.
    pub(in crate::medium::wifi) hits: [Hits; 1],
    /// Those with a record of their own.
    pub(super) apart: Vec<Apart>,
    /// Slots that have passed, for each AIFS.
    pub(super) counts: SmallVec<[Count; 1]>,
}

/// A station with a record of its own, and its place among the cell's.
#[derive(Copy, Clone, Debug)]
pub(super) struct Apart {
    pub station: u32,
    pub place: usize,
}

/// Slots that have passed for those of one AIFS while the medium was idle.
#[derive(Clone, Debug)]
pub(super) struct Count {
    pub aifs: Span,
    pub passed: u64,
    /// Those that have a frame to send, by the slot at which their counter is zero. Some have none any more, or follow no longer.
    waiting: BinaryHeap<Reverse<Waiting>>,
}

/// A category that waits.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Waiting {
    zero_at: u64,
    pub station: u32,
    category: u8,
}

impl Waiting {
    /// Whether it still does, with a counter of this AIFS.
    fn counts(&self, sensing: &[CarrierSense], radios: &[Radio], aifs: Span) -> bool {
        let c = &radios[self.station as usize].categories[usize::from(self.category)];
        sensing[self.station as usize].cover == NOBODY
            && c.zero_at == self.zero_at
            && c.aifs == aifs
            && c.wants_medium()
    }
}

impl Count {
    /// The category whose counter is zero first.
    pub(super) fn first(&mut self, sensing: &[CarrierSense], radios: &[Radio]) -> Option<Waiting> {
        while let Some(Reverse(waiting)) = self.waiting.peek() {
            if waiting.counts(sensing, radios, self.aifs) {
                return Some(*waiting);
            }
            self.waiting.pop();
        }
        None
    }

    /// When it sends, if the medium, idle since `base`, stays so.
    pub(super) fn expiry(&self, first: &Waiting, base: Time, slot: Span) -> Time {
        let slots = first.zero_at.saturating_sub(self.passed);
        Time(base.0 + self.aifs.0 + product::of(slots, slot.0))
    }
}

impl Cell {
    /// The cell of these stations; all are apart until a frame has ended.
    pub(super) fn new(stations: Vec<u32>) -> Cell {
        let numbers = stations[0]..=stations[stations.len() - 1];
        let place = |station| stations.partition_point(|other| *other < station) as Number;
        let apart = stations.iter().enumerate();
        let apart = apart.map(|(place, station)| Apart {
            station: *station,
            place,
        });
        Cell {
            sense: CarrierSense::new(NOBODY),
            hits: [Hits::default()],
            apart: apart.collect(),
            counts: SmallVec::new(),
            places: numbers.map(place).collect(),
            stations,
        }
    }

    /// The place of a station among the cell's.
    pub(super) fn place(&self, station: u32) -> usize {
        usize::from(self.places[(station - self.stations[0]) as usize])
    }

    /// The number of a station in the group of another: it comes last in its own.
    pub(super) fn number(&self, place: usize, of: usize) -> usize {
        match place.cmp(&of) {
            std::cmp::Ordering::Less => place,
            std::cmp::Ordering::Equal => self.stations.len() - 1,
            std::cmp::Ordering::Greater => place - 1,
        }
    }

    /// The slots that have passed for this AIFS.
    pub(super) fn count(&mut self, aifs: Span) -> &mut Count {
        let known = self.counts.iter().position(|count| count.aifs == aifs);
        let known = known.unwrap_or_else(|| {
            self.counts.push(Count {
                aifs,
                passed: 0,
                waiting: BinaryHeap::new(),
            });
            self.counts.len() - 1
        });
        &mut self.counts[known]
    }

    /// When the first of those that follow would send.
    pub(super) fn soonest(
        &mut self,
        sensing: &[CarrierSense],
        radios: &[Radio],
        slot: Span,
    ) -> Time {
        let base = self.sense.base();
        let mut soonest = Time::NEVER;
        for count in &mut self.counts {
            if let Some(first) = count.first(sensing, radios) {
                soonest = soonest.min(count.expiry(&first, base, slot));
            }
        }
        soonest
    }

    /// The medium becomes busy: counters of those that follow stop.
    pub(super) fn freeze(&mut self, medium: &Medium, now: Time) {
        let base = self.sense.base();
        for count in &mut self.counts {
            let first = base.0 + count.aifs.0;
            if now.0 >= first {
                let boundary = medium.mac.countdown == Countdown::Boundary;
                count.passed += (now.0 - first) / medium.slot.0 + u64::from(boundary);
            }
        }
        self.sense.busy = true;
        self.sense.since = now;
    }

    /// Whether a station that is apart may follow: nothing that its record says has another effect from now on.
    pub(super) fn serves(&self, sense: &CarrierSense, categories: &[Contention]) -> bool {
        let ours = &self.sense;
        let base = ours.base();
        !sense.busy
            && (sense.cover, sense.since) == (ours.cover, ours.since)
            && sense.effect() == ours.effect()
            && categories.iter().all(|c| c.ready.max(c.held) <= base)
    }

    /// A station follows from now on.
    pub(super) fn take(
        &mut self,
        station: u32,
        sense: &mut CarrierSense,
        categories: &mut [Contention],
    ) {
        sense.cover = NOBODY;
        sense.busy_ticks = sense.busy_ticks.wrapping_sub(self.sense.busy_ticks);
        for (number, c) in categories.iter_mut().enumerate() {
            if sense.counting >> number & 1 == 0 {
                continue;
            }
            let count = self.count(c.aifs);
            c.zero_at = count.passed + u64::from(c.slots);
            if c.wants_medium() {
                count.waiting.push(Reverse(Waiting {
                    zero_at: c.zero_at,
                    station,
                    category: number as u8,
                }));
            }
        }
    }
}

impl CarrierSense {
    /// The effect of the time from `since` on at a station that is silent: until when the medium is not idle, and whose it is then.
    fn effect(&self) -> (Time, Time, Time, Time, u32) {
        // A NAV by an RTS that was not confirmed in time, or is over, says nothing any more.
        let stands = self.nav_check >= self.since && self.nav_rts > self.since;
        let (rts, check) = match stands {
            true => (self.nav_rts, self.nav_check),
            false => (Time::ZERO, Time::ZERO),
        };
        let holder = match stands || self.nav > self.since {
            true => self.holder,
            false => NOBODY,
        };
        let (defer, nav) = (self.defer.max(self.since), self.nav.max(self.since));
        (defer, nav, rts, check, holder)
    }
}
