//! Stations that wait for the medium: who is scheduled, who counts down again, and who takes no part until a gate opens.

use backwater_transport::units::Time;

use crate::calendar::Calendar;
use crate::medium::wifi::air::Air;
use crate::medium::wifi::events::Code;
use crate::medium::wifi::mac::frame::Reply;

impl Air {
    /// Schedules a group at `at`, if no event comes before.
    pub(crate) fn schedule_group(&mut self, calendar: &mut Calendar, group: u32, at: Time) {
        let armed = &mut self.groups[group as usize].armed;
        if at < *armed {
            *armed = at;
            calendar.push(at, Code::Contend.of(group));
        }
    }

    /// Schedules a group when the first of its stations would send.
    pub(crate) fn schedule_soonest(&mut self, calendar: &mut Calendar, group: u32) {
        let at = self.soonest(group);
        self.schedule_group(calendar, group, at);
    }

    pub(crate) fn answer(
        &mut self,
        calendar: &mut Calendar,
        station: u32,
        reply: Reply,
        now: Time,
    ) -> Option<u32> {
        let sifs = self.medium(station).sifs;
        self.radios[station as usize].reply = reply;
        calendar.push(now + sifs, Code::Answer.of(station));
        Some(station)
    }

    pub(crate) fn draw(&mut self, station: u32, number: usize) {
        self.leave_record(station);
        let radio = &mut self.radios[station as usize];
        let c = &mut radio.categories[number];
        c.draw(&mut radio.random);
        if c.slots > 0 || c.wants_medium() {
            self.count_down(station, number);
        } else {
            self.sensing[station as usize].counting &= !(1 << number);
        }
    }

    /// A category has one more frame to send.
    pub(crate) fn one_more(
        &mut self,
        calendar: &mut Calendar,
        station: u32,
        number: usize,
        now: Time,
    ) {
        let c = &mut self.radios[station as usize].categories[number];
        c.frames += 1;
        if c.frames > 1 && !c.dormant {
            return;
        }
        self.contend_again(calendar, station, number, now);
    }

    /// A category that had nothing to send, or whose frames were all held back, has a frame that may go.
    pub(crate) fn contend_again(
        &mut self,
        calendar: &mut Calendar,
        station: u32,
        number: usize,
        now: Time,
    ) {
        self.leave_record(station);
        let sense = &mut self.sensing[station as usize];
        let radio = &mut self.radios[station as usize];
        let medium = &self.media[radio.medium as usize];
        let c = &mut radio.categories[number];
        c.set_dormant(false, now);
        let ready = if sense.busy {
            c.slots > 0
        } else {
            c.admit(sense.base(), now, medium.slot, medium.mac.countdown)
        };
        if !ready {
            c.draw(&mut radio.random);
        }
        let attended = (!sense.busy).then_some(sense.cover);
        self.count_down(station, number);
        if let Some(group) = attended {
            let at = self.expiry(station);
            self.schedule_group(calendar, group, at);
        }
    }

    pub(crate) fn become_dormant(
        &mut self,
        calendar: &mut Calendar,
        station: u32,
        number: usize,
        now: Time,
    ) {
        self.leave_record(station);
        let sense = &mut self.sensing[station as usize];
        sense.counting &= !(1 << number);
        sense.due &= !(1 << number);
        let radio = &mut self.radios[station as usize];
        let c = &mut radio.categories[number];
        c.set_dormant(c.frames > 0, now);
        if c.dormant
            && let Some(at) = radio
                .gates
                .as_ref()
                .and_then(|gates| gates.next_opening(now))
        {
            calendar.push(at, Code::Open.of(station));
        }
    }

    /// A gate of a station may have opened: categories that were held back contend again.
    pub(crate) fn gates_moved(&mut self, calendar: &mut Calendar, station: u32, now: Time) {
        for number in 0..self.radios[station as usize].categories.len() {
            if self.radios[station as usize].categories[number].dormant {
                self.contend_again(calendar, station, number, now);
            }
        }
    }
}
