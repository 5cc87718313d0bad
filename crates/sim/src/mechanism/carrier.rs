//! How a notice gets to the place that is told: the notifier's option `carrier`.
//!
//! * `frame`: the medium has one. Between switches it is an 802.3 control frame, ahead of data and past gates, which takes
//!   effect when the receiver's reaction time is over. Between 802.11 stations it is a management frame of the highest
//!   access category, which contends, takes airtime and can be lost: to one station it is acknowledged and repeated, to
//!   all neighbours it is sent once. PAUSE over the air is that management frame with the content of a PAUSE frame.
//! * `header`: a field in the header of the next data frame to the neighbour, one field for each frame. The frame is longer
//!   by the field. The notice waits as long as no data go that way, and is lost and repeated with its frame.
//! * `mark`: while a class is congested, its packets get CE where their transport takes marks (RFC 3168). The receiver
//!   echoes the mark in its ACKs. An ACK with an echo that leaves the watched node toward a neighbour tells that
//!   neighbour. One bit has no room for a time, an address or a rate: the neighbour acts for the notifier's
//!   `quanta` from the last echo on, and nothing takes the notice back. Nor does the echo say which queue
//!   marked the packet, so marks of other queues on the path count too.
//!
//! A notice of a station to itself takes no carrier. A capture shows a data frame without its field.
//!
//! Reference: IEEE 802.3 Annex 31B; IEEE 802.3as (envelope frames: 482 octets for fields of higher layers); IEEE 802.11-2016
//! 9.6.6 (vendor-specific action frames), 10.3.6 (group frames); RFC 3168 6.1.

use backwater_transport::units::{Bytes, Rate, Span};

use super::notice::Notice;
use crate::ids::PortId;

/// How a notice travels, as the notifier's options choose. `Carrier` says what that is on a medium.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum CarriedBy {
    /// A frame of its own.
    #[default]
    Frame,
    /// A header field of a data frame.
    Header,
    /// A mark on data packets, echoed by their receiver.
    Mark,
}

/// To whom a notice goes, and how.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Toward {
    /// The neighbour behind this port, by a control frame.
    Port(PortId),
    /// This station, by a management frame.
    Station(u32),
    /// All stations that hear it, by a management frame to the group.
    Everybody,
    /// The place itself.
    Itself,
}

/// A notice on its way out.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// To whom.
    pub to: Toward,
    /// What.
    pub notice: Notice,
}

/// Unit of time fields over the air: 0.1 TU.
pub const AIR_UNIT: Span = Span(102_400_000);

/// Unit of time fields on a wire of this rate: 512 bit times.
pub fn quantum(rate: Rate) -> Span {
    rate.time_for(Bytes(64))
}
