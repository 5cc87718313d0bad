//! Stations of a cell stand apart from its record and follow it again, and frames begin and end there. See `cell`.

use backwater_transport::units::Time;

use crate::medium::wifi::air::{Air, NOBODY, Number};
use crate::medium::wifi::mac::carrier_sense::CarrierSense;
use crate::medium::wifi::mac::cell::{Apart, Cell, LEAST, LINK};
use crate::medium::wifi::mac::frame::{Frame, FrameKind};
use crate::medium::wifi::phy::channel::Link;
use crate::medium::wifi::reception::collision::{Outcome, Passing};

impl Air {
    /// Finds the media whose stations all hear one another.
    pub(in crate::medium::wifi) fn form_cells(&mut self) {
        self.cells = vec![None; self.media.len()];
        for (number, medium) in self.media.iter().enumerate() {
            let here = |s: &u32| self.radios[*s as usize].medium as usize == number;
            let stations: Vec<u32> = (0..self.radios.len() as u32).filter(here).collect();
            let hears = |link: &Link| link.decodes && link.senses && link.power > 0;
            let reach = |s: &u32| &self.reach[*s as usize];
            let all = |s: &u32| reach(s).len() == stations.len() - 1 && reach(s).iter().all(hears);
            if medium.receivers.is_none()
                && medium.capture.is_infinite()
                && stations.len() >= LEAST
                && stations.iter().all(all)
            {
                self.cells[number] = Some(Box::new(Cell::new(stations)));
            }
        }
    }

    /// The carrier sense of a station's receiver is going to be read or changed for itself.
    #[inline(always)]
    pub(in crate::medium::wifi) fn leave_record(&mut self, station: u32) {
        if self.sensing[station as usize].cover == NOBODY {
            self.copy_record(station);
        }
    }

    /// The carrier sense of a station, wherever its record stands.
    pub(in crate::medium::wifi) fn sense(&self, station: u32) -> CarrierSense {
        let own = self.sensing[station as usize];
        if own.cover != NOBODY {
            return own;
        }
        let cell = &self.cells[self.radios[station as usize].medium as usize];
        let record = &cell.as_ref().expect("a station that follows").sense;
        CarrierSense {
            counting: own.counting,
            busy_ticks: own.busy_ticks.wrapping_add(record.busy_ticks),
            ..*record
        }
    }

    #[inline(never)]
    fn copy_record(&mut self, station: u32) {
        let mut sense = self.sense(station);
        let radio = &mut self.radios[station as usize];
        let cell = self.cells[radio.medium as usize].as_mut();
        let cell = cell.expect("a station that follows");
        let place = cell.place(station);
        for (number, c) in radio.categories.iter_mut().enumerate() {
            if sense.counting >> number & 1 == 1 {
                let passed = cell.count(c.aifs).passed;
                c.slots = c.zero_at.saturating_sub(passed) as u32;
            }
        }
        let number = cell.number(place, cell.place(sense.cover));
        sense.number = number as Number;
        if !sense.busy && sense.counting != 0 {
            self.groups[sense.cover as usize].add(sense.number);
        }
        if sense.lock != NOBODY && self.parts[sense.lock as usize].is_burst() {
            self.hits[station as usize].clone_from(&cell.hits[0]);
        }
        cell.apart.push(Apart { station, place });
        self.sensing[station as usize] = sense;
    }

    /// Those of a medium that follow and would send now stand apart.
    pub(in crate::medium::wifi) fn set_due_apart(&mut self, medium: usize, now: Time) {
        let slot = self.media[medium].slot;
        let Some(cell) = &self.cells[medium] else {
            return;
        };
        for number in 0..cell.counts.len() {
            loop {
                let cell = self.cells[medium].as_mut().expect("the same cell");
                let base = cell.sense.base();
                let count = &mut cell.counts[number];
                if now < base + count.aifs {
                    break;
                }
                let Some(first) = count.first(&self.sensing, &self.radios) else {
                    break;
                };
                if count.expiry(&first, base, slot) != now {
                    break;
                }
                self.leave_record(first.station);
            }
        }
    }

    /// The same for a group, whose event this is.
    pub(in crate::medium::wifi) fn set_due_of_group_apart(&mut self, group: u32, now: Time) {
        let medium = self.radios[group as usize].medium as usize;
        if let Some(cell) = &self.cells[medium]
            && cell.sense.cover == group
            && !cell.sense.busy
        {
            self.set_due_apart(medium, now);
        }
    }

