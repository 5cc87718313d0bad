//! Events at a watched place, and the signals of its detector.

use backwater_transport::units::Span;

use crate::ids::FlowId;

/// A packet, as a station recognises it when it is sent on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its flow.
    pub flow: FlowId,
    /// Its number in the flow.
    pub seq: u32,
}

/// A data frame of another station to a third one, as a station overhears it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Overheard {
    /// Access category.
    pub class: u8,
    /// Who sent it.
    pub by: u32,
    /// Its packet.
    pub packet: Identity,
    /// Host that the packet goes to.
    pub to: u32,
    /// Packets for that host that its sender holds, where the frame's header says so.
    pub backlog: Option<u32>,
}

/// A frame, as a place sees it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Class, or access category.
    pub class: u8,
    /// Bytes: of the frame on a wire, of the IP packet over the air.
    pub bytes: u64,
    /// The neighbour that it came from: the number of the node's port, over the air the station. None for the
    /// node's own.
    pub prev: Option<u32>,
    /// The neighbour that it goes to, in the same numbers.
    pub next: Option<u32>,
    /// How long it has been in the queue, where a part needs it: over the air up to the end of its last exchange, on a wire up
    /// to its last bit.
    pub sojourn: Span,
    /// Time on the medium: of the frame on a wire once it has begun; over the air of all its exchanges,
    /// those that failed included.
    pub airtime: Span,
    /// Transmissions that failed.
    pub retries: u32,
    /// Its packet, where somebody overhears and the next station sends it on over the same medium.
    pub packet: Option<Identity>,
    /// Host that its packet goes to, where the place is a station.
    pub to: Option<u32>,
}

impl Seen {
    /// A frame of which only the class is known: for detectors that need levels alone.
    pub fn of_class(class: u8) -> Seen {
        Seen {
            class,
            bytes: 0,
            prev: None,
            next: None,
            sojourn: Span::ZERO,
            airtime: Span::ZERO,
            retries: 0,
            packet: None,
            to: None,
        }
    }
}

/// An event at a watched place.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Moment<'a> {
    /// A frame has joined a queue.
    Enqueued(&'a Seen),
    /// A frame has left: on a wire its last bit, over the air a MAC transmission that was acknowledged.
    Sent(&'a Seen),
    /// A frame was lost from the queue.
    Lost(&'a Seen),
    /// A frame found no room in the queue.
    Refused(&'a Seen),
    /// The detector's timer has gone off.
    Timer,
    /// A notice about the class is about to expire.
    Expiring,
    /// A frame of another station was overheard.
    Overheard(&'a Overheard),
}

/// A detector's signal of a class.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Congested: neighbours that send more than their share should send less.
    Congested,
    /// So congested that all neighbours that send should send less.
    CongestedByAll,
    /// Not congested yet: neighbours whose packets fill the buffer should send less.
    EarlyWarning,
    /// Still full, and falling: nothing more is asked, and nothing is taken back.
    Easing,
    /// Not congested, or no longer.
    Clear,
    /// Not congested, and there is capacity that nobody uses.
    Underused,
    /// The station should contend with a priority so many steps below the highest.
    Back(u8),
}

/// Steps from the highest priority to the lowest: four access categories.
pub const LOWEST_PRIORITY: u8 = 3;

impl Signal {
    /// Whether less should be sent.
    pub fn congested(self) -> bool {
        matches!(
            self,
            Signal::Congested | Signal::CongestedByAll | Signal::Back(LOWEST_PRIORITY)
        )
    }

    /// Whether congestion is over, if there was any.
    pub fn over(self) -> bool {
        matches!(self, Signal::Clear | Signal::Underused | Signal::Back(0))
    }
}
