//! The events that 802.11 schedules, and the causes of each.

use backwater_transport::units::Time;

use crate::event::{Event, MediumKind};
use crate::ids::{ControlId, PacketId, PortId};
use crate::mechanism::carrier::{CarriedBy, Told, Toward};
use crate::mechanism::notice::Notice;
use crate::medium::media::Medium;
use crate::medium::wifi::air::Air;
use crate::shared::Shared;
use crate::table::Id;

/// The kinds of events, in the order of service at one instant (`event.rs`: samples of detectors come before `Expire`).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// The frame that this station sends has ended.
    Silence,
    /// A SIFS after a frame: this station answers, or goes on.
    Answer,
    /// A station of those that heard this one last may have counted its slots down.
    Contend,
    /// A notice that a station was given may have expired.
    Expire,
    /// The next packet of a flow that its station holds back may go.
    Release,
    /// A gate of this station opens.
    Open,
    /// A receiver may have waited long enough for what is missing: of a hop's category, by four times the hop and the category.
    Reorder,
}

impl Code {
    /// The event of a station, or of a flow.
    #[inline(always)]
    pub fn of(self, owner: u32) -> Event {
        Event::Medium {
            kind: MediumKind::Wifi,
            code: self as u8,
            owner,
        }
    }
}

impl Medium for Air {
    #[inline(always)]
    fn serve(&mut self, cx: &mut Shared, code: u8, owner: u32, now: Time) {
        const SILENCE: u8 = Code::Silence as u8;
        const ANSWER: u8 = Code::Answer as u8;
        const CONTEND: u8 = Code::Contend as u8;
        const EXPIRE: u8 = Code::Expire as u8;
        const RELEASE: u8 = Code::Release as u8;
        const OPEN: u8 = Code::Open as u8;
        const REORDER: u8 = Code::Reorder as u8;
        match code {
            SILENCE => self.silence(cx, owner, now),
            ANSWER => self.answer_now(cx, owner, now),
            CONTEND => self.contend(cx, owner, now),
            EXPIRE => self.expire(cx, owner, now),
            RELEASE => self.release_held(cx, Id::raw(owner), now),
            OPEN => self.gates_moved(&mut cx.run.calendar, owner, now),
            REORDER => self.end_wait(cx, (owner / 4, owner as usize % 4), now),
            _ => unreachable!("no event of 802.11 has the code {code}"),
        }
    }

    #[inline(always)]
    fn accept(&mut self, cx: &mut Shared, port: PortId, packet: PacketId, now: Time) {
        self.enqueue_at_station(cx, port, packet, now);
    }

    fn told(&mut self, cx: &mut Shared, from: u32, to: u32, notice: &Notice, now: Time) {
        self.answer_at(cx, from, to, notice, now);
    }
}

impl Air {
    /// Sends what a mechanism at a station has to say: to the station itself, in a header field, or as a management frame.
    pub(crate) fn post(
        &mut self,
        cx: &mut Shared,
        (control, told): (ControlId, Told),
        station: u32,
        now: Time,
    ) {
        let by = cx.mechanisms.controls[control].carried_by();
        match told.to {
            Toward::Itself => self.told(cx, station, station, &told.notice, now),
            Toward::Station(to) if by == CarriedBy::Header => {
                let books = &mut cx.run.books;
                self.post_in_field(books, (control, told), (station, to), now);
            }
            Toward::Station(_) | Toward::Everybody => {
                self.post_on_air(&mut cx.run, (control, told), station, now);
            }
            Toward::Port(_) => unreachable!("only ports tell ports"),
        }
    }
}
