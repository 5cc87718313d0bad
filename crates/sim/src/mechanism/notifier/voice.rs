//! The notices that a watched place has sent to its neighbours, and their present effect there.

use backwater_transport::units::{Rate, Span, Time};

use super::terms::Audience;
use crate::ids::PortId;
use crate::limit::MAX_CLASSES;
use crate::mechanism::carrier::Toward;
use crate::mechanism::notice::Hosts;
use crate::table::Id;

/// A neighbour that may be told.
#[derive(Clone, Debug)]
pub(super) struct Neighbour {
    pub to: Toward,
    /// How long before a notice to it must be repeated.
    pub refresh: Span,
    /// Classes that PAUSE or PFC holds closed there.
    pub closed: u8,
    /// Serial of its live timer.
    pub epoch: u16,
    pub timing: bool,
}

/// The notices that a watched place has sent.
#[derive(Clone, Debug)]
pub(super) struct Voice {
    /// Its port; none for a station.
    pub port: PortId,
    /// Line rate.
    pub line: Rate,
    /// Rate at which each class may leave: that of the line, or what the port is held to.
    pub drain: [Rate; MAX_CLASSES],
    /// It has one queue for all classes.
    pub one_queue: bool,
    /// Bits of the neighbours that may be told.
    pub audience: u64,
    /// For each class, bits of the neighbours told.
    pub told: [u64; MAX_CLASSES],
    /// Egress port of the frame that raised each class's alarm.
    pub origin: [PortId; MAX_CLASSES],
    /// Latest frame of each neighbour and class; kept for `Audience::Senders` only.
    pub heard: Vec<[Option<Time>; MAX_CLASSES]>,
    /// Hosts reached through the place; empty where no notice names addresses.
    pub behind: Option<Hosts>,
    /// For each class the addresses named by the last notice.
    pub named: [Option<Hosts>; MAX_CLASSES],
}

/// A place, as the builder knows it.
#[derive(Clone, Debug)]
pub struct VoiceSpec {
    /// Its port; none for a station.
    pub port: PortId,
    /// Its line rate.
    pub line: Rate,
    /// Whether it has one queue for all classes.
    pub one_queue: bool,
    /// Bits of the neighbours that may be told.
    pub audience: u64,
    /// Hosts reached through it, where notices name addresses.
    pub behind: Option<Hosts>,
}

/// A frame that came, as far as notices depend on it.
#[derive(Copy, Clone, Debug)]
pub struct Arrival {
    /// When.
    pub now: Time,
    /// Class of the queue.
    pub class: usize,
    /// Number of the neighbour it came from, where a place listens.
    pub from: Option<usize>,
    /// Its egress port; none at a station.
    pub egress: PortId,
    /// Its destination.
    pub to: u32,
}

impl Arrival {
    /// No frame: a detector's timer has come.
    pub fn none(now: Time, class: usize, egress: PortId) -> Arrival {
        Arrival {
            now,
            class,
            from: None,
            egress,
            to: 0,
        }
    }
}

impl Voice {
    /// A place that has told nobody, among so many neighbours.
    pub fn new(spec: &VoiceSpec, audience: Audience, neighbours: usize) -> Voice {
        let heard = match audience {
            Audience::Senders => vec![[None; MAX_CLASSES]; neighbours],
            Audience::Feeders => Vec::new(),
        };
        Voice {
            port: spec.port,
            line: spec.line,
            drain: [spec.line; MAX_CLASSES],
            one_queue: spec.one_queue,
            audience: spec.audience,
            told: [0; MAX_CLASSES],
            origin: [Id::NONE; MAX_CLASSES],
            heard,
            behind: spec.behind.clone(),
            named: std::array::from_fn(|_| None),
        }
    }

    /// Classes whose frames a class queue holds: all, where the place has only one queue.
    pub fn holds(&self, class: usize) -> u8 {
        if self.one_queue { 0xff } else { 1 << class }
    }
}