    /// When the first of those that follow would send, if they belong to this group and their medium is idle.
    pub(in crate::medium::wifi) fn soonest_in_cell(&mut self, group: u32) -> Time {
        let medium = self.radios[group as usize].medium as usize;
        match &mut self.cells[medium] {
            Some(cell) if cell.sense.cover == group && !cell.sense.busy => {
                cell.soonest(&self.sensing, &self.radios, self.media[medium].slot)
            }
            _ => Time::NEVER,
        }
    }

    /// A frame of this station has ended: those follow again whose own record has the same effect. The two of an exchange that goes on do not.
    pub(in crate::medium::wifi) fn follow_again(&mut self, station: u32, goes_on: bool) {
        let Some(cell) = &mut self.cells[self.radios[station as usize].medium as usize] else {
            return;
        };
        if cell.sense.busy || goes_on && cell.apart.len() <= 2 {
            return;
        }
        let mut next = 0;
        while let Some(&Apart { station, .. }) = cell.apart.get(next) {
            let sense = &mut self.sensing[station as usize];
            let categories = &mut self.radios[station as usize].categories;
            if cell.serves(sense, categories) {
                cell.apart.swap_remove(next);
                cell.take(station, sense, categories);
            } else {
                next += 1;
            }
        }
    }

    /// A station begins to send, in a cell: it stands apart.
    pub(in crate::medium::wifi) fn begin_in_cell(&mut self, station: u32, now: Time) {
        let number = self.radios[station as usize].medium as usize;
        let busy = |cell: &Cell| cell.sense.busy;
        if !self.cells[number].as_deref().is_none_or(busy) {
            self.set_due_apart(number, now);
        }
        let cell = self.cells[number].as_mut().expect("a cell");
        let medium = &self.media[number];
        let passing = Passing {
            from: station,
            medium,
            parts: &self.parts,
            now,
        };
        for one in cell.apart.iter().filter(|one| one.station != station) {
            let to = one.station as usize;
            let sense = &mut self.sensing[to];
            if passing.begins(sense, &LINK, &mut self.hits, to) {
                sense.freeze(&mut self.radios[to], medium, now);
            }
        }
        if passing.begins(&mut cell.sense, &LINK, &mut cell.hits, 0) {
            cell.freeze(medium, now);
        }
    }

