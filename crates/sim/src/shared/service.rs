//! Ports whose service is no wire: frames that it takes at once, and choices at the opportunities of a trace.

use backwater_transport::units::Time;

use super::{Onward, Shared};
use crate::ids::{PacketId, PortId};
use crate::medium::service::Accepts;
use crate::network::transmit::Choice;

impl Shared {
    /// Takes the next packet from the queue at an opportunity, or waits for one. The choice was due at
    /// `at`; something waits.
    pub(super) fn serve(&mut self, id: PortId, at: Time, now: Time) {
        let calendar = &mut self.run.calendar;
        if !self.network.opportunity(calendar, id, at, now) {
            return;
        }
        let port = &mut self.network.ports[id];
        let q = match port.more.managed {
            None => port.pick(&self.network.packets),
            Some(_) => match self.judge_next(id, at) {
                Some(Choice::Frame { queue, .. }) => queue,
                Some(Choice::Held(_)) => unreachable!("no gate holds back a port without a wire"),
                None => return,
            },
        };
        self.network.take(&mut self.run, id, q, at);
        if self.network.ports[id].more.managed.is_some() {
            self.discard_behind(id, q, at);
        }
    }

    /// A packet comes to a port at which frames don't wait: its service takes it.
    #[inline(never)]
    pub(super) fn hand_over(&mut self, id: PortId, packet_id: PacketId, now: Time) -> Onward {
        match self.network.ports[id].more.service.accept() {
            Accepts::Medium => Onward::Accept(id, packet_id),
            Accepts::Box => {
                let passed = self.network.pass(&mut self.run, id, packet_id, now);
                if let Some(copy) = passed.copy {
                    self.network.spent.begin(copy);
                }
                match passed.next {
                    Some(next) => self.enqueue(next, packet_id, now),
                    None => Onward::Done,
                }
            }
            Accepts::Fabric => {
                self.wait_to_cross(id, packet_id, now);
                Onward::Done
            }
            Accepts::Queue => unreachable!("frames wait at this port"),
        }
    }

    /// The first packet in a box comes out.
    pub(crate) fn leave_box(&mut self, id: PortId, now: Time) -> Onward {
        let out = self.network.come_out(&mut self.run.calendar, id, now);
        match out {
            Some((packet_id, next)) => self.enqueue(next, packet_id, now),
            None => Onward::Done,
        }
    }
}
