//! A world: tables of nodes, ports, flows and packets, a calendar, and one match over `Event`.
//! A run is a pure function of (scenario, seed).
//!
//! * `build` makes a world from a `Spec` or refuses it. The 802.11 part lies with that medium (`medium/wifi`).
//! * `connect` makes the two ends of flows with a transport.
//! * `forward` moves frames: enqueue, choose, transmit, arrive.
//! * `path` serves ports by opportunities and passes packets through boxes.
//! * `refill` keeps the queues of hosts filled whose source is saturated.
//! * `aqm` lets active queue management judge them.
//! * `transport` serves the two ends of flows with a transport.
//! * `air` moves frames between 802.11 stations, `exchange` draws the consequences, `station` has their queues;
//!   `groups` is about packets to several of them.
//! * `accounts` books what switches hold; `observe` and `observe_station` let detectors look, `tell` carries notices, `react`
//!   moves what responders want moved.
//! * `ahead` has the memory fetch what the next events touch.
//! * `run` serves events and is driven from outside.
//! * `deadlock` finds cycles of closed gates.
//! * `headroom` says where a mark is too high for what is in flight.
//! * `report` sums up.

mod accounts;
pub(crate) mod ahead;
mod aqm;
pub(crate) mod build;
mod connect;
mod deadlock;
pub(crate) mod forward;
mod headroom;
mod ideal;
mod nearest;
pub(crate) mod observe;
pub(crate) mod path;
mod react;
mod refill;
mod report;
mod run;
mod tell;
mod transport;

use std::collections::{BTreeMap, VecDeque};

use backwater_transport::units::{Span, Time};

use crate::ids::{ControlId, FlowId, NodeId, PortId};

pub use deadlock::{Deadlock, Standstill};
pub use report::{
    ClassReport, ConnectionReport, DropRow, FlowReport, HopRow, PortReport, ReceiverRow, Report,
};
pub use run::{Exit, Fate};

use crate::calendar::Calendar;
use crate::cause::Cause;
use crate::connection::{Connection, Headers};
use crate::forwarding::Forwarding;
use crate::mechanism::Control;
use crate::mechanism::carrier::Told;
use crate::medium::wifi::air::Air;
use crate::medium::wifi::air_log::AirLog;
use crate::network::{Flow, Mail, Node, Port};
use crate::packet::Packets;
use crate::progress::Progress;
use crate::record::Record;
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
    pub(crate) calendar: Calendar,
    pub(crate) packets: Packets,
    /// Nodes in the scenario's order.
    pub nodes: Table<Node>,
    /// Ports: two for each link.
    pub ports: Table<Port>,
    /// Flows in the scenario's order, then those that carry the ACKs of flows with a transport.
    pub flows: Table<Flow>,
    /// The two ends of each flow with a transport.
    pub connections: Table<Connection>,
    pub(crate) headers: Headers,
    progress: Progress,
    /// 802.11 media and stations.
    pub air: Air,
    pub(crate) controls: Table<Control>,
    /// Node of each host number.
    pub hosts: Vec<NodeId>,
    pub(crate) forwarding: Forwarding,
    /// The port whose queue each box leads to.
    boxes: BTreeMap<PortId, PortId>,
    mail: Mail,
    outbox: VecDeque<(ControlId, Told)>,
    /// Ports whose queues are filled before the event at hand is over.
    refills: Vec<PortId>,
    pub(crate) fingerprint: Fingerprint,
    drops: BTreeMap<DropKey, Count>,
    drops_base: BTreeMap<DropKey, Count>,
    hops_base: Vec<Vec<Count>>,
    pub(crate) record: Option<Vec<Record>>,
    /// Frames on the air; boxed, since few runs keep them.
    pub(crate) air_log: Option<Box<AirLog>>,
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
