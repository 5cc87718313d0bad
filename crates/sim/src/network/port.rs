//! Egress ports: what waits, what serves it, and what is counted.

use std::collections::VecDeque;

use backwater_transport::product;
use backwater_transport::units::{Rate, Span, Time};
use smallvec::SmallVec;

use crate::ids::{ControlId, FlowId, NodeId, NoticeId, PortId, kind};
use crate::limit::Limit;
use crate::mechanism::AnyResponder;
use crate::mechanism::gates::Gates;
use crate::medium::ethernet::{self, GAP, MIN_FRAME, PREAMBLE};
use crate::medium::service::{Accepts, Service};
use crate::packet::List;
use crate::queue::{AnyScheduler, ClassQueue, Managed};
use crate::stamp::Shown;
use crate::table::{Id, Row};

use super::carried::Carried;
use super::traits::Traits;
use super::watchdog::Watchdog;

/// An egress port and the wire that leaves it. What a hop touches comes first, in two cache lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Port {
    /// When the frame in transmission ends and the next choice is due; `NEVER` when nothing is sent
    /// and nothing waits.
    pub next_try: Time,
    /// No frame starts before then: the inter-packet gap that follows the last frame.
    pub gap_until: Time,
    /// Ticks to send a byte.
    pub ps_per_byte: u64,
    /// Propagation delay.
    pub delay: Span,
    /// Nothing is held back from then on; `NEVER` while destinations or rates may be, or where
    /// active queue management has a say in every choice.
    pub shut_until: Time,
    /// Frames in flight, the one in transmission included. The first has an event.
    pub wire: List,
    /// Data frames waiting.
    pub waiting: u32,
    /// Bytes of the frame in transmission that its class queue still holds; 0 when none.
    pub sending: u32,
    /// Its class.
    pub sending_class: u8,
    /// Number of the port through which it came in.
    pub sending_entry: u8,
    /// Number of `peer` at the far node, in as many bits as a packet has for it. Nodes that keep
    /// accounts have few enough ports.
    pub far_entry: u8,
    /// Bit q: class queue q has a waiting frame.
    pub held: u8,
    /// Flags set on this port.
    pub traits: Traits,
    /// The class queue, where there is one. The categories of a station have one each.
    pub(crate) queue: ClassQueue,
    /// Data frames sent, but for those that `more.sent` counts.
    pub(super) sent_packets: u64,
    /// Their bytes.
    pub(super) sent_bytes: u64,
    /// Bytes × ticks held, of the frames that have started; `more.sent` counts what does not fit.
    pub(super) area: u64,
    /// Most bytes held since the warm-up, in all class queues together.
    pub max_bytes: u64,
    /// The far node's row in the forwarding tables; `u32::MAX` for a host.
    pub far_row: u32,
    /// This node.
    pub node: NodeId,
    /// Control frames waiting: they go ahead of data and ignore gates.
    pub control: List,
    /// Ticks for which the port sent no data although frames waited, up to the last change.
    pub stall: u64,
    /// When it did so last.
    pub stall_end: Time,
    /// Since when it does so now.
    pub stall_from: Time,
    /// Buffer of each class queue.
    pub buffer: Limit,
    /// Class queues, where there are several.
    pub(crate) queues: Vec<ClassQueue>,
    /// Who goes first among class queues. At a station its categories contend instead.
    pub scheduler: AnyScheduler,
    /// Knobs of back-pressure, where some mechanism can reach this port.
    pub gates: Option<Box<Gates>>,
    /// The detector at this port: (control, place).
    pub watch: Option<(ControlId, usize)>,
    /// The rest of the port's state.
    pub more: Box<PortMore>,
    /// The node at the far end.
    pub far: NodeId,
    /// The far node's port on the same link.
    pub peer: PortId,
    /// Number of the port at its node.
    pub local: u32,
}

impl Port {
    /// Whether any of these flags is set.
    #[inline(always)]
    pub fn is(&self, traits: u32) -> bool {
        self.traits.0 & traits != 0
    }

    /// Sets these flags, or clears them.
    #[inline(always)]
    pub fn set(&mut self, traits: u32, so: bool) {
        self.traits.0 = if so {
            self.traits.0 | traits
        } else {
            self.traits.0 & !traits
        };
    }

    /// The class queues.
    pub fn queues(&self) -> &[ClassQueue] {
        if self.is(Traits::CLASSES) {
            &self.queues
        } else {
            std::slice::from_ref(&self.queue)
        }
    }

