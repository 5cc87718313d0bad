//! BBRv1 beside its model.

use backwater_transport::controller::{Ack, Cause, Congestion, Controller};
use backwater_transport::endpoint::Protocol;
use backwater_transport::units::Span;

use super::bbr1_model::{Bbr1, Given};
use super::{SEGMENT, Walk, built, side_by_side, stream, tick};
use crate::build::quiet_ack;

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
            let mut walk = Walk::new(seed);
            walk.losses = [10, 10, 40][seed as usize % 3];
            side_by_side(&mut controller, &mut model, walk, steps, &name);
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

/// Much is lost and no sample limited: policers are found, and their rates kept for 48 rounds.
#[test]
fn bbr1_behind_policers_is_that_of_its_description() {
    let given = Given {
        filter: Span::secs(3600),
        ..exact()
    };
    let options = [&EXACT[..3], &[("min-rtt-filter", "3600 s"), EXACT[4]]].concat();
    for seed in 0..8 {
        let mut controller = built("bbr1", &options, Protocol::Stream);
        let mut model = Bbr1::new(given.clone(), stream("bbr1"));
        let mut walk = Walk::new(seed);
        (walk.losses, walk.limited, walk.undone) = (60, 0, 0);
        let name = format!("policers, seed {seed}");
        side_by_side(&mut controller, &mut model, walk, 1500, &name);
    }
}

/// Rounds that measure nothing do not make a pipe full, neither at first nor after a timeout or losses that were none.
#[test]
fn bbr1_takes_no_pipe_for_full_without_a_sample() {
    for cause in [Cause::Mark, Cause::Timeout, Cause::Spurious] {
        let mut controller = built("bbr1", &EXACT, Protocol::Stream);
        controller.on_congestion(&Congestion {
            now: tick(1),
            cause,
            in_flight: 0,
            lost: 0,
            tx_in_flight: 0,
            round: 0,
        });
        for round in 1..10 {
            controller.on_ack(&Ack {
                acked: SEGMENT,
                delivered: round * SEGMENT,
                round_start: true,
                ..quiet_ack(tick(round), 0)
            });
        }
        assert_eq!(controller.inspect().state, "startup", "{cause:?}");
    }
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

/// 10^11 B are the most: of half of them that are lost half remain, whatever was acknowledged.
#[test]
fn the_window_is_bounded() {
    let mut controller = built("bbr1", &[], Protocol::Stream);
    let acked = Ack {
        acked: 1 << 38,
        delivered: 1 << 38,
        ..quiet_ack(tick(1), 0)
    };
    controller.on_ack(&acked);
    assert_eq!(controller.limits().window, 100_000_000_000);
    controller.on_ack(&Ack {
        acked: 1,
        lost: 50_000_000_000,
        ..acked
    });
    assert_eq!(controller.limits().window, 50_000_000_000);
}
