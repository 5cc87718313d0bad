//! Reception under the unit disc: a frame is whole unless another overlaps with it, or a stronger one.

use backwater_transport::units::Time;

use super::air::{Air, NOBODY};
use super::frame::Frame;

impl Air {
    /// A station begins to send: what its frame is to all whom it reaches.
    pub fn overlap(&mut self, station: u32, now: Time) {
        let sender = station as usize;
        let medium = &self.media[self.radios[sender].medium as usize];
        for link in &self.reach[sender] {
            let ear = &mut self.ears[link.to as usize];
            let quiet = ear.power == 0;
            ear.energy += u32::from(link.senses);
            ear.power += link.power;
            if ear.lock != NOBODY {
                ear.damaged |= medium.damages(ear.wanted, ear.power);
            } else if link.decodes && !ear.sending && quiet {
                ear.lock = station;
                ear.wanted = link.power;
                ear.damaged = false;
                ear.confirm_nav(now);
            }
            if !ear.busy && (ear.energy > 0 || ear.lock != NOBODY) {
                ear.freeze(&mut self.radios[link.to as usize], medium, now);
            }
        }
    }

    /// A station's frame ends: `heard` is who has it whole of those it is for.
    pub fn separate(&mut self, station: u32, frame: &Frame, now: Time) {
        let sender = station as usize;
        let medium = &self.media[self.radios[sender].medium as usize];
        let group = &mut self.groups[sender];
        self.heard.clear();
        for (number, link) in self.reach[sender].iter().enumerate() {
            let ear = &mut self.ears[link.to as usize];
            ear.energy -= u32::from(link.senses);
            ear.power -= link.power;
            if ear.lock == station && ear.hear_out(link.to, frame, medium, now) {
                self.heard.push(link.to);
            }
            if ear.energy == 0 && ear.lock == NOBODY && !ear.sending {
                group.take(number, ear, station, now);
            }
        }
        let ear = &mut self.ears[sender];
        ear.sending = false;
        if ear.energy == 0 {
            group.take(self.reach[sender].len(), ear, station, now);
        }
    }
}
