//! A world serves events. Its data lie in a few structs with one job each, which have methods of their own; what crosses
//! them stands here. A run is a pure function of (scenario, seed).
//!
//! * `build` makes a world from a `Spec` or refuses it. The 802.11 part lies with that medium (`medium/wifi`).
//! * `connect` makes the two ends of flows with a transport.
//! * `change` changes a rate or a source while the world runs.
//! * `clock` has the present and the calendar.
//! * `run` serves events; `injections` takes packets from outside and gives back what became of them.
//! * `forward` moves frames: enqueue, choose, arrive, deliver. `network/transmit` starts them.
//! * `service` is about ports that are no wires: traces, boxes, stations.
//! * `crossing` moves frames through the fabric of an input-queued switch.
//! * `refill` keeps the queues of hosts filled whose source is saturated.
//! * `aqm` lets active queue management judge frames.
//! * `transport` serves the two ends of flows with a transport.
//! * `accounts` books what switches hold; `observe` lets detectors look, `tell` sends notices, `react` moves gates.
//! * `feedback` reports the laws of explicit feedback.
//! * `report` sums up; `standstill` says whether anything moves at the end.

mod accounts;
mod aqm;
pub(crate) mod build;
mod change;
mod clock;
mod connect;
mod crossing;
mod feedback;
pub(crate) mod forward;
mod injections;
mod nearest;
pub(crate) mod observe;
mod react;
mod refill;
mod report;
mod report_rows;
mod run;
mod service;
mod standstill;
mod starved;
mod tell;
mod transport;

use clock::Clock;

use crate::books::Books;
use crate::ends::Ends;
use crate::injection::Injections;
use crate::mechanism::Mechanisms;
use crate::medium::{Air, Handover};
use crate::network::Network;

pub use crate::books::{DropKey, Exit, Fate};
pub use crate::injection::{Injected, Rejected};
pub use crate::mechanism::Deadlock;
pub use feedback::StampReport;
pub use report_rows::{
    ClassReport, ConnectionReport, DropRow, FlowReport, HopRow, PortReport, ReceiverRow, Report,
};
pub use standstill::Standstill;

/// A simulated network in the middle of a run. `Clone` forks it.
#[derive(Clone, Debug)]
pub struct World {
    /// The present, and what is to come.
    pub(crate) clock: Clock,
    /// Nodes, ports, flows and the packets between them.
    pub network: Network,
    /// The two ends of each flow with a transport.
    pub ends: Ends,
    /// 802.11 media and stations.
    pub air: Air,
    /// Detectors and notifiers at their places, and notices to send.
    pub(crate) mechanisms: Mechanisms,
    /// What has happened.
    pub(crate) books: Books,
    /// Packets that have left a medium during this event.
    pub(crate) handovers: Vec<Handover>,
    /// Packets that come from outside.
    injections: Injections,
}
