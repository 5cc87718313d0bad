//! SCReAM v2 beside its model.

use backwater_transport::controller::{Ack, Cause, Congestion, Controller};
use backwater_transport::endpoint::Protocol;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Rate, Span};

use super::scream_model::{Given, Marks, Scream};
use super::{SEGMENT, TICK, Walk, built, side_by_side, tick};
use crate::build::quiet_ack;

/// The draft's constants, and those of libwebrtc for the base delay.
fn draft() -> Given {
    Given {
        marks: Marks::LowLatency,
        target: 0.060,
        virtual_rtt: 0.025,
        at_loss: 0.7,
        at_mark: 0.8,
        multiplicative: 0.02,
        quiet_rounds: 100.0,
        head_room: 1.5,
        overhead: 1.5,
        pacing: 1.5,
        slowest: 6250.0,
        least: 3000.0,
        minute: Span::secs(60),
        history: 10,
        empty: 0.005,
        period: Span::secs(20),
        drain_rounds: 5.0,
    }
}

/// Fractions of two, so that nothing is rounded, and short times.
const EXACT: [(&str, &str); 13] = [
    ("target", "62.5 ms"),
    ("virtual-rtt", "15.625 ms"),
    ("beta-loss", "75 %"),
    ("beta-ecn", "87.5 %"),
    ("multiplicative", "0.125"),
    ("post-congestion", "4"),
    ("overhead", "2"),
    ("slowest", "1048576 bit/s"),
    ("minute", "1 s"),
    ("history", "2"),
    ("drain-threshold", "3.90625 ms"),
    ("drain-period", "125 ms"),
    ("drain-rounds", "8"),
];

fn exact() -> Given {
    Given {
        target: 1.0 / 16.0,
        virtual_rtt: 1.0 / 64.0,
        at_loss: 0.75,
        at_mark: 0.875,
        multiplicative: 0.125,
        quiet_rounds: 4.0,
        overhead: 2.0,
        slowest: 131_072.0,
        minute: Span::secs(1),
        history: 2,
        empty: 1.0 / 256.0,
        period: Span::millis(125),
        drain_rounds: 8.0,
        ..draft()
    }
}

fn walks(given: &Given, options: &[(&str, &str)]) {
    for (seeds, steps) in [(0..60, 300), (60..64, 2000)] {
        for seed in seeds {
            let mut controller = built("scream", options, Protocol::Stream);
            let mut model = Scream::new(given.clone());
            let mut walk = Walk::new(seed);
            walk.marks = [0, 5, 30][seed as usize % 3];
            let name = format!("{options:?}, seed {seed}");
            side_by_side(&mut controller, &mut model, walk, steps, &name);
        }
    }
}

#[test]
fn scream_is_that_of_its_draft() {
    walks(&draft(), &[]);
}

#[test]
fn scream_decides_at_its_limits() {
    walks(&exact(), &EXACT);
}

#[test]
fn scream_with_classic_marks_or_none_is_that_of_its_draft() {
    for (marks, word) in [(Marks::Classic, "ect0"), (Marks::Off, "off")] {
        let given = Given { marks, ..exact() };
        walks(&given, &[&EXACT[..], &[("ecn", word)]].concat());
    }
}

#[test]
fn segments_of_scream_carry_the_codepoint_that_is_written() {
    for (word, ecn) in [
        ("ect1", Ecn::Ect1),
        ("ect0", Ecn::Ect0),
        ("off", Ecn::NotEct),
    ] {
        assert_eq!(
            built("scream", &[("ecn", word)], Protocol::Stream).ecn(),
            ecn
        );
    }
}

/// One segment acknowledged.
fn ack(at: u64) -> Ack<'static> {
    Ack {
        acked: SEGMENT,
        rtt: Some(TICK.times(8)),
        srtt: TICK.times(8),
        ..quiet_ack(tick(at), 0)
    }
}

/// A round trip of nought counts as a microsecond: 1.5 windows of 10 segments in it are 8 · 15 360 bits.
#[test]
fn no_round_trip_paces_at_an_endless_rate() {
    let mut scream = built("scream", &[], Protocol::Stream);
    scream.on_ack(&Ack {
        acked: 0,
        srtt: Span::ZERO,
        ..ack(1)
    });
    assert_eq!(scream.limits().pacing, Some(Rate(122_880_000_000)));
}

/// 10^11 B are the most. A loss takes 30 % of that, whatever was acknowledged.
#[test]
fn the_window_is_bounded() {
    let mut scream = built(
        "scream",
        &[("overhead", "1"), ("multiplicative", "1")],
        Protocol::Stream,
    );
    let mut at = 0;
    let mut last = 0;
    while scream.limits().window > last {
        last = scream.limits().window;
        at += 1;
        scream.on_ack(&Ack {
            acked: 10 * last,
            prior_in_flight: 1 << 40,
            ..ack(at)
        });
    }
    assert_eq!(last, 100_000_000_000);
    scream.on_congestion(&Congestion {
        now: tick(at),
        cause: Cause::Loss,
        in_flight: last,
        lost: SEGMENT,
        tx_in_flight: last,
        round: 0,
    });
    assert_eq!(scream.limits().window, 70_000_000_000);
}

/// Long after the last congestion a mark takes the window down to what was in flight, and be it a byte.
#[test]
fn a_mark_takes_the_window_to_the_flight_of_the_round_before() {
    let least = |flight: u64| {
        let mut scream = built("scream", &[], Protocol::Stream);
        scream.on_ack(&Ack {
            acked: 0,
            prior_in_flight: flight,
            round_start: true,
            ..ack(1)
        });
        scream.on_ack(&Ack {
            marked: SEGMENT,
            ..ack(10)
        });
        scream.inspect().values[0].1
    };
    // 3 kB are the least, and no flight is known of a round in which nothing was.
    assert_eq!(least(1), 3000.0);
    assert!(least(0) > 9.0 * SEGMENT as f64);
}

/// Long are 100 virtual round trips, 2.5 s: a mark that comes sooner after a loss takes no more than its share.
#[test]
fn a_mark_soon_after_a_loss_leaves_the_window_above_the_flight() {
    let after = |ticks: u64| {
        let mut scream = built("scream", &[], Protocol::Stream);
        scream.on_ack(&Ack {
            acked: 0,
            prior_in_flight: 5 * SEGMENT,
            round_start: true,
            ..ack(1)
        });
        scream.on_congestion(&Congestion {
            now: tick(1),
            cause: Cause::Loss,
            in_flight: 0,
            lost: SEGMENT,
            tx_in_flight: 0,
            round: 0,
        });
        scream.on_ack(&Ack {
            marked: SEGMENT,
            ..ack(1 + ticks)
        });
        scream.inspect().values[0].1 / SEGMENT as f64
    };
    // Of 7 segments 1/16 at most, or what was in flight.
    assert!(after(1280) > 6.5, "{}", after(1280));
    assert!(after(1281) <= 5.0, "{}", after(1281));
}
