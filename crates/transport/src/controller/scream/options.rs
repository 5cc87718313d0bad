//! SCReAM's options.

use crate::building_blocks::queueing_delay;
use crate::part::{Default, Kind, Opt};

pub(super) const OPTIONS: &[Opt] = &[
    Opt::new(
        "ecn",
        Kind::Choice(&["ect1", "ect0", "off"]),
        Default::Is("ect1"),
        "low-latency marks, classic marks, or none",
    ),
    Opt::new(
        "target",
        Kind::Span,
        Default::Is("60 ms"),
        "queueing delay that halves the window (QDELAY_TARGET_LO)",
    )
    .at_least("1 ms")
    .at_most("400 ms"),
    Opt::new(
        "virtual-rtt",
        Kind::Span,
        Default::Is("25 ms"),
        "round trip to which reactions are normalised",
    )
    .at_least("1 ms")
    .at_most("1 s"),
    Opt::new(
        "beta-loss",
        Kind::Share,
        Default::Is("70 %"),
        "window kept at a loss",
    )
    .at_least("1 %")
    .at_most("100 %"),
    Opt::new(
        "beta-ecn",
        Kind::Share,
        Default::Is("80 %"),
        "window kept at a classic mark",
    )
    .at_least("1 %")
    .at_most("100 %"),
    Opt::new(
        "multiplicative",
        Kind::Number,
        Default::Is("0.02"),
        "multiplicative increase a round (MUL_INCREASE)",
    )
    .at_least("0")
    .at_most("1"),
    Opt::new(
        "post-congestion",
        Kind::Number,
        Default::Is("100"),
        "rounds until the increase is at its fastest",
    )
    .at_least("1")
    .at_most("100000"),
    Opt::new(
        "head-room",
        Kind::Number,
        Default::Is("1.5"),
        "window above the greatest flight (BYTES_IN_FLIGHT_HEAD_ROOM)",
    )
    .at_least("1")
    .at_most("10"),
    Opt::new(
        "overhead",
        Kind::Number,
        Default::Is("1.5"),
        "flight allowed above the reference window (REF_WND_OVERHEAD, 1.5 to 3)",
    )
    .at_least("1")
    .at_most("3"),
    Opt::new(
        "pacing-head-room",
        Kind::Number,
        Default::Is("1.5"),
        "pacing above the target rate",
    )
    .at_least("1")
    .at_most("4"),
    Opt::new(
        "slowest",
        Kind::Rate,
        Default::Is("50 kbit/s"),
        "least target rate (RATE_PACE_MIN)",
    )
    .at_least("1 kbit/s")
    .at_most("1 Gbit/s"),
    Opt::new(
        "least",
        Kind::Bytes,
        Default::Is("3 kB"),
        "least reference window (MIN_REF_WND)",
    )
    .at_least("1 B")
    .at_most("1 MB"),
    queueing_delay::MINUTE,
    queueing_delay::HISTORY,
    Opt::new(
        "drain-threshold",
        Kind::Span,
        Default::Is("5 ms"),
        "queueing delay of an empty queue",
    )
    .at_most("400 ms"),
    Opt::new(
        "drain-period",
        Kind::Span,
        Default::Is("20 s"),
        "longest time without an empty queue before the rate is halved",
    )
    .at_least("100 ms")
    .at_most("3600 s"),
    Opt::new(
        "drain-rounds",
        Kind::Count,
        Default::Is("5"),
        "round trips at half the rate, 100 ms at least",
    )
    .at_least("1")
    .at_most("100"),
];
