//! A world: tables of nodes, ports, flows and packets, a calendar, and one match over `Event`.
//! A run is a pure function of (scenario, seed).
//!
//! * `build` makes a world from a `Spec` or refuses it; `build_air` its 802.11 part.
//! * `connect` makes the two ends of flows with a transport.
//! * `forward` moves frames: enqueue, choose, transmit, arrive.
//! * `path` serves ports by opportunities and passes packets through boxes.
//! * `refill` keeps the queues of hosts filled whose source is saturated.
//! * `aqm` lets active queue management judge them.
//! * `transport` serves the two ends of flows with a transport.
//! * `air` moves frames between 802.11 stations, `exchange` draws the consequences, `station` has their queues;
//!   `groups` is about packets to several of them; `relay` carries their congestion control.
//! * `control` lets mechanisms look, and carries their notices.
//! * `ahead` has the memory fetch what the next events touch.
//! * `run` serves events and is driven from outside.
//! * `deadlock` finds cycles of closed gates.
//! * `headroom` says where a mark is too high for what is in flight.
//! * `report` sums up.

mod ahead;
mod air;
mod air_log;
mod aqm;
mod build;
mod build_air;
mod connect;
mod control;
mod deadlock;
mod exchange;
mod forward;
mod groups;
mod headroom;
mod ideal;
mod nearest;
mod next_frame;
mod notices;
mod path;
mod refill;
mod relay;
mod report;
mod run;
mod station;
#[cfg(test)]
mod test_line;
mod transport;
mod turns;

use std::collections::{BTreeMap, VecDeque};

use backwater_transport::units::{Span, Time};

use crate::ids::{ControlId, FlowId, NodeId, PortId};

pub use deadlock::Deadlock;
pub use report::{
    ClassReport, ConnectionReport, DropRow, FlowReport, HopRow, PortReport, ReceiverRow, Report,
};
pub use run::{Exit, Fate};

use crate::calendar::Calendar;
use crate::cause::Cause;
use crate::connection::{Connection, Headers};
use crate::forwarding::Forwarding;
use crate::mechanism::Control;
use crate::mechanism::control::Told;
use crate::medium::wifi::air::Air;
use crate::network::{Flow, Mail, Node, Port};
use crate::packet::Packets;
use crate::progress::Progress;
use crate::record::Record;
use crate::record::air_log::AirLog;
use crate::record::fingerprint::Fingerprint;
use crate::record::flow_stats::Count;
use crate::table::Table;

/// Where and what was lost: (cause, port, flow, class).
pub type DropKey = (Cause, PortId, FlowId, u8);

/// A simulated network in the middle of a run. `Clone` forks it.
#[derive(Clone, Debug)]
pub struct World {
    now: Time,
    end: Time,
    warm: Time,
    calendar: Calendar,
    packets: Packets,
    /// Nodes in the scenario's order.
    pub nodes: Table<Node>,
    /// Ports: two for each link.
    pub ports: Table<Port>,
    /// Flows in the scenario's order, then those that carry the ACKs of flows with a transport.
    pub flows: Table<Flow>,
    /// The two ends of each flow with a transport.
    pub connections: Table<Connection>,
    headers: Headers,
    progress: Progress,
    /// 802.11 media and stations.
    pub air: Air,
    controls: Table<Control>,
    /// Node of each host number.
    pub hosts: Vec<NodeId>,
    forwarding: Forwarding,
    /// The port whose queue each box leads to.
    boxes: BTreeMap<PortId, PortId>,
    mail: Mail,
    outbox: VecDeque<(ControlId, Told)>,
    /// Ports whose queues are filled before the event at hand is over.
    refills: Vec<PortId>,
    fingerprint: Fingerprint,
    drops: BTreeMap<DropKey, Count>,
    drops_base: BTreeMap<DropKey, Count>,
    hops_base: Vec<Vec<Count>>,
    record: Option<Vec<Record>>,
    /// Frames on the air; boxed, since few runs keep them.
    air_log: Option<Box<AirLog>>,
    exits: Vec<Exit>,
    injections: BTreeMap<(FlowId, u32), run::Injection>,
    injected: u32,
    inspect: Option<Span>,
    deadlock: Option<Deadlock>,
    /// Events served.
    pub events: u64,
    /// Frames received over a link, control frames included.
    pub packet_hops: u64,
    notices_sent: u64,
    notices_heard: u64,
}
