//! Notices on their way: as control frames on wires, ahead of data, which take effect when the receiver's reaction time is
//! over; as management frames between stations, ahead of the data of the highest category.

use std::sync::Arc;

use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use super::World;
use crate::event::Event;
use crate::ids::{ControlId, NoticeId, PacketId, PortId};
use crate::mechanism::carrier::{Told, Toward, management_size};
use crate::mechanism::notice::{Ask, Notice};
use crate::medium::ethernet::{self, GAP, HEADER_FCS, PREAMBLE};
use crate::medium::wifi::air::NOBODY;
use crate::medium::wifi::mac::MANAGEMENT_CATEGORY;
use crate::medium::wifi::radio::Management;
use crate::network::{Part, Traits};
use crate::packet::{Packet, Traffic};
use crate::record::fingerprint::Mark;
use crate::record::{Record, What};
use crate::table::Id;

impl World {
    /// Sends what mechanisms have said during this event.
    pub(super) fn post_all(&mut self, now: Time) {
        while let Some((control, Told { to, notice })) = self.outbox.pop_front() {
            match (to, self.controls[control].station()) {
                (Toward::Port(id), _) => self.post_on_wire(id, notice, now),
                (Toward::Station(to), Some(s)) => self.post_on_air(control, s, to, notice, now),
                (Toward::Everybody, Some(s)) => self.post_on_air(control, s, NOBODY, notice, now),
                (Toward::Itself, Some(s)) => self.answer_at(s, s, &notice, now),
                (_, None) => unreachable!("only stations tell stations"),
            }
            if let Some((neighbour, epoch, delay)) = self.controls[control].start_timer(to) {
                self.calendar.push(
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

    fn post_on_wire(&mut self, id: PortId, notice: Notice, now: Time) {
        self.fingerprint.add(
            Mark::Notice,
            now,
            id.0,
            u64::from(notice.classes) << 16 | u64::from(notice.quanta()),
        );
        self.notices_sent += 1;
        let len =
            u16::try_from(notice.frame_size() - HEADER_FCS).expect("bounded by the largest frame");
        let posted = self.mail.put(notice);
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
        let packet_id = self.packets.create(packet);
        if self.record.is_some() {
            self.note(What::Notice, now, id, packet_id, 0);
        }
        self.catch_up(id, now);
        let port = &mut self.ports[id];
        self.packets.append(&mut port.control, packet_id);
        port.set(Traits::URGENT, true);
        port.retry(now);
        self.catch_up(id, now);
    }

    /// Queues a notice at a station, in place of one to the same station about the same that still waits.
    fn post_on_air(
        &mut self,
        control: ControlId,
        station: u32,
        to: u32,
        notice: Notice,
        now: Time,
    ) {
        let radio = &mut self.air.radios[station as usize];
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
        self.fingerprint.add(Mark::Notice, now, station, detail);
        self.one_more(station, category, now);
    }

    /// Sends the control frame at the head: ahead of data, whatever the gates.
    pub(super) fn start_control(&mut self, id: PortId, at: Time) {
        let port = &mut self.ports[id];
        let packet_id = self.packets.take_after(&mut port.control, Id::NONE);
        port.set(Traits::URGENT, !port.control.is_empty());
        let begin = at.max(port.gap_until);
        let size = self.packets[packet_id].frame();
        port.next_try = Time(begin.0 + (PREAMBLE + size) * port.ps_per_byte);
        port.gap_until = Time(port.next_try.0 + GAP * port.ps_per_byte);
        port.more.sent.control += 1;
        port.more.sent.control_bytes += size;
        if self.record.is_some() {
            self.note(
                What::Send,
                begin,
                id,
                packet_id,
                begin.0 - self.packets[packet_id].born.0,
            );
        }
        self.launch(id, packet_id);
    }

    /// A control frame has reached the far end of `id`'s wire: its receiver reacts later.
    pub(super) fn hear(&mut self, id: PortId, packet_id: PacketId, now: Time) {
        let posted: NoticeId = Id::raw(self.packets[packet_id].to);
        self.packets.free(packet_id);
        self.notices_heard += 1;
        let peer = self.ports[id].peer;
        let port = &mut self.ports[peer];
        port.more.reacting.push_back(posted);
        self.calendar
            .push(now + ethernet::reaction(port.more.rate), Event::React(peer));
    }

    /// A neighbour's timer went off.
    pub(super) fn refresh(&mut self, control: ControlId, neighbour: u8, epoch: u16, now: Time) {
        match self.controls[control].expires(neighbour, epoch, now) {
            Some(class) => self.look_at_expiry(control, class, now),
            None => self.controls[control].refresh(neighbour, epoch),
        }
        self.collect(control);
    }

    /// Adds a record about a packet.
    #[cold]
    pub(crate) fn note(
        &mut self,
        what: What,
        at: Time,
        port: PortId,
        packet_id: PacketId,
        value: u64,
    ) {
        let packet = &self.packets[packet_id];
        let notice = packet
            .flow
            .is_none()
            .then(|| Arc::new(self.mail.see(Id::raw(packet.to)).clone()));
        let value = match (&notice, what) {
            (Some(n), What::Notice) => u64::from(n.quanta()),
            _ => value,
        };
        let Packet {
            flow,
            seq,
            to,
            len,
            traffic,
            ..
        } = *packet;
        let of_connection = matches!(what, What::Send | What::Drop)
            && !flow.is_none()
            && self.flows[flow].part != Part::None;
        let header = of_connection.then(|| Box::new(self.headers[packet_id].clone()));
        let records = self.record.as_mut().expect("a run that is recorded");
        records.push(Record {
            at,
            what,
            port,
            flow,
            seq,
            to,
            len,
            traffic,
            value,
            notice,
            header,
        });
    }
}
