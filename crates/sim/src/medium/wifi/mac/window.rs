//! What has become of the frames that a hop has tried, and what stands first in its queue: a packet that waits, or the ghost of one
//! that its receiver has.

use backwater_transport::units::{Span, Time};

use crate::ids::{FlowId, PacketId};
use crate::medium::wifi::radio::Hop;
use crate::network::Network;
use crate::packet::Packet;

/// The first frame of a hop's queue.
#[derive(Copy, Clone, Debug)]
pub enum First<'a> {
    /// There is none.
    None,
    /// A packet that waits.
    Waits(PacketId),
    /// The frame of a packet that its receiver has.
    Ghost(&'a Ghost),
}

impl First<'_> {
    /// The packet, unless its receiver has it.
    #[inline]
    pub fn waits(self) -> Option<PacketId> {
        match self {
            First::Waits(id) => Some(id),
            First::Ghost(_) | First::None => None,
        }
    }
}

impl Hop {
    /// The first frame of a category.
    #[inline]
    pub fn first(&self, network: &Network, number: usize) -> First<'_> {
        if let Some(ghost) = &self.tried[number].ghost {
            return First::Ghost(ghost);
        }
        let head = network.ports[self.port].queue(number).list.head();
        match head.is_none() {
            true => First::None,
            false => First::Waits(head),
        }
    }
}

/// What has become of the first frame of a queue.
#[derive(Copy, Clone, Debug, Default)]
pub struct Tried {
    /// Transmissions of an RTS, or of a frame without one, that failed.
    pub short: u32,
    /// Transmissions after RTS/CTS that failed.
    pub long: u32,
    /// Ticks of exchanges that failed.
    pub spent: u64,
    /// Of these, ticks before another frame of the category left: a gate had closed between two attempts.
    pub overtaken: u64,
    /// The frame reached its receiver, and the ACK did not come back: the packet is there, and the
    /// sender repeats a frame of so many bytes.
    pub ghost: Option<Ghost>,
}

impl Tried {
    /// Whether the frame was sent before.
    pub fn has_begun(&self) -> bool {
        self.ghost.is_some() || self.short + self.long > 0
    }

    /// The transmission is over, with an exchange of so many more ticks.
    pub fn over(&self, to: u32, last: Span, acknowledged: bool) -> Transmission {
        Transmission {
            to,
            airtime: Span(self.spent + last.0),
            retries: self.short + self.long,
            acknowledged,
        }
    }
}

/// A MAC transmission that is over, with all its exchanges.
#[derive(Copy, Clone, Debug)]
pub struct Transmission {
    /// To whom.
    pub to: u32,
    /// Ticks of its exchanges, those that failed and their timeouts included.
    pub airtime: Span,
    /// Exchanges that failed.
    pub retries: u32,
    /// Whether it was acknowledged, or is acknowledged by nobody.
    pub acknowledged: bool,
}

/// A frame whose packet has moved on.
#[derive(Copy, Clone, Debug)]
pub struct Ghost {
    /// IP bytes.
    pub len: u16,
    /// When it came into the queue.
    pub at: Time,
    /// Whether it was of the station's own.
    pub own: bool,
    /// The station that it came from, where somebody watches; else `NOBODY`.
    pub from: u32,
    /// Its flow.
    pub flow: FlowId,
    /// Its number in the flow.
    pub seq: u32,
    /// Host that it goes to.
    pub to: u32,
    /// Whether the next station sends it on over the air and the sender overhears that.
    pub overheard: bool,
}

impl Ghost {
    /// What stays of a packet that came from a station, or from an interface below `first_port`.
    pub fn of(packet: &Packet, first_port: u32, from: u32, overheard: bool) -> Ghost {
        Ghost {
            len: packet.len,
            at: packet.at,
            own: packet.ingress.is_none() || packet.ingress.0 < first_port,
            from,
            flow: packet.flow,
            seq: packet.seq,
            to: packet.to,
            overheard,
        }
    }
}
