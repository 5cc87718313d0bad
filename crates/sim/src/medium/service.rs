//! What takes frames from the queue of a port: one kind for each medium.

use backwater_transport::random::Random;

use super::boxes::AnyBox;
use super::trace::{Server, ServerSpec};
use crate::ids::PortId;

/// What serves a port.
#[derive(Clone, Debug, Default)]
pub enum Service {
    /// A wire: a frame leaves as soon as the one before has left and the gap is over. See `network/transmit`.
    #[default]
    Line,
    /// A trace: packets leave at its opportunities. See `trace/egress`.
    Trace(Box<Server>),
    /// An 802.11 station: frames wait there, not at the port, until one is chosen at an attempt. See `wifi`.
    Station,
    /// A box: packets pass it on their way to another port's queue. See `boxes/egress`.
    Box(Box<Stage>),
}

/// A box on the way to a port's queue.
#[derive(Clone, Debug)]
pub struct Stage {
    /// What it does.
    pub what: AnyBox,
    /// Its stream.
    pub random: Random,
    /// The next box, or the port whose queue the boxes lead to.
    pub next: PortId,
}

impl Service {
    /// A trace at its beginning.
    pub fn trace(spec: &ServerSpec, random: Random) -> Service {
        Service::Trace(Box::new(Server::new(spec.clone(), random)))
    }

    /// The server of a trace.
    pub fn server(&self) -> Option<&Server> {
        match self {
            Service::Trace(server) => Some(server),
            Service::Line | Service::Station | Service::Box(_) => None,
        }
    }

    /// The same, to change it.
    pub fn server_mut(&mut self) -> Option<&mut Server> {
        match self {
            Service::Trace(server) => Some(server),
            Service::Line | Service::Station | Service::Box(_) => None,
        }
    }

    /// The box.
    pub fn stage(&self) -> Option<&Stage> {
        match self {
            Service::Box(stage) => Some(stage),
            Service::Line | Service::Station | Service::Trace(_) => None,
        }
    }
}
