//! Hosts whose network card pulls. A segment comes into being when the port is free for it, so nothing waits in the queue of
//! the host but acknowledgements and signals, which go first. A class that is stopped holds up its own flows only.
//!
//! Every departure of such a port has an event, so the port has been caught up before anything changes a sender.

use backwater_transport::endpoint::Sender;
use backwater_transport::units::Time;

use super::World;
use crate::connection::Side;
use crate::event::Event;
use crate::ids::{ConnectionId, FlowId, PortId};
use crate::network::{Network, Traits};

impl World {
    /// A flow of a card may have something to send.
    pub(super) fn ask_card(&mut self, id: ConnectionId, now: Time) {
        let c = &self.ends.connections[id];
        let (port, place) = (c.card, c.place);
        let card = self.ends.cards.get_mut(&port).expect("the card of a flow");
        card.wake_up(place);
        if self.shared.network.ports[port].free_at() <= now {
            self.shared.network.refills.push(port);
        }
        let due = self.ends.connections[id].sender.due();
        if due > now {
            let calendar = &mut self.shared.run.calendar;
            self.ends.set_alarm_at(calendar, id, Side::Sender, due);
        }
        // A pace that is over already has no timer: the flow is asked when its turn comes.
        self.note_sender(id, now);
    }

    /// Sees to the timer of a sender that has been asked for a segment.
    fn after_pull(&mut self, id: ConnectionId, now: Time) {
        // While its class was stopped a timer may have run out.
        let due = self.ends.connections[id].sender.due().max(now);
        let calendar = &mut self.shared.run.calendar;
        self.ends.set_alarm_at(calendar, id, Side::Sender, due);
        self.note_sender(id, now);
    }

    /// Lets the next flow of a port's card send, if the port is free.
    pub(super) fn pull(&mut self, id: PortId, now: Time) {
        self.shared.catch_up(id, now);
        let port = &self.shared.network.ports[id];
        if port.sending > 0 || port.free_at() > now || port.is(Traits::DOWN) {
            return;
        }
        let mut opens = Time::NEVER;
        for after in 0..self.ends.cards[&id].turns() {
            let Some(connection) = self.ends.cards[&id].turn(after) else {
                continue;
            };
            let c = &mut self.ends.connections[connection];
            let open = self.shared.network.may_send(id, c.data, now);
            if open > now {
                opens = opens.min(open);
                continue;
            }
            let polled = (now < c.stop).then(|| c.sender.poll(now)).flatten();
            let card = self.ends.cards.get_mut(&id).expect("it has turns");
            match polled {
                None => {
                    card.rest(after);
                    self.after_pull(connection, now);
                }
                Some(segment) => {
                    card.sent(after);
                    self.depart_segment(connection, segment, now);
                    return self.after_pull(connection, now);
                }
            }
        }
        let card = self.ends.cards.get_mut(&id).expect("it has turns");
        if opens < Time::NEVER && opens != card.armed {
            card.armed = opens;
            self.shared.run.calendar.push(opens, Event::Wake(id));
        }
    }
}

impl Network {
    /// From when on a packet of a flow could leave at once, as things stand. `NEVER` while its queue holds frames: when the
    /// last has left, the port has an event.
    fn may_send(&self, id: PortId, flow: FlowId, now: Time) -> Time {
        let (port, flow) = (&self.ports[id], &self.flows[flow]);
        if !port.queue(port.queue_of(flow.class)).list.is_empty() {
            return Time::NEVER;
        }
        let Some(gates) = &port.gates else {
            return now;
        };
        let to = flow
            .to
            .iter()
            .next()
            .expect("a flow with a transport has one receiver");
        gates.opens(flow.class, to, now)
    }

    /// After an event at a port its card may be able to send.
    #[inline]
    pub(crate) fn recheck_card(&mut self, id: PortId) {
        if self.ports[id].is(Traits::PULLED) {
            self.refills.push(id);
        }
    }
}