    /// A station's frame ends, in a cell. Who is addressed learns something else from it than others, unless it is damaged for all.
    pub(in crate::medium::wifi) fn end_in_cell(&mut self, station: u32, frame: &Frame, now: Time) {
        let sender = station as usize;
        let number = self.radios[sender].medium as usize;
        let record = &self.cells[number].as_ref().expect("a cell").sense;
        if frame.to != NOBODY && record.lock == station && !record.damaged {
            self.leave_record(frame.to);
        }
        let cell = self.cells[number].as_mut().expect("a cell");
        let passing = Passing {
            from: station,
            medium: &self.media[number],
            parts: &self.parts,
            now,
        };
        let eavesdrops = self.eavesdrops && frame.kind == FrameKind::Data;
        let from = cell.place(station);
        let mut group = self.groups[sender].members();
        for one in cell.apart.iter().filter(|one| one.station != station) {
            let to = one.station as usize;
            let here = (&LINK, one.station);
            let sense = &mut self.sensing[to];
            let hits = (&mut self.hits[..], to);
            match passing.ends(sense, here, frame, hits, &mut self.damaged) {
                Outcome::Heard => self.heard.push(one.station),
                Outcome::Overheard if eavesdrops => self.overheard.push(one.station),
                Outcome::Overheard | Outcome::Nothing => {}
            }
            if sense.is_quiet() {
                group.take(cell.number(one.place, from), sense, station, now);
            }
        }
        let sense = &mut self.sensing[sender];
        sense.sending = false;
        if sense.energy == 0 {
            group.take(cell.stations.len() - 1, sense, station, now);
        }
        let (here, hits) = ((&LINK, LINK.to), (&mut cell.hits[..], 0));
        let outcome = passing.ends(&mut cell.sense, here, frame, hits, &mut self.damaged);
        if cell.sense.is_quiet() {
            cell.sense.become_idle(station, 0, now);
        }
        let told = match outcome {
            Outcome::Heard => &mut self.heard,
            Outcome::Overheard if eavesdrops => &mut self.overheard,
            Outcome::Overheard | Outcome::Nothing => return,
        };
        let follows = |s: &&u32| self.sensing[**s as usize].cover == NOBODY;
        told.extend(cell.stations.iter().filter(follows));
        self.heard.sort_unstable();
        self.overheard.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use backwater_transport::part::{Args, Value};
    use backwater_transport::segment::Ecn;
    use backwater_transport::units::{Bytes, Rate, Span};

    use crate::medium::wifi::mac::category::{AccessMode, Countdown};
    use crate::medium::wifi::phy::channel::ChannelSpec;
    use crate::medium::wifi::test_line::line;
    use crate::source::SOURCES;
    use crate::spec::{FlowOptions, FlowSpec, Spec};
    use crate::targets::Destination;
    use crate::world::World;

    /// So many stations within 50 m, each of which sends to the next one. A third of them are saturated if not all are.
    fn stations(count: usize, all: bool) -> Spec {
        let places: Vec<f64> = (0..count).map(|n| 50.0 * n as f64 / count as f64).collect();
        let mut spec = line(&places);
        for from in 0..count {
            let id = match all || from % 3 == 0 {
                true => "saturated",
                false => "cbr",
            };
            let row = SOURCES.iter().find(|p| p.id == id).expect("one");
            let mut args = vec![("packet", Value::Bytes(Bytes(1000)))];
            if id == "cbr" {
                args.push(("rate", Value::Rate(Rate(200_000))));
                args.push(("phase", Value::Choice("random")));
            }
            spec.flows.push(FlowSpec {
                name: format!("f{from}"),
                from,
                to: Destination::Node((from + 1) % count),
                class: (from % 4) as u8,
                ecn: Ecn::NotEct,
                packet: Bytes(1000),
                start: Span::ZERO,
                stop: Span::secs(1),
                source: (row.build)(&Args(args)).expect("legal"),
                options: FlowOptions::default(),
                after: None,
                route: None,
                transport: None,
            });
        }
        spec
    }

    /// How many stations an event finds apart, on average. Of 400 there are more than of 40, since more take part in a collision; without
    /// the record all 399 others would be touched.
    #[test]
    fn a_frame_touches_few_stations_however_many_there_are() {
        let apart = |count: usize| {
            let mut world = World::build(&stations(count, true)).expect("a legal cell");
            world.advance_some(2000);
            let (mut sum, events) = (0, 4000);
            for _ in 0..events {
                world.advance_some(1);
                let cells = &world.media.air.cells;
                sum += cells[0].as_ref().map_or(count, |cell| cell.apart.len());
            }
            sum as f64 / f64::from(events)
        };
        let (few, many) = (apart(40), apart(400));
        assert!(few < 4.0 && many < 8.0, "{few} of 40, {many} of 400");
    }

    /// One record for all gives the same as a record for each station.
    #[test]
    fn a_cell_without_its_record_gives_the_same() {
        for (access, rts_above, all) in [
            (AccessMode::Dcf, 0, true),
            (AccessMode::Dcf, u64::MAX, false),
            (AccessMode::Edca, 0, false),
            (AccessMode::Edca, u64::MAX, true),
        ] {
            let mut spec = stations(30, all);
            let mac = &mut spec.media[0].mac;
            (mac.access, mac.rts_above) = (access, rts_above);
            if access == AccessMode::Edca {
                mac.countdown = Countdown::Boundary;
                mac.categories = access.defaults((15, 1023));
            }
            let run = |cells: bool| {
                let mut world = World::build(&spec).expect("a legal cell");
                assert!(world.media.air.cells[0].is_some());
                if !cells {
                    world.media.air.cells[0] = None;
                }
                world.advance(world.end());
                let stations = (0..30).map(|s| world.media.air.station_count(s, world.end()).busy);
                let busy: Vec<u64> = stations.collect();
                (world.events(), busy, world.report().fingerprint)
            };
            assert_eq!(run(true), run(false), "{access:?} {rts_above}");
        }
    }

    /// Stations that do not all hear one another, or of which a stronger frame survives a weaker, each have a record of their own.
    #[test]
    fn only_those_share_a_record_that_all_hear_one_another_without_capture() {
        let has_record = |change: &dyn Fn(&mut Spec)| {
            let mut spec = stations(8, true);
            change(&mut spec);
            let world = World::build(&spec).expect("legal");
            world.media.air.cells[0].is_some()
        };
        let disc = |spec: &mut Spec, transmit: f64, capture: Option<f64>| {
            let ChannelSpec::Disc(disc) = &mut spec.media[0].channel else {
                unreachable!("a disc");
            };
            (disc.transmit, disc.capture) = (transmit, capture);
        };
        assert!(has_record(&|spec| disc(spec, 100.0, None)));
        assert!(!has_record(&|spec| disc(spec, 100.0, Some(10.0))));
        assert!(!has_record(&|spec| disc(spec, 40.0, None)));
    }
}
