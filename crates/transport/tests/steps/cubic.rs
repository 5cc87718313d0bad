//! CUBIC: RFC 9438 with numbers that come out whole. C = 1 and β = .8, so that α_cubic = 3 (1 − .8) / (1 + .8) = 1/3.

use backwater_transport::controller::{Ack, AnyController, Cause, Controller};

use crate::{ack, after, build, idle, near, shown, state, tell_at, window};

fn built(fast_convergence: &str) -> AnyController {
    let options = [
        ("c", "1"),
        ("beta", "0.8"),
        ("fast_convergence", fast_convergence),
    ];
    build("cubic", &options)
}

/// The window in whole bytes.
fn bytes(got: u64, expected: f64) {
    assert!((got as f64 - expected).abs() < 1.0, "{got}, not {expected}");
}

/// W_max = 18 and cwnd_epoch = 10 at 1,000 ms: K = ∛((18 − 10) / 1) = 2 s.
fn after_18() -> AnyController {
    let mut c = built("true");
    for _ in 0..8 {
        c.on_ack(&ack(900.0, 1000, 100.0));
    }
    assert_eq!(window(&c), 18_000);
    tell_at(&mut c, 900.0, Cause::Loss, 12_500);
    assert_eq!(window(&c), 10_000);
    assert_eq!(state(&c), (Some(10_000), "avoidance"));
    c
}

/// An acknowledgement while the smoothed round trip is so long.
fn later(now: f64, bytes: u64, srtt: f64) -> Ack<'static> {
    ack(now, bytes, srtt)
}

/// Equations 1 and 4, figure 1's three cases. The Reno window leads at the beginning; then the target is W_cubic a round trip on, at most
/// half a window more, and never less than the window.
#[test]
fn the_window_follows_the_cubic_a_round_trip_on() {
    let mut c = after_18();
    let reno = 10.0 + 1.0 / 30.0;
    // W_cubic(0) = 10 is below W_est = 10 + α / 10.
    assert_eq!(after(&mut c, &later(1000.0, 1000, 250.0)), 10_033);
    near(shown(&c, "w_max"), 18.0);
    near(shown(&c, "k_s"), 2.0);
    near(shown(&c, "w_est"), reno);
    // W_cubic(.5) = 18 − 1.5³ = 14.625: a segment of a window goes so much of the way.
    let second = reno + (14.625 - reno) / reno;
    bytes(after(&mut c, &later(1250.0, 1000, 250.0)), second * 1e3);
    near(shown(&c, "w_est"), reno + 1.0 / 3.0 / reno);
    // A whole window and more goes all of the way.
    bytes(after(&mut c, &later(1250.0, 40_000, 250.0)), 14_625.0);
    // W_cubic(.35) lies below the window, which stays.
    bytes(after(&mut c, &later(1250.0, 1000, 100.0)), 14_625.0);
    // W_cubic(4) = 26 lies above 1.5 windows.
    bytes(after(&mut c, &later(3000.0, 40_000, 2000.0)), 21_937.5);
}

/// W_max = 10 = cwnd_epoch, so K = 0. Half of a window has been acknowledged.
fn flat() -> AnyController {
    let mut c = built("true");
    tell_at(&mut c, 900.0, Cause::Loss, 12_500);
    assert_eq!(window(&c), 10_000);
    assert_eq!(after(&mut c, &later(1000.0, 5000, 1000.0)), 10_500);
    near(shown(&c, "w_est"), 10.5);
    near(shown(&c, "k_s"), 0.0);
    c
}

/// Section 4.3: where W_cubic(t) equals W_est the window is not W_est, and α_cubic is 1 from cwnd_prior on. A second
/// on W_cubic = 11.
#[test]
fn at_the_border_of_the_reno_region_the_cubic_leads() {
    let mut c = flat();
    // 5,250 of 10,500 bytes are half a segment more: W_est = 11. Half of a window goes half of the way to 1.5 windows.
    bytes(after(&mut c, &later(2000.0, 5250, 1000.0)), 13_125.0);
    let mut c = flat();
    bytes(after(&mut c, &later(2000.0, 6300, 1000.0)), 11_100.0);
    // The same with W_est below cwnd_prior: a third of it.
    let mut c = built("true");
    tell_at(&mut c, 900.0, Cause::Loss, 12_499);
    c.on_ack(&later(1000.0, 5000, 1000.0));
    let begun = 12.499 * 0.8;
    near(shown(&c, "w_est"), begun + 5.0 / begun / 3.0);
}

