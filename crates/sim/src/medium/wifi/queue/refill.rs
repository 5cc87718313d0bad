//! A source that always has something to send puts a packet in the place of the one that left, at a station whose room alone has a say
//! in that. What follows equals `departed`, and costs less: most packets of a saturated station take this way.

use backwater_transport::units::Time;

use crate::medium::ethernet;
use crate::medium::wifi::air::Air;
use crate::medium::wifi::mac::category::Room;
use crate::medium::wifi::mac::window::Ghost;
use crate::medium::wifi::radio::{Edcaf, Freed, Line};
use crate::shared::Shared;

impl Air {
    /// Whether nobody looks at the packets of a station's category, and nothing but its room has a say in what joins.
    pub(in crate::medium::wifi) fn is_plain(&self, cx: &Shared, at: Edcaf) -> bool {
        let radio = &self.radios[at.station as usize];
        cx.run.books.record.is_none()
            && radio.categories[at.number].arranged.is_none()
            && radio.watch.is_none()
            && radio.laws.is_empty()
            && radio.rounds.is_none()
            && radio.gates.is_none()
            && radio.holds.is_empty()
            && radio.blocked_share >= 1.0
    }

    /// A frame has left a plain category for good. False where what followed may have made it another kind.
    pub(in crate::medium::wifi) fn depart_plainly(
        &mut self,
        cx: &mut Shared,
        Line { hop, number }: Line,
        ghost: &Ghost,
        now: Time,
    ) -> bool {
        let served = &self.hops[hop as usize];
        let (station, port) = (served.from, served.port);
        let at = Edcaf { station, number };
        let radio = &mut self.radios[station as usize];
        let last = radio.categories.len() - 1;
        let c = &mut radio.categories[number];
        c.since = now;
        c.stalled_at_since = c.stall_clock(now);
        c.current = None;
        let size = ethernet::frame(u64::from(ghost.len));
        let flow = &mut cx.network.flows[ghost.flow];
        let like_it = flow.fill() == Some(u64::from(ghost.len));
        let mine = flow.port == port && usize::from(flow.class).min(last) == number;
        let lone = ghost.own && mine && now < flow.stop && radio.owed.is_empty();
        if !like_it || !lone {
            let (own, flow) = (ghost.own, ghost.flow);
            self.make_free(cx, at, Freed { own, size, flow }, now);
            return false;
        }
        c.release(true, size);
        let free = c.room(true, size, radio.own_share) == Room::Free;
        cx.network.note_left(ghost.flow, size);
        if !free {
            self.radios[station as usize].owed.push_back(ghost.flow);
            return true;
        }
        let flow = &mut cx.network.flows[ghost.flow];
        let (seq, ecn) = (flow.seq, flow.ecn);
        flow.seq = seq.wrapping_add(1);
        let packet_id = cx.create(ghost.flow, ghost.len, seq, ecn, now);
        let c = &mut self.radios[station as usize].categories[number];
        c.line_up(hop);
        c.book(true, size);
        cx.network.spent[packet_id].stall_clock = c.stall_clock(now);
        let list = cx.network.ports[port].hold(number, size);
        cx.network.packets.append(list, packet_id);
        self.one_more(&mut cx.run.calendar, station, number, now);
        true
    }
}
