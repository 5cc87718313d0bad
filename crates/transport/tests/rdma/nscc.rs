//! NSCC: acknowledgements, one after the other, with the constants that UET's simulator prints for 1,024 hosts.

use backwater_transport::controller::{AnyController, Cause, Controller};

use crate::{ack, build_for, congestion, shown};

/// Base round trip and target, us.
const BASE: f64 = 14.022_72;
const TARGET: f64 = 10.517_04;
/// A frame and its payload.
const FRAME: f64 = 4150.0;
const PAYLOAD: u64 = 4086;
/// As printed.
const FIRST: f64 = 262_926.0;
const ALPHA: f64 = 0.001_591_58;
const FAIR: f64 = 23_873.7;
const ETA: f64 = 716.21;
const FAST: f64 = 0.25 * 1.168_56;
/// Twenty frames less.
const ROOM: f64 = FIRST - 20.0 * FRAME;

fn fresh() -> AnyController {
    let options = [("rate", "100 Gbit/s"), ("base_rtt", "14.02272 us")];
    build_for([PAYLOAD, 4150], "nscc", &options)
}

/// One that has lost twenty frames, so that there is room to rise.
fn with_room() -> AnyController {
    let mut c = fresh();
    let mut lost = ack(0.0, 0, BASE);
    lost.lost = 20 * PAYLOAD;
    c.on_ack(&lost);
    at(&c, ROOM);
    c
}

/// An acknowledgement of a frame with a delay beyond the base.
fn hear(c: &mut AnyController, now: f64, delay: f64, marked: bool) {
    let mut heard = ack(now, PAYLOAD, BASE + delay);
    heard.marked = u64::from(marked) * PAYLOAD;
    c.on_ack(&heard);
}

/// The window, to the byte that the printed constants leave open.
fn at(c: &AnyController, expected: f64) {
    let got = shown(c, "window_B");
    assert!((got - expected).abs() < 1.0, "{got}, not {expected}");
}

/// Nine frames are more than eight, so the sum is added then: above the target 9 fi frames over the window.
#[test]
fn the_window_rises_for_fairness_above_the_target() {
    let mut c = with_room();
    for _ in 0..8 {
        hear(&mut c, 9.0, TARGET + 1.0, false);
        at(&c, ROOM);
    }
    hear(&mut c, 9.0, TARGET + 1.0, false);
    at(&c, ROOM + FAIR * 9.0 * FRAME / ROOM);
}

/// After a round trip one frame does, and η is added.
#[test]
fn a_round_trip_adds_what_has_gathered_and_eta() {
    let mut c = with_room();
    hear(&mut c, 15.0, TARGET + 1.0, false);
    at(&c, ROOM + FAIR * FRAME / ROOM + ETA);
    // Not again before another has passed.
    for _ in 0..9 {
        hear(&mut c, 16.0, TARGET, true);
    }
    at(&c, ROOM + FAIR * FRAME / ROOM + ETA);
}

/// The window after frames with these delays below the target: what they add in proportion to what is missing is added with each ninth.
fn risen(delays: impl IntoIterator<Item = f64>) -> f64 {
    let (mut window, mut sum) = (ROOM, 0.0);
    for (number, delay) in delays.into_iter().enumerate() {
        sum += ALPHA * FRAME * (TARGET - delay) * 1e6;
        if number % 9 == 8 {
            window += std::mem::take(&mut sum) / window;
        }
    }
    window
}

/// Below the target in proportion to what is missing.
#[test]
fn the_window_rises_in_proportion_below_the_target() {
    let mut c = with_room();
    for number in 1..=45 {
        hear(&mut c, 9.0, 2.0, false);
        at(&c, risen((0..number).map(|_| 2.0)));
    }
}

