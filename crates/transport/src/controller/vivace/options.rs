//! Vivace's options.

use crate::part::{Default, Kind, Opt};

pub(super) const OPTIONS: &[Opt] = &[
    Opt::new(
        "variant",
        Kind::Choice(&["paper", "code"]),
        Default::Is("paper"),
        "amplifier, boundary and slopes as in the paper or in the program",
    ),
    Opt::new(
        "scavenger",
        Kind::Flag,
        Default::Is("false"),
        "subtract the deviation of round trips (Proteus-S)",
    ),
    Opt::new("exponent", Kind::Number, Default::Is("0.9"), "of the rate")
        .at_least("0.1")
        .at_most("0.99"),
    Opt::new(
        "latency-weight",
        Kind::Number,
        Default::Is("900"),
        "weight of the slope of round trips",
    )
    .at_least("0")
    .at_most("1000000"),
    Opt::new(
        "loss-weight",
        Kind::Number,
        Default::Is("11.35"),
        "weight of the share of loss",
    )
    .at_least("0")
    .at_most("1000"),
    Opt::new(
        "deviation-weight",
        Kind::Number,
        Default::Is("1500"),
        "weight of the deviation of round trips, 1/s, as a scavenger",
    )
    .at_least("0")
    .at_most("1000000"),
    Opt::new(
        "tolerance",
        Kind::Number,
        Default::Is("0.01"),
        "slopes of round trips below this count as none",
    )
    .at_least("0")
    .at_most("1"),
    Opt::new(
        "epsilon",
        Kind::Share,
        Default::Is("5 %"),
        "how far trials go up and down",
    )
    .at_least("0.1 %")
    .at_most("50 %"),
    Opt::new(
        "step",
        Kind::Number,
        Default::Is("1"),
        "step for each unit of the gradient, Mbit/s",
    )
    .at_least("0.001")
    .at_most("1000"),
    Opt::new(
        "least-change",
        Kind::Rate,
        Default::Is("500 kbit/s"),
        "least step",
    )
    .at_least("1 bit/s")
    .at_most("1 Gbit/s"),
    Opt::new("least", Kind::Rate, Default::Is("500 kbit/s"), "least rate")
        .at_least("1 kbit/s")
        .at_most("1 Gbit/s"),
];
