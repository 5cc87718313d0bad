//! HyStart++ (RFC 9406) in the two controllers that have it, sample by sample.

use backwater_transport::controller::{AnyController, Cause, Controller};

use crate::{ack, after, build, round, state, tell, window};

fn built(id: &str) -> AnyController {
    build(id, &[("slow_start", "hystart")])
}

/// Round-trip samples of a round, without new bytes.
fn samples(c: &mut AnyController, count: usize, rtt: f64) {
    for number in 0..count {
        let sample = match number {
            0 => round(0.0, 0, rtt),
            _ => ack(0.0, 0, rtt),
        };
        c.on_ack(&sample);
    }
}

/// Bytes that an acknowledgement of so many bytes adds.
fn grows(c: &mut AnyController, bytes: u64, rtt: f64) -> u64 {
    let before = window(c);
    after(c, &ack(0.0, bytes, rtt)) - before
}

/// L = 8: at most eight segments for an acknowledgement. Where nothing slows it, RFC 5681's limit of one does not count.
#[test]
fn an_acknowledgement_adds_eight_segments_at_most() {
    for id in ["reno", "cubic"] {
        let mut c = built(id);
        for (bytes, grown) in [(7_000, 7_000), (8_000, 8_000), (9_000, 8_000), (500, 500)] {
            assert_eq!(grows(&mut c, bytes, 100.0), grown, "{id} {bytes}");
        }
    }
}

/// N_RTT_SAMPLE = 8 of this round, and eight of the round before: 113 ms after 100 are more than an eighth. Then a quarter is added.
#[test]
fn the_eighth_sample_of_a_round_slows_the_growth() {
    for id in ["reno", "cubic"] {
        let mut c = built(id);
        samples(&mut c, 8, 100.0);
        samples(&mut c, 6, 113.0);
        assert_eq!(grows(&mut c, 4_000, 113.0), 4_000, "{id}: the seventh");
        assert_eq!(grows(&mut c, 4_000, 113.0), 1_000, "{id}: the eighth");
        // An acknowledgement without a round trip is no sample.
        let mut c = built(id);
        samples(&mut c, 8, 100.0);
        samples(&mut c, 7, 113.0);
        let mut silent = ack(0.0, 4_000, 113.0);
        silent.rtt = None;
        let before = window(&c);
        assert_eq!(after(&mut c, &silent), before + 4_000, "{id}");
        assert_eq!(grows(&mut c, 4_000, 113.0), 1_000, "{id}");
    }
}

/// Of a round its least sample counts: one of 112 ms among eight keeps slow start as fast as it was.
#[test]
fn the_least_sample_of_a_round_counts() {
    for id in ["reno", "cubic"] {
        let mut c = built(id);
        samples(&mut c, 8, 100.0);
        samples(&mut c, 1, 112.0);
        for _ in 0..9 {
            assert_eq!(grows(&mut c, 500, 150.0), 500, "{id}");
        }
        // The round after is compared with 112 ms, not with 100: at 125 ms it is below an eighth more, at 126 it is not.
        for (rtt, grown) in [(125.0, 500), (126.0, 125)] {
            let mut later = c.clone();
            samples(&mut later, 8, rtt);
            assert_eq!(grows(&mut later, 500, rtt), grown, "{id} {rtt}");
        }
    }
}

/// CSS_ROUNDS = 5 end it: ssthresh is the window, and avoidance counts from nothing.
#[test]
fn after_five_rounds_the_window_is_the_threshold() {
    for id in ["reno", "cubic"] {
        let mut c = built(id);
        for rtt in [100.0, 113.0, 113.0, 113.0, 113.0, 113.0] {
            samples(&mut c, 8, rtt);
        }
        assert_eq!(state(&c), (None, "slow start"), "{id}");
        samples(&mut c, 1, 113.0);
        assert_eq!(state(&c), (Some(10_000), "avoidance"), "{id}");
        if id == "reno" {
            assert_eq!(grows(&mut c, 9_999, 100.0), 0);
            assert_eq!(grows(&mut c, 1, 100.0), 1_000);
        }
    }
}

/// A loss ends it for good: slow start behind a timeout adds a segment for an acknowledgement of three.
#[test]
fn after_a_loss_slow_start_is_that_of_rfc_5681() {
    for id in ["reno", "cubic"] {
        for cause in [Cause::Loss, Cause::Mark, Cause::Timeout] {
            let mut c = built(id);
            tell(&mut c, cause, 100_000);
            let slow = state(&c).1 == "slow start";
            assert_eq!(slow, cause == Cause::Timeout, "{id}");
            if !slow {
                crate::idle(&mut c, 0.0, 5_000, 50_000);
            }
            assert_eq!(grows(&mut c, 3_000, 100.0), 1_000, "{id} {cause:?}");
        }
    }
}
