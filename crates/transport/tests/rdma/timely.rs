//! TIMELY: algorithm 1 of SIGCOMM 2015 and algorithm 2 of CoNEXT 2016, completion by completion, at the numbers at which its cases begin.

use backwater_transport::controller::{AnyController, Cause, Controller, Reduction};
use backwater_transport::endpoint::MAX_UNACKNOWLEDGED;

use crate::{ack, build, congestion, near, shown, try_build};

/// At half of 10 Gbit/s, with a step of 10 Mbit/s and a least round trip of 20 us.
fn built(options: &[(&str, &str)]) -> AnyController {
    let usual = [("rate", "10 Gbit/s"), ("start", "50 %")];
    build("timely", &[options, &usual].concat())
}

fn complete(c: &mut AnyController, rtt: f64) -> f64 {
    c.on_ack(&ack(0.0, 16_000, rtt));
    shown(c, "rate_bps")
}

/// The difference of round trips has a memory of an eighth: 8.75, −.65625 and 3.41796875 us behind 100, 110, 108 and 112 us.
#[test]
fn the_slope_is_smoothed() {
    let mut c = built(&[]);
    for (rtt, difference, rate) in [
        (100.0, 0.0, 5e9),
        (110.0, 8.75, 3.25e9),
        (108.0, -0.656_25, 3.26e9),
        (112.0, 3.417_968_75, 2.814_296_875e9),
    ] {
        near(complete(&mut c, rtt), rate);
        let gradient = shown(&c, "gradient") * 20.0;
        assert!((gradient - difference).abs() < 1e-6, "{rtt}: {gradient}");
    }
}

/// A round trip of T_low lies between, and so does one of T_high: with the fifth increase in a row the step is five times as large, and
/// the state says so.
#[test]
fn both_thresholds_belong_to_what_lies_between() {
    for rtt in [50.0, 500.0] {
        let mut c = built(&[]);
        complete(&mut c, rtt);
        for (steps, state) in [
            (1.0, "steady"),
            (2.0, "steady"),
            (3.0, "steady"),
            (4.0, "steady"),
            (9.0, "rising"),
            (14.0, "rising"),
        ] {
            near(complete(&mut c, rtt), 5e9 + steps * 10e6);
            assert_eq!(c.inspect().state, state, "{rtt}");
        }
    }
}

/// A round trip that grows between the thresholds begins the count anew: five more flat or shorter ones are needed.
#[test]
fn a_decrease_ends_the_row_of_increases() {
    let mut c = built(&[]);
    for _ in 0..5 {
        complete(&mut c, 100.0);
    }
    near(shown(&c, "rate_bps"), 5.04e9);
    // A slope of .875.
    let mut rate = 5.04e9 * (1.0 - 0.8 * 0.875);
    near(complete(&mut c, 120.0), rate);
    for (rtt, steps) in [
        (100.0, 1.0),
        (98.0, 1.0),
        (96.0, 1.0),
        (94.0, 1.0),
        (92.0, 5.0),
    ] {
        rate += steps * 10e6;
        near(complete(&mut c, rtt), rate);
    }
}

/// At T_low itself the slope counts: while it is above zero, however little, nothing rises in a row.
#[test]
fn at_the_lower_threshold_the_slope_counts() {
    let mut c = built(&[]);
    complete(&mut c, 49.0);
    let mut before = 5e9;
    for _ in 0..8 {
        let rate = complete(&mut c, 50.0);
        assert!(rate < before, "{rate}");
        assert_eq!(c.inspect().state, "steady");
        before = rate;
    }
}

/// Above T_high the rate falls by .8 of the share beyond, whatever the slope: at 1,000 us by .4. Below T_low it rises by a step, and
/// neither counts in a row.
#[test]
fn beyond_the_thresholds_the_slope_does_not_count() {
    let mut c = built(&[]);
    complete(&mut c, 1100.0);
    near(complete(&mut c, 1000.0), 3e9);
    near(complete(&mut c, 40.0), 3.01e9);
    near(complete(&mut c, 45.0), 3.02e9);
    for steps in 1..=4 {
        near(complete(&mut c, 45.0), 3.02e9 + 10e6 * f64::from(steps));
    }
    let mut c = built(&[("variant", "patched")]);
    complete(&mut c, 1100.0);
    near(complete(&mut c, 1000.0), 3e9);
    near(complete(&mut c, 40.0), 3.01e9);
}

/// A slope of two leaves nothing, which is 10 Mbit/s; on a slower line its rate. Nothing rises above the line.
#[test]
fn a_rate_lies_between_ten_megabits_and_the_line() {
    let mut c = built(&[]);
    complete(&mut c, 100.0);
    near(complete(&mut c, 150.0), 10e6);
    near(complete(&mut c, 100.0), 20e6);
    for (line, expected) in [("4 Mbit/s", 4e6), ("12 Mbit/s", 10e6)] {
        let options = [("rate", line), ("start", "100 %")];
        let mut c = build("timely", &options);
        complete(&mut c, 100.0);
        near(complete(&mut c, 150.0), expected);
    }
    let mut c = build("timely", &[("rate", "10 Gbit/s")]);
    near(shown(&c, "rate_bps"), 10e9);
    complete(&mut c, 40.0);
    near(complete(&mut c, 40.0), 10e9);
}

/// A completion is 16,000 bytes, all of them since the last; one without a round trip waits for the next acknowledgement.
#[test]
fn a_completion_is_as_many_bytes_as_are_written() {
    let mut c = built(&[]);
    for (bytes, known, rate) in [
        (15_999, true, 5e9),
        (1, true, 5e9),
        (15_999, true, 5e9),
        (1, true, 5.01e9),
        (15_999, true, 5.01e9),
        (1, false, 5.01e9),
        (0, true, 5.02e9),
        (16_000, true, 5.03e9),
    ] {
        let mut heard = ack(0.0, bytes, 40.0);
        heard.rtt = heard.rtt.filter(|_| known);
        c.on_ack(&heard);
        near(shown(&c, "rate_bps"), rate);
    }
}

/// With w = 2 g + 1/2, from 0 at a slope of −1/4 to 1 at 1/4: (1 − w) of a step, and w β of the distance from T_low.
#[test]
fn a_patched_flow_weighs_both_laws() {
    for (before, rtt, expected) in [
        // A slope of −.2625, −.21875, 0 and .2625.
        (106.0, 100.0, 5.01e9),
        (105.0, 100.0, 5e9 + 0.9375 * 10e6 - 5e9 * 0.008 * 0.0625),
        (75.0, 75.0, 5e9 + 0.5 * 10e6 - 5e9 * 0.008 * 0.25),
        (94.0, 100.0, 5e9 - 5e9 * 0.008),
    ] {
        let mut c = built(&[("variant", "patched")]);
        complete(&mut c, before);
        near(complete(&mut c, rtt), expected);
    }
}

/// The pace is the rate in whole bits, the window all that may be unacknowledged; losses are the transport's.
#[test]
fn only_the_pace_limits_a_flow() {
    let mut c = built(&[]);
    c.on_congestion(&congestion(0.0, Cause::Timeout));
    let limits = c.limits();
    assert_eq!(limits.window, MAX_UNACKNOWLEDGED * 1000);
    assert_eq!(limits.pacing.map(|rate| rate.0), Some(5_000_000_000));
    assert_eq!(c.reduction(), Reduction::Direct);
    let equal = |low| {
        let options = [("rate", "10 Gbit/s"), ("low", low), ("high", "70 us")];
        try_build("timely", &options).is_ok()
    };
    assert_eq!(["69 us", "70 us", "71 us"].map(equal), [true, true, false]);
}
