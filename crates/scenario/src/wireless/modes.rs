//! Options of 802.11n and later: modes and aggregation.

use backwater_transport::part::{Default, Kind, Opt};

use crate::shape::Field;

/// How stations choose their mode: the fastest for the SNR.
pub const IDEAL: &str = "ideal";

/// The same by what became of their frames.
pub const MINSTREL: &str = "minstrel-ht";

/// An edition of that.
pub const NS3: &str = "ns-3";

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
    "edition",
];

/// Aggregation by A-MPDU, by A-MSDU, and by A-MPDUs of A-MSDUs.
pub const A_MPDU: &str = "a-mpdu";
pub const A_MSDU: &str = "a-msdu";
pub const BOTH: &str = "both";

/// Minimum MPDU Start Spacing. 9.4.2.55.3.
pub const SPACINGS: &[&str] = &[
    "0 us", "0.25 us", "0.5 us", "1 us", "2 us", "4 us", "8 us", "16 us",
];

/// Options that only media with aggregation have, each with the kinds that have it.
pub const OF_AGGREGATES: &[(&str, &[&str])] = &[
    ("ba_window", &[A_MPDU, BOTH]),
    ("aggregate_bytes", &[A_MPDU, BOTH]),
    ("aggregate_time", &[A_MPDU, BOTH]),
    ("mpdu_spacing", &[A_MPDU, BOTH]),
    ("missed_ba", &[A_MPDU, BOTH]),
    ("reorder_timeout", &[A_MPDU, BOTH]),
    ("amsdu_bytes", &[A_MSDU, BOTH]),
];

/// Generations that a medium can be of in a word, and their standards.
pub const GENERATIONS: &[&str] = &["n", "ac", "ax", "be"];

/// Bands.
pub const BANDS: &[&str] = &["2.4 GHz", "5 GHz", "6 GHz"];

/// A medium in a word.
pub const GENERATION: Field = Field::option(Opt::new(
    "wifi",
    Kind::Choice(GENERATIONS),
    Default::Absent,
    "an access point and its stations in a word, with A-MPDUs and two streams: n = MCS 7 at 40 MHz, ac = MCS 9 at 80 MHz, ax = MCS 11 at 80 MHz, be = MCS 13 \
     at 160 MHz; what `phy` and `mac` write counts instead",
));
/// The band.
pub const BAND: Field = Field::option(Opt::new(
    "band",
    Kind::Choice(BANDS),
    Default::Absent,
    "band, where a standard has several; left out: 5 GHz, 6 GHz for 320 MHz. At 2.4 GHz a SIFS is 10 us, and 6 us of signal extension end each frame: together \
     the SIFS of 16 us at 5 and 6 GHz, as which they count",
));
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
    Kind::Choice(&["off", IDEAL, MINSTREL]),
    Default::Is("off"),
    "mode of data frames from 802.11n on: that of `mcs`; or the fastest up to it that loses no more than `ideal_loss` at the \
         SNR of the last answer; or the one of as many streams or fewer that has carried most, found by probes and retried as minstrel_ht of Linux does. Both begin with the slowest",
));
/// Whose rate control it is.
pub const EDITION: Field = Field::option(Opt::new(
    "edition",
    Kind::Choice(&["linux", NS3]),
    Default::Is("linux"),
    "whose minstrel-ht: that of Linux; or that of ns-3, with means that forget a quarter, a throughput without overhead, and a probe each 16 PPDUs and twice the frames of one",
));
/// The loss that the choice aims at.
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
    Kind::Choice(&["off", A_MPDU, A_MSDU, BOTH]),
    Default::Is("off"),
    "whether frames of 802.11n and later go as A-MPDUs, as many to a neighbour as the bounds allow, under immediate block \
         acknowledgement; or packets to a neighbour as one A-MSDU that arrives or fails as a whole; both: A-MPDUs of A-MSDUs",
));
/// Length of an A-MSDU.
pub const AMSDU_BYTES: Field = Field::option(
    Opt::new(
        "amsdu_bytes",
        Kind::Bytes,
        Default::Is("3839 B"),
        "most bytes of an A-MSDU, without the header and FCS of its frame (30 B): up to 7935 B (802.11n), 3839 B in an A-MPDU there, \
         11,424 B later; as packets to one neighbour wait",
    )
    .at_least("100 B"),
);
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
/// The action after a missing answer.
pub const MISSED_BA: Field = Field::option(Opt::new(
    "missed_ba",
    Kind::Choice(&["bar", "data"]),
    Default::Is("bar"),
    "after a block acknowledgement that did not come: ask for it, or send the frames again",
));
/// How long receivers wait.
pub const REORDER_TIMEOUT: Field = Field::option(Opt::new(
    "reorder_timeout",
    Kind::Span,
    Default::Is("100 ms"),
    "how long a receiver holds a packet back behind one that is missing, which is lost when it comes later (as Linux); 0 s = until that comes or \
         its sender says that it won't (as ns-3)",
));
