//! No window exceeds 10^11 bytes (`building_blocks::bounds`), and none keeps more behind it than it shows: what lowers it begins there.

use backwater_transport::congestion_header::CongestionHeader;
use backwater_transport::controller::{Ack, AnyController, Cause, Controller};
use backwater_transport::segment::Feedback;

use crate::{ack, after, build, build_with, round, shown, span, state, tell, window};

const LARGEST: u64 = 100_000_000_000;

/// A controller whose first window is 500 bytes below the largest.
fn below(id: &str, options: &[(&str, &str)]) -> AnyController {
    build_with(LARGEST - 500, id, options).expect("legal options")
}

/// The window is about so much.
fn about(c: &AnyController, expected: f64) {
    let got = window(c) as f64;
    assert!((got - expected).abs() < 2.0, "{got}, not {expected}");
}

#[test]
fn windows_of_reno_end_at_the_largest() {
    for id in ["dctcp", "westwood", "prague", "vegas"] {
        let mut c = below(id, &[]);
        for _ in 0..3 {
            assert_eq!(after(&mut c, &ack(0.0, 2_000, 100.0)), LARGEST, "{id}");
        }
        // A mark takes half, of the largest.
        let marked = Ack {
            marked: 1_000,
            ..ack(0.0, 1_000, 100.0)
        };
        if ["dctcp", "prague"].contains(&id) {
            c.on_ack(&marked);
            about(&c, 5e10);
        }
    }
    for id in ["dctcp", "vegas", "fast", "vcp"] {
        let mut c = build(id, &[]);
        tell(&mut c, Cause::Loss, 4 * LARGEST);
        assert_eq!(
            (window(&c), state(&c).0.unwrap_or(LARGEST)),
            (LARGEST, LARGEST)
        );
    }
}

#[test]
fn vegas_ends_at_the_largest_and_comes_down_from_there() {
    let mut c = build("vegas", &[]);
    tell(&mut c, Cause::Loss, 2 * LARGEST - 1_000);
    let ends = |c: &mut AnyController, rtt| {
        for _ in 0..3 {
            c.on_ack(&ack(0.0, 0, rtt));
        }
        after(c, &round(0.0, 0, rtt))
    };
    assert_eq!(ends(&mut c, 100.0), LARGEST);
    assert_eq!(ends(&mut c, 200.0), LARGEST - 1_000);
}

#[test]
fn fast_ends_at_the_largest_and_comes_down_from_there() {
    let options = [("alpha", "100000"), ("gamma", "1")];
    let mut c = below("fast", &options);
    assert_eq!(after(&mut c, &round(0.0, 1, 500.0)), LARGEST);
    // The base is half of the average now: half of the window, and α. The average moved by 3/w of 250 ms.
    let got = after(&mut c, &round(0.0, 1, 250.0)) as f64;
    assert!((got / (5e10 + 1e8) - 1.0).abs() < 1e-6, "{got}");
}

#[test]
fn scavengers_end_at_the_largest() {
    for id in ["ledbat", "ledbat-pp"] {
        let mut c = build(id, &[]);
        let all = Ack {
            one_way: Some(span(1000.0)),
            prior_in_flight: 100 * LARGEST,
            ..ack(0.0, 10_000 * LARGEST, 1000.0)
        };
        assert_eq!(after(&mut c, &all), LARGEST, "{id}");
        tell(&mut c, Cause::Loss, 0);
        assert_eq!(window(&c), LARGEST / 2, "{id}");
    }
}

#[test]
fn signals_end_at_the_largest() {
    for id in ["ewma", "slope", "late"] {
        let mut c = build(id, &[]);
        let all = ack(0.0, 10_000 * LARGEST, 40.0);
        assert_eq!(after(&mut c, &all), LARGEST, "{id}");
        tell(&mut c, Cause::Loss, 0);
        assert_eq!(window(&c), LARGEST / 2, "{id}");
    }
}

#[test]
fn windows_that_routers_set_end_at_the_largest() {
    let hear = |c: &mut AnyController, header| {
        let feedback = Feedback::Congestion(header);
        let all = Ack {
            prior_in_flight: 100 * LARGEST,
            feedback: Some(&feedback),
            ..ack(0.0, 10 * LARGEST, 100.0)
        };
        after(c, &all)
    };
    let mut c = build("iacp", &[("a", "0.5")]);
    for (packets, expected) in [(1e12, LARGEST), (0.0, LARGEST / 2)] {
        let header = CongestionHeader::Window {
            rtt: span(0.0),
            cwnd: 0.0,
            window: packets,
        };
        assert_eq!(hear(&mut c, header), expected);
    }
    let codepoints = |ect1, ce| CongestionHeader::Codepoints { ect1, ect0: 0, ce };
    let mut c = build(
        "vcp",
        &[("xi", "1"), ("interval", "100 ms"), ("beta", "0.5")],
    );
    assert_eq!(hear(&mut c, codepoints(1, 0)), LARGEST);
    assert_eq!(hear(&mut c, codepoints(0, 1)), LARGEST / 2);
    let mut c = build("abc", &[("dual_window", "false")]);
    assert_eq!(hear(&mut c, codepoints(1, 0)), LARGEST);
    assert_eq!(shown(&c, "abc_window"), LARGEST as f64);
}
