//! Nodes, ports, wires and flows: the tables of a world.

use std::collections::VecDeque;

use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Rate, Span, Time};

use crate::connection::Connection;
use crate::mechanism::Control;
use crate::mechanism::gates::Gates;
use crate::medium::boxes::AnyBox;
use crate::medium::trace::Server;
use crate::packet::List;
use crate::queue::aqm::Managed;
use crate::queue::{AnyScheduler, ClassQueue};
use crate::record::flow_stats::FlowStats;
use crate::source::AnySource;
use crate::spec::Limit;
use crate::switch::{Ledger, Pool};
use crate::table::{Id, Table};
use crate::targets::Targets;
use smallvec::SmallVec;

/// A host or a switch. What a frame touches comes first.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Node {
    /// Places of the node that are congested.
    pub alarms: u32,
    /// Shared memory, where the model has it.
    pub pool: Option<Box<Pool>>,
    /// Bytes held by (ingress, class), where a part needs them.
    pub ledger: Option<Box<Ledger>>,
    /// Places that watch what came in, by local port number: (control, place).
    pub watch: Vec<Option<(Id<Control>, usize)>>,
    /// Host number, for a host.
    pub host: Option<u32>,
    /// Its egress ports.
    pub ports: Vec<Id<Port>>,
    /// Number of the 802.11 station, for one; `NOBODY` for others.
    pub station: u32,
    /// Name.
    pub name: String,
}

/// An egress port and the wire that leaves it. What a hop touches comes first, in three cache lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Port {
    /// When the frame in transmission ends and the next choice is due; `NEVER` when nothing is sent
    /// and nothing waits.
    pub next_try: Time,
    /// The transmitter is busy until then; the frame's last bit leaves at that instant.
    pub free_at: Time,
    /// No frame starts before then: the inter-packet gap.
    pub gap_until: Time,
    /// Ticks to send a byte.
    pub ps_per_byte: u64,
    /// Propagation delay.
    pub delay: Span,
    /// Frames in flight, the one in transmission included. The first has an event.
    pub wire: List,
    /// Data frames waiting.
    pub waiting: u32,
    /// Bytes of the frame in transmission that its class queue still holds; 0 when none.
    pub sending: u32,
    /// Its class queue.
    pub sending_queue: u8,
    /// Its class.
    pub sending_class: u8,
    /// Number of the port through which it came in.
    pub sending_entry: u8,
    /// Number of `peer` at the far node, in as many bits as a packet has for it. Nodes that keep
    /// accounts have few enough ports.
    pub far_entry: u8,
    /// Bit q: class queue q has a waiting frame.
    pub held: u8,
    /// Nobody looks at what comes and goes here: no detector, no accounts, no record, no active
    /// queue management.
    pub plain: bool,
    /// The choice at hand found every waiting frame held back.
    pub stalled: bool,
    /// The node keeps a ledger or a pool.
    pub accounted: bool,
    /// Bytes × ticks held, of the frames that have started.
    pub area: u128,
    /// Data frames sent.
    pub sent_packets: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Most bytes a class queue has held since the warm-up.
    pub max_bytes: u64,
    /// Nothing is held back from then on; `NEVER` while destinations or rates may be, or where
    /// active queue management has a say in every choice.
    pub shut_until: Time,
    /// Ticks for which the port sent no data although frames waited, up to the last change.
    pub stall: u64,
    /// Base of the far node's forwarding rows; `u32::MAX` for a host.
    pub far_routes: u32,
    /// This node.
    pub node: Id<Node>,
    /// Class queues.
    pub queues: SmallVec<[ClassQueue; 1]>,
    /// Buffer of each class queue.
    pub buffer: Limit,
    /// Control frames waiting: they go ahead of data and ignore gates.
    pub control: List,
    /// When it did so last.
    pub stall_end: Time,
    /// Since when it does so now.
    pub stall_from: Time,
    /// Who goes first.
    pub scheduler: AnyScheduler,
    /// Knobs of back-pressure, where some mechanism can reach this port.
    pub gates: Option<Box<Gates>>,
    /// The detector at this port: (control, place).
    pub watch: Option<(Id<Control>, usize)>,
    /// What else the port remembers.
    pub more: Box<PortMore>,
    /// The node at the far end.
    pub far: Id<Node>,
    /// The far node's port on the same link.
    pub peer: Id<Port>,
    /// Number of the port at its node.
    pub local: u32,
    /// Every departure needs an event.
    pub wakeful: bool,
    /// Every departure is served in its own time: the run is recorded or unfused.
    pub attentive: bool,
    /// It is a box: packets pass it and are neither queued nor transmitted.
    pub passed: bool,
}

