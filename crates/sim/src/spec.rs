//! The specification of a world: plain data, lists in the order of names, indices into these lists
//! instead of names. The scenario crate makes it; `World::build` consumes it and
//! refuses what cannot work with the path of the offending field.

use backwater_transport::controller::AnyController;
use backwater_transport::endpoint::{ReceiverSetup, SenderSetup};
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::spreading::AnySpreader;
use backwater_transport::units::{Bytes, Rate, Span};

pub use crate::forwarding::Choose;
use crate::limit::Limit;
pub use crate::link_event::{Happening, LinkEvent};
use crate::mechanism::{AnyDetector, AnyNotifier, AnyResponder};
use crate::medium::boxes::AnyBox;
use crate::medium::service;
use crate::medium::tdma::spec::TerminalSpec;
use crate::medium::tdma::terminal::Terminal;
pub use crate::medium::trace::{AnyTrace, Listed, Rates};
use crate::medium::trace::{Server, ServerSpec};
pub use crate::network::Discipline;
pub use crate::network::watchdog::{self, Action};
use crate::queue::{AnyAqm, AnyScheduler};
pub use crate::refusal::{Refusal, Unchangeable};
use crate::source::AnySource;
use crate::stamp::AnyStamp;
use crate::targets::Destination;

pub use crate::medium::wifi::phy::channel::{ChannelSpec, Disc};
pub use crate::medium::wifi::phy::fading::{BlockFading, Law};
pub use crate::medium::wifi::phy::mode::{Format, Mode};
pub use crate::medium::wifi::phy::physical::Physical;
pub use crate::medium::wifi::phy::standard::Band;
pub use crate::medium::wifi::queue::arrangement::{AirtimeLimits, Serving};
pub use crate::medium::wifi::queue::turns::Turn;
pub use crate::medium::wifi::spec::{CategorySpec, MediumSpec, StationSpec};

/// A whole scenario.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Seed of every random stream.
    pub seed: u64,
    /// Simulated time.
    pub duration: Span,
    /// Time before which metrics are not counted; less than `duration`.
    pub warmup: Span,
    /// How destinations turn into egress ports.
    pub routing: Routing,
    /// How switches choose among equal ways.
    pub choose: Choose,
    /// Roots of the trees of `Routing::AirtimeTree`.
    pub roots: Vec<usize>,
    /// 802.11 media.
    pub media: Vec<MediumSpec>,
    /// Hosts, switches and stations.
    pub nodes: Vec<NodeSpec>,
    /// Full-duplex links; link `i` makes port `2i` (ends[0] > ends[1]) and port `2i + 1`.
    pub links: Vec<LinkSpec>,
    /// Ports, two for each link, in the order above.
    pub ports: Vec<PortSpec>,
    /// Explicit feedback.
    pub stamps: Vec<StampSpec>,
    /// Back-pressure; none where the recipe is "none".
    pub mechanisms: Vec<MechanismSpec>,
    /// Flows.
    pub flows: Vec<FlowSpec>,
    /// Failures and changes of wires.
    pub events: Vec<LinkEvent>,
}

impl Spec {
    /// The queue management of each egress by name, "A>B" or "A>medium".
    pub fn queue_management(&mut self) -> Vec<(String, &mut Option<AnyAqm>)> {
        let ports = self.ports.iter_mut();
        let mut all: Vec<_> = ports.map(|p| (p.name.clone(), &mut p.aqm)).collect();
        let media = &self.media;
        for node in &mut self.nodes {
            let of = |medium: usize| format!("{}>{}", node.name, media[medium].name);
            let attached = node.kind.attachments_mut().iter_mut();
            all.extend(attached.map(|one| (of(one.medium), &mut one.aqm)));
        }
        all
    }
}

/// How destinations turn into egress ports.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Routing {
    /// One path only: a topology with a loop is refused where no flow's route decides.
    Tree,
    /// A shortest path in hops; among equals the first in the order of the links.
    ShortestPath,
    /// All shortest paths in hops, chosen by a hash of (flow, source, destination).
    Ecmp,
    /// Between 802.11 stations: the least sum of airtimes (IEEE 802.11-2016 14.9).
    Airtime,
    /// The same, along a tree: each station has one way to its root.
    AirtimeTree,
}

/// A host or a switch.
#[derive(Clone, Debug)]
pub struct NodeSpec {
    /// Name.
    pub name: String,
    /// Which.
    pub kind: NodeKind,
}

