//! Packets that move on, and packets at the end of their way: which end of a connection receives them.

use backwater_transport::units::Time;

use super::World;
use crate::ids::{FlowId, PacketId, PortId};
use crate::network::Role;
use crate::shared::{Handover, Onward};
use crate::table::Id;

impl World {
    /// A packet moves on that has come over this port: to its host, or to the medium at which it waits.
    #[inline(always)]
    pub(super) fn move_on(&mut self, onward: Onward, over: PortId, now: Time) {
        match onward {
            Onward::Done => {}
            Onward::Host(packet) => self.deliver(over, packet, now),
            Onward::Accept(port, packet) => {
                self.media.accept(&mut self.shared, port, packet, now);
            }
        }
    }

    /// Delivers packets that media have handed over during this event.
    pub(super) fn deliver_handed_over(&mut self, now: Time) {
        let mut next = 0;
        while next < self.shared.handovers.len() {
            let Handover { packet, over } = self.shared.handovers[next];
            self.deliver(over, packet, now);
            next += 1;
        }
        self.shared.handovers.clear();
    }

    /// A packet comes into being at its host.
    #[inline(always)]
    pub(super) fn originate(&mut self, id: FlowId, len: u16, seq: u32, now: Time) {
        let onward = self.shared.originate(id, len, seq, now);
        self.move_on(onward, Id::NONE, now);
    }

    /// A packet is at its host; an end of a connection receives its header.
    #[inline(never)]
    fn deliver(&mut self, over: PortId, packet: PacketId, now: Time) {
        let (role, ecn) = self.shared.deliver(over, packet, now);
        if role != Role::None {
            self.receive_header(role, packet, ecn, now);
        }
    }
}
