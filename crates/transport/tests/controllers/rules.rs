//! Single rules of controllers, each at the number at which it begins: acknowledgements one by one.

use backwater_transport::congestion_header::CongestionHeader;
use backwater_transport::controller::{
    Ack, AnyController, Cause, Congestion, Controller, Idle, Sent,
};
use backwater_transport::segment::Feedback;
use backwater_transport::units::{Rate, Span, Time};

use crate::build::{MSS, build, quiet_ack};

fn at(ms: u64) -> Time {
    Time::ZERO + Span::millis(ms)
}

fn segments(controller: &AnyController) -> f64 {
    controller.limits().window as f64 / MSS as f64
}

/// The value that a controller shows under this name.
fn shown(controller: &AnyController, name: &str) -> f64 {
    let values = controller.inspect().values;
    let found = values.iter().find(|(own, _)| *own == name);
    found.expect("a value").1
}

/// So many segments are acknowledged after this round trip.
fn ack(now: Time, segments: u64, rtt: Span) -> Ack<'static> {
    Ack {
        acked: segments * MSS,
        advanced: segments * MSS,
        acked_segments: segments as u32,
        rtt: Some(rtt),
        srtt: rtt,
        ..quiet_ack(now, 1000 * MSS)
    }
}

fn congestion(cause: Cause, segments: u64) -> Congestion {
    Congestion {
        now: at(1000),
        cause,
        in_flight: segments * MSS,
        lost: 0,
        tx_in_flight: 0,
        round: 0,
    }
}

/// Segments by which an acknowledgement makes the window grow.
fn grows(controller: &mut AnyController, ack: &Ack) -> f64 {
    let before = segments(controller);
    controller.on_ack(ack);
    segments(controller) - before
}

/// A round of eight acknowledgements of one segment each.
fn round(controller: &mut AnyController, rtt: Span) {
    for n in 0..8 {
        controller.on_ack(&Ack {
            round_start: n == 0,
            ..ack(at(0), 1, rtt)
        });
    }
}

const WITH_HYSTART: [&str; 2] = ["reno", "cubic"];

/// After rounds of such round trips in microseconds.
fn after_rounds(id: &str, rounds: &[u64]) -> AnyController {
    let mut controller = build(id, &[("slow_start", "hystart")]);
    for rtt in rounds {
        round(&mut controller, Span::micros(*rtt));
    }
    controller
}

/// The growth by four segments in slow start after such rounds.
fn four(id: &str, rounds: &[u64]) -> f64 {
    let mut controller = after_rounds(id, rounds);
    let last = Span::micros(*rounds.last().expect("a round"));
    grows(&mut controller, &ack(at(0), 4, last))
}

/// RFC 9406 4.2 and 4.3: slow start turns conservative, a quarter as fast, when the round trip has grown by an eighth of that of
/// the round before, but by 4 ms at least and 16 ms at most.
#[test]
fn hystart_slows_down_at_an_eighth_of_the_round_trip_within_its_bounds() {
    for id in WITH_HYSTART {
        for (base, grown) in [(80_000, 90_000), (16_000, 20_000), (400_000, 416_000)] {
            assert_eq!(four(id, &[base, grown - 1]), 4.0, "{id} {base}");
            assert_eq!(four(id, &[base, grown]), 1.0, "{id} {base}");
        }
    }
}

/// A round trip below that at which the conservative phase began ends that phase.
#[test]
fn hystart_goes_on_as_before_when_the_round_trip_falls_again() {
    for id in WITH_HYSTART {
        assert_eq!(four(id, &[80_000, 90_000, 90_000]), 1.0, "{id}");
        assert_eq!(four(id, &[80_000, 90_000, 89_999]), 4.0, "{id}");
    }
}

