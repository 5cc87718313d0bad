//! The rules of the 6.829 report: `zekalho`, `aimd` and `delay-triggered`, acknowledgement by acknowledgement.

use backwater_transport::controller::{Ack, AnyController, Cause, Controller, Reduction};

use crate::{ack, after, build, sent, shown, tell, try_build, window};

/// The windows after acknowledgements of a segment with these round trips, a second apart.
fn windows<const N: usize>(c: &mut AnyController, rtts: [f64; N]) -> [u64; N] {
    let mut now = 0.0;
    rtts.map(|rtt| {
        now += 1000.0;
        after(c, &ack(now, 1_000, rtt))
    })
}

/// No mean before four samples: three of 200 ms are room. The counter is at the window with the second: 3 more. The mean of four is too
/// long, once: 5 / 1.4 = 3.57.
#[test]
fn zekalhos_code_takes_no_mean_of_three() {
    let mut c = build("zekalho", &[]);
    assert_eq!(window(&c), 2_000);
    let got = windows(&mut c, [200.0; 5]);
    assert_eq!(got, [2_000, 5_000, 5_000, 3_000, 3_000]);
    assert_eq!(shown(&c, "decreases"), 1.0);
    assert_eq!(shown(&c, "mean_rtt_s"), 0.2);
    assert_eq!(c.inspect().state, "cooling");
}

/// 70 ms are not longer than 70: one more for each window, and the counter begins anew. 47 ms are room: three more, and it goes on.
#[test]
fn zekalhos_code_compares_with_both_marks() {
    for (rtt, expected) in [
        (70.0, [2_000, 3_000, 3_000, 3_000, 4_000]),
        (48.0, [2_000, 3_000, 3_000, 3_000, 4_000]),
        (47.0, [2_000, 5_000, 5_000, 5_000, 8_000]),
        (71.0, [1_000, 1_000, 1_000, 1_000, 1_000]),
    ] {
        let mut c = build("zekalho", &[("n", "1")]);
        assert_eq!(windows(&mut c, [rtt; 5]), expected, "{rtt}");
        let floor = shown(&c, "acks_at_floor");
        assert_eq!(floor, if rtt > 70.0 { 5.0 } else { 0.0 });
    }
}

/// The clock has whole milliseconds, at both ends of a round trip, and so has the mean: of 70, 70, 70 and 73 it is 70.
#[test]
fn zekalhos_code_counts_whole_milliseconds() {
    for (now, rtt, mean) in [(1000.95, 70.9, 70.0), (1000.0, 70.1, 71.0)] {
        let mut c = build("zekalho", &[("n", "1")]);
        c.on_ack(&ack(now, 1_000, rtt));
        assert_eq!(shown(&c, "mean_rtt_s"), mean / 1e3);
        assert_eq!(shown(&c, "decreases"), f64::from(u8::from(mean > 70.0)));
    }
    for (last, expected) in [(73.0, 3_000), (74.0, 1_000)] {
        let mut c = build("zekalho", &[("fast", "0"), ("per", "ack")]);
        let got = windows(&mut c, [70.0, 70.0, 70.0, last]);
        assert_eq!(got, [2_000, 2_000, 2_000, expected]);
    }
}

/// The next decrease waits until the mean is down: 20 / 1.4 = 14.3, and 15 / 1.4 = 10.7. Without a cool-down it does not: 14 / 1.4.
#[test]
fn zekalhos_code_decreases_once_until_the_mean_is_down() {
    let with = |cooldown| {
        let options = [
            ("n", "1"),
            ("per", "ack"),
            ("initial", "20 packets"),
            ("cooldown", cooldown),
        ];
        let mut c = build("zekalho", &options);
        let got = windows(&mut c, [71.0, 71.0, 70.0, 71.0]);
        (got, shown(&c, "decreases"), c.inspect().state)
    };
    let got = [14_000, 14_000, 15_000, 10_000];
    assert_eq!(with("true"), (got, 2.0, "cooling"));
    let got = [14_000, 10_000, 11_000, 7_000];
    assert_eq!(with("false"), (got, 3.0, "armed"));
}

/// What is below one packet becomes two, and one stays one.
#[test]
fn zekalhos_code_turns_nothing_into_two() {
    for (initial, left) in [("1 packets", 2_000), ("2 packets", 1_000)] {
        let mut c = build("zekalho", &[("n", "1"), ("initial", initial)]);
        assert_eq!(windows(&mut c, [71.0]), [left]);
    }
}

/// The text halves, waits until the flight is as small as the halved window, and keeps three packets.
#[test]
fn zekalhos_text_waits_for_the_flight() {
    let options = [("variant", "text"), ("n", "1"), ("initial", "10 packets")];
    let mut c = build("zekalho", &options);
    for (in_flight, expected, decreases) in [
        (10_000, 5_000, 1.0),
        (5_001, 5_000, 1.0),
        (5_000, 3_000, 2.0),
        (3_001, 3_000, 2.0),
        (3_000, 3_000, 3.0),
    ] {
        let late = Ack {
            in_flight,
            ..ack(1000.0, 1_000, 70.1)
        };
        assert_eq!(after(&mut c, &late), expected);
        assert_eq!(shown(&c, "decreases"), decreases);
        assert_eq!(c.inspect().state, "cooling");
    }
    assert_eq!(shown(&c, "acks_at_floor"), 3.0);
    // It begins below its floor.
    let mut c = build("zekalho", &[("variant", "text")]);
    assert_eq!(window(&c), 2_000);
    assert_eq!(windows(&mut c, [60.0]), [3_000]);
    assert_eq!(c.inspect().state, "armed");
    // An acknowledgement without a round trip says nothing, and equal marks are no contradiction.
    let silent = Ack {
        rtt: None,
        ..ack(2000.0, 1_000, 0.0)
    };
    assert_eq!(after(&mut c, &silent), 3_000);
    let equal = [("low", "70 ms"), ("high", "70 ms")];
    assert!(try_build("zekalho", &equal).is_ok());
}

