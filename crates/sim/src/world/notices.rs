//! Notices: they travel as control frames ahead of data, and take effect when the receiver's reaction time is over.

use std::sync::Arc;

use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use super::World;
use crate::event::Event;
use crate::ids::{ControlId, NoticeId, PacketId, PortId};
use crate::mechanism::control::{Told, quantum};
use crate::mechanism::responder::{Knobs, Responder};
use crate::medium::ethernet::{self, GAP, HEADER_FCS, PREAMBLE};
use crate::network::{Posted, Traits};
use crate::packet::{Packet, Traffic};
use crate::record::fingerprint::Mark;
use crate::record::{Record, What};
use crate::table::Id;

impl World {
    /// Sends what mechanisms have said during this event.
    pub(super) fn post_all(&mut self, now: Time) {
        while let Some((control, Told { port: id, notice })) = self.outbox.pop_front() {
            self.fingerprint.add(
                Mark::Notice,
                now,
                id.0,
                u64::from(notice.classes) << 16 | u64::from(notice.quanta),
            );
            self.notices_sent += 1;
            let len = u16::try_from(notice.frame_size() - HEADER_FCS)
                .expect("bounded by the largest frame");
            let posted = self.mail.put(Posted { control, notice });
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
            if let Some((neighbour, epoch, delay)) = self.controls[control].start_timer(id) {
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

    /// The reaction time of the oldest notice at a port is over.
    pub(super) fn react(&mut self, id: PortId, now: Time) {
        self.catch_up(id, now);
        let port = &mut self.ports[id];
        let posted = port
            .more
            .reacting
            .pop_front()
            .expect("a notice for each reaction");
        let Posted { control, notice } = self.mail.take(posted);
        let quantum = quantum(port.more.rate);
        let gates = port
            .gates
            .as_mut()
            .expect("a port that can be told has gates");
        gates.sweep(now);
        if notice.quanta > 0 && !notice.origin.is_none() {
            gates.origin = (notice.origin, notice.origin_classes);
        }
        self.controls[control]
            .respond
            .react(now, &notice, &mut Knobs { gates, quantum });
        if port.more.managed.is_none() {
            port.shut_until = gates.shut_until();
        }
        port.retry(now);
        self.mind_drain(id, now);
        self.fingerprint.add(
            Mark::Knob,
            now,
            id.0,
            u64::from(notice.classes) << 16 | u64::from(notice.quanta),
        );
        if let Some(records) = &mut self.record {
            records.push(Record {
                at: now,
                what: What::Knob,
                port: id,
                flow: Id::NONE,
                seq: 0,
                to: 0,
                len: 0,
                traffic: Traffic::new(7, Ecn::NotEct),
                value: u64::from(notice.quanta),
                notice: Some(Arc::new(notice)),
                header: None,
            });
        }
        self.catch_up(id, now);
    }

    /// A notifier's timer went off.
    pub(super) fn refresh(&mut self, control: ControlId, neighbour: u8, epoch: u16) {
        let c = &mut self.controls[control];
        c.refresh(neighbour, epoch);
        while let Some(told) = c.next_told() {
            self.outbox.push_back((control, told));
        }
    }
}
