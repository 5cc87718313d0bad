//! Counts and records of a run (`Books`): the fingerprint, losses, records, and counts of frames and notices.

use std::collections::BTreeMap;

use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;
use backwater_transport::walk::Walk;

use crate::altered::{Altered, Fact, Numbered};
use crate::cause::Cause;
use crate::ids::{FlowId, NodeId, PortId};
use crate::limit::MAX_CLASSES;
use crate::packet::Packet;
use crate::record::Record;
use crate::record::fingerprint::{Fingerprint, Mark};
use crate::record::flow_stats::Count;
use crate::skip::{Tape, detail};

/// Where and what was lost: (cause, port, flow, class).
pub type DropKey = (Cause, PortId, FlowId, u8);

/// The end of a packet that came from outside.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// When.
    pub at: Time,
    /// The host that received it, or the node where it was lost.
    pub node: NodeId,
    /// Its flow.
    pub flow: FlowId,
    /// The tag it was injected with.
    pub tag: u64,
    /// The codepoint with which it came out.
    pub ecn: Ecn,
    /// Its fate.
    pub fate: Fate,
}

/// The fate of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A box has made a copy of it. Both have a fate of their own later, under the same tag.
    Copied,
    /// Its host received it.
    Delivered,
    /// It was lost.
    Dropped(Cause),
}

/// From an instant on a port may not send frames of each class before another one, all of them or those to some destinations.
#[derive(Copy, Clone, Debug)]
pub struct Stop {
    /// Since when.
    pub at: Time,
    /// Where.
    pub port: PortId,
    /// Up to when, by class; what isn't after `at` lets them go.
    pub until: [Time; MAX_CLASSES],
}

/// The counts and records of a run.
#[derive(Clone, Debug, Default)]
pub struct Books {
    /// Proof of equality.
    pub fingerprint: Fingerprint,
    /// End of the warm-up, once it is over.
    pub warm_until: Option<Time>,
    /// Losses since the beginning.
    pub drops: BTreeMap<DropKey, Count>,
    /// The same at the end of the warm-up.
    pub drops_base: BTreeMap<DropKey, Count>,
    /// Packets that each hop of each flow had received at the end of the warm-up.
    pub hops_base: Vec<Vec<Count>>,
    /// Every event, where the run is recorded.
    pub record: Option<Vec<Record>>,
    /// Changes of gates of wires, where a person wants to see them.
    pub stops: Option<Vec<Stop>>,
    /// Facts that are made otherwise in this run or listed for its caller.
    pub altered: Option<Box<Altered>>,
    /// Fates of injected packets that the caller has not taken yet.
    pub exits: Vec<Exit>,
    /// The marks of a period, while one is tried.
    pub(crate) tape: Option<Box<Tape>>,
    /// Frames received over a link, control frames included.
    pub packet_hops: u64,
    /// Notices sent over wires.
    pub notices_sent: u64,
    /// Of these, with data frames.
    pub notices_carried: u64,
    /// Notices received over wires.
    pub notices_heard: u64,
    /// Notices in frames of their own that were lost with their wire.
    pub notices_lost: u64,
}

impl Books {
    /// A mark of something that is no packet.
    pub(crate) fn add_mark(&mut self, mark: Mark, at: Time, who: u32, detail: u64) {
        self.fingerprint.add(mark, at, who, detail);
        if let Some(tape) = &mut self.tape {
            tape.add(mark, at, who, (None, detail));
        }
    }

    /// A mark of a packet of this flow and number.
    #[inline]
    pub(crate) fn add_packet_mark(
        &mut self,
        mark: Mark,
        at: Time,
        (flow, seq): (FlowId, u32),
        of: u64,
    ) {
        self.fingerprint.add(mark, at, flow.0, detail(seq, of));
        if let Some(tape) = &mut self.tape {
            tape.add(mark, at, flow.0, (Some(seq), of));
        }
    }

    /// What grows with the run.
    pub(crate) fn walk(&mut self, walk: &mut Walk) {
        let Books {
            fingerprint: _,
            warm_until,
            drops,
            drops_base: _,
            hops_base: _,
            record,
            stops,
            altered,
            exits,
            tape: _,
            packet_hops,
            notices_sent,
            notices_carried,
            notices_heard,
            notices_lost,
        } = self;
        if record.is_some() || stops.is_some() {
            walk.unable("run", "every event is recorded");
        }
        if altered.is_some() {
            walk.unable("run", "single facts are altered");
        }
        walk.same(warm_until.is_some());
        walk.same(exits.len() as u64);
        if !walk.counts() {
            return;
        }
        for ((cause, port, flow, class), count) in drops {
            walk.same(*cause as u64);
            walk.same(u64::from(port.0) << 32 | u64::from(flow.0));
            walk.same(*class);
            count.walk(walk);
        }
        for count in [
            packet_hops,
            notices_sent,
            notices_carried,
            notices_heard,
            notices_lost,
        ] {
            walk.count(count);
        }
    }

    /// Whether each notice was received, was lost with its wire, or is one of so many on their way.
    pub fn notices_agree(&self, on_their_way: u64) -> bool {
        self.notices_sent == self.notices_heard + self.notices_lost + on_their_way
    }

    /// Whether a packet created then entered before the end of the warm-up, which is over.
    pub fn entered_early(&self, born: Time) -> bool {
        self.warm_until.is_some_and(|end| born <= end)
    }

    /// Whether this run does not lose the packet, although something along its way would.
    #[cold]
    pub(crate) fn spares(&self, packet: &Packet) -> bool {
        let altered = self.altered.as_ref();
        altered.is_some_and(|altered| altered.spared.contains(&Numbered::from(packet)))
    }

    /// Lists what happened to a packet, where somebody asked for it.
    #[inline(always)]
    pub(crate) fn see(&mut self, at: Time, packet: &Packet, fact: Fact) {
        if let Some(altered) = &mut self.altered {
            altered.see(at, packet.into(), fact);
        }
    }
}