/// With no queue for a whole window a frame adds .25 a of itself: 48 frames are 199,200 B, and the window has risen to less. A delay of 2 us begins
/// that anew.
#[test]
fn the_window_rises_fast_where_no_queue_was_for_a_window() {
    let mut c = with_room();
    for _ in 0..47 {
        hear(&mut c, 9.0, 0.0, false);
    }
    let before = risen([0.0; 47]);
    assert!(47.0 * FRAME < before && 48.0 * FRAME > before, "{before}");
    at(&c, before);
    hear(&mut c, 9.0, 0.0, false);
    at(&c, before + FAST * FRAME);
    let mut c = with_room();
    let delays = (0..56).map(|number| if number == 20 { 2.0 } else { 0.0 });
    for delay in delays.clone() {
        hear(&mut c, 9.0, delay, false);
    }
    at(&c, risen(delays));
}

/// Marks with a delay of 30 us. The mean of weight .0125, to which the trimmed packets gave one sample of a round trip, passes the target with the 34th:
/// 30 − (30 − .0125 · 14.02272) · .9875^n. The window falls then, not with the next, and again after a round trip, when η is due, too.
#[test]
fn marks_decrease_once_in_a_round_trip_by_the_mean_delay() {
    let mut c = with_room();
    let mean = |n: i32| 30.0 - (30.0 - 0.0125 * BASE) * 0.9875_f64.powi(n);
    assert!(mean(33) < TARGET && mean(34) > TARGET);
    for _ in 0..33 {
        hear(&mut c, 1.0, 30.0, true);
    }
    at(&c, ROOM);
    let share = |n: i32| 1.0 - 0.8 * (mean(n) - TARGET) / mean(n);
    for _ in 34..=60 {
        hear(&mut c, 1.0, 30.0, true);
        at(&c, ROOM * share(34));
    }
    hear(&mut c, 16.0, 30.0, true);
    at(&c, ROOM * share(34) * share(61) + ETA);
}

/// A delay above the target without a mark counts as a quarter of the base: sixty of them leave the mean below the target.
#[test]
fn a_delay_without_a_mark_counts_little() {
    let mut c = fresh();
    for _ in 0..60 {
        hear(&mut c, 1.0, 30.0, false);
    }
    let expected = 0.25 * BASE * (1.0 - 0.9875_f64.powi(60));
    let mean = shown(&c, "mean_delay_s") * 1e6;
    assert!((mean - expected).abs() < 1e-4, "{mean} {expected}");
}

/// What is trimmed counts as a delay of a round trip, and takes its bytes out of the window, down to a frame.
#[test]
fn a_trimmed_packet_is_a_delay_and_a_loss() {
    let mut c = with_room();
    let mean = shown(&c, "mean_delay_s") * 1e6;
    assert!((mean - 0.0125 * BASE).abs() < 1e-6, "{mean}");
    let mut lost = ack(0.0, 0, BASE);
    lost.lost = 100 * PAYLOAD;
    c.on_ack(&lost);
    at(&c, FRAME);
}

/// A round trip of 10 us lowers the base, and with it the largest window: 1.5 · 12.5 kB/us · 10 us.
#[test]
fn a_shorter_round_trip_lowers_the_largest_window() {
    let mut c = fresh();
    hear(&mut c, 1.0, 10.0 - BASE, false);
    at(&c, 187_500.0);
}

#[test]
fn a_timeout_takes_a_frame() {
    let mut c = fresh();
    c.on_congestion(&congestion(1.0, Cause::Timeout));
    at(&c, FIRST - FRAME);
}

/// An interval is base and target, 24.54 us. A delay above four targets, 42.07 us, at its end is enough, without trimmed packets.
#[test]
fn quick_adapt_acts_on_a_long_delay() {
    for (delay, expected) in [(43.0, 2.0 * FRAME), (41.0, FIRST)] {
        let mut c = fresh();
        hear(&mut c, 0.0, 0.0, false);
        hear(&mut c, 25.0, delay, false);
        at(&c, expected);
    }
}
