//! Control frames on a wire: ahead of data, whatever the gates. The receiver reacts to one when its reaction time is over.

use backwater_transport::units::Time;

use super::{Network, Traits};
use crate::event::Event;
use crate::ids::{NoticeId, PacketId, PortId};
use crate::record::What;
use crate::run::Run;
use crate::table::Id;

impl Network {
    /// Sends the control frame at the head: ahead of data, whatever the gates.
    pub(crate) fn start_control(&mut self, run: &mut Run, id: PortId, at: Time) {
        let port = &mut self.ports[id];
        let packet_id = self.packets.take_after(&mut port.control, Id::NONE);
        port.set(Traits::URGENT, !port.control.is_empty());
        let begin = at.max(port.gap_until);
        let size = self.packets[packet_id].frame();
        port.next_try = Time(begin.0 + port.frame_time(size));
        port.gap_until = Time(port.next_try.0 + port.gap_time());
        port.more.sent.control += 1;
        port.more.sent.control_bytes += size;
        if run.books.record.is_some() {
            self.note(
                &mut run.books,
                packet_id,
                What::Send.noted(begin, id, begin.0 - self.packets[packet_id].born.0),
            );
        }
        self.launch(&mut run.calendar, id, packet_id);
    }

    /// A control frame has reached the far end of `id`'s wire: its receiver reacts later.
    pub(crate) fn receive_control_frame(
        &mut self,
        run: &mut Run,
        id: PortId,
        packet_id: PacketId,
        now: Time,
    ) {
        let posted: NoticeId = Id::raw(self.packets[packet_id].to);
        self.packets.free(packet_id);
        self.await_reaction(run, id, posted, now);
    }

    /// A notice has reached the far end of `id`'s wire.
    pub(super) fn await_reaction(
        &mut self,
        run: &mut Run,
        id: PortId,
        posted: NoticeId,
        now: Time,
    ) {
        run.books.notices_heard += 1;
        let peer = self.ports[id].peer;
        let port = &mut self.ports[peer];
        port.more.reacting.push_back(posted);
        run.calendar.push(now + port.reaction(), Event::React(peer));
    }
}
