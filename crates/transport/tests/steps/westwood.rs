//! Westwood+: the bandwidth, sample by sample, and the window after losses. Bytes/s are shown times eight.

use backwater_transport::controller::{Ack, AnyController, Cause, Controller};

use crate::{ack, after, build, idle, near, shown, state, tell, window};

fn bandwidth(c: &AnyController) -> f64 {
    shown(c, "bandwidth_bps") / 8.0
}

/// In recovery, so that the window stays; the bandwidth is measured.
fn deliver(c: &mut AnyController, now: f64, bytes: u64, rtt: f64) {
    c.on_ack(&Ack {
        recovering: true,
        ..ack(now, bytes, rtt)
    });
}

/// Linux: what came in at least 50 ms and one round trip, over that time, through two filters of 1/8.
#[test]
fn linux_filters_the_bandwidth_twice() {
    let mut c = build("westwood", &[]);
    deliver(&mut c, 1000.0, 1, 40.0);
    deliver(&mut c, 1049.9, 2, 40.0);
    assert_eq!(bandwidth(&c), 0.0);
    deliver(&mut c, 1050.0, 2, 40.0);
    near(bandwidth(&c), 5.0 / 0.05);
    // From the last sample on: 10 B in 50 ms are 200 B/s.
    deliver(&mut c, 1099.9, 4, 40.0);
    deliver(&mut c, 1100.0, 6, 40.0);
    let first = 100.0 + 100.0 / 8.0;
    let second = 100.0 + (first - 100.0) / 8.0;
    near(bandwidth(&c), second);
    // The newest round trip is longer than 50 ms: 80 of them.
    deliver(&mut c, 1179.9, 8, 80.0);
    near(bandwidth(&c), second);
    deliver(&mut c, 1180.0, 16, 80.0);
    let first = first + (300.0 - first) / 8.0;
    let second = second + (first - second) / 8.0;
    near(bandwidth(&c), second);
    // And a shorter one counts at once: 50 ms without a byte.
    deliver(&mut c, 1230.0, 0, 20.0);
    near(bandwidth(&c), second + (first * 7.0 / 8.0 - second) / 8.0);
}

/// The paper: one filter of a tenth, over the newest round trip however short. At one instant there is no sample.
#[test]
fn the_paper_filters_once() {
    let mut c = build("westwood", &[("variant", "paper")]);
    let silent = Ack {
        rtt: None,
        ..ack(1000.0, 1, 0.0)
    };
    c.on_ack(&silent);
    assert_eq!(bandwidth(&c), 0.0);
    deliver(&mut c, 1010.0, 1, 10.0);
    near(bandwidth(&c), 200.0);
    deliver(&mut c, 1020.0, 12, 10.0);
    near(bandwidth(&c), 200.0 + 100.0);
    let mut given = build("westwood", &[("gain", "0.5"), ("shortest", "1 s")]);
    for (now, bytes) in [(0.0, 0), (999.0, 3), (1000.0, 1), (2000.0, 12)] {
        deliver(&mut given, now, bytes, 10.0);
    }
    // 4 and then 12 B/s: the first stage 8, the second 6.
    near(bandwidth(&given), 6.0);
}

/// A sender with 200,000 B/s and a least round trip of 40 ms: 8,000 B.
fn measured(variant: &str) -> AnyController {
    let mut c = build("westwood", &[("variant", variant)]);
    deliver(&mut c, 1000.0, 0, 50.0);
    deliver(&mut c, 1000.0, 0, 40.0);
    deliver(&mut c, 1050.0, 10_000, 50.0);
    near(bandwidth(&c), 200_000.0);
    assert_eq!(window(&c), 10_000);
    c
}

/// A loss leaves bandwidth times least round trip, never more than the window; a timeout leaves a segment, and ssthresh is that product.
#[test]
fn a_loss_leaves_what_the_path_holds() {
    for variant in ["linux", "paper"] {
        for cause in [Cause::Loss, Cause::Mark] {
            let mut c = measured(variant);
            tell(&mut c, cause, 100_000);
            assert_eq!((window(&c), state(&c).0), (8_000, Some(8_000)));
            tell(&mut c, Cause::Spurious, 0);
            assert_eq!((window(&c), state(&c).0), (10_000, None));
            idle(&mut c, 0.0, 5_000, 0);
            tell(&mut c, cause, 100_000);
            assert_eq!((window(&c), state(&c).0), (5_000, Some(5_000)));
            tell(&mut c, Cause::Recovered, 100_000);
            tell(&mut c, Cause::Timeout, 100_000);
            assert_eq!((window(&c), state(&c).0), (1_000, Some(8_000)));
        }
        // Without a round trip two segments are left.
        let mut c = build("westwood", &[("variant", variant)]);
        tell(&mut c, Cause::Loss, 100_000);
        assert_eq!(window(&c), 2_000);
    }
}

/// In Linux a timeout forgets the least round trip, once: the next one, of 45 ms, takes its place, and longer ones behind it do not.
#[test]
fn a_timeout_of_linux_forgets_the_least_round_trip() {
    for (variant, left) in [("linux", 9_000), ("paper", 8_000)] {
        let mut c = measured(variant);
        tell(&mut c, Cause::Timeout, 100_000);
        for rtt in [45.0, 60.0] {
            deliver(&mut c, 1051.0, 0, rtt);
        }
        tell(&mut c, Cause::Timeout, 100_000);
        assert_eq!(state(&c).0, Some(left), "{variant}");
    }
}

/// Growth is Reno's: slow start with two segments for an acknowledgement at most, then one for each window.
#[test]
fn the_window_grows_as_that_of_reno() {
    let mut c = build("westwood", &[]);
    assert_eq!(after(&mut c, &ack(0.0, 5_000, 100.0)), 12_000);
    assert_eq!(after(&mut c, &ack(0.0, 1_500, 100.0)), 13_500);
    let free = Ack {
        cwnd_limited: false,
        ..ack(0.0, 1_000, 100.0)
    };
    assert_eq!(after(&mut c, &free), 13_500);
    tell(&mut c, Cause::Loss, 0);
    assert_eq!(window(&c), 2_000);
    assert_eq!(after(&mut c, &ack(0.0, 1_000, 100.0)), 2_500);
    assert_eq!(after(&mut c, &ack(0.0, 9_000, 100.0)), 3_500);
}
