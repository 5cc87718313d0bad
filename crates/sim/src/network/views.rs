//! The view of detectors and accounts of a port, and of a frame there.

use backwater_transport::units::{Span, Time};

use super::{Network, Port, Traits};
use crate::ids::{PacketId, PortId};
use crate::limit::Limit;
use crate::mechanism::moment::{Moment, Seen};
use crate::mechanism::notice::Hosts;
use crate::mechanism::notifier::voice::Arrival;
use crate::mechanism::place::View;
use crate::packet::{List, Packet, Packets};

impl Network {
    /// The groups of ports that are equal ways of one node to some host, when all links are up.
    pub fn equal_ways(&self) -> &[Vec<PortId>] {
        self.plan.forwarding.equal()
    }

    /// The node's port through which a packet came in; none at its origin.
    pub(crate) fn entrance(&self, packet_id: PacketId) -> Option<PortId> {
        let ingress = self.packets[packet_id].ingress;
        (!ingress.is_none()).then(|| self.ports[ingress].peer)
    }

    /// Bytes of a class at the node that came in through `from`.
    pub(crate) fn ingress_view(&self, from: PortId, class: usize, now: Time) -> View<'static> {
        let port = &self.ports[from];
        let (node, local) = (&self.nodes[port.node], port.local as usize);
        match (&node.pool, &node.ledger) {
            (Some(pool), None) => View {
                headroom: pool.headroom(local, class),
                ..View::level(now, class, pool.shared(local, class), pool.threshold())
            },
            (_, ledger) => {
                let ledger = ledger.as_ref();
                let ledger = ledger.expect("a node that is watched keeps accounts");
                View::level(now, class, ledger.held(local, class), u64::MAX)
            }
        }
    }
}

impl Network {
    /// The same as `Port::view`; with how long the first frame has waited, where the port's detector looks at that.
    pub(crate) fn view_of(&self, id: PortId, q: usize, now: Time) -> View<'static> {
        let port = &self.ports[id];
        let mut view = port.view(q, now);
        if port.is(Traits::TIMED) {
            let first = self.packets.walk(&port.queue(q).list).next();
            view.sojourn = first.map_or(Span::ZERO, |p| Span(now.0.saturating_sub(p.at.0)));
        }
        view
    }
}

impl Port {
    /// QueueStatistics of a class queue, in the unit of its limit.
    #[inline]
    pub(crate) fn view(&self, q: usize, now: Time) -> View<'static> {
        let room = self.buffer.count().unwrap_or(u64::MAX);
        View::level(now, q, self.held(q), room)
    }

    /// Length of a class queue, in the unit of its buffer.
    #[inline]
    pub(crate) fn held(&self, q: usize) -> u64 {
        match self.buffer {
            Limit::Bytes(_) | Limit::Unlimited => self.queue(q).bytes,
            Limit::Packets(_) => self.queue(q).packets.into(),
        }
    }

    /// A frame that comes to this port, as detectors see it, and as notices depend on it.
    #[inline]
    pub(crate) fn arrival(
        &self,
        id: PortId,
        packet: &Packet,
        q: usize,
        now: Time,
    ) -> (Seen, Arrival) {
        let seen = Seen {
            class: packet.class(),
            bytes: packet.frame(),
            prev: Some(packet.entry.into()),
            next: Some(self.local),
            sojourn: Span::ZERO,
            airtime: Span::ZERO,
            retries: 0,
            packet: None,
            to: None,
        };
        let arrival = Arrival {
            now,
            class: q,
            from: Some(packet.entry.into()),
            egress: id,
            to: packet.to,
        };
        (seen, arrival)
    }
}

/// A frame that no longer occupies its class queue.
pub(crate) struct Gone {
    /// The class queue.
    pub queue: usize,
    /// Frame bytes.
    pub size: u64,
    /// Class.
    pub class: u8,
    /// Number of the port through which it came in.
    pub entry: u8,
    /// Where it was lost, rather than sent: when it came.
    pub lost: Option<Time>,
}

impl Gone {
    /// The frame as a detector sees it, at the port whose queue it leaves now.
    pub fn seen(&self, port: &Port, now: Time) -> Seen {
        let sent = || port.is(Traits::TIMED).then_some(port.more.came);
        let came = self.lost.or_else(sent);
        Seen {
            sojourn: came.map_or(Span::ZERO, |came| now.since(came)),
            class: self.class,
            bytes: self.size,
            prev: Some(self.entry.into()),
            next: Some(port.local),
            airtime: Span(self.size * port.ps_per_byte),
            retries: 0,
            packet: None,
            to: None,
        }
    }

    /// The event at which detectors see it.
    pub fn moment<'a>(&self, seen: &'a Seen) -> Moment<'a> {
        match self.lost {
            Some(_) => Moment::Lost(seen),
            None => Moment::Sent(seen),
        }
    }
}

/// The hosts for which packets of a list are, of so many.
pub(crate) fn queued_hosts(packets: &Packets, list: &List, hosts: usize) -> Hosts {
    let mut words = vec![0u64; hosts.div_ceil(64)];
    packets
        .walk(list)
        .for_each(|p| words[p.to as usize / 64] |= 1 << (p.to % 64));
    words.into()
}