impl Port {
    /// Whether its frames wait in queues of its active queue management, not in class queues.
    pub fn chooses_itself(&self) -> bool {
        self.more
            .managed
            .as_ref()
            .is_some_and(|m| !m.queues.is_empty())
    }

    /// All lists of waiting data frames.
    pub fn lists(&self) -> impl Iterator<Item = &List> {
        let own = self.more.managed.iter().flat_map(|m| &m.queues);
        self.queues.iter().chain(own).map(|queue| &queue.list)
    }

    /// A port that has never sent and holds nothing, without a wire.
    pub fn idle(node: Id<Node>, far: Id<Node>, more: PortMore) -> Port {
        Port {
            next_try: Time::NEVER,
            free_at: Time::ZERO,
            gap_until: Time::ZERO,
            ps_per_byte: 0,
            delay: Span::ZERO,
            wire: List::default(),
            waiting: 0,
            sending: 0,
            sending_queue: 0,
            sending_class: 0,
            sending_entry: 0,
            far_entry: 0,
            held: 0,
            plain: true,
            stalled: false,
            accounted: false,
            area: 0,
            sent_packets: 0,
            sent_bytes: 0,
            max_bytes: 0,
            shut_until: Time::ZERO,
            stall: 0,
            far_routes: u32::MAX,
            node,
            queues: SmallVec::new(),
            buffer: Limit::Unlimited,
            control: List::default(),
            stall_end: Time::ZERO,
            stall_from: Time::ZERO,
            scheduler: AnyScheduler::Fifo,
            gates: None,
            watch: None,
            more: Box::new(more),
            far,
            peer: Id::NONE,
            local: 0,
            wakeful: false,
            attentive: false,
            passed: false,
        }
    }
}

/// The part of a port that a hop does not always touch.
#[derive(Clone, Debug, Default)]
pub struct PortMore {
    /// "A>B".
    pub name: String,
    /// Line rate.
    pub rate: Rate,
    /// Instant of the armed wake of a closed gate.
    pub armed: Time,
    /// What happens to packets in it, for a box.
    pub stage: Option<Box<Stage>>,
    /// What serves it in place of a line rate.
    pub server: Option<Box<Server>>,
    /// Active queue management.
    pub managed: Option<Box<Managed>>,
    /// Notices that have arrived and wait for the reaction time.
    pub reacting: VecDeque<Id<Posted>>,
    /// Counters.
    pub sent: PortCount,
    /// Counters at the end of the warm-up.
    pub base: PortCount,
}

/// A box on the way to a port's queue.
#[derive(Clone, Debug)]
pub struct Stage {
    /// What it does.
    pub what: AnyBox,
    /// Its stream.
    pub random: Random,
    /// The next box, or the port whose queue the boxes lead to.
    pub next: Id<Port>,
}

/// What a port counts.
#[derive(Clone, Debug, Default)]
pub struct PortCount {
    /// Data frames sent.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Control frames sent.
    pub control: u64,
    /// Their bytes.
    pub control_bytes: u64,
    /// Bytes × ticks held, of the frames that have started.
    pub area: u128,
    /// Most bytes a class queue held.
    pub max_bytes: u64,
    /// Packets marked with CE.
    pub marked: u64,
    /// Frames that waited at a closed gate though the queue that closed it is not on their path.
    pub victims: u64,
    /// Ticks idle with frames waiting.
    pub stall: u64,
    /// Ticks for which each class was stopped, wholly or toward some destinations.
    pub closed: [u64; 8],
}