/// The conservative phase takes five rounds, that in which it began included; slow start is over then, and a later one is
/// that of RFC 5681: a segment for an acknowledgement of two.
#[test]
fn hystart_ends_the_first_slow_start_after_five_rounds() {
    for id in WITH_HYSTART {
        let mut controller = after_rounds(id, &[80_000, 90_000]);
        let mut states = Vec::new();
        for _ in 0..5 {
            round(&mut controller, Span::millis(90));
            states.push(controller.inspect().state);
        }
        let slow = "slow start";
        assert_eq!(states, [slow, slow, slow, slow, "avoidance"], "{id}");
        let window = controller.limits().window;
        controller.on_idle(&Idle {
            now: at(0),
            window: 10 * MSS,
            threshold: window,
        });
        assert_eq!(controller.inspect().state, slow, "{id}");
        let grown = grows(&mut controller, &ack(at(0), 2, Span::millis(90)));
        assert_eq!(grown, 1.0, "{id}");
    }
}

/// The report's text: faster growth below `low`, a decrease above `high`; a mean at a mark is neither.
#[test]
fn zekalho_compares_its_mean_with_both_marks() {
    let options = [("variant", "text"), ("n", "1"), ("per", "ack")];
    let grown = |rtt: Span| {
        let mut controller = build("zekalho", &options);
        let grown = grows(&mut controller, &ack(at(0), 1, rtt));
        (grown, shown(&controller, "decreases"))
    };
    assert_eq!(grown(Span::micros(46_999)), (3.0, 0.0));
    assert_eq!(grown(Span::millis(47)), (1.0, 0.0));
    assert_eq!(grown(Span::millis(70)), (1.0, 0.0));
    let (_, decreases) = grown(Span::micros(70_001));
    assert_eq!(decreases, 1.0);
}

/// With `once` nothing decreases the window a second time before a segment is acknowledged that was sent after the first decrease.
#[test]
fn a_decrease_waits_for_what_was_sent_after_the_one_before() {
    let mut controller = build("aimd", &[("once", "true"), ("per", "ack")]);
    for _ in 0..40 {
        controller.on_ack(&ack(at(0), 1, Span::millis(50)));
    }
    let mut fell = |number| {
        let late = Ack {
            number,
            ..ack(at(0), 1, Span::millis(200))
        };
        controller.on_sent(&Sent {
            now: at(0),
            number: 9,
            len: MSS,
            in_flight: MSS,
            again: false,
            app_limited: false,
        });
        grows(&mut controller, &late) < 0.0
    };
    assert_eq!([5, 9, 10].map(&mut fell), [true, false, true]);
}

/// NSDI 2020, section 5, and the code: where CE is a brake, it is no classic mark, but a loss is one. An idle time lowers both windows.
#[test]
fn an_explicit_window_and_its_classic_one_are_reduced_by_what_is_meant_for_them() {
    let classic = |variant, cause| {
        let mut controller = build("abc", &[("variant", variant)]);
        controller.on_congestion(&congestion(cause, 8));
        shown(&controller, "classic_window") / MSS as f64
    };
    for (variant, cause, window) in [
        ("paper", Cause::Mark, 4.0),
        ("paper", Cause::Loss, 4.0),
        ("code", Cause::Mark, 10.0),
        ("code", Cause::Loss, 4.0),
    ] {
        assert_eq!(classic(variant, cause), window, "{variant} {cause:?}");
    }
    let mut controller = build("abc", &[]);
    controller.on_idle(&Idle {
        now: at(0),
        window: 3 * MSS,
        threshold: 0,
    });
    for name in ["abc_window", "classic_window"] {
        assert_eq!(shown(&controller, name), 3.0 * MSS as f64, "{name}");
    }
}

/// ABC paces, where it does, at two windows in a round trip; before it knows one, not.
#[test]
fn an_explicit_window_may_be_paced_at_twice_its_rate() {
    let mut controller = build("abc", &[("pace", "true")]);
    assert_eq!(controller.limits().pacing, None);
    controller.on_ack(&ack(at(0), 0, Span::millis(100)));
    let window = controller.limits().window;
    assert_eq!(controller.limits().pacing, Some(Rate(2 * 8 * window * 10)));
    let mut controller = build("abc", &[]);
    controller.on_ack(&ack(at(0), 0, Span::millis(100)));
    assert_eq!(controller.limits().pacing, None);
}

