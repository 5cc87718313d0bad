//! Hosts, switches and stations.

use super::fabric::Fabric;
use crate::ids::{ControlId, PortId, kind};
use crate::switch::{Ledger, Pool};
use crate::table::Row;

/// A host or a switch. What a frame touches of it comes first, in a cache line.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Node {
    /// Places of the node that are congested.
    pub alarms: u32,
    /// Shared memory, where the model has it.
    pub pool: Option<Pool>,
    /// Bytes held by (ingress, class), where a part needs them.
    pub ledger: Option<Box<Ledger>>,
    /// The fabric of an input-queued switch.
    pub fabric: Option<Box<Fabric>>,
    /// Places that watch what came in, by local port number: (control, place).
    pub watch: Vec<Option<(ControlId, usize)>>,
    /// Host number, for a host.
    pub host: Option<u32>,
    /// Its egress ports.
    pub ports: Vec<PortId>,
    /// Its row in the forwarding tables; `u32::MAX` for a host with one wire.
    pub row: u32,
    /// Whether it forwards packets of others: switches and stations do, hosts don't.
    pub forwards: bool,
    /// Its 802.11 stations: one for each medium that it has a radio for.
    pub stations: Vec<u32>,
    /// Name.
    pub name: String,
}

impl Row for Node {
    type Kind = kind::Node;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_frame_touches_of_a_node_lies_in_one_cache_line() {
        assert_eq!(std::mem::align_of::<Node>(), 64);
        assert_eq!(std::mem::offset_of!(Node, ledger), 64);
    }
}
