//! The data that media and both ends of flows share: network, mechanisms, books and calendar. A port takes
//! a step here, whatever moves its frames.
//!
//! * `forward` moves frames: enqueue, choose, arrive. `network/transmit` starts them.
//! * `birth` makes packets and lets them set off; `deliver` counts those that have come to their hosts.
//! * `service` is about ports that are no wires: traces, boxes. `crossing` moves frames through the fabric of a switch.
//! * `aqm` lets active queue management judge frames.
//! * `outage` loses what a wire that goes down held.
//! * `accounts` books what switches hold; `observe` lets detectors look, `post` sends control frames, `react` moves gates.
//!
//! In: a packet for a port, the arrival of a frame, an instant up to which a port is to be caught up.
//! Out: `Onward`, which says what a packet that moves on needs and this does not have: its host, or a medium.

mod accounts;
mod aqm;
mod birth;
mod crossing;
mod deliver;
mod forward;
mod observe;
mod outage;
mod post;
mod react;
mod service;
mod watchdog;

use crate::ids::{PacketId, PortId};
use crate::mechanism::Mechanisms;
use crate::network::Network;
use crate::run::Run;

/// The state that media and ends share.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// Nodes, ports, flows and the packets between them.
    pub network: Network,
    /// Detectors and notifiers at their places, and notices to send.
    pub(crate) mechanisms: Mechanisms,
    /// Counters of the past, and the calendar of events.
    pub(crate) run: Run,
    /// Packets that have come to their hosts over a medium during this event.
    pub(crate) handovers: Vec<Handover>,
}

/// A packet that has left a medium at its host. The host receives it before the event at hand is over.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Handover {
    /// Which.
    pub packet: PacketId,
    /// The port by which it came.
    pub over: PortId,
}

/// The next step of a packet that moves on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Onward {
    /// Nothing.
    Done,
    /// It is at its host.
    Host(PacketId),
    /// It waits at the medium behind this port, not at the port.
    Accept(PortId, PacketId),
}
