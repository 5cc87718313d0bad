//! Reception under the unit disc: a frame is whole unless another overlaps with it, or a stronger one.

use backwater_transport::units::Time;

use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::mac::carrier_sense::CarrierSense;
use crate::medium::wifi::mac::frame::{Frame, FrameKind};
use crate::medium::wifi::phy::channel::Link;
use crate::medium::wifi::phy::timing::Medium;
use crate::medium::wifi::reception::frame_set::FrameSet;
use crate::medium::wifi::reception::parts::{Hits, Parts};

/// A frame that begins or ends at those whom it reaches.
pub(in crate::medium::wifi) struct Passing<'a> {
    /// Its sender.
    pub from: u32,
    pub medium: &'a Medium,
    /// When the frames of each station's burst are on the air.
    pub parts: &'a [Parts],
    pub now: Time,
}

/// The part of an ended frame that a station has received.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::medium::wifi) enum Outcome {
    /// It is whole and for this station, or for all.
    Heard,
    /// It is whole and for another.
    Overheard,
    /// It is damaged, or the station did not receive it.
    Nothing,
}

impl Passing<'_> {
    /// The frame begins at a station: whether its medium becomes busy by it.
    #[inline(always)]
    pub fn begins(
        &self,
        sense: &mut CarrierSense,
        link: &Link,
        hits: &mut [Hits],
        place: usize,
    ) -> bool {
        let quiet = sense.power == 0;
        sense.energy += u32::from(link.senses);
        sense.power += link.power;
        if sense.lock != NOBODY {
            if !sense.damaged && self.medium.damages(sense.wanted, sense.power) {
                let parts = &self.parts[sense.lock as usize];
                sense.hit = parts.is_burst();
                sense.damaged = !sense.hit || hits[place].open(parts, self.now);
            }
        } else if link.decodes && !sense.sending && quiet {
            sense.lock = self.from;
            sense.wanted = link.power;
            (sense.damaged, sense.hit) = (false, false);
            if self.parts[self.from as usize].is_burst() {
                hits[place].begin();
            }
            sense.confirm_nav(self.now);
        }
        !sense.busy && (sense.energy > 0 || sense.lock != NOBODY)
    }

    /// The frame ends at station `here`: what it has of it. `damaged` gets the frames of a burst that it does not have.
    #[inline(always)]
    pub fn ends(
        &self,
        sense: &mut CarrierSense,
        (link, here): (&Link, u32),
        frame: &Frame,
        (hits, place): (&mut [Hits], usize),
        damaged: &mut FrameSet,
    ) -> Outcome {
        sense.energy -= u32::from(link.senses);
        sense.power -= link.power;
        if sense.lock == self.from {
            let parts = &self.parts[self.from as usize];
            if parts.is_burst() && !sense.damaged {
                sense.damaged = hits[place].end(parts, self.now);
                sense.hit = false;
                if frame.to == here {
                    std::mem::swap(damaged, &mut hits[place].frames);
                }
            }
            if sense.end_reception(here, frame, self.medium, self.now) {
                return Outcome::Heard;
            } else if !sense.damaged {
                return Outcome::Overheard;
            }
        } else if sense.hit
            && sense.lock != NOBODY
            && !self.medium.damages(sense.wanted, sense.power)
        {
            sense.hit = false;
            hits[place].close(&self.parts[sense.lock as usize], self.now);
        }
        Outcome::Nothing
    }
}

impl CarrierSense {
    /// Whether nothing makes its medium busy.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.energy == 0 && self.lock == NOBODY && !self.sending
    }
}

impl Air {
    /// A station begins to send: what its frame is to all whom it reaches.
    pub fn begin_on_disc(&mut self, station: u32, now: Time) {
        let sender = station as usize;
        let number = self.radios[sender].medium as usize;
        if self.cells[number].is_some() {
            return self.begin_in_cell(station, now);
        }
        let medium = &self.media[number];
        let passing = Passing {
            from: station,
            medium,
            parts: &self.parts,
            now,
        };
        // One test of a number does for both tables.
        let stations = self.sensing.len();
        let radios = &mut self.radios[..stations];
        let hits = &mut self.hits[..];
        for link in &self.reach[sender] {
            let to = link.to as usize;
            let sense = &mut self.sensing[to];
            if passing.begins(sense, link, hits, to) {
                sense.freeze(&mut radios[to], medium, now);
            }
        }
    }

    /// A station's frame ends: `heard` is who has it whole of those it is for.
    pub fn end_on_disc(&mut self, station: u32, frame: &Frame, now: Time) {
        let sender = station as usize;
        let number = self.radios[sender].medium as usize;
        if self.cells[number].is_some() {
            return self.end_in_cell(station, frame, now);
        }
        let passing = Passing {
            from: station,
            medium: &self.media[number],
            parts: &self.parts,
            now,
        };
        let eavesdrops = self.eavesdrops && frame.kind == FrameKind::Data;
        let mut group = self.groups[sender].members();
        let hits = &mut self.hits[..];
        for (number, link) in self.reach[sender].iter().enumerate() {
            let to = link.to as usize;
            let sense = &mut self.sensing[to];
            let here = (link, link.to);
            match passing.ends(sense, here, frame, (&mut *hits, to), &mut self.damaged) {
                Outcome::Heard => self.heard.push(link.to),
                Outcome::Overheard if eavesdrops => self.overheard.push(link.to),
                Outcome::Overheard | Outcome::Nothing => {}
            }
            if sense.is_quiet() {
                group.take(number, sense, station, now);
            }
        }
        let sense = &mut self.sensing[sender];
        sense.sending = false;
        if sense.energy == 0 {
            group.take(self.reach[sender].len(), sense, station, now);
        }
    }
}
