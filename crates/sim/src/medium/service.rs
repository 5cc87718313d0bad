//! The service that takes frames from the queue of a port: one kind for each medium.

use backwater_transport::random::Random;
use backwater_transport::units::Time;

use super::boxes::AnyBox;
use super::ethernet::{self, GAP, PREAMBLE};
use super::tdma::terminal::Terminal;
use super::trace::{Opportunities, Server};
use crate::cause::Cause;
use crate::ids::PortId;
use crate::packet::{List, Packet};

/// The service of a port.
#[derive(Clone, Debug, Default)]
pub enum Service {
    /// A wire: a frame leaves as soon as the one before has left and the gap is over. See `network/transmit`.
    #[default]
    Line,
    /// A trace: packets leave at its opportunities. See `trace/egress`.
    Trace(Box<Server>),
    /// Slots of a frame that several share: packets wait at the port until a slot takes them. See `tdma`.
    Slots(Box<Terminal>),
    /// An 802.11 station: frames wait there, not at the port, until one is chosen at an attempt. See `wifi`.
    Station,
    /// A box: packets pass it on their way to another port's queue. See `boxes/egress`.
    Box(Box<Stage>),
    /// The fabric of an input-queued switch: frames for another port's queue wait at their inputs. See `network/fabric`.
    Fabric(Box<Crossing>),
}

/// A box on the way to a port's queue.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The box.
    pub what: AnyBox,
    /// Its stream.
    pub random: Random,
    /// The next box, or the port whose queue the boxes lead to.
    pub next: PortId,
}

/// The frames at the inputs of a switch that are for one of its outputs.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// By the number of the input at the node.
    pub inputs: Vec<List>,
    /// The box or the port that they come to.
    pub next: PortId,
}

/// Where a packet goes that comes to a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Accepts {
    /// It joins the queue of the port.
    Queue,
    /// It waits at the medium behind the port.
    Medium,
    /// It passes a box.
    Box,
    /// It waits at an input of a fabric.
    Fabric,
}

impl Service {
    /// Where a packet goes that comes to the port.
    pub fn accept(&self) -> Accepts {
        match self {
            Service::Line | Service::Trace(_) | Service::Slots(_) => Accepts::Queue,
            Service::Station => Accepts::Medium,
            Service::Box(_) => Accepts::Box,
            Service::Fabric(_) => Accepts::Fabric,
        }
    }

    /// When the choice that was due at `at` can be made: at once on a line, at the next opportunity of a trace, never where
    /// no frame waits at the port or a medium pulls frames from it. Fresh: all that waits has come at `at`.
    pub fn next_choice(&mut self, at: Time, fresh: bool) -> Time {
        match self {
            Service::Line => at,
            Service::Trace(server) => server.opens(at, fresh),
            _ => Time::NEVER,
        }
    }

    /// Whether its frames leave at instants of its own: it has no line rate, and is told of each frame.
    pub fn has_instants(&self) -> bool {
        matches!(self, Service::Trace(_) | Service::Slots(_))
    }

    /// Its mean rate up to an instant at most, bit/s; none at a line.
    pub fn mean_rate(&self, end: Time) -> Option<f64> {
        match self {
            Service::Trace(server) => Some(server.capacity(Time::ZERO, end)),
            Service::Slots(terminal) => Some(terminal.spec.fastest()),
            _ => None,
        }
    }

    /// A packet of so many IP bytes joins the queue.
    pub(crate) fn came(&mut self, len: u16, now: Time) {
        match self {
            Service::Trace(server) => server.came(len, now),
            Service::Slots(terminal) => terminal.joined(len),
            _ => {}
        }
    }

    /// An arriving packet is refused.
    pub(crate) fn refused(&mut self, packet: &Packet, now: Time) {
        if let Service::Trace(server) = self {
            server.refused(packet, now);
        }
    }

    /// A packet that waits is dropped: to make room for the one that comes, or by queue management as it was to leave.
    pub(crate) fn discarded(&mut self, cause: Cause, packet: &Packet, now: Time) {
        match self {
            Service::Trace(server) => server.discarded(cause, packet, now),
            Service::Slots(terminal) => terminal.discarded(packet.len),
            _ => {}
        }
    }

    /// The warm-up is over.
    pub(crate) fn warm(&mut self, now: Time) {
        match self {
            Service::Trace(server) => server.scorer.warm(now),
            Service::Slots(terminal) => terminal.warm(),
            _ => {}
        }
    }

