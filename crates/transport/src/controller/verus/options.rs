//! Verus's options.

use crate::part::{Default, Kind, Opt};

pub(super) const OPTIONS: &[Opt] = &[
    Opt::new(
        "epoch",
        Kind::Span,
        Default::Is("5 ms"),
        "length of an epoch",
    )
    .at_least("1 ms")
    .at_most("1 s"),
    Opt::new(
        "delta1",
        Kind::Span,
        Default::Is("1 ms"),
        "taken off the wanted delay while delay grows",
    )
    .at_least("1 us")
    .at_most("1 s"),
    Opt::new(
        "delta2",
        Kind::Span,
        Default::Is("2 ms"),
        "added while it does not, taken off above the ratio",
    )
    .at_least("1 us")
    .at_most("1 s"),
    Opt::new(
        "ratio",
        Kind::Number,
        Default::Is("6"),
        "greatest delay in least delays (R); the paper has 2, 4 and 6",
    )
    .at_least("1.1")
    .at_most("1000"),
    Opt::new(
        "decrease",
        Kind::Share,
        Default::Is("70 %"),
        "window kept at a loss (M)",
    )
    .at_least("1 %")
    .at_most("99 %"),
    Opt::new(
        "refit",
        Kind::Span,
        Default::Is("1 s"),
        "time between fits of the profile",
    )
    .at_least("10 ms")
    .at_most("1000 s"),
    Opt::new(
        "initial",
        Kind::Packets,
        Default::Is("1 packets"),
        "window that slow start begins with",
    )
    .at_least("1 packets")
    .at_most("1000 packets"),
];
