//! A window that follows RFC 5681 grows on new data that were acknowledged, never on duplicates.

use backwater_transport::controller::{Ack, AnyController, Cause, Congestion, Controller};
use backwater_transport::units::{Span, Time};

use crate::build::{MSS, build, quiet_ack};

/// Whose growth is that of RFC 5681 or RFC 9438.
const LOSS_BASED: [&str; 5] = ["reno", "newreno", "cubic", "dctcp", "westwood"];

fn acknowledge(controller: &mut AnyController, segments: u64, advanced: u64) {
    controller.on_ack(&Ack {
        acked: segments * MSS,
        advanced: advanced * MSS,
        acked_segments: segments as u32,
        srtt: Span::millis(100),
        rtt: Some(Span::millis(100)),
        ..quiet_ack(Time::ZERO + Span::secs(2), 40 * MSS)
    });
}

fn segments(controller: &AnyController) -> f64 {
    controller.limits().window as f64 / MSS as f64
}

/// In congestion avoidance at 20 segments, forty duplicates that report a segment each leave the window
/// alone. The acknowledgement that then covers all of it is worth a window, and no more although it
/// covers two: one segment (RFC 5681 section 3.1); of CUBIC, whose W_est is below its cubic here, at
/// most W_cubic a round trip later.
#[test]
fn duplicates_are_worth_nothing_and_what_covers_them_a_window_at_most() {
    for id in LOSS_BASED {
        let mut controller = build(id, &[]);
        controller.on_congestion(&Congestion {
            now: Time::ZERO + Span::secs(1),
            cause: Cause::Loss,
            in_flight: 40 * MSS,
            lost: MSS,
            tx_in_flight: 40 * MSS,
            round: 1,
        });
        let state = controller.inspect().state;
        assert_eq!(state, "avoidance", "{id}");
        let before = segments(&controller);
        for _ in 0..40 {
            acknowledge(&mut controller, 1, 0);
        }
        assert_eq!(segments(&controller), before, "{id}");
        acknowledge(&mut controller, 1, (2.0 * before) as u64);
        let grown = segments(&controller) - before;
        assert!(grown > 0.0 && grown <= 1.001, "{id}: {grown}");
        if id != "cubic" {
            assert!(grown > 0.999, "{id}: {grown}");
        }
    }
}
