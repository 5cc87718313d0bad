//! Frames begin and end under the physical channel: at those that can understand them, and at those that they only disturb. See `hearing`.

use backwater_transport::units::Time;

use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::mac::frame::{Frame, FrameKind};
use crate::medium::wifi::phy::power_level::{Level, next_news};
use crate::medium::wifi::reception::hearing::Coded;

impl Air {
    /// A station begins to send a frame of so many bytes: what it is to all whom it reaches, and to those it
    /// disturbs.
    pub fn arrive(&mut self, station: u32, rung: usize, bytes: u64, ends: Time, now: Time) {
        if self.gains.is_some() {
            self.refade(station, now);
        }
        let sender = station as usize;
        let medium = &self.media[self.radios[sender].medium as usize];
        let receivers = medium.receivers.as_ref().expect("a physical channel");
        let coded = Coded::new(receivers, rung, bytes, now, ends);
        self.coded[sender] = coded.of_parts(bytes, &self.parts[sender]);
        match self.coded[sender].burst {
            false => self.begin_everywhere::<false>(station, now),
            true => self.begin_everywhere::<true>(station, now),
        }
    }

    /// The same once its coding is known; most frames are no `BURST`.
    #[inline(never)]
    fn begin_everywhere<const BURST: bool>(&mut self, station: u32, now: Time) {
        let sender = station as usize;
        let medium = &self.media[self.radios[sender].medium as usize];
        let receivers = medium.receivers.as_ref().expect("a physical channel");
        let parts = &self.parts[sender];
        let coded = self.coded[sender];
        self.levels[sender].tune(&self.sensing[sender], receivers.busy_from);
        let (reached, disturbed) = self.idlers[sender].split_at(self.near[sender].len());
        // One test of a number does for all tables.
        let stations = self.radios.len();
        let radios = &mut self.radios[..stations];
        let sensing = &mut self.sensing[..stations];
        let levels = &mut self.levels[..stations];
        let hearings = &mut self.hearings[..stations];
        for (near, to) in self.near[sender].iter().zip(reached) {
            let to = usize::from(*to);
            let (sense, level, hearing) = (&mut sensing[to], &mut levels[to], &mut hearings[to]);
            let before = level.power;
            level.power += near.power;
            let heard = before as i64 <= near.covers && !sense.sending;
            let takes = if sense.lock == NOBODY {
                heard
            } else {
                let together =
                    || self.coded[sense.lock as usize].begun == now && near.power > hearing.wanted;
                heard && (before as i64 <= near.overrides || together())
            };
            if takes {
                if sense.lock != NOBODY {
                    self.left.push(sense.lock);
                }
                sense.lock = station;
                hearing.wanted = near.power;
                sense.damaged = false;
                if BURST {
                    hearing.burst.get_or_insert_default().begin(parts);
                }
                sense.confirm_nav(now);
                hearing.watch(receivers, &coded, sense, level, now);
                if !sense.busy {
                    sense.freeze(&mut radios[to], medium, now);
                }
            } else if level.is_news() {
                if sense.lock != NOBODY {
                    let coded = &self.coded[sense.lock as usize];
                    hearing.update_reception((receivers, coded), sense, before, level, now);
                } else {
                    sense.freeze(&mut radios[to], medium, now);
                    level.tune(sense, receivers.busy_from);
                }
            }
        }
        let powers = &self.far[sender];
        let (by, is_news) = (Level::rise, Level::is_too_high);
        let mut from = 0;
        while let Some(place) = next_news(disturbed, powers, levels, from, by, is_news) {
            from = place + 1;
            let to = usize::from(disturbed[place]);
            let (sense, level) = (&mut sensing[to], &mut levels[to]);
            if sense.lock != NOBODY {
                let coded = &self.coded[sense.lock as usize];
                let before = level.power - u64::from(powers[place]);
                hearings[to].update_reception((receivers, coded), sense, before, level, now);
            } else {
                sense.freeze(&mut radios[to], medium, now);
                level.tune(sense, receivers.busy_from);
            }
        }
    }

    /// A station's frame ends: those who receive it find out whether they have it whole. `heard` is who
    /// has, of those it is for.
    pub fn end_on_channel(&mut self, station: u32, frame: &Frame, now: Time) {
        match self.coded[station as usize].burst {
            false => self.end_everywhere::<false>(station, frame, now),
            true => self.end_everywhere::<true>(station, frame, now),
        }
    }

    #[inline(never)]
    fn end_everywhere<const BURST: bool>(&mut self, station: u32, frame: &Frame, now: Time) {
        let sender = station as usize;
        let medium = &self.media[self.radios[sender].medium as usize];
        let receivers = medium.receivers.as_ref().expect("a physical channel");
        let coded = self.coded[sender];
        let eavesdrops = self.eavesdrops && frame.kind == FrameKind::Data;
        let mut group = self.groups[sender].members();
        let beyond = self.near[sender].len();
        let (reached, disturbed) = self.idlers[sender].split_at(beyond);
        let stations = self.sensing.len();
        let sensing = &mut self.sensing[..stations];
        let levels = &mut self.levels[..stations];
        let hearings = &mut self.hearings[..stations];
        for (number, (near, here)) in self.near[sender].iter().zip(reached).enumerate() {
            let to = usize::from(*here);
            let (sense, level, hearing) = (&mut sensing[to], &mut levels[to], &mut hearings[to]);
            let before = level.power;
            level.power -= near.power;
            if sense.lock == station {
                sense.damaged |= hearing.has_failed(receivers, &coded, sense.suspect, before, now);
                if BURST && frame.to == u32::from(*here) {
                    hearing.tell_damaged(&mut self.damaged);
                }
                if sense.end_reception(u32::from(*here), frame, medium, now) {
                    self.heard.push(u32::from(*here));
                } else if eavesdrops && !sense.damaged {
                    note(&mut self.overheard, u32::from(*here));
                }
                if level.power < receivers.busy_from {
                    group.take(number, sense, station, now);
                }
                level.tune(sense, receivers.busy_from);
            } else if level.power < level.low {
                if sense.lock != NOBODY {
                    let coded = &self.coded[sense.lock as usize];
                    hearing.update_reception((receivers, coded), sense, before, level, now);
                } else {
                    group.take(number, sense, station, now);
                    level.tune(sense, receivers.busy_from);
                }
            }
        }
        let powers = &self.far[sender];
        let (by, is_news) = (Level::fall, Level::is_too_low);
        let mut from = 0;
        while let Some(place) = next_news(disturbed, powers, levels, from, by, is_news) {
            from = place + 1;
            let to = usize::from(disturbed[place]);
            let (sense, level) = (&mut sensing[to], &mut levels[to]);
            if sense.lock != NOBODY {
                let coded = &self.coded[sense.lock as usize];
                let before = level.power + u64::from(powers[place]);
                hearings[to].update_reception((receivers, coded), sense, before, level, now);
            } else {
                group.take(beyond + place, sense, station, now);
                level.tune(sense, receivers.busy_from);
            }
        }
        let (sense, level) = (&mut sensing[sender], &mut levels[sender]);
        sense.sending = false;
        if level.power < receivers.busy_from {
            group.take(beyond + powers.len(), sense, station, now);
        }
        level.tune(sense, receivers.busy_from);
    }
}

/// Adds a station that overheard a frame. Few mechanisms listen.
#[cold]
fn note(overheard: &mut Vec<u32>, station: u32) {
    overheard.push(station);
}
