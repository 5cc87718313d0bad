//! Names of the 802.11 part of a scenario: media, stations, access categories.

use backwater_transport::part::{Default, Kind, Opt};

use crate::shape::{Field, Shape};

mod channel;

pub use channel::{CHANNEL, OF_ALL, OF_DISC};

/// `media.NAME`.
pub static MEDIUM: &[Field] = &[
    Field::needed("phy", Shape::Fields(PHY), "radio and its rates"),
    Field::free("mac", Shape::Fields(MAC), "rules of access"),
    Field::needed("channel", Shape::Fields(CHANNEL), "who hears whom"),
];

/// Widths of a channel, the narrowest first.
pub const WIDTHS: &[&str] = &["20 MHz", "40 MHz", "80 MHz", "160 MHz", "320 MHz"];

/// Guard intervals, as `Guard::ALL` has them.
pub const GUARDS: &[&str] = &["0.4 us", "0.8 us", "1.6 us", "3.2 us"];

/// Options that only the modes of 802.11n and later have.
pub const OF_MODES: &[&str] = &["mcs", "width", "streams", "guard", "coding"];

/// `media.NAME.phy`.
pub static PHY: &[Field] = &[
    Field::option(Opt::new(
        "standard",
        Kind::Choice(&[
            "802.11b", "802.11a", "802.11g", "802.11n", "802.11ac", "802.11ax", "802.11be",
        ]),
        Default::Required,
        "802.11b: slots of 20 us; 802.11a, and 802.11g among its own kind: OFDM, slots of 9 us; 802.11n and later: \
         the same at 5 and 6 GHz, data frames by `mcs`",
    )),
    Field::option(Opt::new(
        "data",
        Kind::Rate,
        Default::Absent,
        "rate of data frames up to 802.11g",
    )),
    Field::option(
        Opt::new(
            "mcs",
            Kind::Count,
            Default::Absent,
            "modulation and code of data frames of 802.11n and later, the same numbers for any number of streams: up to 7 \
             (802.11n), 9 (802.11ac), 11 (802.11ax), 13 (802.11be)",
        )
        .at_most("13"),
    ),
    Field::option(Opt::new(
        "width",
        Kind::Choice(WIDTHS),
        Default::Is("20 MHz"),
        "width of the channel of 802.11n and later",
    )),
    Field::option(
        Opt::new(
            "streams",
            Kind::Count,
            Default::Is("1"),
            "spatial streams of 802.11n and later",
        )
        .at_least("1")
        .at_most("8"),
    ),
    Field::option(Opt::new(
        "guard",
        Kind::Choice(GUARDS),
        Default::Is("0.8 us"),
        "guard interval of 802.11n and later",
    )),
    Field::option(Opt::new(
        "coding",
        Kind::Choice(&["standard", "BCC", "LDPC"]),
        Default::Is("standard"),
        "code of 802.11n and 802.11ac; standard = BCC, and LDPC for 802.11ax and 802.11be",
    )),
    Field::option(Opt::new(
        "control",
        Kind::Rate,
        Default::Absent,
        "rate of RTS, CTS, ACK and management frames; the lowest where it is left out",
    )),
    Field::option(Opt::new(
        "answer",
        Kind::Choice(&["control", "mandatory"]),
        Default::Absent,
        "rate of CTS and ACK: that of `control`; or the fastest mandatory rate that is no faster than the \
         frame answered (802.11b: all four; OFDM: 6, 12, 24 Mbit/s; an MCS counts as the rate of 802.11a with its modulation). \
         Left out: control, from 802.11n on mandatory",
    )),
    Field::option(Opt::new(
        "preamble",
        Kind::Choice(&["long", "short"]),
        Default::Is("long"),
        "preamble of 802.11b: 192 us or 96 us",
    )),
];

/// Aggregation by A-MPDU.
pub const A_MPDU: &str = "a-mpdu";

/// Minimum MPDU Start Spacing. 9.4.2.55.3.
pub const SPACINGS: &[&str] = &[
    "0 us", "0.25 us", "0.5 us", "1 us", "2 us", "4 us", "8 us", "16 us",
];