    /// Why its state has no visit that `skip` needs; none where it has no state.
    pub(crate) fn unvisited(&self) -> Option<&'static str> {
        match self {
            Service::Line => None,
            Service::Trace(_) => Some("a trace serves it"),
            Service::Box(_) => Some("a box stands before its queue"),
            Service::Fabric(_) => Some("a fabric with inputs serves it"),
            Service::Slots(_) | Service::Station => Some("it shares a medium"),
        }
    }

    /// Packets that have left the queue and are still at the port.
    pub fn under_way(&self) -> &[List] {
        match self {
            Service::Fabric(crossing) => &crossing.inputs,
            Service::Slots(terminal) => std::slice::from_ref(&terminal.under_way),
            _ => &[],
        }
    }

    /// Bytes that it has offered and carried since the warm-up, where only its port knows.
    pub fn counted(&self) -> Option<(u64, u64)> {
        let counted = self.terminal()?.counted();
        Some((counted.offered, counted.carried))
    }

    /// Bytes that it has offered so far, where only its port knows.
    pub(crate) fn offered(&self) -> Option<u64> {
        Some(self.terminal()?.count.offered)
    }

    /// The terminal that sends in slots.
    pub fn terminal(&self) -> Option<&Terminal> {
        match self {
            Service::Slots(terminal) => Some(terminal),
            _ => None,
        }
    }

    /// The same, to change it.
    pub(crate) fn terminal_mut(&mut self) -> Option<&mut Terminal> {
        match self {
            Service::Slots(terminal) => Some(terminal),
            _ => None,
        }
    }

    /// The server of a trace.
    pub fn server(&self) -> Option<&Server> {
        match self {
            Service::Trace(server) => Some(server),
            _ => None,
        }
    }

    /// The same, to change it.
    pub fn server_mut(&mut self) -> Option<&mut Server> {
        match self {
            Service::Trace(server) => Some(server),
            _ => None,
        }
    }

    /// The box, to change it.
    pub(crate) fn stage_mut(&mut self) -> Option<&mut Stage> {
        match self {
            Service::Box(stage) => Some(stage),
            _ => None,
        }
    }

    /// The box.
    pub fn stage(&self) -> Option<&Stage> {
        match self {
            Service::Box(stage) => Some(stage),
            _ => None,
        }
    }

    /// The frames at inputs that are for one output.
    pub fn crossing(&self) -> Option<&Crossing> {
        match self {
            Service::Fabric(crossing) => Some(crossing),
            _ => None,
        }
    }

    /// The same, to change it.
    pub fn crossing_mut(&mut self) -> Option<&mut Crossing> {
        match self {
            Service::Fabric(crossing) => Some(crossing),
            _ => None,
        }
    }
}

/// The link behind a queue, as a law of explicit feedback sees it: for how many bytes a packet occupies it, and what it
/// has offered so far.
#[derive(Clone, Debug)]
pub enum Link {
    /// A wire: preamble and gap count.
    Line,
    /// Opportunities, with their accounting of headers.
    Offers(Box<Opportunities>),
    /// Slots, and the bytes that a packet takes there besides its IP bytes. Its port knows what they offered.
    Slots(u64),
    /// A medium that has no rate of its own: frames without what precedes them there.
    Frames,
}

impl Link {
    /// The link that serves a port.
    pub fn of(service: &Service) -> Link {
        match service {
            Service::Trace(server) => Link::Offers(Box::new(Opportunities::new(server))),
            Service::Slots(terminal) => Link::Slots(terminal.spec.overhead),
            Service::Line | Service::Box(_) | Service::Fabric(_) => Link::Line,
            Service::Station => Link::Frames,
        }
    }

    /// Bytes for which a packet of `len` IP bytes occupies it.
    pub fn occupied(&self, len: u16) -> u64 {
        let frame = ethernet::frame(u64::from(len));
        match self {
            Link::Line => PREAMBLE + frame + GAP,
            Link::Offers(opportunities) => opportunities.size(len),
            Link::Slots(overhead) => u64::from(len) + overhead,
            Link::Frames => frame,
        }
    }

    /// Whether the queue gives up a packet's room when it is chosen, and not when its last bit has left.
    pub fn releases_at_choice(&self) -> bool {
        matches!(self, Link::Offers(_))
    }

    /// Its opportunities, to change them.
    pub(crate) fn offers_mut(&mut self) -> Option<&mut Opportunities> {
        match self {
            Link::Offers(opportunities) => Some(opportunities),
            _ => None,
        }
    }

    /// Whether a law can measure what it offers.
    pub fn offers(&self) -> bool {
        matches!(self, Link::Offers(_) | Link::Slots(_))
    }

    /// Bytes of all its opportunities up to now.
    pub fn offered(&mut self, now: Time) -> Option<u64> {
        match self {
            Link::Offers(opportunities) => Some(opportunities.offered(now)),
            Link::Line | Link::Slots(_) | Link::Frames => None,
        }
    }
}
