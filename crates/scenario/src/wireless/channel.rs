//! `media.NAME.channel`: which stations receive which.

use backwater_transport::part::{Default, Kind, Opt};

use crate::shape::{Field, Shape};

/// Laws of fading.
pub const FADINGS: &[&str] = &["off", "rayleigh", "rician", "nakagami"];

/// `media.NAME.channel`.
pub static CHANNEL: &[Field] = &[
    Field::option(Opt::new(
        "model",
        Kind::Choice(&["disc", "physical"]),
        Default::Is("disc"),
        "unit disc; or physical: path loss, shadowing, noise, interference, frame errors",
    )),
    Field::option(
        Opt::new(
            "transmit",
            Kind::Metres,
            Default::Absent,
            "disc: distance within which frames are understood, in whole metres",
        )
        .at_least("1 m"),
    ),
    Field::option(
        Opt::new(
            "sense",
            Kind::Metres,
            Default::Absent,
            "disc: distance within which the medium is busy; that of `transmit` where it is left out",
        )
        .at_least("1 m"),
    ),
    Field::option(
        Opt::new(
            "interfere",
            Kind::Metres,
            Default::Absent,
            "disc: distance within which a frame damages others; that of `sense` where it is left out",
        )
        .at_least("1 m"),
    ),
    Field::free(
        "capture",
        Shape::Text,
        "\"off\", or by how much a frame must be stronger than others: to survive (disc; left out = off), or \
         to draw a receiver away from its frame (physical; left out = 10 dB)",
    ),
    Field::option(
        Opt::new(
            "propagation",
            Kind::Span,
            Default::Is("1 us"),
            "propagation delay between all stations",
        )
        .at_most("10 us"),
    ),
    decibels(
        "tx_power",
        Kind::Dbm,
        "20 dBm",
        ["-50 dBm", "50 dBm"],
        "physical: transmission power",
    ),
    decibels(
        "noise",
        Kind::Dbm,
        "-93.5 dBm",
        ["-150 dBm", "0 dBm"],
        "physical: noise of a receiver",
    ),
    decibels(
        "gain",
        Kind::Decibels,
        "-140.046 dB",
        ["-300 dB", "0 dB"],
        "physical: path gain at 1 km without shadowing",
    ),
    Field::option(
        Opt::new(
            "exponent",
            Kind::Number,
            Default::Is("4"),
            "physical: power falls with this power of the distance",
        )
        .at_least("1")
        .at_most("8"),
    ),
    decibels(
        "shadowing",
        Kind::Decibels,
        "3.65 dB",
        ["0 dB", "20 dB"],
        "physical: standard deviation of the shadowing, one draw for each pair of stations",
    ),
    Field::option(Opt::new(
        "shadowing_seed",
        Kind::Count,
        Default::Absent,
        "physical: seed of the shadowing, so that runs of several seeds share one network; the scenario's where it \
         is left out",
    )),
    Field::option(Opt::new(
        "fading",
        Kind::Choice(FADINGS),
        Default::Is("off"),
        "physical: the gain of a pair of stations is drawn anew in each block of `coherence`, with a mean of 1, alike both ways",
    )),
    Field::option(
        Opt::new(
            "nakagami_m",
            Kind::Number,
            Default::Absent,
            "physical: shape of Nakagami fading; 1 is Rayleigh, more fades less",
        )
        .at_least("0.5")
        .at_most("100"),
    ),
    Field::option(
        Opt::new(
            "rician_k",
            Kind::Decibels,
            Default::Absent,
            "physical: power of the direct path over that of all others, of Rician fading",
        )
        .at_least("-40 dB")
        .at_most("40 dB"),
    ),
    Field::option(
        Opt::new(
            "coherence",
            Kind::Span,
            Default::Absent,
            "physical: length of a block of fading; a frame keeps the gain with which it begins",
        )
        .at_least("1 us"),
    ),
    decibels(
        "energy_detect",
        Kind::Dbm,
        "-91.4 dBm",
        ["-150 dBm", "50 dBm"],
        "physical: power of all frames together from which the medium is busy without a preamble; \
         the standard's is -62 dBm",
    ),
    decibels(
        "preamble_detect",
        Kind::Dbm,
        "-91.4 dBm",
        ["-150 dBm", "50 dBm"],
        "physical: power from which a preamble is recognised, which makes the medium busy until its frame ends; \
         the standard's is -82 dBm",
    ),
    Field::option(
        Opt::new(
            "fer_target",
            Kind::Share,
            Default::Is("1 %"),
            "physical: each link takes the fastest rate up to the radio's `data` that loses at most this \
             share of frames of 1500 B; where none does, or a station's own `rate` doesn't, there is no hop",
        )
        .at_least("0.01 %")
        .at_most("99 %"),
    ),
    decibels(
        "margin",
        Kind::Decibels,
        "0 dB",
        ["-20 dB", "20 dB"],
        "physical: added to the SINR that each rate needs",
    ),
];

const fn decibels(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    [least, most]: [&'static str; 2],
    help: &'static str,
) -> Field {
    let option = Opt::new(name, kind, Default::Is(default), help);
    Field::option(option.at_least(least).at_most(most))
}

/// Names of `CHANNEL` that only the disc has.
pub const OF_DISC: &[&str] = &["transmit", "sense", "interfere"];
/// Names of `CHANNEL` that all models have.
pub const OF_ALL: &[&str] = &["model", "capture", "propagation"];
