//! FAST, round by round: α = 8, γ = 1/2, and a base of 250 ms.

use backwater_transport::controller::{Ack, Cause, Controller};

use crate::{ack, after, build, idle, near, round, shown, tell, window};

const OPTIONS: &[(&str, &str)] = &[("alpha", "8"), ("gamma", "0.5")];

/// w ← (1 − γ) w + γ (base/RTT w + α) with the mean round trip, whose new sample weighs a quarter, or 3/w where that is less.
#[test]
fn the_window_goes_half_the_way_to_what_keeps_eight_in_the_queue() {
    let mut c = build("fast", OPTIONS);
    assert_eq!(shown(&c, "average_rtt_s"), 0.0);
    // No round trip is known.
    let silent = Ack {
        rtt: None,
        ..round(0.0, 1000, 250.0)
    };
    assert_eq!(after(&mut c, &silent), 10_000);
    assert_eq!(after(&mut c, &ack(0.0, 1000, 250.0)), 10_000);
    near(shown(&c, "average_rtt_s"), 0.25);
    // 3/10 is more than a quarter: .3125 s. Half of 10 and of .8 × 10 + 8.
    assert_eq!(after(&mut c, &round(0.0, 1000, 500.0)), 13_000);
    near(shown(&c, "average_rtt_s"), 0.3125);
    // 3/13 is less.
    c.on_ack(&ack(0.0, 1000, 573.5));
    near(shown(&c, "average_rtt_s"), 0.3125 + 3.0 / 13.0 * 0.261);
    assert_eq!(window(&c), 13_000);
}

/// Not more than twice the window at once, and two segments at least.
#[test]
fn a_round_doubles_at_most() {
    let mut c = build("fast", &[("alpha", "20"), ("gamma", "1")]);
    assert_eq!(after(&mut c, &round(0.0, 1000, 250.0)), 20_000);
    assert_eq!(after(&mut c, &round(0.0, 1000, 250.0)), 40_000);
    assert_eq!(after(&mut c, &round(0.0, 1000, 250.0)), 60_000);
    let mut c = build("fast", &[("alpha", "0.1"), ("gamma", "1")]);
    c.on_ack(&ack(0.0, 1000, 1.0));
    assert_eq!(after(&mut c, &round(0.0, 1000, 1000.0)), 2_000);
}

/// Only where the window was full, and not in recovery.
#[test]
fn rounds_that_say_nothing_change_nothing() {
    let mut c = build("fast", OPTIONS);
    for (recovering, cwnd_limited, expected) in [
        (true, true, 10_000),
        (false, false, 10_000),
        (false, true, 14_000),
    ] {
        let end = Ack {
            recovering,
            cwnd_limited,
            ..round(0.0, 1000, 250.0)
        };
        assert_eq!(after(&mut c, &end), expected);
    }
}

/// A loss leaves half of the flight, a timeout a segment.
#[test]
fn losses_and_idle_times_are_answered_as_by_reno() {
    let mut c = build("fast", OPTIONS);
    for (cause, left) in [
        (Cause::Loss, 6_000),
        (Cause::Mark, 6_000),
        (Cause::Timeout, 1_000),
    ] {
        tell(&mut c, cause, 12_000);
        assert_eq!(window(&c), left);
    }
    tell(&mut c, Cause::Spurious, 0);
    assert_eq!(window(&c), 6_000);
    idle(&mut c, 0.0, 3_000, 0);
    assert_eq!(window(&c), 3_000);
    assert_eq!(c.inspect().state, "avoidance");
}
