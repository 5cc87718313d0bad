//! What is kept of a run: counters, the fingerprint, and, on request, every event.

pub mod age;
pub mod air_log;
mod checksum;
pub mod delays;
pub mod fingerprint;
pub mod flow_stats;
pub mod frame_bytes;
pub mod pcapng;
mod tcp_bytes;
pub mod wifi_bytes;

use std::sync::Arc;

use backwater_transport::units::Time;

use crate::connection::Header;
use crate::mechanism::notice::Notice;
use crate::network::{Flow, Port};
use crate::packet::Traffic;
use crate::table::Id;

/// Why a packet was lost.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Its class queue was full.
    BufferFull,
    /// The switch's shared memory had no room for it.
    MemoryFull,
    /// Active queue management told its sender of congestion.
    Aqm,
    /// A box on the way loses packets at random.
    RandomLoss,
    /// A box on the way was shut.
    LinkOff,
    /// An 802.11 station gave it up after as many transmissions as it may make.
    RetryLimit,
    /// It came to an 802.11 station later than its flow's budget allows.
    Late,
    /// No 802.11 station of its group received it.
    Unheard,
}

impl Cause {
    /// All, in the order of their numbers.
    pub const ALL: [Cause; 8] = [
        Cause::BufferFull,
        Cause::MemoryFull,
        Cause::Aqm,
        Cause::RandomLoss,
        Cause::LinkOff,
        Cause::RetryLimit,
        Cause::Late,
        Cause::Unheard,
    ];

    /// Name in results.
    pub fn name(self) -> &'static str {
        match self {
            Cause::BufferFull => "buffer-full",
            Cause::MemoryFull => "memory-full",
            Cause::Aqm => "aqm",
            Cause::RandomLoss => "random-loss",
            Cause::LinkOff => "link-off",
            Cause::RetryLimit => "retry-limit",
            Cause::Late => "late",
            Cause::Unheard => "unheard",
        }
    }

    /// What happened to the packet.
    pub fn meaning(self) -> &'static str {
        match self {
            Cause::BufferFull => "its class queue was full",
            Cause::MemoryFull => "the switch's shared memory was full",
            Cause::Aqm => "active queue management dropped it",
            Cause::RandomLoss => "a box on its way loses at random",
            Cause::LinkOff => "a box on its way was shut",
            Cause::RetryLimit => "an 802.11 station gave it up",
            Cause::Late => "it came to an 802.11 station later than its flow's budget",
            Cause::Unheard => "no 802.11 station of its group received it",
        }
    }
}

/// What happened.
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

/// One event, in the order in which they happened.
#[derive(Clone, Debug)]
pub struct Record {
    /// When.
    pub at: Time,
    /// What.
    pub what: What,
    /// Where; the last port on the way for a delivery.
    pub port: Id<Port>,
    /// Whose; `NONE` for control frames.
    pub flow: Id<Flow>,
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
    /// The notice, for control frames.
    pub notice: Option<Arc<Notice>>,
    /// What it says, for a packet of a connection that is sent or lost.
    pub header: Option<Box<Header>>,
}
