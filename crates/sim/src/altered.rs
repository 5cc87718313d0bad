//! Single facts of a run that are made otherwise, so that forks can ask what a fact has caused: a packet is not lost, a mark
//! is not set, an acknowledgement tells another round trip. Facts are known by flow and number of the packet. Who decides
//! draws as before, so that later chance is the same with the fact and without it.

use std::collections::{BTreeMap, BTreeSet};

use backwater_transport::endpoint::{AnySender, Sender};
use backwater_transport::segment::AckSegment;
use backwater_transport::units::{Span, Time};

use crate::cause::Cause;
use crate::ids::{FlowId, PortId};
use crate::packet::Packet;

/// A packet by its flow and its number there.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Numbered {
    /// Its flow.
    pub flow: FlowId,
    /// Its number within the flow.
    pub seq: u32,
}

impl From<&Packet> for Numbered {
    fn from(packet: &Packet) -> Numbered {
        Numbered {
            flow: packet.flow,
            seq: packet.seq,
        }
    }
}

/// An event that happened to a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// It was lost.
    Lost(Cause, PortId),
    /// It was marked.
    Marked(PortId),
    /// It came to its sender, an acknowledgement, and told this round trip.
    RoundTrip(Span),
}

/// A fact and when it came about.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The instant.
    pub at: Time,
    /// The packet.
    pub packet: Numbered,
    /// The fact.
    pub fact: Fact,
}

/// The changes that hold from the present on, and facts that were seen.
#[derive(Clone, Debug, Default)]
pub struct Altered {
    /// Packets that queues, queue management and boxes do not lose.
    pub spared: BTreeSet<Numbered>,
    /// Packets that are not marked.
    pub unmarked: BTreeSet<Numbered>,
    /// Acknowledgements that tell another round trip.
    pub round_trips: BTreeMap<Numbered, Span>,
    /// Packets of `spared` that were lost nevertheless, by what cannot spare them.
    pub unspared: BTreeSet<Numbered>,
    /// Facts in their order, where somebody asked for them.
    pub seen: Option<Vec<Seen>>,
}

impl Altered {
    /// Notes a fact.
    pub(crate) fn see(&mut self, at: Time, packet: Numbered, fact: Fact) {
        if matches!(fact, Fact::Lost(..)) && self.spared.contains(&packet) {
            self.unspared.insert(packet);
        }
        if let Some(seen) = &mut self.seen {
            seen.push(Seen { at, packet, fact });
        }
    }

    /// A sender takes an acknowledgement; the round trip that it tells is altered or listed.
    #[cold]
    pub(crate) fn acknowledge(
        &mut self,
        packet: Numbered,
        sender: &mut AnySender,
        ack: &AckSegment,
        now: Time,
    ) {
        let rtt = &mut sender.core_mut().rtt;
        rtt.latest = Span::MAX;
        rtt.instead = self.round_trips.get(&packet).copied();
        sender.on_ack(now, ack);
        let rtt = &mut sender.core_mut().rtt;
        rtt.instead = None;
        if rtt.latest != Span::MAX {
            let latest = rtt.latest;
            self.see(now, packet, Fact::RoundTrip(latest));
        }
    }
}