/// Section 4.7: W_max is .9 of a window below the last W_max, and the window itself at it.
#[test]
fn fast_convergence_begins_below_the_last_peak() {
    for (flight, fast, peak) in [
        (12_500, "true", 10.0),
        (12_499, "true", 12.499 * 0.8 * 0.9),
        (12_499, "false", 12.499 * 0.8),
    ] {
        let mut c = built(fast);
        tell_at(&mut c, 900.0, Cause::Loss, flight);
        tell_at(&mut c, 950.0, Cause::Loss, 50_000);
        near(shown(&c, "w_max"), peak);
        assert_eq!(window(&c), 40_000);
    }
}

/// Section 4.6: two segments are left at a loss, one at a mark or a timeout; ssthresh is two at least.
#[test]
fn a_reduction_leaves_two_segments_or_one() {
    for (cause, flight, left, threshold) in [
        (Cause::Loss, 1_000, 2_000, 2_000),
        (Cause::Loss, 3_750, 3_000, 3_000),
        (Cause::Mark, 1_000, 1_000, 2_000),
        (Cause::Mark, 2_000, 1_600, 2_000),
        (Cause::Timeout, 2_000, 1_000, 2_000),
        (Cause::Timeout, 20_000, 1_000, 16_000),
    ] {
        let mut c = built("true");
        tell_at(&mut c, 900.0, cause, flight);
        assert_eq!(window(&c), left, "{cause:?} {flight}");
        assert_eq!(state(&c).0, Some(threshold), "{cause:?} {flight}");
    }
    let mut c = build("cubic", &[("abe", "true")]);
    tell_at(&mut c, 900.0, Cause::Mark, 20_000);
    assert_eq!(window(&c), 17_000);
}

/// An epoch begins with the first new byte, not with a duplicate, and each loss begins another.
#[test]
fn an_epoch_begins_with_new_data_behind_a_loss() {
    let mut c = after_18();
    let duplicate = Ack {
        advanced: 0,
        ..later(1000.0, 1000, 250.0)
    };
    assert_eq!(after(&mut c, &duplicate), 10_000);
    assert_eq!(shown(&c, "w_est"), 0.0);
    assert_eq!(shown(&c, "k_s"), 0.0);
    let recovering = Ack {
        recovering: true,
        ..later(1500.0, 1000, 250.0)
    };
    assert_eq!(after(&mut c, &recovering), 10_000);
    assert_eq!(shown(&c, "w_est"), 0.0);
    // One byte does.
    c.on_ack(&later(2000.0, 1, 250.0));
    near(shown(&c, "w_est"), 10.0 + 1.0 / 30_000.0);
    bytes(after(&mut c, &later(2250.0, 40_000, 250.0)), 14_625.0);
    tell_at(&mut c, 2300.0, Cause::Loss, 10_000);
    near(shown(&c, "w_max"), 14.625 * 0.9);
    c.on_ack(&later(5000.0, 1000, 250.0));
    near(shown(&c, "k_s"), libm::cbrt(14.625 * 0.9 - 8.0));
    near(shown(&c, "w_est"), 8.0 + 1.0 / 24.0);
}

/// Nothing is known of a peak before the first loss.
#[test]
fn a_new_flow_shows_no_epoch() {
    let c = built("true");
    assert_eq!(state(&c), (None, "slow start"));
    for name in ["w_max", "k_s", "w_est"] {
        assert_eq!(shown(&c, name), 0.0, "{name}");
    }
}

