//! Notices on their way: as control frames on wires, ahead of data, which take effect when the receiver's reaction time is
//! over; as management frames between stations, ahead of the data of the highest category; as header fields of data frames.

use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use super::World;
use crate::event::Event;
use crate::ids::{NoticeId, PortId};
use crate::mechanism::carrier::{CarriedBy, Toward};
use crate::mechanism::notice::Notice;
use crate::medium::ethernet::HEADER_FCS;
use crate::network::{Network, Traits};
use crate::packet::{Packet, Traffic};
use crate::record::What;
use crate::record::fingerprint::Mark;
use crate::table::Id;

impl Network {
    /// The last notice that waits at a port for the same gates or bars, if it says the same.
    fn last_waiting_like(&self, id: PortId, notice: &Notice) -> Option<NoticeId> {
        let waiting = self.packets.walk(&self.ports[id].control);
        let posted = waiting.map(|p| NoticeId::raw(p.to));
        let last = posted
            .filter(|n| self.mail.see(*n).concerns_like(notice))
            .last()?;
        self.mail.see(last).says_like(notice).then_some(last)
    }
}

impl World {
    /// Sends what mechanisms have said during this event.
    pub(super) fn post_all(&mut self, now: Time) {
        while let Some((control, told)) = self.mechanisms.outbox.pop_front() {
            let to = told.to;
            if to != Toward::Itself {
                self.mechanisms.hearing[told.notice.mechanism as usize].issued += 1;
            }
            let by = self.mechanisms.controls[control].carried_by();
            match (to, self.mechanisms.controls[control].station()) {
                (Toward::Port(id), _) if by == CarriedBy::Header => {
                    self.catch_up(id, now);
                    let books = &mut self.books;
                    self.network.post_in_header(books, id, told.notice, now);
                }
                (Toward::Port(id), _) => self.post_on_wire(id, told.notice, now),
                (Toward::Itself, Some(station)) => {
                    self.answer_at(station, station, &told.notice, now);
                }
                (Toward::Station(told_station), Some(station)) if by == CarriedBy::Header => {
                    let pair = (station, told_station);
                    self.air
                        .post_in_field(&mut self.books, (control, told), pair, now);
                }
                (Toward::Station(_) | Toward::Everybody, Some(station)) => {
                    let calendar = &mut self.clock.calendar;
                    let from = (control, told);
                    self.air
                        .post_on_air(&mut self.books, calendar, from, station, now);
                }
                (_, None) => unreachable!("only stations tell stations"),
            }
            if let Some((neighbour, epoch, delay)) =
                self.mechanisms.controls[control].start_timer(to)
            {
                self.clock.calendar.push(
                    now + delay,
                    Event::Refresh {
                        control,
                        neighbour,
                        epoch,
                    },
                );
            }
        }
    }

    /// Queues a control frame. Where the last one that waits for the same gates says the same, one frame says both.
    fn post_on_wire(&mut self, id: PortId, notice: Notice, now: Time) {
        self.catch_up(id, now);
        if let Some(last) = self.network.last_waiting_like(id, &notice) {
            return self.network.mail.replace(last, notice);
        }
        self.books.fingerprint.add(
            Mark::Notice,
            now,
            id.0,
            u64::from(notice.classes) << 16 | u64::from(notice.quanta()),
        );
        self.books.notices_sent += 1;
        let len =
            u16::try_from(notice.frame_size() - HEADER_FCS).expect("bounded by the largest frame");
        let posted = self.network.mail.put(notice);
        let packet = Packet {
            next: Id::NONE,
            flow: Id::NONE,
            to: posted.0,
            len,
            traffic: Traffic::new(7, Ecn::NotEct),
            seq: 0,
            ingress: Id::NONE,
            entry: 0,
            born: now,
            at: now,
            serial: 0,
            waited: 0,
            gated: 0,
        };
        let packet_id = self.network.packets.create(packet);
        if self.books.record.is_some() {
            self.network
                .note(&mut self.books, What::Notice, now, id, packet_id, 0);
        }
        let port = &mut self.network.ports[id];
        self.network.packets.append(&mut port.control, packet_id);
        port.set(Traits::URGENT, true);
        port.retry(now);
        self.catch_up(id, now);
    }
}
