//! Flags of a port, in one word, so that several are tested at once.

/// A set of flags of a port.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Traits(pub(super) u32);

impl Traits {
    /// Arrivals and departures are observed: a detector, accounts, a record, active queue management,
    /// or what serves it.
    pub const WATCHED: u32 = 1;
    /// The choice at hand found every waiting frame held back.
    pub const STALLED: u32 = 2;
    /// It has stalled before.
    pub const EVER_STALLED: u32 = 4;
    /// The node keeps a ledger or a pool.
    pub const ACCOUNTED: u32 = 8;
    /// A departure may need an event.
    pub const WAKEFUL: u32 = 16;
    /// Every departure is served in its own time: the run is recorded or unfused.
    pub const ATTENTIVE: u32 = 32;
    /// Frames don't wait here: its service takes them, an 802.11 station or a box.
    pub const QUEUELESS: u32 = 64;
    /// It has several class queues.
    pub const CLASSES: u32 = 128;
    /// Its buffer has a limit.
    pub const LIMITED: u32 = 256;
    /// A control frame waits.
    pub const URGENT: u32 = 512;
    /// It has a detector.
    pub const DETECTED: u32 = 1024;
    /// The node keeps a ledger.
    pub const LEDGER: u32 = 2048;
    /// Saturated flows of its host keep its queue filled.
    pub const REFILLED: u32 = 8192;
    /// A frame waits, or has waited since the queue was empty, whose departure may end an alarm at the node.
    pub const MAY_RELIEVE: u32 = 4096;
    /// Laws of explicit feedback are shown its packets.
    pub const STAMPED: u32 = 16384;
    /// Its data frames may bring notices to the far end.
    pub const CARRIES: u32 = 32768;
    /// Its detector looks at how long frames have waited.
    pub const TIMED: u32 = 65536;
    /// The card of its host pulls segments from its flows.
    pub const PULLED: u32 = 131_072;
    /// Its wire is down.
    pub const DOWN: u32 = 262_144;
    /// Its watchdog loses frames of some classes.
    pub const DROPS: u32 = 524_288;
    /// The wire became shorter in the middle of a run: no frame overtakes those that were on it.
    pub const SHORTENED: u32 = 1_048_576;
    /// Others than the queue are told when a transmission begins. A run that is recorded has every departure served in
    /// its own time.
    pub const NOTED_DEPARTURES: u32 = Traits::STAMPED
        | Traits::REFILLED
        | Traits::ATTENTIVE
        | Traits::CARRIES
        | Traits::TIMED
        | Traits::SHORTENED;
    /// Somebody but the buffer has a say in what becomes of its frames, or learns when they leave. Frames of all other
    /// ports are sent ahead.
    pub const NOT_AHEAD: u32 = Traits::EXACT & !Traits::LIMITED
        | Traits::WATCHED
        | Traits::EVER_STALLED
        | Traits::ACCOUNTED
        | Traits::URGENT
        | Traits::REFILLED
        | Traits::CARRIES
        | Traits::TIMED
        | Traits::PULLED
        | Traits::SHORTENED;
    /// More than the order of arrival decides what becomes of a frame, or somebody has to know at once.
    pub const EXACT: u32 = Traits::STALLED
        | Traits::WAKEFUL
        | Traits::ATTENTIVE
        | Traits::QUEUELESS
        | Traits::CLASSES
        | Traits::LIMITED
        | Traits::STAMPED
        | Traits::DETECTED
        | Traits::DOWN
        | Traits::DROPS;
}