/// Options that only media with aggregation have.
pub const OF_AGGREGATES: &[&str] = &[
    "ba_window",
    "aggregate_bytes",
    "aggregate_time",
    "mpdu_spacing",
    "missed_ba",
];

/// `media.NAME.mac`.
pub static MAC: &[Field] = &[
    Field::option(Opt::new(
        "access",
        Kind::Choice(&["edca", "dcf"]),
        Default::Is("edca"),
        "four access categories, or one queue and DIFS",
    )),
    Field::option(Opt::new(
        "rts",
        Kind::Choice(&["off", "on"]),
        Default::Is("off"),
        "whether frames longer than `rts_above` are preceded by RTS/CTS",
    )),
    Field::option(Opt::new(
        "rts_above",
        Kind::Bytes,
        Default::Is("0 B"),
        "dot11RTSThreshold: MAC header and FCS count",
    )),
    Field::option(
        Opt::new(
            "retry_short",
            Kind::Count,
            Default::Is("7"),
            "transmissions of an RTS, or of a frame without one; 0 = no limit",
        )
        .at_most("255"),
    ),
    Field::option(
        Opt::new(
            "retry_long",
            Kind::Count,
            Default::Is("4"),
            "transmissions of a frame after RTS/CTS; 0 = no limit",
        )
        .at_most("255"),
    ),
    Field::option(Opt::new(
        "after_collision",
        Kind::Choice(&["timeout", "difs", "eifs"]),
        Default::Is("timeout"),
        "after a failed exchange the sender waits its timeout and others EIFS; or everybody DIFS; or \
         everybody EIFS",
    )),
    Field::option(Opt::new(
        "countdown",
        Kind::Choice(&["standard", "idle-slot", "boundary"]),
        Default::Is("standard"),
        "a counter goes down after full idle slots (DCF) or at slot boundaries (EDCA); standard = that of \
         the access",
    )),
    Field::option(Opt::new(
        "nav_reset",
        Kind::Flag,
        Default::Is("true"),
        "whether a NAV by an RTS is taken back when no frame follows",
    )),
    Field::option(
        Opt::new(
            "lifetime",
            Kind::Span,
            Default::Absent,
            "how long a packet may wait at a station and be tried; what is older is given up at its next turn (ns-3: 500 ms; left out = for ever)",
        )
        .at_least("1 ms"),
    ),
    Field::option(Opt::new(
        "aggregation",
        Kind::Choice(&["off", A_MPDU]),
        Default::Is("off"),
        "whether frames of 802.11n and later go as A-MPDUs, as many to a neighbour as the bounds allow, under immediate block \
         acknowledgement",
    )),
    Field::option(
        Opt::new(
            "ba_window",
            Kind::Count,
            Default::Absent,
            "frames that may be under way to a neighbour; left out: 64 (802.11n, 802.11ac), 256 (802.11ax), 1024 (802.11be)",
        )
        .at_least("1")
        .at_most("1024"),
    ),
    Field::option(
        Opt::new(
            "aggregate_bytes",
            Kind::Bytes,
            Default::Absent,
            "most bytes of an A-MPDU; the standard's where it is left out",
        )
        .at_least("1 kB"),
    ),
    Field::option(
        Opt::new(
            "aggregate_time",
            Kind::Span,
            Default::Is("5484 us"),
            "longest A-MPDU on the air",
        )
        .at_least("100 us")
        .at_most("5484 us"),
    ),
    Field::option(Opt::new(
        "mpdu_spacing",
        Kind::Choice(SPACINGS),
        Default::Is("0 us"),
        "least time between the beginnings of two frames of an A-MPDU; empty delimiters fill it",
    )),
    Field::option(Opt::new(
        "missed_ba",
        Kind::Choice(&["bar", "data"]),
        Default::Is("bar"),
        "after a block acknowledgement that did not come: ask for it, or send the frames again",
    )),
    Field::free(
        "ac",
        Shape::Fields(CATEGORIES),
        "parameters by access category",
    ),
];

/// The fields of a kind of station: its own, and those that all have.
macro_rules! of_station {
    ($($own:expr),* $(,)?) => {
        &[
            $($own,)*
            $crate::wireless::STATION_MEDIUM,
            $crate::wireless::BUFFER,
            $crate::wireless::OWN_SHARE,
            $crate::wireless::STATION_QUEUE,
            $crate::wireless::STATION_RATE,
            $crate::wireless::STATION_AC,
        ]
    };
}
pub(crate) use of_station;

