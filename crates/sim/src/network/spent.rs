//! What packets have met at the medium that they share with others, by place in the arena: parts of their delay.

use std::ops::{Index, IndexMut};

use crate::ids::PacketId;

/// What a packet carries along over a shared medium.
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
}

impl SpentTable {
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
    }

    /// What a packet has met; none where it is not kept.
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