/// The authors' program of Copa: more than 30 % lost since the direction was last compared takes 30 % of the window, once, and ends slow
/// start.
#[test]
fn copas_program_answers_losses_of_more_than_three_in_ten() {
    let mut copa = build("copa", &[("variant", "genericcc")]);
    let rtt = Span::millis(100);
    let lost = |segments, lost| Ack {
        lost: lost * MSS,
        ..ack(at(1), segments, rtt)
    };
    // Ten segments count before anything happens. 14 of 20 arrive: 30 %.
    copa.on_ack(&lost(10, 0));
    assert_eq!(grows(&mut copa, &lost(4, 6)), 4.0);
    assert_eq!(copa.inspect().state, "slow start");
    // 7 of 21 are lost.
    let before = segments(&copa);
    copa.on_ack(&lost(0, 1));
    let after = segments(&copa);
    assert!((after / before - 0.7).abs() < 1e-3, "{before} {after}");
    assert_eq!(copa.inspect().state, "default");
    // The count begins anew, and a segment adds 1/(δ · window).
    let grown = grows(&mut copa, &lost(1, 0));
    assert!((grown - 1.0 / (0.5 * after)).abs() < 1e-3, "{grown}");
}

/// The round of mvfst's Copa is a smoothed round trip long. In each the window grew; from the third such round on the velocity doubles.
/// A queue that comes suddenly resets it before the round is over, and a new round begins.
#[test]
fn a_sudden_reversal_resets_the_velocity_of_mvfst() {
    let rtt = Span::millis(100);
    let down = Span::millis(400);
    let sample = |ms, rtt| Ack {
        srtt: Span::millis(100),
        ..ack(at(ms), 1, rtt)
    };
    let until = |velocity: f64| {
        let options = [("variant", "mvfst"), ("delta", "0.5")];
        let mut copa = build("copa", &options);
        copa.on_ack(&sample(0, rtt));
        // Leaves slow start.
        copa.on_ack(&sample(1, down));
        let mut ms = 1;
        while shown(&copa, "velocity") < velocity {
            ms += 100;
            copa.on_ack(&sample(ms, rtt));
        }
        assert_eq!(shown(&copa, "velocity"), velocity);
        (copa, ms)
    };
    // The round in which slow start ended fell, the next one turned the direction, and three like it have followed.
    for (velocity, expected) in [(2.0, 501), (4.0, 601)] {
        let (mut copa, ms) = until(velocity);
        assert_eq!(ms, expected);
        let window = segments(&copa);
        let fell = -grows(&mut copa, &sample(ms + 50, down));
        assert!(
            (fell - 1.0 / (0.5 * window)).abs() < 1e-3,
            "{velocity}: {fell}"
        );
        assert_eq!(shown(&copa, "up"), 0.0);
        // Of the round that began then a part is over, though one that began before would be. It would turn the direction.
        copa.on_ack(&sample(ms + 149, down));
        assert_eq!(shown(&copa, "velocity"), 1.0);
        assert_eq!(shown(&copa, "up"), 0.0);
    }
}

/// A rate that routers gave holds while the flow sends: after an idle time RCP begins with its first window again.
#[test]
fn an_idle_time_ends_what_rcp_was_given() {
    let mut rcp = build("rcp", &[]);
    let first = rcp.limits();
    let given = CongestionHeader::Rate {
        rtt: Span::millis(100),
        rate: 1e6,
    };
    let answered = Feedback::Congestion(given);
    rcp.on_ack(&Ack {
        feedback: Some(&answered),
        ..ack(at(100), 1, Span::millis(100))
    });
    assert!(rcp.limits().pacing.is_some() && rcp.limits().window != first.window);
    rcp.on_idle(&Idle {
        now: at(200),
        window: 4 * MSS,
        threshold: 0,
    });
    assert_eq!(rcp.limits().pacing, None);
    assert_eq!(rcp.limits().window, first.window);
}

