//! The link behind a queue, as a law of explicit feedback sees it: for how many bytes a packet occupies it, and what it
//! has offered so far.

use backwater_transport::units::Time;

use super::ethernet::{self, GAP, PREAMBLE};
use super::service::Service;
use super::trace::Opportunities;

/// The link behind a queue.
#[derive(Clone, Debug)]
pub enum Link {
    /// A wire: preamble and gap count.
    Wire,
    /// A trace: its accounting of headers, and its opportunities.
    Trace(Box<Opportunities>),
    /// A radio: frames without what precedes them on the air.
    Radio,
}

impl Link {
    /// The link that serves a port.
    pub fn of(service: &Service) -> Link {
        match service {
            Service::Trace(server) => Link::Trace(Box::new(Opportunities::new(server))),
            Service::Line | Service::Box(_) => Link::Wire,
            Service::Station => Link::Radio,
        }
    }

    /// Bytes for which a packet of `len` IP bytes occupies it.
    pub fn occupied(&self, len: u16) -> u64 {
        let frame = ethernet::frame(u64::from(len));
        match self {
            Link::Wire => PREAMBLE + frame + GAP,
            Link::Trace(opportunities) => opportunities.size(len),
            Link::Radio => frame,
        }
    }

    /// Bytes of all its opportunities up to now.
    pub fn offered(&mut self, now: Time) -> Option<u64> {
        match self {
            Link::Trace(opportunities) => Some(opportunities.offered(now)),
            Link::Wire | Link::Radio => None,
        }
    }
}
