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
//! * `report` sums up; `standstill` says whether anything moves at the end.

mod accounts;
mod aqm;
pub(crate) mod build;
mod clock;
mod connect;
mod feedback;
pub(crate) mod forward;
mod injections;
mod nearest;
pub(crate) mod observe;
mod react;
mod refill;
pub(crate) mod report;
mod run;
mod service;
mod standstill;
mod tell;
mod transport;

use clock::Clock;
use injections::Injections;

use crate::books::Books;
use crate::ends::Ends;
use crate::mechanism::Mechanisms;
use crate::medium::Air;
use crate::network::Network;

pub use crate::books::{DropKey, Exit, Fate};
pub use crate::mechanism::Deadlock;
pub use feedback::StampReport;
pub use report::{
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
    /// What watches places, and what it has to say.
    pub(crate) mechanisms: Mechanisms,
    /// What has happened.
    pub(crate) books: Books,
    /// Packets that come from outside.
    injections: Injections,
}
