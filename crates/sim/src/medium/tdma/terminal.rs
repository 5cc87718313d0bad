//! The state of a port that sends in slots: the packet under way, and the packets that came and wait.

use backwater_transport::units::Time;

use super::spec::TerminalSpec;
use crate::packet::List;

/// The transmitter of a port that sends in slots.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// As it was asked for.
    pub spec: TerminalSpec,
    /// The packet that goes on in the next slot, if there is one.
    pub under_way: List,
    /// Bytes of it that are still to be sent.
    pub unsent: u64,
    /// When its first byte was sent.
    pub began: Time,
    /// Bytes that wait, the rest of the packet under way included.
    pub waits: u64,
    /// Bytes that came since the frame began.
    pub came: u64,
    /// Bytes of the slots that it has had, and how many of them packets have filled.
    pub count: Bytes,
    /// The same at the end of the warm-up.
    base: Bytes,
}

/// The bytes that slots offered and carried.
#[derive(Copy, Clone, Debug, Default)]
pub struct Bytes {
    /// Bytes of slots.
    pub offered: u64,
    /// Bytes of packets in them.
    pub carried: u64,
}

impl Terminal {
    /// Before the first frame.
    pub fn new(spec: TerminalSpec) -> Terminal {
        Terminal {
            spec,
            under_way: List::default(),
            unsent: 0,
            began: Time::ZERO,
            waits: 0,
            came: 0,
            count: Bytes::default(),
            base: Bytes::default(),
        }
    }

    /// A packet of so many IP bytes joins the queue.
    pub fn joined(&mut self, len: u16) {
        let bytes = self.spec.size(len);
        self.came += bytes;
        self.waits += bytes;
    }

    /// A packet that waited is lost.
    pub fn discarded(&mut self, len: u16) {
        self.waits -= self.spec.size(len);
    }

    /// The warm-up is over.
    pub fn warm(&mut self) {
        self.base = self.count;
    }

    /// The bytes that slots offered and carried since the warm-up.
    pub fn counted(&self) -> Bytes {
        Bytes {
            offered: self.count.offered - self.base.offered,
            carried: self.count.carried - self.base.carried,
        }
    }
}
