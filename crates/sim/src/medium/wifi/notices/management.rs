//! Notices that wait at a station for the medium, as management frames ahead of the data of the highest category.

use backwater_transport::units::Time;

use crate::books::Books;
use crate::calendar::Calendar;
use crate::ids::ControlId;
use crate::mechanism::carrier::{Told, Toward};
use crate::mechanism::notice::Ask;
use crate::medium::access::MANAGEMENT_CATEGORY;
use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::radio::Management;
use crate::medium::wifi::wifi_bytes::management_size;
use crate::record::fingerprint::Mark;

impl Air {
    /// Queues a notice at a station, in place of one to the same station about the same that still waits.
    pub(crate) fn post_on_air(
        &mut self,
        books: &mut Books,
        calendar: &mut Calendar,
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
        books.fingerprint.add(Mark::Notice, now, station, detail);
        self.one_more(calendar, station, category, now);
    }
}