    /// The active queue management of a managed port, and its class queues.
    pub fn managed(&mut self) -> (&mut Managed, &[ClassQueue]) {
        let queues = match self.traits.0 & Traits::CLASSES {
            0 => std::slice::from_ref(&self.queue),
            _ => &self.queues,
        };
        (self.more.managed.as_mut().expect("a managed port"), queues)
    }

    /// A class queue.
    #[inline(always)]
    pub fn queue(&self, q: usize) -> &ClassQueue {
        if self.is(Traits::CLASSES) {
            &self.queues[q]
        } else {
            &self.queue
        }
    }

    /// The same, to change it.
    #[inline(always)]
    pub fn queue_mut(&mut self, q: usize) -> &mut ClassQueue {
        if self.is(Traits::CLASSES) {
            &mut self.queues[q]
        } else {
            &mut self.queue
        }
    }

    /// Number of the class queue for a class.
    #[inline(always)]
    pub fn queue_of(&self, class: u8) -> usize {
        if self.is(Traits::CLASSES) {
            usize::from(class)
        } else {
            0
        }
    }

    /// The transmitter is busy until then; the last frame's last bit leaves at that instant.
    #[inline(always)]
    pub fn free_at(&self) -> Time {
        Time(self.gap_until.0.saturating_sub(self.gap_time()))
    }

    /// Bytes held in all class queues together.
    pub fn held_bytes(&self) -> u64 {
        self.queues().iter().map(|queue| queue.bytes).sum()
    }

    /// A class queue holds one more frame of so many bytes; gives its waiting frames.
    #[inline(always)]
    pub(crate) fn hold(&mut self, q: usize, size: u64) -> &mut List {
        if self.is(Traits::CLASSES) {
            self.queues[q].hold(size);
            self.max_bytes = self.max_bytes.max(self.held_bytes());
            &mut self.queues[q].list
        } else {
            self.queue.hold(size);
            self.max_bytes = self.max_bytes.max(self.queue.bytes);
            &mut self.queue.list
        }
    }

    /// Whether its frames wait at a medium that its node shares with others.
    pub fn waits_at_medium(&self) -> bool {
        self.more.service.accept() == Accepts::Medium
    }

    /// Sets the line rate; 0 where there is none.
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        self.ps_per_byte = ethernet::ps_per_byte(rate);
        self.more.rate = rate;
    }

    /// How long a frame of so many bytes is on the wire, preamble included.
    #[inline(always)]
    pub fn frame_time(&self, bytes: u64) -> u64 {
        product::of(PREAMBLE + bytes, self.ps_per_byte)
    }

    /// The inter-packet gap.
    #[inline(always)]
    pub fn gap_time(&self) -> u64 {
        product::of(GAP, self.ps_per_byte)
    }

    /// How long the shortest frame is on the wire.
    pub fn shortest_frame_time(&self) -> u64 {
        self.frame_time(MIN_FRAME)
    }

    /// From the end of a received PAUSE frame until transmission must have stopped.
    pub fn reaction(&self) -> Span {
        ethernet::reaction(self.more.rate)
    }

    /// Counts a data frame sent, held here for so many ticks.
    #[inline(always)]
    pub fn count_sent(&mut self, size: u64, held: u64) {
        self.sent_packets += 1;
        self.sent_bytes += size;
        self.count_area(size, held);
    }

    /// Counts the bytes of a frame for the ticks it was held.
    #[inline(always)]
    pub fn count_area(&mut self, size: u64, held: u64) {
        let sum = product::checked(size, held).and_then(|area| area.checked_add(self.area));
        match sum {
            Some(area) => self.area = area,
            None => self.carry_area(size, held),
        }
    }

    /// The same where 64 bits are too few.
    #[cold]
    fn carry_area(&mut self, size: u64, held: u64) {
        let area = u128::from(std::mem::take(&mut self.area));
        self.more.sent.area += area + u128::from(size) * u128::from(held);
    }

    /// Counters of frames sent.
    pub fn sent(&self) -> PortCount {
        let mut count = self.more.sent.clone();
        count.packets += self.sent_packets;
        count.bytes += self.sent_bytes;
        count.area += u128::from(self.area);
        count
    }

    /// All lists of waiting data frames.
    pub fn lists(&self) -> impl Iterator<Item = &List> {
        let own = self.more.managed.iter().flat_map(|m| &m.queues);
        let queues = self.queues().iter().chain(own);
        queues
            .map(|queue| &queue.list)
            .chain(self.more.service.under_way())
    }

    /// A port that has never sent and holds nothing, without a wire. It has so many class queues, each with this buffer;
    /// who goes first among several is for the caller to set, or for what serves the port.
    pub fn idle(node: NodeId, far: NodeId, classes: usize, buffer: Limit, more: PortMore) -> Port {
        let several = classes > 1;
        let mut port = Port {
            next_try: Time::NEVER,
            gap_until: Time::ZERO,
            ps_per_byte: 0,
            delay: Span::ZERO,
            shut_until: Time::ZERO,
            wire: List::default(),
            waiting: 0,
            sending: 0,
            sending_class: 0,
            sending_entry: 0,
            far_entry: 0,
            held: 0,
            traits: Traits::default(),
            queue: ClassQueue::default(),
            sent_packets: 0,
            sent_bytes: 0,
            area: 0,
            max_bytes: 0,
            far_row: u32::MAX,
            node,
            control: List::default(),
            stall: 0,
            stall_end: Time::ZERO,
            stall_from: Time::ZERO,
            buffer,
            queues: vec![ClassQueue::default(); if several { classes } else { 0 }],
            scheduler: AnyScheduler::Fifo,
            gates: None,
            watch: None,
            more: Box::new(more),
            far,
            peer: Id::NONE,
            local: 0,
        };
        port.set(Traits::CLASSES, several);
        port.set(Traits::LIMITED, buffer != Limit::Unlimited);
        let queueless = port.more.service.accept() != Accepts::Queue;
        port.set(Traits::QUEUELESS, queueless);
        port
    }
}

