//! Flows.

use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use crate::ids::{ConnectionId, NodeId, PortId, kind};
use crate::record::flow_stats::{Count, FlowStats};
use crate::record::variance_time::VarianceTime;
use crate::source::AnySource;
use crate::table::Row;
use crate::targets::Targets;

/// The role of a flow in a connection.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing: its packets are datagrams of their own.
    None,
    /// It carries the data.
    Data(ConnectionId),
    /// It carries the ACKs.
    Acks(ConnectionId),
}

/// A flow. What a packet touches at its birth comes first: a cache line, then what draws its destination, then what a source
/// touches.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Flow {
    /// Handed to the sending host.
    pub entered: Count,
    /// Receiving hosts.
    pub to: Targets,
    /// Its role in a connection.
    pub role: Role,
    /// Next sequence number.
    pub seq: u32,
    /// The sending host's port.
    pub port: PortId,
    /// Class.
    pub class: u8,
    /// Codepoint its packets leave with.
    pub ecn: Ecn,
    /// Whether its packets come from outside and their fates go back there.
    pub outside: bool,
    /// Whether its receiver knows what the header of a packet alone means.
    pub trimmed: bool,
    /// Whether its sender hears notices of queues on the way.
    pub noticed: bool,
    /// Bytes of the demand that is due.
    pub due: u64,
    /// The stream that draws destinations.
    pub compass: Random,
    /// The source's stream.
    pub random: Random,
    /// When the source ends.
    pub stop: Time,
    /// Largest IP packet.
    pub packet: u64,
    /// The source.
    pub source: AnySource,
    /// Counters that a delivery changes.
    pub stats: FlowStats,
    /// Name.
    pub name: String,
    /// Sending host.
    pub from: NodeId,
    /// Egress ports on the path, for a flow with one destination.
    pub path: Vec<PortId>,
    /// Its packets may take other ways, or become shorter: what passes each hop is not counted.
    pub loose: bool,
    /// Its load on its host's wire by scale, where that is measured.
    pub variance_time: Option<Box<VarianceTime>>,
}

impl Row for Flow {
    type Kind = kind::Flow;
}

impl Flow {
    /// The ports of its path whose packets are counted.
    pub fn hops(&self) -> &[PortId] {
        if self.loose { &[] } else { &self.path }
    }

    /// Reads a word of each cache line that a packet's birth touches.
    #[inline]
    pub fn prefetch(&self) -> u64 {
        self.entered.packets ^ self.due ^ self.stop.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_packet_touches_of_its_flow_lies_in_few_cache_lines() {
        assert_eq!(std::mem::align_of::<Flow>(), 64);
        assert_eq!(std::mem::offset_of!(Flow, due), 64);
        assert_eq!(std::mem::offset_of!(Flow, stop) / 64, 2);
        assert_eq!(std::mem::offset_of!(Flow, stats) % 64, 0);
        assert_eq!(std::mem::offset_of!(FlowStats, delay), 64);
    }
}