/// Vegas judges a round by its least round trip, and not one in which it recovers.
#[test]
fn vegas_does_not_judge_a_round_of_recovery() {
    let rtt = Span::millis(100);
    let grown = |recovering| {
        let mut vegas = build("vegas", &[]);
        vegas.on_congestion(&congestion(Cause::Loss, 20));
        for _ in 0..3 {
            vegas.on_ack(&Ack {
                recovering,
                ..ack(at(0), 1, rtt)
            });
        }
        let end = Ack {
            round_start: true,
            recovering,
            ..ack(at(100), 1, rtt)
        };
        grows(&mut vegas, &end)
    };
    assert_eq!([true, false].map(grown), [0.0, 1.0]);
}

/// SCReAM grows no further than its head room above what was in flight: in this round, or in the one before.
#[test]
fn scream_remembers_what_was_in_flight_a_round_ago() {
    let rtt = Span::millis(50);
    let grown = |rounds: usize| {
        let mut scream = build("scream", &[]);
        let first = Ack {
            prior_in_flight: 20 * MSS,
            ..ack(at(0), 0, rtt)
        };
        scream.on_ack(&first);
        for n in 1..=rounds {
            scream.on_ack(&Ack {
                round_start: true,
                prior_in_flight: 0,
                in_flight: 0,
                ..ack(at(50 * n as u64), 0, rtt)
            });
        }
        let last = Ack {
            prior_in_flight: 0,
            in_flight: 0,
            ..ack(at(50 * rounds as u64 + 1), 1, rtt)
        };
        grows(&mut scream, &last) > 0.0
    };
    assert_eq!([0, 1, 2].map(grown), [true, true, false]);
}

/// The weight of a tick in the forecast by an average, which no table of probabilities holds.
#[test]
fn sprout_averages_with_the_gain_that_is_written() {
    let sprout = build("sprout", &[("variant", "ewma"), ("gain", "0.3719")]);
    assert!(format!("{sprout:?}").contains("Ewma(0.3719)"));
}

/// A queue that comes while the velocity is 1 turns the direction at the end of the round only.
#[test]
fn a_velocity_of_one_has_nothing_to_reset() {
    let (rtt, down) = (Span::millis(100), Span::millis(400));
    let mut copa = build("copa", &[("variant", "mvfst"), ("delta", "0.5")]);
    for (ms, sample) in [(0, rtt), (1, down), (101, rtt), (201, rtt), (251, down)] {
        copa.on_ack(&Ack {
            srtt: rtt,
            ..ack(at(ms), 1, sample)
        });
    }
    assert_eq!((shown(&copa, "velocity"), shown(&copa, "up")), (1.0, 1.0));
}

/// The authors' Copa competes while the least round trip of four rounds lies above a tenth of the queue's swing. Then 1/δ grows by one in a
/// round. Where the round trip is always the same there is no queue to compete for.
#[test]
fn copas_program_competes_while_the_queue_is_never_nearly_empty() {
    let delta = |rtts: &[u64]| {
        let options = [("variant", "genericcc"), ("competitive", "true")];
        let mut copa = build("copa", &options);
        for (n, ms) in (0..).zip(rtts) {
            copa.on_ack(&Ack {
                round_start: true,
                srtt: Span::millis(*ms),
                ..ack(at(200 * n), 1, Span::millis(*ms))
            });
        }
        shown(&copa, "delta")
    };
    assert_eq!(delta(&[100; 12]), 0.5);
    let queue = [[100; 6], [150; 6]].concat();
    assert!(delta(&queue) < 0.5);
    // Once it was nearly empty, it competes no longer.
    assert_eq!(delta(&[&queue[..], &[101]].concat()), 0.5);
}

/// Vegas's slow start grows in every round; in the paper every other round only, so that a round trip can be compared.
#[test]
fn vegas_of_the_paper_doubles_every_other_round() {
    let grown = |variant| {
        let mut vegas = build("vegas", &[("variant", variant)]);
        [1, 2, 3, 4].map(|n| {
            let first = Ack {
                round_start: true,
                ..ack(at(100 * n), 1, Span::millis(100))
            };
            grows(&mut vegas, &first) > 0.0
        })
    };
    let [a, b, c, d] = grown("paper");
    assert!(a == c && b == d && a != b, "{:?}", [a, b, c, d]);
    assert_eq!(grown("linux"), [true; 4]);
}
