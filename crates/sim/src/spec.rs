//! What a world is built from: plain data, lists in the order of names, indices into these lists
//! instead of names. The scenario crate makes it; `World::build` consumes it and
//! refuses what cannot work with the path of the offending field.

use backwater_transport::controller::AnyController;
use backwater_transport::endpoint::{ReceiverSetup, SenderSetup};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::limit::Limit;
use crate::mechanism::{AnyDetector, AnyNotifier, AnyResponder};
use crate::medium::boxes::AnyBox;
use crate::medium::trace::ServerSpec;
use crate::medium::wifi::channel::ChannelSpec;
use crate::medium::wifi::mac::{Category, MacSpec};
use crate::medium::wifi::phy::Phy;
use crate::queue::{AnyAqm, AnyScheduler};
use crate::source::AnySource;
use crate::targets::Destination;

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
    /// Back-pressure; none where the recipe is "none".
    pub mechanisms: Vec<MechanismSpec>,
    /// Flows.
    pub flows: Vec<FlowSpec>,
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

/// A radio of an 802.11 station.
#[derive(Clone, Debug)]
pub struct StationSpec {
    /// Its medium.
    pub medium: usize,
    /// Metres.
    pub at: [f64; 2],
    /// Buffer of each access category, in frames or IP bytes.
    pub buffer: Limit,
    /// Share of the buffer for packets of the station's own flows, the rest for those it relays; 1 = all
    /// of it for both.
    pub own_share: f64,
    /// Rate of its data frames, instead of the medium's.
    pub rate: Option<Rate>,
    /// Whether it serves flows in turn instead of first come, first served.
    pub in_turn: bool,
    /// Prototype of the active queue management of its access categories; each gets a copy.
    pub aqm: Option<AnyAqm>,
    /// Parameters that differ from the medium's.
    pub categories: [CategorySpec; 4],
}

impl StationSpec {
    /// Name of a node's radio: the node's, and for other radios than its first also the medium's.
    pub fn radio_name(node: &str, of_node: usize, medium: &str) -> String {
        match of_node {
            0 => node.to_owned(),
            _ => format!("{node}>{medium}"),
        }
    }
}

/// Parameters of an access category that were written.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct CategorySpec {
    /// Slots of AIFS after the SIFS, 1..=255.
    pub aifsn: Option<u8>,
    /// Contention window after a success.
    pub cw_min: Option<u32>,
    /// Largest contention window.
    pub cw_max: Option<u32>,
    /// TXOP limit.
    pub txop: Option<Span>,
    /// Buffer, at a station.
    pub buffer: Option<Limit>,
}

impl CategorySpec {
    /// What was written, over what holds otherwise.
    pub fn over(&self, base: Category) -> Category {
        Category {
            aifsn: self.aifsn.unwrap_or(base.aifsn),
            cw_min: self.cw_min.unwrap_or(base.cw_min),
            cw_max: self.cw_max.unwrap_or(base.cw_max),
            txop: self.txop.unwrap_or(base.txop),
        }
    }
}

/// An 802.11 medium.
#[derive(Clone, Debug)]
pub struct MediumSpec {
    /// Name.
    pub name: String,
    /// Radio.
    pub phy: Phy,
    /// Rules of access.
    pub mac: MacSpec,
    /// Propagation and reception.
    pub channel: ChannelSpec,
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
    /// What a direction has that a plain wire has not: `ends[0]` to `ends[1]`, then back.
    pub ways: [Option<Box<Way>>; 2],
    /// Largest frame, header and FCS included, without preamble.
    pub max_frame: Bytes,
}

/// A direction of a link that is not a plain wire, or not the same one both ways.
#[derive(Clone, Debug)]
pub struct Way {
    /// Its own name, where it has one.
    pub name: String,
    /// What packets pass before the queue, in order.
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
    /// A packet that comes to an 802.11 station later than this after its creation is lost.
    pub budget: Option<Span>,
    /// Nodes in order from `from` to `to`, where a person wrote the route.
    pub route: Option<Vec<usize>>,
    /// Its transport; none for datagrams that nobody answers.
    pub transport: Option<TransportSpec>,
}

/// Why a world cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Path of the offending field in the scenario, such as "flows.f1.to".
    pub path: String,
    /// What is wrong.
    pub what: String,
    /// What to write instead.
    pub fix: String,
}