/// A host or a switch.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// An end station: sources and sinks. Exactly one link.
    Host {
        /// Whether it acts on control frames; one that doesn't is not sent any.
        obeys: bool,
    },
    /// A store-and-forward switch.
    Switch(SwitchModel),
    /// An 802.11 station: source, sink and relay, with a radio for each of its media.
    Station(Vec<StationSpec>),
}

impl NodeKind {
    /// Whether it is attached to media that nodes share.
    pub fn shares_media(&self) -> bool {
        !self.attachments().is_empty()
    }

    /// Its attachments, one to each medium.
    pub fn attachments(&self) -> &[StationSpec] {
        match self {
            NodeKind::Station(attachments) => attachments,
            NodeKind::Host { .. } | NodeKind::Switch(_) => &[],
        }
    }

    /// The same, to be changed.
    pub fn attachments_mut(&mut self) -> &mut [StationSpec] {
        match self {
            NodeKind::Station(attachments) => attachments,
            NodeKind::Host { .. } | NodeKind::Switch(_) => &mut [],
        }
    }
}

/// Where a switch keeps frames and who may use the space.
#[derive(Clone, Debug, PartialEq)]
pub enum SwitchModel {
    /// Each egress class queue has its own buffer.
    OutputQueued,
    /// One pool with dynamic thresholds and headroom (specs of lossless fabrics).
    SharedMemory {
        /// All of the memory.
        memory: Bytes,
        /// Guaranteed to each (ingress, class).
        reserve: Bytes,
        /// Extra for frames in flight after XOFF, for each (ingress, class).
        headroom: Bytes,
        /// Threshold = free shared memory >> shift.
        shift: u32,
    },
    /// Frames wait at the inputs until cells of them cross a fabric.
    InputQueued {
        /// How they wait.
        discipline: Discipline,
        /// The buffer of each queue at an input.
        input_buffer: Bytes,
        /// Bytes of a cell.
        cell: Bytes,
        /// Cells that cross in the time in which the fastest line takes one.
        speedup: u32,
    },
}

/// A full-duplex point-to-point link.
#[derive(Clone, Debug)]
pub struct LinkSpec {
    /// Name.
    pub name: String,
    /// Node indices.
    pub ends: [usize; 2],
    /// Line rate, the same both ways.
    pub rate: Rate,
    /// Propagation delay, the same both ways.
    pub delay: Span,
    /// The properties of a direction that a plain wire has not: `ends[0]` to `ends[1]`, then back.
    pub directions: [Option<Box<Direction>>; 2],
    /// Largest frame, header and FCS included, without preamble.
    pub max_frame: Bytes,
}

/// A direction of a link that is not a plain wire, or not the same one both ways.
#[derive(Clone, Debug)]
pub struct Direction {
    /// Its own name, where it has one.
    pub name: String,
    /// The boxes before the queue, in order.
    pub boxes: Vec<AnyBox>,
    /// How its port is served.
    pub service: Service,
}

/// How a port is served.
#[derive(Clone, Debug)]
pub enum Service {
    /// At a line rate, with a propagation delay.
    Line(Rate, Span),
    /// At the opportunities of a trace.
    Trace(Box<ServerSpec>),
    /// In slots of a frame that several share.
    Slots(Box<TerminalSpec>),
}

impl Service {
    /// The service of the port, at its beginning.
    pub fn begin(&self, random: Random) -> service::Service {
        match self {
            Service::Line(..) => service::Service::Line,
            Service::Trace(server) => {
                service::Service::Trace(Box::new(Server::new((**server).clone(), random)))
            }
            Service::Slots(terminal) => {
                service::Service::Slots(Box::new(Terminal::new((**terminal).clone())))
            }
        }
    }

    /// Line rate, 0 where there is none, and propagation delay behind the queue.
    pub fn line(&self) -> (Rate, Span) {
        match self {
            Service::Line(rate, delay) => (*rate, *delay),
            Service::Trace(server) => (Rate(0), server.delay_behind),
            Service::Slots(terminal) => (Rate(0), terminal.delay),
        }
    }

    /// Instants at which it may send, in so much time; none at a wire. A trace knows its own.
    pub fn instants(&self, duration: Span) -> f64 {
        match self {
            Service::Line(..) | Service::Trace(_) => 0.0,
            Service::Slots(terminal) => {
                let frames = &terminal.frames;
                f64::from(frames.slots) * duration.seconds() / frames.frame.seconds()
            }
        }
    }

    /// The most that it carries, bit/s; none where only its trace knows.
    pub fn fastest(&self) -> Option<f64> {
        match self {
            Service::Line(rate, _) => Some(rate.0 as f64),
            Service::Trace(_) => None,
            Service::Slots(terminal) => Some(terminal.fastest()),
        }
    }
}