/// The part of a port that a hop does not always touch.
#[derive(Clone, Debug, Default)]
pub struct PortMore {
    /// "A>B".
    pub name: String,
    /// Line rate.
    pub rate: Rate,
    /// Largest frame of its link, header and FCS included; no limit where it is 0 (a box or a radio).
    pub max_frame: u64,
    /// Ticks that frames sent before a change of the line rate took, beyond those at the present rate.
    pub rate_excess: i128,
    /// Instant of the armed wake of a closed gate.
    pub armed: Time,
    /// Bytes × ticks for which a station had held frames to a rate before they joined: no part of their time here.
    pub held_before: u128,
    /// Instant of the last departure that was given an event.
    pub awaited: Time,
    /// Where the wire became shorter: when the last frame arrives that left before.
    pub overtakes: Time,
    /// When the frame in transmission came into its queue, where the detector looks at that.
    pub came: Time,
    /// The service of the port.
    pub service: Service,
    /// Active queue management.
    pub managed: Option<Box<Managed>>,
    /// The class of the header of a frame that finds its queue full; none where such a frame is lost.
    pub trim: Option<u8>,
    /// The watchdog that frees a class that has been paused for too long.
    pub watchdog: Option<Box<Watchdog>>,
    /// Laws of explicit feedback that are shown its packets.
    pub laws: SmallVec<[Shown; 1]>,
    /// Saturated flows of its host, once for each packet that does not wait here and should; the longest first.
    pub missing: VecDeque<FlowId>,
    /// How it answers notices, by mechanism.
    pub responders: Vec<(u32, AnyResponder)>,
    /// Notices that have arrived and wait for the reaction time.
    pub reacting: VecDeque<NoticeId>,
    /// Notices that data frames bring to the far end, where some may.
    pub carried: Option<Box<Carried>>,
    /// Counters.
    pub sent: PortCount,
    /// Counters at the end of the warm-up.
    pub base: PortCount,
}

/// Counters of a port.
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
    /// Ticks for which a wire was in use, preambles and gaps included; at a station, ticks of exchanges.
    pub busy: u64,
    /// Bytes × ticks held, of the frames that have started.
    pub area: u128,
    /// Most bytes held in all class queues together.
    pub max_bytes: u64,
    /// Packets marked with CE.
    pub marked: u64,
    /// Packets cut down to their headers.
    pub trimmed: u64,
    /// Notices to the sources of packets.
    pub notices: u64,
    /// Frames that waited at a closed gate though the queue that closed it is not on their path.
    pub victims: u64,
    /// Ticks idle with frames waiting.
    pub stall: u64,
    /// Ticks for which each class was stopped, wholly or toward some destinations.
    pub closed: [u64; 8],
}

impl PortCount {
    /// Bytes of data and control frames, preambles and gaps included.
    pub fn wire_bytes(&self) -> u64 {
        let frames = self.packets + self.control;
        self.bytes + self.control_bytes + (PREAMBLE + GAP) * frames
    }
}

impl Row for Port {
    type Kind = kind::Port;
}