/// Section 4.8: behind a timeout slow start goes to ssthresh, and the cubic begins there with K = 0.
#[test]
fn behind_a_timeout_the_peak_is_where_avoidance_begins() {
    let mut c = built("true");
    tell_at(&mut c, 900.0, Cause::Timeout, 10_000);
    for expected in 2..=8 {
        assert_eq!(after(&mut c, &ack(950.0, 3000, 100.0)), 1000 * expected);
    }
    assert_eq!(state(&c), (Some(8_000), "avoidance"));
    // W_est is below cwnd_prior = 10: 8 + (1/3) 4/8.
    let begun = 8.0 + 1.0 / 6.0;
    assert_eq!(after(&mut c, &later(1000.0, 4000, 1000.0)), 8_166);
    near(shown(&c, "w_max"), 8.0);
    near(shown(&c, "w_est"), begun);
    // The next epoch is no longer one of a timeout: its peak stays.
    tell_at(&mut c, 1100.0, Cause::Loss, 5_000);
    near(shown(&c, "w_max"), begun);
    c.on_ack(&later(1200.0, 1000, 1000.0));
    near(shown(&c, "w_max"), begun);
    near(shown(&c, "k_s"), libm::cbrt(begun - 4.0));
}

/// Section 4.9.2: what was spurious is undone where the window was larger before, once.
#[test]
fn a_spurious_event_is_undone_only_upwards() {
    let mut c = after_18();
    tell_at(&mut c, 950.0, Cause::Spurious, 0);
    assert_eq!((window(&c), state(&c).0), (18_000, None));
    assert_eq!(shown(&c, "w_max"), 0.0);
    // 12.5 segments leave 10, which the window was: there is nothing to undo.
    for (flight, threshold) in [(12_500, Some(10_000)), (12_400, None)] {
        let mut c = built("true");
        tell_at(&mut c, 900.0, Cause::Loss, flight);
        tell_at(&mut c, 950.0, Cause::Spurious, 0);
        assert_eq!((window(&c), state(&c).0), (10_000, threshold));
        tell_at(&mut c, 950.0, Cause::Recovered, 0);
        assert_eq!(window(&c), 10_000);
    }
    // A second event of the kind finds nothing kept.
    let mut c = after_18();
    tell_at(&mut c, 950.0, Cause::Spurious, 0);
    idle(&mut c, 960.0, 4_000, 0);
    tell_at(&mut c, 970.0, Cause::Spurious, 0);
    assert_eq!(window(&c), 4_000);
}

/// Time in which the window was not full does not age the epoch, and leaves the window alone.
#[test]
fn time_without_a_full_window_does_not_count() {
    let mut c = after_18();
    c.on_ack(&later(1000.0, 1000, 250.0));
    for now in [1500.0, 2000.0] {
        let free = Ack {
            cwnd_limited: false,
            ..later(now, 1000, 250.0)
        };
        assert_eq!(after(&mut c, &free), 10_033);
    }
    // The epoch is 250 ms old, not 1,250.
    bytes(after(&mut c, &later(2250.0, 40_000, 250.0)), 14_625.0);
}

/// Section 5.8: nor does an idle time, which is counted from the last acknowledgement and once.
#[test]
fn an_idle_time_does_not_count() {
    let mut c = after_18();
    c.on_ack(&later(1000.0, 1000, 250.0));
    c.on_ack(&later(1100.0, 1, 100.0));
    idle(&mut c, 3000.0, u64::MAX, 0);
    let free = Ack {
        cwnd_limited: false,
        ..later(3500.0, 1000, 250.0)
    };
    c.on_ack(&free);
    // 100 ms before the pause, and 150 behind it.
    bytes(after(&mut c, &later(3650.0, 40_000, 250.0)), 14_625.0);
}

/// A window that an idle time lowers begins an epoch of its own; one as large as it may be does not. ssthresh only rises.
#[test]
fn an_idle_time_lowers_the_window_and_raises_the_threshold() {
    let mut c = flat();
    idle(&mut c, 1250.0, 10_500, 9_000);
    assert_eq!((window(&c), state(&c).0), (10_500, Some(10_000)));
    near(shown(&c, "w_est"), 10.5);
    idle(&mut c, 1250.0, 10_499, 12_500);
    bytes(window(&c), 10_499.0);
    assert_eq!(state(&c), (Some(12_500), "slow start"));
    assert_eq!(shown(&c, "w_est"), 0.0);
}