/// A notice on its way, and the mechanism whose responder answers it.
#[derive(Clone, Debug)]
pub struct Posted {
    /// Whose.
    pub control: Id<Control>,
    /// What it says.
    pub notice: crate::mechanism::notice::Notice,
}

/// What a flow is to a connection.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Nothing: its packets are datagrams of their own.
    None,
    /// It carries the data.
    Data(Id<Connection>),
    /// It carries the ACKs.
    Acks(Id<Connection>),
}

/// A flow. What a packet touches at its birth and at its delivery comes first.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Flow {
    /// When the source ends.
    pub stop: Time,
    /// What it is to a connection.
    pub part: Part,
    /// Largest IP packet.
    pub packet: u64,
    /// Receiving hosts.
    pub to: Targets,
    /// Next sequence number.
    pub seq: u32,
    /// The sending host's port.
    pub port: Id<Port>,
    /// Class.
    pub class: u8,
    /// Codepoint its packets leave with.
    pub ecn: Ecn,
    /// Whether its packets come from outside and their fates go back there.
    pub outside: bool,
    /// The source's stream.
    pub random: Random,
    /// The stream that draws destinations.
    pub compass: Random,
    /// Counters.
    pub stats: FlowStats,
    /// Bytes of the demand that is due.
    pub due: u64,
    /// The source.
    pub source: AnySource,
    /// Name.
    pub name: String,
    /// Sending host.
    pub from: Id<Node>,
    /// Egress ports on the path, for a flow with one destination.
    pub path: Vec<Id<Port>>,
}

impl Port {
    /// Reads a word of each cache line that a hop touches.
    #[inline]
    pub fn touch(&self) -> u64 {
        self.next_try.0 ^ self.sent_bytes ^ u64::from(self.control.head().0)
    }
}

impl Flow {
    /// Reads a word of each cache line that a packet's birth touches.
    #[inline]
    pub fn touch(&self) -> u64 {
        self.stop.0 ^ self.stats.entered.packets
    }
}

/// Slots for notices on their way, with reuse.
#[derive(Clone, Debug, Default)]
pub struct Mail {
    slots: Table<Option<Posted>>,
    free: Vec<u32>,
}

impl Mail {
    /// Keeps a notice until it is taken.
    pub fn put(&mut self, posted: Posted) -> Id<Posted> {
        match self.free.pop() {
            Some(slot) => {
                self.slots.0[slot as usize] = Some(posted);
                Id::raw(slot)
            }
            None => Id::raw(self.slots.push(Some(posted)).0),
        }
    }

    /// Looks at a notice.
    pub fn see(&self, id: Id<Posted>) -> &Posted {
        self.slots.0[id.index()]
            .as_ref()
            .expect("a notice on its way")
    }

    /// Takes a notice out.
    pub fn take(&mut self, id: Id<Posted>) -> Posted {
        self.free.push(id.0);
        self.slots.0[id.index()]
            .take()
            .expect("a notice on its way")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_hop_touches_of_a_port_lies_in_three_cache_lines() {
        assert_eq!(std::mem::align_of::<Port>(), 64);
        assert_eq!(std::mem::offset_of!(Port, area), 64);
        assert_eq!(std::mem::offset_of!(Port, queues), 128);
        assert_eq!(std::mem::offset_of!(Port, stall_from), 192);
    }

    #[test]
    fn what_a_packet_touches_of_its_flow_lies_in_few_cache_lines() {
        assert_eq!(std::mem::align_of::<Flow>(), 64);
        assert_eq!(std::mem::offset_of!(Flow, random), 64);
        assert_eq!(std::mem::offset_of!(Flow, stats), 128);
        assert_eq!(std::mem::offset_of!(FlowStats, delivered), 64);
        assert_eq!(std::mem::offset_of!(FlowStats, delay), 128);
    }
}
