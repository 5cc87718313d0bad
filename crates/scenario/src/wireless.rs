//! Names of the 802.11 part of a scenario: media, stations, access categories.

use backwater_transport::part::{Default, Kind, Opt};

use crate::shape::{Field, Shape};

mod channel;
pub mod modes;
pub mod serving;

pub use channel::{CHANNEL, OF_ALL, OF_DISC};

/// What frames reserve: all of their TXOP.
pub const WHOLE_TXOP: &str = "txop";

/// `media.NAME`.
pub static MEDIUM: &[Field] = &[
    modes::GENERATION,
    Field::free(
        "phy",
        Shape::Fields(PHY),
        "radio and its rates; may be left out beside `wifi`",
    ),
    Field::free("mac", Shape::Fields(MAC), "rules of access"),
    Field::needed("channel", Shape::Fields(CHANNEL), "who hears whom"),
];

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
    modes::BAND,
    modes::MCS,
    modes::WIDTH,
    modes::STREAMS,
    modes::GUARD,
    modes::CODING,
    modes::RATE_CONTROL,
    modes::IDEAL_LOSS,
    modes::EDITION,
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
    Field::option(Opt::new(
        "nav",
        Kind::Choice(&["exchange", WHOLE_TXOP]),
        Default::Is("exchange"),
        "what the frames of a TXOP reserve: the exchange, and the next one where the TXOP goes on; or all of the TXOP, with an RTS for the first exchange \
         with each neighbour alone, and a CF-End that gives back what is left",
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
        "txop",
        Kind::Choice(&["none", "standard"]),
        Default::Is("none"),
        "how long the access categories may keep the medium where `ac` does not say it: one exchange; or the limits of 802.11-2020 for OFDM, 2.528 ms \
         (BK, BE), 4.096 ms (VI), 2.08 ms (VO)",
    )),
    modes::AGGREGATION,
    modes::AMSDU_BYTES,
    modes::BA_WINDOW,
    modes::AGGREGATE_BYTES,
    modes::AGGREGATE_TIME,
    modes::MPDU_SPACING,
    modes::MISSED_BA,
    modes::REORDER_TIMEOUT,
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
            $crate::wireless::modes::STATION_MCS,
            $crate::wireless::modes::STATION_STREAMS,
            $crate::wireless::serving::SERVE,
            $crate::wireless::serving::AIRTIME_QUANTUM,
            $crate::wireless::serving::MANAGED,
            $crate::wireless::serving::DRIVER_QUEUE,
            $crate::wireless::serving::AIRTIME_LIMIT,
            $crate::wireless::serving::AIRTIME_HIGH,
            $crate::wireless::serving::AIRTIME_TOTAL,
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
