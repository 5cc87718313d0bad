//! The labels that the program that drives a world gives to the packets that it injects, and the entropy values of spreaders. They stand beside
//! the packets, because packets fill their cache line and few worlds need labels.

use crate::ids::{FlowId, PacketId};
use crate::table::Id;

/// The labels of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Comes back with its fate.
    pub tag: u64,
    /// The flow that queues and equal ways see in place of the packet's own, where they tell flows apart; `NONE` for its own.
    pub flow: FlowId,
}

impl Label {
    /// Of a packet that the world made itself.
    const OWN: Label = Label {
        tag: 0,
        flow: Id::NONE,
    };
}

/// A label for each place in the arena of packets; none before the first that is set.
#[derive(Clone, Debug, Default)]
pub struct Labels(Vec<Label>);

impl Labels {
    /// Whether no packet has ever had one.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A new packet takes this place, and its world made it.
    #[inline(always)]
    pub fn clear(&mut self, packet: PacketId) {
        if let Some(label) = self.0.get_mut(packet.index()) {
            *label = Label::OWN;
        }
    }

    /// Labels a packet.
    pub fn set(&mut self, packet: PacketId, label: Label) {
        if self.0.len() <= packet.index() {
            self.0.resize(packet.index() + 1, Label::OWN);
        }
        self.0[packet.index()] = label;
    }

    /// A packet of a flow has this entropy value.
    pub fn spread(&mut self, packet: PacketId, flow: FlowId, value: u16) {
        let key = flow.0 ^ u32::from(value).wrapping_mul(0x9e37_79b1);
        let label = Label {
            tag: 0,
            flow: Id::raw(key & 0x7fff_ffff),
        };
        self.set(packet, label);
    }

    /// The label of a packet, if any was labelled here.
    pub fn get(&self, packet: PacketId) -> Option<Label> {
        self.0.get(packet.index()).copied()
    }

    /// The tag of an injected packet.
    pub fn tag(&self, packet: PacketId) -> u64 {
        self.0.get(packet.index()).map_or(0, |label| label.tag)
    }

    /// The number that tells a packet's flow from others: the hash it was injected with, one with its entropy value, or the number of its flow.
    #[inline(always)]
    pub fn flow(&self, packet: PacketId, flow: FlowId) -> FlowId {
        match self.0.get(packet.index()) {
            Some(label) if !label.flow.is_none() => label.flow,
            _ => flow,
        }
    }
}
