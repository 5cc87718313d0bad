//! Options of 802.11n and later: modes and aggregation.

use backwater_transport::part::{Default, Kind, Opt};

use crate::shape::Field;

/// How stations choose their mode: the fastest for the SNR.
pub const IDEAL: &str = "ideal";

/// Widths of a channel, the narrowest first.
pub const WIDTHS: &[&str] = &["20 MHz", "40 MHz", "80 MHz", "160 MHz", "320 MHz"];

/// Guard intervals, as `Guard::ALL` has them.
pub const GUARDS: &[&str] = &["0.4 us", "0.8 us", "1.6 us", "3.2 us"];

/// Options that only the modes of 802.11n and later have.
pub const OF_MODES: &[&str] = &[
    "mcs",
    "width",
    "streams",
    "guard",
    "coding",
    "rate_control",
    "ideal_loss",
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

/// Modulation and code.
pub const MCS: Field = Field::option(
        Opt::new(
            "mcs",
            Kind::Count,
            Default::Absent,
            "modulation and code of data frames of 802.11n and later, the same numbers for any number of streams: up to 7 \
             (802.11n), 9 (802.11ac), 11 (802.11ax), 13 (802.11be)",
        )
        .at_most("13"),
    );
/// The MCS of a station.
pub const STATION_MCS: Field = Field::option(
    Opt::new(
        "mcs",
        Kind::Count,
        Default::Absent,
        "modulation and code of data frames from it and to it, from 802.11n on; between two stations the slower of their \
         modes counts; the medium's where it is left out",
    )
    .at_most("13"),
);
/// The streams of a station.
pub const STATION_STREAMS: Field = Field::option(
    Opt::new(
        "streams",
        Kind::Count,
        Default::Absent,
        "spatial streams of data frames from it and to it; the medium's where it is left out",
    )
    .at_least("1")
    .at_most("8"),
);
/// Width of the channel.
pub const WIDTH: Field = Field::option(Opt::new(
    "width",
    Kind::Choice(WIDTHS),
    Default::Is("20 MHz"),
    "width of the channel of 802.11n and later",
));
/// Spatial streams.
pub const STREAMS: Field = Field::option(
    Opt::new(
        "streams",
        Kind::Count,
        Default::Is("1"),
        "spatial streams of 802.11n and later",
    )
    .at_least("1")
    .at_most("8"),
);
/// Guard interval.
pub const GUARD: Field = Field::option(Opt::new(
    "guard",
    Kind::Choice(GUARDS),
    Default::Is("0.8 us"),
    "guard interval of 802.11n and later",
));
/// Code.
pub const CODING: Field = Field::option(Opt::new(
    "coding",
    Kind::Choice(&["standard", "BCC", "LDPC"]),
    Default::Is("standard"),
    "code of 802.11n and 802.11ac; standard = BCC, and LDPC for 802.11ax and 802.11be",
));
/// Who chooses the mode.
pub const RATE_CONTROL: Field = Field::option(Opt::new(
    "rate_control",
    Kind::Choice(&["off", IDEAL]),
    Default::Is("off"),
    "mode of data frames from 802.11n on: that of `mcs`; or the fastest up to it that loses no more than `ideal_loss` at the \
         SNR of the last answer, the slowest at first",
));
/// What the choice aims at.
pub const IDEAL_LOSS: Field = Field::option(
    Opt::new(
        "ideal_loss",
        Kind::Share,
        Default::Is("10 %"),
        "share of packets of 1500 B that rate_control = \"ideal\" may lose",
    )
    .at_least("0.01 %")
    .at_most("50 %"),
);
/// Whether frames go in bursts.
pub const AGGREGATION: Field = Field::option(Opt::new(
    "aggregation",
    Kind::Choice(&["off", A_MPDU]),
    Default::Is("off"),
    "whether frames of 802.11n and later go as A-MPDUs, as many to a neighbour as the bounds allow, under immediate block \
         acknowledgement",
));
/// Window of the block acknowledgement.
pub const BA_WINDOW: Field = Field::option(
        Opt::new(
            "ba_window",
            Kind::Count,
            Default::Absent,
            "frames that may be under way to a neighbour; left out: 64 (802.11n, 802.11ac), 256 (802.11ax), 1024 (802.11be)",
        )
        .at_least("1")
        .at_most("1024"),
    );
/// Bound in bytes.
pub const AGGREGATE_BYTES: Field = Field::option(
    Opt::new(
        "aggregate_bytes",
        Kind::Bytes,
        Default::Absent,
        "most bytes of an A-MPDU; the standard's where it is left out",
    )
    .at_least("1 kB"),
);
/// Bound in time.
pub const AGGREGATE_TIME: Field = Field::option(
    Opt::new(
        "aggregate_time",
        Kind::Span,
        Default::Is("5484 us"),
        "longest duration of an A-MPDU",
    )
    .at_least("100 us")
    .at_most("5484 us"),
);
/// Distance of frames.
pub const MPDU_SPACING: Field = Field::option(Opt::new(
    "mpdu_spacing",
    Kind::Choice(SPACINGS),
    Default::Is("0 us"),
    "least time between the beginnings of two frames of an A-MPDU; empty delimiters fill it",
));
/// What follows a missing answer.
pub const MISSED_BA: Field = Field::option(Opt::new(
    "missed_ba",
    Kind::Choice(&["bar", "data"]),
    Default::Is("bar"),
    "after a block acknowledgement that did not come: ask for it, or send the frames again",
));
