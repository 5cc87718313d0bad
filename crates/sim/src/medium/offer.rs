//! What a medium offers to the rest of the engine: its row in `MEDIA` says so.

use crate::mechanism::needs::Set;
use crate::record::pcapng::LinkType;

/// What a medium offers.
#[derive(Copy, Clone, Debug)]
pub struct Offer {
    /// What tables of mechanisms call it.
    pub name: &'static str,
    /// What takes a notice over it.
    pub carrier: Option<Carrier>,
    /// What it gives to the parts of a mechanism.
    pub gives: Set,
    /// What its frames look like in a capture.
    pub link: LinkType,
}

/// What takes a notice to its receiver.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// An 802.3 control frame, ahead of data and past gates.
    ControlFrame,
    /// An 802.11 management frame, which contends, takes airtime and can be lost.
    ManagementFrame,
}
