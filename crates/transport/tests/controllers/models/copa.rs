//! Copa beside its model.

use backwater_transport::controller::{Ack, Controller};
use backwater_transport::endpoint::Protocol;
use backwater_transport::units::Span;

use super::copa_model::{Copa, Given, Kind};
use super::{SEGMENT, TICK, Walk, built, side_by_side, tick};
use crate::build::quiet_ack;

fn paper() -> Given {
    Given {
        kind: Kind::Paper,
        delta: 0.5,
        competes: false,
        memory: Span::secs(10),
        patience: 5.0,
        least: 2.0,
    }
}

fn walks(given: &Given, options: &[(&str, &str)]) {
    for (seeds, steps) in [(0..60, 300), (60..64, 2000)] {
        for seed in seeds {
            let mut controller = built("copa", options, Protocol::Stream);
            let mut model = Copa::new(given.clone());
            let name = format!("{options:?}, seed {seed}");
            side_by_side(&mut controller, &mut model, Walk::new(seed), steps, &name);
        }
    }
}

#[test]
fn copa_is_that_of_its_paper() {
    walks(&paper(), &[]);
    let given = Given {
        delta: 0.25,
        memory: Span::millis(125),
        least: 4.0,
        ..paper()
    };
    let short = [
        ("delta", "0.25"),
        ("base-window", "125 ms"),
        ("least", "4 packets"),
    ];
    walks(&given, &short);
}

#[test]
fn competitive_copa_is_that_of_its_paper() {
    let given = Given {
        competes: true,
        ..paper()
    };
    walks(&given, &[("competitive", "true")]);
    let given = Given {
        patience: 2.0,
        memory: Span::millis(125),
        ..given
    };
    let short = [
        ("competitive", "true"),
        ("base-window", "125 ms"),
        ("patience", "2"),
    ];
    walks(&given, &short);
}

#[test]
fn the_authors_copa_is_that_of_their_program() {
    let given = Given {
        kind: Kind::Program,
        patience: 4.0,
        ..paper()
    };
    walks(&given, &[("variant", "genericcc")]);
    let given = Given {
        competes: true,
        memory: Span::millis(125),
        ..given
    };
    let short = [
        ("variant", "genericcc"),
        ("competitive", "true"),
        ("base-window", "125 ms"),
    ];
    walks(&given, &short);
}

#[test]
fn copa_of_mvfst_is_that_of_its_program() {
    let given = Given {
        kind: Kind::Mvfst,
        delta: 0.05,
        ..paper()
    };
    walks(&given, &[("variant", "mvfst")]);
    let given = Given {
        delta: 0.5,
        ..given
    };
    walks(&given, &[("variant", "mvfst"), ("delta", "0.5")]);
}

/// One segment acknowledged after so many ticks of round trip.
fn ack(at: u64, rtt: u64) -> Ack<'static> {
    Ack {
        acked: SEGMENT,
        acked_segments: 1,
        rtt: Some(TICK.times(rtt)),
        srtt: TICK.times(8),
        ..quiet_ack(tick(at), 10 * SEGMENT)
    }
}

/// The velocity doubles up to 10^6, in the 24th round: nothing else bounds that of mvfst.
#[test]
fn the_velocity_is_bounded() {
    let mut copa = built("copa", &[("variant", "mvfst")], Protocol::Stream);
    copa.on_ack(&ack(1, 8));
    // Slow start ends with a long round trip, in a round that falls.
    copa.on_ack(&ack(2, 1000));
    let mut seen = Vec::new();
    for round in 1..40 {
        copa.on_ack(&ack(2 + 8 * round, 8));
        seen.push(copa.inspect().values[0].1);
    }
    let doubled = |n: i32| 2.0_f64.powi(n);
    let first = seen
        .iter()
        .position(|velocity| *velocity == 2.0)
        .expect("it doubles");
    for (n, velocity) in (1..).zip(&seen[first..]) {
        assert_eq!(*velocity, doubled(n).min(1e6), "{n}");
    }
    assert_eq!(seen.last(), Some(&1e6));
}

/// 10^11 B are the most: what is lost of them is lost of no more.
#[test]
fn the_window_is_bounded() {
    let mut copa = built("copa", &[], Protocol::Stream);
    let much = Ack {
        acked: 1 << 39,
        ..ack(1, 8)
    };
    copa.on_ack(&much);
    assert_eq!(copa.limits().window, 100_000_000_000);
    // A round that loses half: 0.7 of it.
    let losses = Ack {
        acked: 0,
        lost: 1 << 40,
        round_start: true,
        ..ack(2, 8)
    };
    copa.on_ack(&losses);
    assert_eq!(copa.limits().window, 70_000_000_000);
}

/// More than 30 % are lost where one byte of three is, and not where one of four is: all since slow start ended.
#[test]
fn the_authors_copa_counts_losses_by_the_byte() {
    let kept = |acked: u64| {
        let mut copa = built("copa", &[("variant", "genericcc")], Protocol::Stream);
        copa.on_ack(&Ack {
            acked: 10 * SEGMENT,
            acked_segments: 10,
            ..ack(1, 8)
        });
        copa.on_ack(&ack(100, 40));
        assert_eq!(copa.inspect().state, "default");
        let before = copa.limits().window as f64;
        copa.on_ack(&Ack {
            acked,
            lost: 1,
            ..ack(101, 40)
        });
        copa.limits().window as f64 / before
    };
    assert!((kept(2) - 0.7).abs() < 1e-3, "{}", kept(2));
    assert!((kept(3) - 1.0).abs() < 1e-3, "{}", kept(3));
}
