//! Wires that go down and come back. What is on the wire is lost, and so is what waits for it or comes to wait.

use backwater_transport::units::Time;

use super::Shared;
use crate::cause::Cause;
use crate::event::Event;
use crate::ids::{NoticeId, PortId};
use crate::mechanism::carrier::Toward;
use crate::network::{Network, Traits};
use crate::table::Id;

impl Shared {
    /// The wire that leaves a port goes down. The frame in transmission keeps its buffer until it would have left.
    pub(crate) fn go_down(&mut self, id: PortId, now: Time) {
        self.catch_up(id, now);
        self.network.ports[id].set(Traits::DOWN, true);
        // A detector that is relieved may have a frame chosen that is lost on the wire then.
        self.lose_queued(id, now);
        self.run.calendar.cancel(Event::Arrive(id));
        self.lose_on_wire(id, now);
        // Nothing is on the wire that could be overtaken.
        self.network.ports[id].set(Traits::SHORTENED, false);
        self.run.books.notices_lost += self.network.forget_control_frames(id);
        self.open_gates(id, now);
        // No arrival tells any more that the frame in transmission has left.
        let next = self.network.ports[id].next_try;
        if now < next && next < Time::NEVER {
            self.run.calendar.push(next, Event::Wake(id));
        }
    }

    /// The wire that leaves a port is back. Whoever was told to stop over it is told again if that holds still.
    pub(crate) fn restore_wire(&mut self, id: PortId, now: Time) {
        self.network.ports[id].set(Traits::DOWN, false);
        self.open_gates(id, now);
        self.network.recheck_card(id);
        let node = self.network.ports[id].node;
        for control in self.mechanisms.controls.ids() {
            if self.mechanisms.controls[control].node() == node {
                self.mechanisms.controls[control].link_is_back(Toward::Port(id));
                self.mechanisms.collect(control);
            }
        }
    }

    fn lose_on_wire(&mut self, id: PortId, now: Time) {
        loop {
            let network = &mut self.network;
            let wire = &mut network.ports[id].wire;
            if wire.is_empty() {
                return;
            }
            let packet_id = network.packets.take_after(wire, Id::NONE);
            let packet = &network.packets[packet_id];
            if packet.flow.is_none() {
                network.mail.take(NoticeId::raw(packet.to));
                network.packets.free(packet_id);
                self.run.books.notices_lost += 1;
            } else {
                let books = &mut self.run.books;
                network.lose(books, packet_id, Cause::LinkDown, id, now);
            }
        }
    }

    fn lose_queued(&mut self, id: PortId, now: Time) {
        let own = self.network.ports[id].more.managed.as_ref();
        for queue in 0..own.map_or(0, |managed| managed.queues.len()) {
            while self.network.move_head_to_class(id, queue) {
                self.lose_waiting_at(id, 0, Id::NONE, Cause::LinkDown, now);
            }
        }
        for queue in 0..self.network.ports[id].queues().len() {
            while !self.network.ports[id].queue(queue).list.is_empty() {
                self.lose_waiting_at(id, queue, Id::NONE, Cause::LinkDown, now);
            }
        }
    }

    /// A link that goes down or comes back begins with open gates.
    fn open_gates(&mut self, id: PortId, now: Time) {
        let port = &mut self.network.ports[id];
        let Some(gates) = &mut port.gates else {
            return;
        };
        gates.open(now);
        if port.more.managed.is_none() {
            port.shut_until = gates.shut_until();
        }
        self.mechanisms.update_drain(&self.network, id, now);
    }
}

impl Network {
    /// Control frames that wait at a port are lost. Returns how many.
    fn forget_control_frames(&mut self, id: PortId) -> u64 {
        let port = &mut self.ports[id];
        let mut lost = 0;
        while !port.control.is_empty() {
            let packet = self.packets.take_after(&mut port.control, Id::NONE);
            self.mail.take(NoticeId::raw(self.packets[packet].to));
            self.packets.free(packet);
            lost += 1;
        }
        port.set(Traits::URGENT, false);
        lost
    }
}
