//! Packets that are lost or marked, and records of packets.

use std::sync::Arc;

use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use super::{Network, Role};
use crate::altered::{Fact, Numbered};
use crate::books::Books;
use crate::cause::Cause;
use crate::ids::{PacketId, PortId};
use crate::packet::{Packet, Traffic};
use crate::record::fingerprint::Mark;
use crate::record::{Noted, Record, What};
use crate::table::Id;
use crate::world::{Exit, Fate};

impl Network {
    /// The only way to tell a packet's receiver of congestion by a mark (RFC 3168).
    pub(crate) fn mark(
        &mut self,
        books: &mut Books,
        packet_id: PacketId,
        place: PortId,
        now: Time,
    ) {
        let packet = &mut self.packets[packet_id];
        if let Some(altered) = &mut books.altered {
            let numbered = Numbered::from(&*packet);
            if altered.unmarked.contains(&numbered) {
                return;
            }
            altered.see(now, numbered, Fact::Marked(place));
        }
        let was = packet.traffic.ecn();
        debug_assert_ne!(
            was,
            Ecn::NotEct,
            "only a transport that takes marks is marked"
        );
        packet.traffic = Traffic::new(packet.class(), Ecn::Ce);
        let (flow, seq, len) = (packet.flow, packet.seq, u64::from(packet.len));
        self.flows[flow].stats.marked.add(len);
        self.ports[place].more.sent.marked += 1;
        books.add_packet_mark(Mark::Ce, now, (flow, seq), u64::from(place.0));
        if books.record.is_some() {
            self.note(books, packet_id, What::Mark.noted(now, place, was as u64));
        }
    }

    /// The only way to lose a packet.
    pub(crate) fn lose(
        &mut self,
        books: &mut Books,
        packet_id: PacketId,
        cause: Cause,
        place: PortId,
        now: Time,
    ) {
        let packet = self.packets[packet_id];
        books.see(now, &packet, Fact::Lost(cause, place));
        self.lost_from_queue(place, packet.flow);
        let early = books.entered_early(packet.born);
        let flow = &mut self.flows[packet.flow];
        let len = u64::from(packet.len);
        flow.stats.lose(len, early, now);
        books
            .drops
            .entry((cause, place, packet.flow, packet.class()))
            .or_default()
            .add(len);
        let of = (packet.flow, packet.seq);
        books.add_packet_mark(Mark::Drop, now, of, u64::from(place.0));
        if flow.outside {
            books.exits.push(Exit {
                at: now,
                node: self.ports[place].node,
                flow: packet.flow,
                tag: self.labels.tag(packet_id),
                ecn: packet.traffic.ecn(),
                fate: Fate::Dropped(cause),
            });
        }
        if books.record.is_some() {
            self.note(books, packet_id, What::Drop.noted(now, place, cause as u64));
        }
        self.packets.free(packet_id);
    }

    /// Adds a record about a packet.
    #[cold]
    pub(crate) fn note(&self, books: &mut Books, packet_id: PacketId, noted: Noted) {
        let Noted {
            what,
            at,
            port,
            value,
        } = noted;
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
            gated,
            ..
        } = *packet;
        // A packet that waits carries its port's clock in this sum.
        let gated = if what == What::Send { gated } else { 0 };
        let of_connection = matches!(what, What::Send | What::Drop)
            && !flow.is_none()
            && self.flows[flow].role != Role::None;
        let header = of_connection.then(|| Box::new(self.headers[packet_id].clone()));
        let records = books.record.as_mut().expect("a run that is recorded");
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
            gated,
            notice,
            header,
        });
    }
}
