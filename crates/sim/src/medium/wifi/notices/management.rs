//! Notices that wait at a station for the medium, as management frames ahead of the data of the highest category.

use backwater_transport::units::Time;

use crate::ids::ControlId;
use crate::mechanism::carrier::{Told, Toward};
use crate::mechanism::notice::Ask;
use crate::medium::access::MANAGEMENT_CATEGORY;
use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::radio::Management;
use crate::medium::wifi::wifi_bytes::management_size;
use crate::record::fingerprint::Mark;
use crate::run::Run;

impl Air {
    /// Queues a notice at a station, in place of one to the same station about the same that still waits.
    pub(crate) fn post_on_air(
        &mut self,
        run: &mut Run,
        (control, told): (ControlId, Told),
        station: u32,
        now: Time,
    ) {
        let notice = told.notice;
        let to = match told.to {
            Toward::Station(to) => to,
            Toward::Everybody => NOBODY,
            Toward::Port(_) | Toward::Itself => unreachable!("a station tells stations"),
        };
        let radio = &mut self.radios[station as usize];
        let same = |m: &Management| m.to == to && m.notice.replaced_by(&notice);
        let asks = matches!(notice.ask, Ask::Step(_));
        // One that is on the air, or was, stays as it is.
        let tried = |m: &Management| m.heard || m.tries > 0;
        let sent = radio.exchange.is_some_and(|e| e.hop.is_none());
        match radio.notices.iter().position(same) {
            Some(_) if asks => return,
            Some(at) if at > 0 || !sent && !tried(&radio.notices[at]) => {
                radio.notices[at].notice = notice;
                return;
            }
            _ => {}
        }
        let detail = match notice.ask {
            Ask::Step(step) => {
                u64::from(to) << 16 | (notice.class() as u64) << 1 | u64::from(step.less)
            }
            _ => u64::from(to) << 32 | u64::from(notice.classes) << 16 | u64::from(notice.quanta()),
        };
        radio.notices.push_back(Management {
            to,
            bytes: management_size(&notice),
            control,
            notice,
            heard: false,
            tries: 0,
        });
        let category = MANAGEMENT_CATEGORY.min(radio.categories.len() - 1);
        run.books
            .fingerprint
            .add(Mark::Notice, now, station, detail);
        self.one_more(&mut run.calendar, station, category, now);
    }
}

#[cfg(test)]
mod tests {
    use backwater_transport::units::{Rate, Span};

    use super::*;
    use crate::mechanism::notice::{Form, Notice, Step};
    use crate::medium::wifi::test_line::line;
    use crate::table::Id;
    use crate::world::World;

    fn notice(ask: Ask) -> Notice {
        Notice {
            mechanism: 0,
            form: Form::Pause,
            classes: 0xff,
            ask,
            hosts: None,
            origin: Id::NONE,
            origin_classes: 1,
            key: 0,
        }
    }

    fn step(rate: u64) -> Ask {
        Ask::Step(Step {
            less: true,
            rate: Rate(rate),
            expiry: None,
            period: Span::secs(1),
        })
    }

    fn post(world: &mut World, to: Toward, ask: Ask) {
        let told = Told {
            to,
            notice: notice(ask),
        };
        let run = &mut world.shared.run;
        let from = (Id::NONE, told);
        world.media.air.post_on_air(run, from, 0, Time(7));
    }

    fn waiting(world: &World) -> Vec<(u32, Ask)> {
        let notices = world.media.air.radios[0].notices.iter();
        notices.map(|m| (m.to, m.notice.ask)).collect()
    }

    /// A later notice to the same station about the same takes the place of one that waits, a later request doesn't; what has
    /// been tried stays, and so does what others are told.
    #[test]
    fn a_notice_replaces_one_that_waits_and_none_that_was_sent() {
        let mut world = World::build(&line(&[0.0, 50.0])).expect("a legal line");
        let (one, all) = (Toward::Station(1), Toward::Everybody);
        let before = world.shared.run.books.fingerprint;
        post(&mut world, one, Ask::Stop(5));
        assert_ne!(world.shared.run.books.fingerprint, before);
        let first = world.shared.run.books.fingerprint;
        post(&mut world, one, Ask::Stop(0));
        assert_eq!(world.shared.run.books.fingerprint, first, "in its place");
        assert_eq!(waiting(&world), [(1, Ask::Stop(0))]);
        post(&mut world, all, Ask::Stop(9));
        assert_eq!(waiting(&world), [(1, Ask::Stop(0)), (NOBODY, Ask::Stop(9))]);
        for _ in 0..2 {
            post(&mut world, one, step(1000));
        }
        post(&mut world, one, step(2000));
        assert_eq!(waiting(&world)[2..], [(1, step(1000))], "asked already");
        world.media.air.radios[0].notices[0].tries = 1;
        post(&mut world, one, Ask::Stop(3));
        let asked: Vec<Ask> = waiting(&world).into_iter().map(|(_, ask)| ask).collect();
        let expected = [Ask::Stop(0), Ask::Stop(9), step(1000), Ask::Stop(3)];
        assert_eq!(asked, expected);
        // One behind the head has not been tried, whatever the head was.
        post(&mut world, all, Ask::Stop(8));
        assert_eq!(waiting(&world)[1], (NOBODY, Ask::Stop(8)));
    }

    /// Two runs differ where the same notice goes to another station.
    #[test]
    fn the_fingerprint_tells_whom_a_notice_is_for() {
        let told = |to: u32| {
            let mut world = World::build(&line(&[0.0, 50.0, -50.0])).expect("a legal line");
            post(&mut world, Toward::Station(to), Ask::Stop(5));
            world.shared.run.books.fingerprint
        };
        assert_eq!(told(1), told(1));
        assert_ne!(told(1), told(2));
    }

    /// 24 B of header, 4 of FCS, and the element of a stop.
    #[test]
    fn a_notice_that_waits_contends_for_the_medium() {
        let mut world = World::build(&line(&[0.0, 50.0])).expect("a legal line");
        assert_eq!(world.media.air.radios[0].categories[0].frames, 0);
        post(&mut world, Toward::Station(1), Ask::Stop(5));
        let posted = &world.media.air.radios[0].notices[0];
        assert_eq!(posted.bytes, management_size(&posted.notice));
        assert!(!posted.heard && posted.tries == 0);
        assert!(world.media.air.radios[0].categories[0].wants_medium());
    }
}
