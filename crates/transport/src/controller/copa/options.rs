//! Copa's options.

use crate::part::{Default, Kind, Opt};

pub(super) const OPTIONS: &[Opt] = &[
        Opt::new(
            "variant",
            Kind::Choice(&["paper", "genericcc", "mvfst"]),
            Default::Is("paper"),
            "the paper, the authors' program, or mvfst",
        ),
        Opt::new(
            "delta",
            Kind::Number,
            Default::Absent,
            "one over the packets to keep in the queue; if absent 0.5, and 0.05 for mvfst",
        )
        .at_least("0.001")
        .at_most("10"),
        Opt::new(
            "competitive",
            Kind::Flag,
            Default::Is("false"),
            "compete when the queue never empties; mvfst never does. Several Copas may take each other for a competitor",
        ),
        Opt::new(
            "base-window",
            Kind::Span,
            Default::Is("10 s"),
            "how long the least round trip is remembered",
        )
        .at_least("100 ms")
        .at_most("3600 s"),
        Opt::new(
            "patience",
            Kind::Number,
            Default::Absent,
            "rounds without a nearly empty queue after which it competes; if absent 5, and 4 for genericcc",
        )
        .at_least("1")
        .at_most("100"),
        Opt::new(
            "least",
            Kind::Packets,
            Default::Is("2 packets"),
            "least window",
        )
        .at_least("1 packets")
        .at_most("100 packets"),
    ];
