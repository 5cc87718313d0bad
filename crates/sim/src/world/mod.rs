//! A world serves events. Its data lie in a few structs with one job each, which have methods of their own; what crosses
//! them stands here. A run is a pure function of (scenario, seed).
//!
//! * `build` makes a world from a `Spec` or refuses it. The 802.11 part lies with that medium (`medium/wifi`).
//! * `connect` makes the two ends of flows with a transport, `deliver` takes packets at their hosts.
//! * `alter` makes single facts otherwise.
//! * `credit` lets hosts pace their senders.
//! * `change` changes a rate or a source while the world runs.
//! * `climb` runs up to the instant at which a score has a level or a place is empty.
//! * `clock` has the present and the calendar.
//! * `reseed` begins random streams anew.
//! * `skip` adds up periods that repeat themselves.
//! * `run` serves events; `injections` takes packets from outside and gives back what became of them.
//! * `link_events` lets wires go down, come back and change their rates.
//! * `pull` lets the cards of hosts take segments round-robin from their flows.
//! * `refill` keeps the queues of hosts filled whose source is saturated.
//! * `small_queue` holds flows back that keep few bytes at the station of their host.
//! * `transport` serves the two ends of flows with a transport.
//! * `knobs` moves numbers of queues, detectors and stations from outside.
//! * `tell` sends notices, `timers` serves timers of detectors and notices. A port takes its steps in `shared`.
//! * `feedback` reports the laws of explicit feedback.
//! * `probe` shows the present and runs up to a level; `steer` tells controllers from outside; `report` sums up; `standstill` says whether anything moves at the end.

mod alter;
pub(crate) mod build;
mod change;
mod climb;
mod clock;
mod connect;
mod credit;
mod deliver;
mod feedback;
mod injections;
mod knobs;
mod link_events;
mod nearest;
mod notices;
mod probe;
mod pull;
mod refill;
mod report;
mod report_rows;
mod reseed;
mod run;
mod skip;
mod small_queue;
mod standstill;
mod starved;
mod steer;
mod tell;
mod timers;
mod transport;

use clock::Clock;

use crate::ends::Ends;
use crate::ids::PortId;
use crate::injection::Injections;
use crate::link_steps::LinkEvents;
use crate::medium::{Air, Media};
use crate::network::Network;
use crate::shared::Shared;
use crate::skip::Skip;

pub use crate::books::{DropKey, Exit, Fate};
pub use crate::goal::{Climbed, Count, Course, Goal};
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
    /// The present.
    pub(crate) clock: Clock,
    /// The network, its mechanisms, what has happened and what is to come.
    pub(crate) shared: Shared,
    /// Media that nodes share.
    pub(crate) media: Media,
    /// The two ends of each flow with a transport.
    pub ends: Ends,
    /// Packets that come from outside.
    injections: Injections,
    /// Failures and changes of wires.
    pub(crate) link_events: LinkEvents,
    /// What random streams were keyed anew by.
    reseeds: Vec<u64>,
    /// What looks for stretches to skip, where the scenario wants that.
    skip: Option<Box<Skip>>,
}

impl World {
    /// Nodes, ports, flows and the packets between them.
    pub fn network(&self) -> &Network {
        &self.shared.network
    }

    /// The same, for a caller that changes what no part of a run depends on, such as a journal.
    pub fn network_mut(&mut self) -> &mut Network {
        &mut self.shared.network
    }

    /// Whether classes of flows are access categories of a medium.
    pub fn has_categories(&self) -> bool {
        !self.media.air.media.is_empty()
    }

    /// Name of the node that a port leads to; "*" for a group of stations.
    pub fn far_name(&self, port: PortId) -> &str {
        match self.media.is_group(port) {
            true => "*",
            false => &self.shared.network.nodes[self.shared.network.ports[port].far].name,
        }
    }

    /// Name and data rate in bit/s of each medium whose frames a capture has apart.
    pub fn captured_media(&self) -> impl Iterator<Item = (&str, u64)> {
        let media = self.media.air.media.iter();
        media.map(|medium| (&*medium.name, medium.phy.data.0))
    }

    /// 802.11 media and stations.
    pub fn air(&self) -> &Air {
        &self.media.air
    }
}
