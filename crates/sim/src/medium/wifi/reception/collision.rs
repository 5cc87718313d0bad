//! Reception under the unit disc: a frame is whole unless another overlaps with it, or a stronger one.

use backwater_transport::units::Time;

use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::mac::frame::{Frame, FrameKind};

impl Air {
    /// A station begins to send: what its frame is to all whom it reaches.
    pub fn overlap(&mut self, station: u32, now: Time) {
        let sender = station as usize;
        let medium = &self.media[self.radios[sender].medium as usize];
        // One test of a number does for both tables.
        let stations = self.sensing.len();
        let radios = &mut self.radios[..stations];
        let is_burst = self.parts[sender].is_burst();
        for link in &self.reach[sender] {
            let sense = &mut self.sensing[link.to as usize];
            let quiet = sense.power == 0;
            sense.energy += u32::from(link.senses);
            sense.power += link.power;
            if sense.lock != NOBODY {
                if !sense.damaged && medium.damages(sense.wanted, sense.power) {
                    let parts = &self.parts[sense.lock as usize];
                    sense.hit = parts.is_burst();
                    sense.damaged = !sense.hit || self.hits[link.to as usize].open(parts, now);
                }
            } else if link.decodes && !sense.sending && quiet {
                sense.lock = station;
                sense.wanted = link.power;
                (sense.damaged, sense.hit) = (false, false);
                if is_burst {
                    self.hits[link.to as usize].begin();
                }
                sense.confirm_nav(now);
            }
            if !sense.busy && (sense.energy > 0 || sense.lock != NOBODY) {
                sense.freeze(&mut radios[link.to as usize], medium, now);
            }
        }
    }

    /// A station's frame ends: `heard` is who has it whole of those it is for.
    pub fn separate(&mut self, station: u32, frame: &Frame, now: Time) {
        let sender = station as usize;
        let medium = &self.media[self.radios[sender].medium as usize];
        let mut group = self.groups[sender].members();
        for (number, link) in self.reach[sender].iter().enumerate() {
            let sense = &mut self.sensing[link.to as usize];
            sense.energy -= u32::from(link.senses);
            sense.power -= link.power;
            if sense.lock == station {
                let parts = &self.parts[sender];
                if parts.is_burst() && !sense.damaged {
                    sense.damaged = self.hits[link.to as usize].end(parts, now);
                    sense.hit = false;
                    if frame.to == link.to {
                        std::mem::swap(&mut self.damaged, &mut self.hits[link.to as usize].frames);
                    }
                }
                if sense.end_reception(link.to, frame, medium, now) {
                    self.heard.push(link.to);
                } else if self.eavesdrops && frame.kind == FrameKind::Data && !sense.damaged {
                    self.overheard.push(link.to);
                }
            } else if sense.hit
                && sense.lock != NOBODY
                && !medium.damages(sense.wanted, sense.power)
            {
                sense.hit = false;
                let parts = &self.parts[sense.lock as usize];
                self.hits[link.to as usize].close(parts, now);
            }
            if sense.energy == 0 && sense.lock == NOBODY && !sense.sending {
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
