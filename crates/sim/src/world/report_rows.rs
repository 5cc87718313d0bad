//! The rows of a report.

use backwater_transport::congestion_header::Layout;
use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use crate::books::DropKey;
use crate::connection::ConnectionStats;
use crate::ids::{ConnectionId, FlowId, NodeId, PortId};
use crate::mechanism::{Deadlock, Hearing};
use crate::medium::StationCount;
use crate::network::PortCount;
use crate::progress::Progress;
use crate::record::delays::Delays;
use crate::record::flow_stats::{Count, DelaySum};
use crate::record::variance_time::Hurst;
use crate::world::{StampReport, Standstill};

/// The report of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// Proof of equality: see `record::fingerprint`.
    pub fingerprint: u64,
    /// Packets that entered, since the beginning.
    pub entered: u64,
    /// Packets delivered.
    pub delivered: u64,
    /// Packets lost.
    pub dropped: u64,
    /// Packets found in queues and on wires.
    pub held: u64,
    /// Whether the four agree, every queue's bytes are those of its frames, and no control frame is
    /// missing.
    pub conserved: bool,
    /// Losses by cause, place, flow and class.
    pub drops: Vec<DropRow>,
    /// Flows in the scenario's order.
    pub flows: Vec<FlowReport>,
    /// By class, 0 to the highest used; without the flows of ACKs.
    pub classes: Vec<ClassReport>,
    /// All flows together, without those of ACKs.
    pub all: ClassReport,
    /// Flows with a transport, in the order of the flows.
    pub connections: Vec<ConnectionReport>,
    /// How the flows that send without end came to share, and how evenly and steadily.
    pub progress: Progress,
    /// Ports.
    pub ports: Vec<PortReport>,
    /// 802.11 stations, since the end of the warm-up.
    pub stations: Vec<StationCount>,
    /// Control frames sent since the beginning.
    pub control: u64,
    /// The first deadlock seen.
    pub deadlock: Option<Deadlock>,
    /// Whether each mechanism of the scenario has told anybody.
    pub hearing: Vec<Hearing>,
    /// The places that stand still at the end.
    pub standstill: Option<Standstill>,
    /// Laws of explicit feedback.
    pub stamps: Vec<StampReport>,
}

/// Losses of one kind at one place.
#[derive(Clone, Debug)]
pub struct DropRow {
    /// Cause, port, flow, class.
    pub key: DropKey,
    /// How many.
    pub count: Count,
}

/// A hop of a flow.
#[derive(Clone, Debug)]
pub struct HopRow {
    /// The port that sends.
    pub port: PortId,
    /// Received at its far end.
    pub count: Count,
}

/// A flow.
#[derive(Clone, Debug)]
pub struct FlowReport {
    /// Which.
    pub flow: FlowId,
    /// Its counts.
    pub sums: ClassReport,
    /// Packets that waited at a gate closed by a queue off their path.
    pub victims: u64,
    /// By hop, for a flow with one destination.
    pub hops: Vec<HopRow>,
    /// By station, for a flow to a group.
    pub receivers: Vec<ReceiverRow>,
    /// Hurst parameters, where they are measured.
    pub hurst: Option<Hurst>,
    /// When its last packet was delivered; none if none was.
    pub last_delivered: Option<Time>,
    /// It had packets in the last third of the run, and none was delivered then.
    pub starved: bool,
}

/// A station of the group that a flow sends to.
#[derive(Clone, Debug)]
pub struct ReceiverRow {
    /// Which.
    pub node: NodeId,
    /// Packets of the flow that it received.
    pub packets: u64,
    /// Of these, entered before the end of the warm-up.
    pub early: u64,
}

/// Sums over some flows.
#[derive(Clone, Debug, Default)]
pub struct ClassReport {
    /// Handed to sending hosts.
    pub entered: Count,
    /// Received.
    pub delivered: Count,
    /// Lost.
    pub dropped: Count,
    /// Of these, entered before the end of the warm-up.
    pub dropped_early: Count,
    /// Marked with CE.
    pub marked: Count,
    /// Delays.
    pub sum: DelaySum,
    /// Longest delay, ticks.
    pub max: u64,
    /// Each of them.
    pub delay: Delays,
}

/// A flow with a transport, from the end of the warm-up.
#[derive(Clone, Debug)]
pub struct ConnectionReport {
    /// Which.
    pub connection: ConnectionId,
    /// The flow of its acknowledgements.
    pub acks: FlowId,
    /// Application bytes written so far, the warm-up included.
    pub written: u64,
    /// Application bytes delivered in order.
    pub delivered: u64,
    /// Segments sent again.
    pub retransmitted: u64,
    /// Segments sent.
    pub segments: u64,
    /// Round trips, completion times and the window, its area up to the present.
    pub stats: ConnectionStats,
    /// The warning of its controller, if any.
    pub warning: Option<String>,
    /// Data are in flight that no timer would send again.
    pub no_timer: bool,
    /// The congestion header of its segments.
    pub header: Option<Layout>,
    /// The share of the way to a router's target that its controller goes at an acknowledgement.
    pub approach: Option<f64>,
    /// The codepoint that its controller asks for.
    pub ecn: Ecn,
}

/// A port.
#[derive(Clone, Debug)]
pub struct PortReport {
    /// Which.
    pub port: PortId,
    /// Its counters after the warm-up.
    pub count: PortCount,
}

impl ClassReport {
    /// Share of the packets that entered after the warm-up and were lost.
    pub fn loss(&self) -> f64 {
        if self.entered.packets == 0 {
            0.0
        } else {
            let lost = self.dropped.packets - self.dropped_early.packets;
            lost as f64 / self.entered.packets as f64
        }
    }

    /// Adds what others counted.
    pub fn add(&mut self, other: &ClassReport) {
        for (mine, theirs) in [
            (&mut self.entered, other.entered),
            (&mut self.delivered, other.delivered),
            (&mut self.dropped, other.dropped),
            (&mut self.dropped_early, other.dropped_early),
            (&mut self.marked, other.marked),
        ] {
            mine.packets += theirs.packets;
            mine.bytes += theirs.bytes;
        }
        self.sum.total += other.sum.total;
        self.sum.serial += other.sum.serial;
        self.sum.queue += other.sum.queue;
        self.sum.gate += other.sum.gate;
        self.sum.contention += other.sum.contention;
        self.sum.retries += other.sum.retries;
        self.sum.aggregate += other.sum.aggregate;
        self.sum.reorder += other.sum.reorder;
        self.sum.propagation += other.sum.propagation;
        self.max = self.max.max(other.max);
        self.delay.add(&other.delay);
    }
}
