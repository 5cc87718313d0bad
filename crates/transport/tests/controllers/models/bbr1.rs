//! BBRv1 beside its model.

use backwater_transport::endpoint::Protocol;
use backwater_transport::units::Span;

use super::bbr1_model::{Bbr1, Given};
use super::{Walk, built, side_by_side, stream};

/// What Linux has.
fn linux() -> Given {
    Given {
        high: 2.885,
        twice: 2.0,
        rounds: 10,
        filter: Span::secs(10),
        stay: Span::millis(200),
        margin: 0.01,
        aggregation: true,
        policer: true,
        datagrams: false,
    }
}

/// Fractions of two, so that nothing is rounded, and short times.
const EXACT: [(&str, &str); 5] = [
    ("high-gain", "2.5"),
    ("pacing-margin", "0 %"),
    ("bw-rounds", "3"),
    ("min-rtt-filter", "250 ms"),
    ("probe-rtt-duration", "31.25 ms"),
];

fn exact() -> Given {
    Given {
        high: 2.5,
        rounds: 3,
        filter: Span::millis(250),
        stay: Span::micros(31_250),
        margin: 0.0,
        ..linux()
    }
}

/// Many short walks from the first acknowledgement on, and a few long ones.
fn walks(given: &Given, options: &[(&str, &str)]) {
    for (seeds, steps) in [(0..60, 300), (60..64, 3000)] {
        for seed in seeds {
            let protocol = match given.datagrams {
                true => Protocol::Datagram,
                false => Protocol::Stream,
            };
            let mut controller = built("bbr1", options, protocol);
            let mut model = Bbr1::new(given.clone(), stream("bbr1"));
            let name = format!("{options:?}, seed {seed}");
            side_by_side(&mut controller, &mut model, Walk::new(seed), steps, &name);
        }
    }
}

#[test]
fn bbr1_is_that_of_its_description() {
    walks(&linux(), &[]);
}

#[test]
fn bbr1_decides_at_its_limits() {
    walks(&exact(), &EXACT);
}

#[test]
fn bbr1_without_aggregation_and_policers_is_that_of_its_description() {
    let given = Given {
        aggregation: false,
        policer: false,
        twice: 3.0,
        ..exact()
    };
    let more = [
        ("aggregation", "false"),
        ("policer", "false"),
        ("cwnd-gain", "3"),
    ];
    walks(&given, &[&EXACT[..], &more].concat());
}

#[test]
fn bbr1_over_datagrams_is_that_of_its_description() {
    let given = Given {
        datagrams: true,
        ..exact()
    };
    walks(&given, &EXACT);
}
