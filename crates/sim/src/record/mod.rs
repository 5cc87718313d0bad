//! The records of a run: counters, the fingerprint, and, on request, every event.

pub mod age;
pub mod delays;
pub mod fingerprint;
pub mod flow_stats;
pub mod variance_time;

use std::sync::Arc;

use backwater_transport::units::Time;

use crate::connection::Header;
use crate::ids::{FlowId, PortId};
use crate::mechanism::notice::Notice;
use crate::packet::Traffic;

/// The kind of an event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A frame entered a queue; value: bytes the queue then holds.
    Enqueue,
    /// A frame's transmission began; value: ticks it waited.
    Send,
    /// A packet reached its host; value: its delay in ticks.
    Deliver,
    /// A packet was lost; value: the cause's number.
    Drop,
    /// A control frame was posted; value: its quanta.
    Notice,
    /// A notice took effect at a port; value: its quanta.
    Knob,
    /// A packet was marked with CE; value: the codepoint it came with.
    Mark,
    /// A sender's congestion window is new; value: bytes.
    Window,
    /// Its slow-start threshold is new; value: bytes.
    Threshold,
    /// Its smoothed round trip is new; value: ticks.
    Srtt,
    /// Its pacing rate is new; value: bit/s.
    Pacing,
    /// A station's AIFSN for a category, the class, is new; value: that. Where: the first of its hops.
    Aifsn,
}

impl What {
    /// All, in the order of their numbers.
    pub const ALL: [What; 12] = [
        What::Enqueue,
        What::Send,
        What::Deliver,
        What::Drop,
        What::Notice,
        What::Knob,
        What::Mark,
        What::Window,
        What::Threshold,
        What::Srtt,
        What::Pacing,
        What::Aifsn,
    ];

    /// Name in results.
    pub fn name(self) -> &'static str {
        match self {
            What::Enqueue => "enqueue",
            What::Send => "send",
            What::Deliver => "deliver",
            What::Drop => "drop",
            What::Notice => "notice",
            What::Knob => "knob",
            What::Mark => "mark",
            What::Window => "window",
            What::Threshold => "threshold",
            What::Srtt => "srtt",
            What::Pacing => "pacing",
            What::Aifsn => "aifsn",
        }
    }
}

impl What {
    /// The rest of a record about a packet.
    pub(crate) fn noted(self, at: Time, port: PortId, value: u64) -> Noted {
        Noted {
            what: self,
            at,
            port,
            value,
        }
    }
}

/// The fields of a record beside its packet.
pub(crate) struct Noted {
    /// What.
    pub what: What,
    /// When.
    pub at: Time,
    /// Where.
    pub port: PortId,
    /// See `What`.
    pub value: u64,
}

/// One event, in the order in which they happened.
#[derive(Clone, Debug)]
pub struct Record {
    /// When.
    pub at: Time,
    /// What.
    pub what: What,
    /// Where; the last port on the way for a delivery.
    pub port: PortId,
    /// Whose; `NONE` for control frames.
    pub flow: FlowId,
    /// Number within the flow.
    pub seq: u32,
    /// Destination host number.
    pub to: u32,
    /// IP bytes, or the body of a control frame.
    pub len: u16,
    /// Class and ECN codepoint.
    pub traffic: Traffic,
    /// As `What` says.
    pub value: u64,
    /// Ticks for which the packet had waited at ports that sent no data although frames waited, for a transmission.
    pub gated: u64,
    /// The notice of a control frame, or of the header field of a data frame that is sent.
    pub notice: Option<Arc<Notice>>,
    /// The header of a packet of a connection that is sent or lost.
    pub header: Option<Box<Header>>,
}
