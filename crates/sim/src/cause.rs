//! Why packets are lost.

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
    /// It waited at an 802.11 station for longer than the lifetime of an MSDU.
    Expired,
    /// Its wire was down.
    LinkDown,
    /// Its class had been paused for so long that its port gave it up.
    Watchdog,
    /// Its 802.11 receiver had waited for it long enough and let later ones go on.
    Overtaken,
}

impl Cause {
    /// All, in the order of their numbers.
    pub const ALL: [Cause; 12] = [
        Cause::BufferFull,
        Cause::MemoryFull,
        Cause::Aqm,
        Cause::RandomLoss,
        Cause::LinkOff,
        Cause::RetryLimit,
        Cause::Late,
        Cause::Unheard,
        Cause::Expired,
        Cause::LinkDown,
        Cause::Watchdog,
        Cause::Overtaken,
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
            Cause::Expired => "lifetime",
            Cause::LinkDown => "link-down",
            Cause::Watchdog => "watchdog",
            Cause::Late => "late",
            Cause::Unheard => "unheard",
            Cause::Overtaken => "reorder-timeout",
        }
    }

    /// The reason why the packet was lost, in words.
    pub fn meaning(self) -> &'static str {
        match self {
            Cause::BufferFull => "its class queue was full",
            Cause::MemoryFull => "the switch's shared memory was full",
            Cause::Aqm => "active queue management dropped it",
            Cause::RandomLoss => "a box on its way loses at random",
            Cause::LinkOff => "a box on its way was shut",
            Cause::LinkDown => "its wire was down",
            Cause::Watchdog => {
                "its class had been paused for the detection time of its port's watchdog"
            }
            Cause::RetryLimit => "an 802.11 station gave it up",
            Cause::Expired => {
                "it waited at an 802.11 station for longer than the lifetime of an MSDU"
            }
            Cause::Late => "it came to an 802.11 station later than its flow's budget",
            Cause::Unheard => "no 802.11 station of its group received it",
            Cause::Overtaken => {
                "its 802.11 receiver had let later ones go on after the reorder timeout"
            }
        }
    }
}
