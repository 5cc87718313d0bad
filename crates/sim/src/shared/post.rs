//! Notices leave as control frames on wires, ahead of data.

use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use super::Shared;
use crate::ids::{ControlId, NoticeId, PortId};
use crate::mechanism::carrier::{CarriedBy, quantum};
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

impl Shared {
    /// Sends a notice over the wire of a port: as a control frame, or in the header of a data frame.
    pub(crate) fn post(&mut self, control: ControlId, id: PortId, notice: Notice, now: Time) {
        if self.mechanisms.controls[control].carried_by() != CarriedBy::Header {
            return self.post_on_wire(id, notice, now);
        }
        self.catch_up(id, now);
        let books = &mut self.run.books;
        self.network.post_in_header(books, id, notice, now);
    }

    /// The card of a host asks the far end of its wire to stop, or lets it go on from `until` on; when it does so again.
    pub(crate) fn pause_from_card(
        &mut self,
        id: PortId,
        class: Option<u8>,
        until: Time,
        now: Time,
    ) -> Option<Time> {
        let over = now >= until;
        let notice = Notice::of_card(class, !over);
        self.post_on_wire(id, notice, now);
        let half = quantum(self.network.ports[id].more.rate).times(u64::from(u16::MAX / 2));
        (!over).then(|| until.min(now + half))
    }

    /// Queues a control frame. Where the last one that waits for the same gates says the same, one frame says both.
    fn post_on_wire(&mut self, id: PortId, notice: Notice, now: Time) {
        self.catch_up(id, now);
        if self.network.ports[id].is(Traits::DOWN) {
            return;
        }
        if let Some(last) = self.network.last_waiting_like(id, &notice) {
            return self.network.mail.replace(last, notice);
        }
        self.run.books.add_mark(
            Mark::Notice,
            now,
            id.0,
            u64::from(notice.classes) << 16 | u64::from(notice.quanta()),
        );
        self.run.books.notices_sent += 1;
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
        if self.run.books.record.is_some() {
            self.network.note(
                &mut self.run.books,
                packet_id,
                What::Notice.noted(now, id, 0),
            );
        }
        let port = &mut self.network.ports[id];
        self.network.packets.append(&mut port.control, packet_id);
        port.set(Traits::URGENT, true);
        port.retry(now);
        self.catch_up(id, now);
    }
}
