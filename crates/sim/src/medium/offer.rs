//! The offer of a medium to the rest of the engine: its row in `MEDIA` says so.

use crate::mechanism::carrier::CarriedBy;
use crate::mechanism::needs::Set;
use backwater_wire::pcapng::LinkType;

/// The offer of a medium.
#[derive(Copy, Clone, Debug)]
pub struct Offer {
    /// Its name in tables of mechanisms.
    pub name: &'static str,
    /// The carriers of a notice over it; none where back-pressure can't pass.
    pub carriers: &'static [Carrier],
    /// The conditions that it meets for the parts of a mechanism.
    pub gives: Set,
    /// The format of its frames in a capture.
    pub link: LinkType,
}

/// A carrier of notices.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// An 802.3 control frame, ahead of data and past gates.
    ControlFrame,
    /// An 802.11 management frame, which contends, takes airtime and can be lost.
    ManagementFrame,
    /// A header field of the next data frame to the neighbour.
    HeaderField,
    /// Congestion experienced (CE) on data packets, and its echo in the ACKs that pass the neighbour.
    Mark,
}

impl Carrier {
    /// Its name in tables of mechanisms.
    pub fn name(self) -> &'static str {
        match self {
            Carrier::ControlFrame => "control frame",
            Carrier::ManagementFrame => "management frame",
            Carrier::HeaderField => "header field",
            Carrier::Mark => "mark",
        }
    }

    /// Which choice of a notifier's `carrier` names it.
    pub fn carried_by(self) -> CarriedBy {
        match self {
            Carrier::ControlFrame | Carrier::ManagementFrame => CarriedBy::Frame,
            Carrier::HeaderField => CarriedBy::Header,
            Carrier::Mark => CarriedBy::Mark,
        }
    }

    /// The conditions that it meets for the parts of a mechanism.
    pub fn gives(self) -> Set {
        match self {
            Carrier::ControlFrame | Carrier::HeaderField => Set::ROOM,
            Carrier::ManagementFrame => Set::ROOM.and(Set::MANAGEMENT),
            Carrier::Mark => Set::NONE,
        }
    }
}

impl Offer {
    /// The carrier of notices over it that are carried like this.
    pub fn carrier(&self, by: CarriedBy) -> Option<Carrier> {
        self.carriers.iter().copied().find(|c| c.carried_by() == by)
    }
}