/// A long round trip halves, whatever is acknowledged, if anything is.
#[test]
fn aimd_counts_acknowledgements_of_something() {
    let mut c = build("aimd", &[("initial", "16 packets")]);
    for (bytes, rtt, expected) in [
        (0, 101.0, 16_000),
        (1, 101.0, 8_000),
        (1, 100.0, 8_125),
        (0, 100.0, 8_125),
        (9_000, 101.0, 4_062),
        (9_000, 101.0, 2_031),
        (9_000, 101.0, 1_015),
        (9_000, 101.0, 1_000),
        (9_000, 101.0, 1_000),
    ] {
        assert_eq!(after(&mut c, &ack(1000.0, bytes, rtt)), expected);
    }
    assert_eq!(c.inspect().state, "aimd");
    assert_eq!(c.reduction(), Reduction::Direct);
    let mut deaf = build("aimd", &[("delay", "false")]);
    assert_eq!(windows(&mut deaf, [1000.0, 1000.0]), [2_000, 2_500]);
    let mut up = build("aimd", &[("rounding", "up"), ("alpha", "0.5")]);
    assert_eq!(windows(&mut up, [50.0]), [2_000]);
}

/// Two acknowledgements pass before the next decrease, short or long; and with `every` one millisecond has one decrease.
#[test]
fn aimd_waits_for_acknowledgements_or_for_a_millisecond() {
    let options = [("initial", "64 packets"), ("cooldown", "2"), ("alpha", "0")];
    let mut c = build("aimd", &options);
    let got = windows(&mut c, [101.0, 101.0, 101.0, 101.0, 50.0, 101.0, 101.0]);
    let expected = [32_000, 32_000, 32_000, 16_000, 16_000, 16_000, 8_000];
    assert_eq!(got, expected);
    let mut c = build("aimd", &[("initial", "64 packets"), ("every", "ms")]);
    for (now, expected) in [
        (1000.2, 32_000),
        (1000.9, 32_000),
        (1001.0, 16_000),
        (2001.0, 8_000),
    ] {
        assert_eq!(after(&mut c, &ack(now, 1_000, 101.0)), expected, "{now}");
    }
}

/// One decrease for each window: the first may come with the first transmission, and the second with what leaves behind it.
#[test]
fn aimd_may_decrease_once_in_a_window() {
    let mut c = build("aimd", &[("initial", "64 packets"), ("once", "true")]);
    let late = |number| Ack {
        number,
        ..ack(1000.0, 1_000, 101.0)
    };
    assert_eq!(after(&mut c, &late(0)), 32_000);
    sent(&mut c, 1000.0, 0);
    assert_eq!(after(&mut c, &late(0)), 16_000);
    assert_eq!(after(&mut c, &late(0)), 16_000);
    assert_eq!(after(&mut c, &late(1)), 8_000);
}

/// Timeouts, losses and marks count where options say so.
#[test]
fn aimd_answers_losses_where_it_is_told_to() {
    for (option, answered) in [
        ("on_timeout", &[Cause::Timeout][..]),
        ("on_loss", &[Cause::Loss, Cause::Mark][..]),
    ] {
        for cause in [
            Cause::Timeout,
            Cause::Loss,
            Cause::Mark,
            Cause::Spurious,
            Cause::Recovered,
        ] {
            let mut c = build("aimd", &[("initial", "64 packets"), (option, "true")]);
            tell(&mut c, cause, 64_000);
            let left = if answered.contains(&cause) { 32 } else { 64 };
            assert_eq!(window(&c), left * 1_000, "{option} {cause:?}");
        }
    }
}

/// Above the threshold, not at it; the state, and the mean that was taken.
#[test]
fn delay_triggered_shows_its_mean_and_whether_it_is_armed() {
    let mut c = build("delay-triggered", &[("n", "2"), ("floor", "4 packets")]);
    assert_eq!(window(&c), 4_000);
    assert_eq!(c.inspect().state, "armed");
    assert_eq!(c.inspect().values[0], ("mean_rtt_s", 0.0));
    assert_eq!(windows(&mut c, [60.0, 80.0]), [4_250, 4_485]);
    assert_eq!(shown(&c, "mean_rtt_s"), 0.07);
    assert_eq!(windows(&mut c, [62.0, 79.0]), [4_000, 4_000]);
    assert_eq!(shown(&c, "mean_rtt_s"), 0.0705);
    assert_eq!(c.inspect().state, "cut");
    for (beta, legal) in [("1", true), ("1.5", true), ("0.9", false)] {
        let built = try_build("delay-triggered", &[("beta", beta)]);
        assert_eq!(built.is_ok(), legal, "{beta}");
    }
}
