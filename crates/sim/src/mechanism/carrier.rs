//! How a notice gets to the place that is told. The medium decides: between switches it is an 802.3 control frame,
//! ahead of data and past gates, which takes effect when the receiver's reaction time is over. Between 802.11
//! stations it is a management frame of the highest access category, which contends, takes airtime and can be lost: to
//! one station it is acknowledged and repeated, to all neighbours it is sent once. PAUSE over the air is
//! that management frame with the content of a PAUSE frame. What a station tells itself takes no carrier.
//!
//! Reference: IEEE 802.3 Annex 31B; IEEE 802.11-2016 9.6.6 (vendor-specific action frames), 10.3.6 (group frames).

use backwater_transport::units::{Bytes, Rate, Span};

use super::notice::Notice;
use crate::ids::PortId;

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
