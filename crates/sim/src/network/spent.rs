//! The parts of the delay of packets at the medium that they share with others, by place in the arena.

use std::ops::{Index, IndexMut};

use crate::ids::PacketId;

/// The times of a packet on a shared medium.
#[derive(Copy, Clone, Debug, Default)]
pub struct Spent {
    /// Ticks first in line, waiting for the medium.
    pub contention: u64,
    /// Ticks of exchanges that failed.
    pub retries: u64,
    /// Its round at a station that serves flows round-robin.
    pub round: u64,
    /// The stall clock of its category when it joined the queue.
    pub stall_clock: u64,
}

/// The same of all packets; empty where no medium is shared.
#[derive(Clone, Debug, Default)]
pub struct SpentTable {
    rows: Vec<Spent>,
    kept: bool,
    /// The times of packets in aggregates; empty while none has any.
    grouped: Vec<Grouped>,
}

/// The times of a packet in aggregates.
#[derive(Copy, Clone, Debug, Default)]
pub struct Grouped {
    /// Ticks in which PPDUs that carried it carried others.
    pub aggregate: u64,
    /// Ticks at receivers, behind a frame that was missing.
    pub reorder: u64,
}

impl SpentTable {
    /// Whether it is kept.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept
    }

    /// From now on it is kept.
    pub fn keep(&mut self) {
        self.kept = true;
    }

    /// A packet comes into being: it has met nothing.
    #[inline(always)]
    pub fn begin(&mut self, packet: PacketId) {
        if !self.kept {
            return;
        }
        if self.rows.len() <= packet.index() {
            self.rows.resize(packet.index() + 1, Spent::default());
        }
        self.rows[packet.index()] = Spent::default();
        if let Some(grouped) = self.grouped.get_mut(packet.index()) {
            *grouped = Grouped::default();
        }
    }

    /// The times of a packet in aggregates.
    #[inline]
    pub fn grouped(&self, packet: PacketId) -> Grouped {
        self.grouped
            .get(packet.index())
            .copied()
            .unwrap_or_default()
    }

    /// The same, to be changed.
    pub fn grouped_mut(&mut self, packet: PacketId) -> &mut Grouped {
        if self.grouped.len() <= packet.index() {
            self.grouped.resize(packet.index() + 1, Grouped::default());
        }
        &mut self.grouped[packet.index()]
    }

    /// The times of a packet; none where they are not kept.
    #[inline]
    pub fn get(&self, packet: PacketId) -> Option<&Spent> {
        self.rows.get(packet.index())
    }
}

impl Index<PacketId> for SpentTable {
    type Output = Spent;

    fn index(&self, packet: PacketId) -> &Spent {
        &self.rows[packet.index()]
    }
}

impl IndexMut<PacketId> for SpentTable {
    fn index_mut(&mut self, packet: PacketId) -> &mut Spent {
        &mut self.rows[packet.index()]
    }
}
