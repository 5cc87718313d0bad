//! Frames begin and end under the physical channel: at those that can understand them, and at those that they only disturb. See `hearing`.

use backwater_transport::units::Time;

use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::mac::frame::{Frame, FrameKind};
use crate::medium::wifi::phy::power_level::Band;
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
        let busy_from = receivers.busy_from;
        // One test of a number does for all tables.
        let stations = self.radios.len();
        let levels = &mut self.levels;
        let mut rows = levels.rows(stations);
        rows.set(
            sender,
            Band::without_frame(&self.sensing[sender], busy_from),
        );
        let radios = &mut self.radios[..stations];
        let sensing = &mut self.sensing[..stations];
        let hearings = &mut self.hearings[..stations];
        for (near, to) in self.near[sender].iter().zip(&self.idlers[sender]) {
            let to = usize::from(*to);
            let (sense, hearing) = (&mut sensing[to], &mut hearings[to]);
            let (before, power) = rows.change(to, near.power as i64);
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
                let band = hearing.watch(receivers, &coded, sense, power, now);
                rows.set(to, band);
                if !sense.busy {
                    sense.freeze(&mut radios[to], medium, now);
                }
            } else if rows.is_news(to) {
                if sense.lock != NOBODY {
                    let coding = (receivers, &self.coded[sense.lock as usize]);
                    let band = hearing.update_reception(coding, sense, (before, power), now);
                    rows.set(to, band);
                } else {
                    sense.freeze(&mut radios[to], medium, now);
                    rows.set(to, Band::without_frame(sense, busy_from));
                }
            }
        }
        for block in &self.far[sender] {
            if !levels.rise(block) {
                continue;
            }
            let mut rows = levels.rows(stations);
            for to in block.numbers(stations) {
                if !rows.is_too_high(to) {
                    continue;
                }
                let sense = &mut sensing[to];
                let band = if sense.lock != NOBODY {
                    let coding = (receivers, &self.coded[sense.lock as usize]);
                    let (power, (_, by)) = (rows.power(to), block.disturbs(to));
                    let change = (power - u64::from(by), power);
                    hearings[to].update_reception(coding, sense, change, now)
                } else {
                    sense.freeze(&mut radios[to], medium, now);
                    Band::without_frame(sense, busy_from)
                };
                rows.set(to, band);
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
        let busy_from = receivers.busy_from;
        let beyond = self.near[sender].len();
        let stations = self.sensing.len();
        let sensing = &mut self.sensing[..stations];
        let levels = &mut self.levels;
        let mut rows = levels.rows(stations);
        let hearings = &mut self.hearings[..stations];
        let reached = self.near[sender].iter().zip(&self.idlers[sender]);
        for (number, (near, here)) in reached.enumerate() {
            let to = usize::from(*here);
            let (sense, hearing) = (&mut sensing[to], &mut hearings[to]);
            let (before, power) = rows.change(to, -(near.power as i64));
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
                if power < busy_from {
                    group.take(number, sense, station, now);
                }
                rows.set(to, Band::without_frame(sense, busy_from));
            } else if rows.is_too_low(to) {
                if sense.lock != NOBODY {
                    let coding = (receivers, &self.coded[sense.lock as usize]);
                    let band = hearing.update_reception(coding, sense, (before, power), now);
                    rows.set(to, band);
                } else {
                    group.take(number, sense, station, now);
                    rows.set(to, Band::without_frame(sense, busy_from));
                }
            }
        }
        for block in &self.far[sender] {
            if !levels.fall(block) {
                continue;
            }
            let mut rows = levels.rows(stations);
            for to in block.numbers(stations) {
                if !rows.is_too_low(to) {
                    continue;
                }
                let (place, by) = block.disturbs(to);
                let sense = &mut sensing[to];
                let band = if sense.lock != NOBODY {
                    let coding = (receivers, &self.coded[sense.lock as usize]);
                    let power = rows.power(to);
                    let change = (power + u64::from(by), power);
                    hearings[to].update_reception(coding, sense, change, now)
                } else {
                    group.take(beyond + place, sense, station, now);
                    Band::without_frame(sense, busy_from)
                };
                rows.set(to, band);
            }
        }
        let mut rows = levels.rows(stations);
        let sense = &mut sensing[sender];
        sense.sending = false;
        if rows.power(sender) < busy_from {
            group.take(self.idlers[sender].len() - 1, sense, station, now);
        }
        rows.set(sender, Band::without_frame(sense, busy_from));
    }
}

/// Adds a station that overheard a frame. Few mechanisms listen.
#[cold]
fn note(overheard: &mut Vec<u32>, station: u32) {
    overheard.push(station);
}