/// `nodes.NAME` of kind "station".
pub static STATION: &[Field] = of_station![
    Field::needed(
        "at",
        Shape::Texts,
        "its place, such as [\"0 m\", \"100 m\"]",
    ),
    Field::free(
        "radios",
        Shape::Things(&Shape::Fields(RADIO)),
        "further radios at the same place, each on a medium of its own",
    ),
];

/// `nodes.NAME.radios.NAME`.
pub static RADIO: &[Field] = of_station![];

/// The medium of a station.
pub const STATION_MEDIUM: Field = Field::needed("medium", Shape::Text, "its medium");
/// The buffer of a station.
pub const BUFFER: Field = Field::free(
    "buffer",
    Shape::Capacity,
    "what each access category holds; 100 packets where it is left out",
);
/// The share of a station's own flows.
pub const OWN_SHARE: Field = Field::option(
    Opt::new(
        "own_share",
        Kind::Share,
        Default::Is("100 %"),
        "share of the buffer for the station's own packets, the rest for those it relays; 100 % = all \
         of it for both",
    )
    .at_least("1 %"),
);
/// The queue of a station.
pub const STATION_QUEUE: Field = Field::option(Opt::new(
    "queue",
    Kind::Choice(&[FIFO, IN_TURN]),
    Default::Is(FIFO),
    "which of the packets of an access category goes next: the oldest, or round-robin one of each flow; round-robin, \
     a full buffer loses the newest packet of the flow that holds most",
));
/// First come, first served.
const FIFO: &str = "fifo";
/// Round-robin, one of each flow.
pub const IN_TURN: &str = "round-robin";
/// The rate of a station.
pub const STATION_RATE: Field = Field::option(Opt::new(
    "rate",
    Kind::Rate,
    Default::Absent,
    "rate of its data frames; the medium's where it is left out",
));
/// The access categories of a station.
pub const STATION_AC: Field = Field::free(
    "ac",
    Shape::Fields(STATION_CATEGORIES),
    "parameters by access category",
);

/// The access categories, each with these fields.
const fn categories(of: &'static [Field]) -> [Field; 4] {
    [
        Field::free("BK", Shape::Fields(of), "background"),
        Field::free(
            "BE",
            Shape::Fields(of),
            "best effort, and the one queue of DCF",
        ),
        Field::free("VI", Shape::Fields(of), "video"),
        Field::free("VO", Shape::Fields(of), "voice, and management frames"),
    ]
}

/// `media.NAME.mac.ac`.
pub static CATEGORIES: &[Field] = &categories(CATEGORY);

/// `nodes.NAME.ac`.
static STATION_CATEGORIES: &[Field] = &categories(STATION_CATEGORY);

const AIFSN: Field = Field::option(
    Opt::new(
        "aifsn",
        Kind::Count,
        Default::Absent,
        "slots of AIFS after the SIFS",
    )
    .at_least("1")
    .at_most("255"),
);
const CW_MIN: Field = Field::option(
    Opt::new(
        "cw_min",
        Kind::Count,
        Default::Absent,
        "contention window after a success",
    )
    .at_most("32767"),
);
const CW_MAX: Field = Field::option(
    Opt::new(
        "cw_max",
        Kind::Count,
        Default::Absent,
        "largest contention window",
    )
    .at_most("32767"),
);
const TXOP: Field = Field::option(
    Opt::new(
        "txop",
        Kind::Span,
        Default::Absent,
        "how long the medium may be kept; 0 s = one exchange",
    )
    .at_most("8160 us"),
);

/// `media.NAME.mac.ac.BE`.
pub static CATEGORY: &[Field] = &[AIFSN, CW_MIN, CW_MAX, TXOP];

/// `nodes.NAME.ac.BE`.
pub static STATION_CATEGORY: &[Field] = &[
    AIFSN,
    CW_MIN,
    CW_MAX,
    TXOP,
    Field::free(
        "buffer",
        Shape::Capacity,
        "what the category holds, instead of the station's `buffer`",
    ),
];
