//! Accounts of what switches hold by interface and class. A node lags behind departures of what came in where no
//! alarm holds, until that could matter.

use backwater_transport::units::Time;

use super::Shared;
use crate::ids::{NodeId, PortId};
use crate::network::Traits;
use crate::network::views::Gone;

/// The fate of a frame at a node that keeps accounts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Booking {
    /// There is no room for it.
    Refused,
    /// It is in, and so far from any threshold that no detector of the pool need look.
    Calm,
    /// It is in.
    Entered,
}

/// A frame to be booked: number of the port through which it came in, class, bytes.
pub(super) type Frame = (usize, usize, u64);

impl Shared {
    /// Books a frame that comes in. A node lags behind departures of what came in where no alarm holds, until
    /// that could matter.
    #[inline(always)]
    pub(super) fn account_arrival(
        &mut self,
        node_id: NodeId,
        ledger: bool,
        (local, class, size): Frame,
        now: Time,
    ) -> Booking {
        let may_relieve = self.network.nodes[node_id].alarms > 0
            && self.mechanisms.may_relieve(&self.network, node_id, local);
        let node = &mut self.network.nodes[node_id];
        let calm = match &mut node.pool {
            Some(pool) => pool.admit_calmly(local, class, size),
            None => true,
        };
        if !calm && !self.admit_to_pool(node_id, local, class, size, now) {
            return Booking::Refused;
        }
        if ledger {
            let ledger = self.network.nodes[node_id].ledger.as_mut();
            let ledger = ledger.expect("the ledger that the port knows of");
            ledger.add(local, class, size);
        }
        match calm && !may_relieve && !ledger {
            true => Booking::Calm,
            false => Booking::Entered,
        }
    }

    /// Takes a frame into a shared memory, or refuses it where the memory is full.
    #[inline(never)]
    fn admit_to_pool(
        &mut self,
        node: NodeId,
        local: usize,
        class: usize,
        size: u64,
        now: Time,
    ) -> bool {
        self.settle_node(node, now);
        let pool = self.network.nodes[node].pool.as_mut();
        pool.expect("a node with a shared memory")
            .admit(local, class, size)
    }

    /// Brings the ports of a node up to date.
    pub(super) fn settle_node(&mut self, node: NodeId, now: Time) {
        for i in 0..self.network.nodes[node].ports.len() {
            let port = self.network.nodes[node].ports[i];
            self.catch_up(port, now);
        }
    }

    /// The same up to a departure from this port: of simultaneous ones those of ports before it have come first.
    pub(super) fn settle_before(&mut self, id: PortId, at: Time) {
        let node = self.network.ports[id].node;
        for i in 0..self.network.nodes[node].ports.len() {
            let port = self.network.nodes[node].ports[i];
            let before = Time(at.0 - u64::from(port > id));
            if port != id {
                self.catch_up(port, before);
            }
        }
    }

    #[inline(always)]
    pub(super) fn account_departure(&mut self, id: PortId, gone: &Gone, at: Time) {
        let port = &self.network.ports[id];
        let (node_id, ledger) = (port.node, port.is(Traits::LEDGER));
        let (size, class, local) = (gone.size, gone.class as usize, gone.entry as usize);
        let node = &mut self.network.nodes[node_id];
        if let Some(pool) = &mut node.pool {
            pool.release(local, class, size);
        }
        if ledger {
            let ledger = node.ledger.as_mut();
            let ledger = ledger.expect("the ledger that the port knows of");
            ledger.remove(local, class, size);
        }
        if node.alarms > 0 {
            self.detect_relief(id, &Gone { ..*gone }, at);
        }
    }
}