/// An egress port.
#[derive(Clone, Debug)]
pub struct PortSpec {
    /// "A>B"; where two links join the same nodes, "A>B#link".
    pub name: String,
    /// Number of classes and who goes first.
    pub scheduler: AnyScheduler,
    /// Prototype of its active queue management; the port gets a copy.
    pub aqm: Option<AnyAqm>,
    /// Buffer of each class queue.
    pub buffer: Limit,
    /// The class of the header of a frame that finds its queue full; none where such a frame is lost.
    pub trim: Option<u8>,
    /// When a class that has been paused for too long is freed; none where it never is.
    pub watchdog: Option<watchdog::Terms>,
}

/// An egress of a node.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Egress {
    /// A port (index).
    Port(usize),
    /// An attachment to a medium: node (index) and number among its attachments.
    Attachment(usize, usize),
}

/// A law of explicit feedback.
#[derive(Clone, Debug)]
pub struct StampSpec {
    /// Name of the queue that it watches: "A>B", or "A>medium".
    pub name: String,
    /// That queue.
    pub at: Egress,
    /// Prototype.
    pub law: AnyStamp,
    /// Further egresses whose departures it stamps.
    pub also: Vec<Egress>,
}

/// Detector, notifier and responder attached to egress ports.
#[derive(Clone, Debug)]
pub struct MechanismSpec {
    /// Name.
    pub name: String,
    /// Watched ports (indices).
    pub at: Vec<usize>,
    /// Relays (node indices), for detectors of stations.
    pub stations: Vec<usize>,
    /// Prototype of the detector; each place gets its own copy.
    pub detect: AnyDetector,
    /// Prototype of the notifier.
    pub notify: AnyNotifier,
    /// Prototype of the responder.
    pub respond: AnyResponder,
}

/// The two ends of a flow with a transport.
#[derive(Clone, Debug)]
pub struct TransportSpec {
    /// The sending end.
    pub sender: SenderSetup,
    /// The receiving end.
    pub receiver: ReceiverSetup,
    /// The controller, made for this flow.
    pub controller: AnyController,
    /// Segments wait in the sender until the port of its host is free for them.
    pub pulled: bool,
    /// Shift of the limit on bytes in the radio of its host.
    pub small_queue: Option<u8>,
    /// Class of its acknowledgements.
    pub ack_class: u8,
    /// Class of what its receiver sends besides.
    pub signal_class: u8,
    /// The spreader that chooses the ways of its packets; none where a flow keeps its way.
    pub spreader: Option<AnySpreader>,
}

/// One flow.
#[derive(Clone, Debug)]
pub struct FlowSpec {
    /// Name.
    pub name: String,
    /// Sending host.
    pub from: usize,
    /// Receiving host or hosts.
    pub to: Destination,
    /// Class 0..8; the highest goes first under strict priority.
    pub class: u8,
    /// Codepoint its packets leave with.
    pub ecn: Ecn,
    /// Largest IP packet; demands are cut into packets of this size and a rest.
    pub packet: Bytes,
    /// When the source begins.
    pub start: Span,
    /// When the source ends.
    pub stop: Span,
    /// The source.
    pub source: AnySource,
    /// Further fields that a person may write.
    pub options: FlowOptions,
    /// Nodes in order from `from` to `to`, where a person wrote the route.
    pub route: Option<Vec<usize>>,
    /// Its transport; none for datagrams that nobody answers.
    pub transport: Option<TransportSpec>,
    /// The transfers that its own wait for; none where its source says when they begin.
    pub after: Option<After>,
}

/// Fields of a flow that are read as they are written; each begins at its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowOptions {
    /// A packet that comes to an 802.11 station later than this after its creation is lost.
    pub budget: Option<Span>,
    /// Whether its Hurst parameter is measured.
    pub hurst: bool,
}

/// The transfers for which those of a flow wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct After {
    /// Flows (indices): each further transfer waits for one more of each of them.
    pub flows: Vec<usize>,
    /// Transfers that wait for nothing.
    pub lead: u64,
    /// How long after each of those flows; nothing where there are fewer.
    pub delays: Vec<Span>,
}

impl FlowSpec {
    /// The highest class of its packets and of those that come back.
    pub fn highest_class(&self) -> u8 {
        let back = self.transport.as_ref();
        let back = back.map_or(0, |t| t.ack_class.max(t.signal_class));
        self.class.max(back)
    }
}
