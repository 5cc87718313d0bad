//! Sprout's sender, tick by tick: NSDI 2013, section 3.5. A packet of a forecast is 1,440 bytes, and segments have 1,000.

use backwater_transport::controller::{Ack, AnyController, Cause, Controller, Departure, Sent};
use backwater_transport::forecast::{Forecaster, Model, Process};
use backwater_transport::segment::Feedback;
use backwater_transport::units::{Span, Time};

use crate::{ack, at, build, shown, span, tell_at, try_build, window};

/// A small table of probabilities is made faster.
const SMALL: [(&str, &str); 2] = [("bins", "16"), ("counts", "4")];

fn built(options: &[(&str, &str)]) -> AnyController {
    build("sprout", &[&SMALL, options].concat())
}

const PACKETS: [u16; 8] = [1, 3, 6, 10, 15, 21, 28, 36];

/// A forecast that was made at an instant arrives with so many bytes in flight.
fn hear(c: &mut AnyController, now: f64, made: f64, packets: [u16; 8], settled: u64, flight: u64) {
    let forecast = Feedback::Forecast {
        made: at(made),
        packets,
        settled,
    };
    c.on_ack(&Ack {
        in_flight: flight,
        feedback: Some(&forecast),
        ..ack(now, 0, 100.0)
    });
}

/// So many bytes leave; what the segment announces: ticks until the next, what can no longer come, and the position.
fn leaves(c: &mut AnyController, now: f64, len: u64, flight: u64, last: bool) -> (Span, u64, u64) {
    let sent = Sent {
        now: at(now),
        number: 0,
        len,
        in_flight: flight,
        again: false,
        app_limited: last,
    };
    let Departure::Announced(Feedback::Announce {
        next,
        discarded,
        position,
    }) = c.on_sent(&sent)
    else {
        panic!("nothing is announced");
    };
    (Span(next), discarded, position)
}

/// Thirty segments are out, and the forecast of this moment arrives.
fn with_thirty(options: &[(&str, &str)]) -> AnyController {
    let mut c = built(options);
    for number in 1..=30 {
        leaves(&mut c, 1000.0, 1_000, 1_000 * number, false);
    }
    hear(&mut c, 1000.0, 990.0, PACKETS, 0, 30_000);
    c
}

fn queued(c: &AnyController) -> f64 {
    shown(c, "queued_B")
}

/// In each tick the packets of that tick leave the queue. What comes until five ticks on, and at most until the eighth, less what is
/// queued, may be sent in whole segments. The timer waits for the tick, or for the heartbeat if that is sooner; it waits for none that is
/// due.
#[test]
fn each_tick_drains_its_packets() {
    let mut c = with_thirty(&[]);
    let mut flight = 30_000;
    for (now, heartbeat, tick, queue, room, wake) in [
        (1000.0, false, 0.0, 30_000.0, 0, Some(1020.0)),
        (1019.999, false, 0.0, 30_000.0, 0, Some(1020.0)),
        (1020.0, false, 1.0, 28_560.0, 7_000, Some(1040.0)),
        (1040.0, false, 2.0, 25_680.0, 17_000, Some(1050.0)),
        (1050.0, false, 2.0, 25_680.0, 17_000, None),
        (1050.0, true, 2.0, 25_681.0, 17_000, Some(1060.0)),
        (1060.0, false, 3.0, 21_361.0, 16_000, Some(1080.0)),
        (1080.0, false, 4.0, 15_601.0, 14_000, Some(1100.0)),
        (1090.0, true, 4.0, 15_602.0, 14_000, Some(1100.0)),
        (1100.0, false, 5.0, 8_402.0, 13_000, Some(1120.0)),
        (1120.0, false, 6.0, 0.0, 11_000, Some(1140.0)),
        (1121.0, true, 6.0, 1.0, 11_000, Some(1140.0)),
        (1140.0, false, 7.0, 0.0, 0, Some(1171.0)),
        (1160.0, false, 7.0, 0.0, 0, Some(1171.0)),
        (1171.0, false, 7.0, 0.0, 0, None),
    ] {
        if heartbeat {
            flight += 1;
            leaves(&mut c, now, 1, flight, true);
        } else {
            c.on_timer(at(now));
        }
        assert_eq!((shown(&c, "tick"), queued(&c)), (tick, queue), "{now}");
        assert_eq!(window(&c), flight + room, "{now}");
        assert_eq!(c.limits().wake, wake.map_or(Time::NEVER, at), "{now}");
        // Due is the heartbeat, and it is one byte.
        assert_eq!(c.heartbeat(), u64::from(wake.is_none()), "{now}");
    }
    assert_eq!(shown(&c, "forecast_100ms_pkts"), 21.0);
    assert_eq!(c.inspect().state, "forecast");
}

/// The program drains cumulative counts: 1, 3 and 6 packets.
#[test]
fn the_program_drains_more() {
    let mut c = with_thirty(&[("drain", "as-coded")]);
    for (now, queue) in [(1020.0, 28_560.0), (1040.0, 24_240.0), (1060.0, 15_600.0)] {
        c.on_timer(at(now));
        assert_eq!(queued(&c), queue, "{now}");
    }
}

/// A target of two ticks, and ticks of 10 ms: 6 packets less 1, and 10 less 3.
#[test]
fn options_set_the_target_and_the_tick() {
    let mut c = built(&[("target", "2"), ("tick", "10 ms")]);
    hear(&mut c, 1000.0, 990.0, PACKETS, 0, 500);
    assert_eq!(window(&c), 500 + 7_000);
    assert_eq!(shown(&c, "forecast_100ms_pkts"), 6.0);
    c.on_timer(at(1010.0));
    assert_eq!(window(&c), 500 + 10_000);
}

/// What is settled is not queued. A forecast that is no newer is that of before: its ticks have passed.
#[test]
fn only_a_newer_forecast_counts() {
    let mut c = with_thirty(&[]);
    c.on_timer(at(1020.0));
    for made in [989.0, 990.0] {
        hear(&mut c, 1025.0, made, [9; 8], 1_000, 30_000);
        assert_eq!((shown(&c, "tick"), queued(&c)), (1.0, 28_560.0));
    }
    hear(&mut c, 1025.0, 991.0, PACKETS, 12_000, 30_000);
    assert_eq!((shown(&c, "tick"), queued(&c)), (0.0, 18_000.0));
    hear(&mut c, 1026.0, 992.0, PACKETS, 40_000, 30_000);
    assert_eq!((shown(&c, "tick"), queued(&c)), (0.0, 0.0));
    // An acknowledgement without a forecast lets ticks pass.
    c.on_ack(&ack(1046.0, 0, 100.0));
    assert_eq!(shown(&c, "tick"), 1.0);
}

/// A segment says how many bytes left before it, when the next may be looked for, and below which position nothing can come any more:
/// what left 10 ms ago.
#[test]
fn a_segment_announces_what_follows() {
    let mut c = built(&[]);
    assert_eq!(c.limits().wake, Time::NEVER);
    assert_eq!((shown(&c, "tick"), queued(&c)), (0.0, 0.0));
    hear(&mut c, 1000.0, 990.0, [0, 0, 0, 0, 0, 3, 3, 3], 0, 0);
    let (now, silence) = (Span::ZERO, span(50.0));
    // 4,320 bytes may leave: four segments. With the third nothing is left but one.
    assert_eq!(leaves(&mut c, 1000.0, 1_000, 1_000, true), (silence, 0, 0));
    assert_eq!(leaves(&mut c, 1000.0, 1_000, 2_000, false), (now, 0, 1_000));
    assert_eq!(leaves(&mut c, 1005.0, 1_000, 3_000, false), (now, 0, 2_000));
    assert_eq!(
        leaves(&mut c, 1006.0, 320, 3_320, false),
        (silence, 0, 3_000)
    );
    c.on_timer(at(1009.999));
    assert_eq!(
        leaves(&mut c, 1009.999, 10, 3_330, true),
        (silence, 0, 3_320)
    );
    c.on_timer(at(1010.0));
    assert_eq!(
        leaves(&mut c, 1010.0, 10, 3_340, true),
        (silence, 2_000, 3_330)
    );
    // Time passes with a departure, too.
    assert_eq!(
        leaves(&mut c, 1019.0, 10, 3_350, true),
        (silence, 2_000, 3_340)
    );
    assert_eq!(
        leaves(&mut c, 1019.0, 10, 3_360, true),
        (silence, 3_320, 3_350)
    );
    let mut c = built(&[("reorder", "30 ms"), ("heartbeat", "70 ms")]);
    leaves(&mut c, 1000.0, 1_000, 1_000, false);
    for (now, discarded) in [(1029.999, 0), (1030.0, 1_000)] {
        c.on_timer(at(now));
        let announced = leaves(&mut c, now, 1, 1_000, true);
        assert_eq!((announced.0, announced.1), (span(70.0), discarded));
    }
}

/// Any event lets time pass, and tells what is in flight.
#[test]
fn a_heartbeat_is_due_after_50_ms_of_silence() {
    for (now, due) in [(1049.999, 0), (1050.0, 1)] {
        let mut sent = built(&[]);
        leaves(&mut sent, 1000.0, 1_000, 1_000, true);
        assert_eq!(sent.heartbeat(), 0);
        let mut told = sent.clone();
        tell_at(&mut told, now, Cause::Loss, 700);
        assert_eq!((told.heartbeat(), window(&told) % 1_000), (due, 700));
        let mut heard = sent.clone();
        heard.on_ack(&Ack {
            in_flight: 600,
            ..ack(now, 0, 100.0)
        });
        assert_eq!((heard.heartbeat(), window(&heard) % 1_000), (due, 600));
    }
    assert_eq!(window(&built(&[])) % 1_000, 0);
}

/// The receiver's forecaster has the constants that are written.
#[test]
fn the_forecaster_has_the_constants_that_are_written() {
    let process = Process {
        most: 700.0,
        bins: 16,
        tick: Span::millis(25),
        sigma: 150.0,
        escape: 2.0,
        counts: 4,
        quantile: 1.0 - 0.9,
        tabulated: false,
    };
    let options = [
        ("most", "700"),
        ("tick", "25 ms"),
        ("sigma", "150"),
        ("escape", "2"),
        ("confidence", "90 %"),
        ("cdf", "exact"),
        ("forecast-every", "3"),
    ];
    let of = |own: &[(&str, &str)]| {
        let c = built(&[own, &options].concat());
        format!("{:?}", c.forecaster().expect("one"))
    };
    let made = |model, counted| format!("{:?}", Forecaster::new(&process, model, counted, 3));
    // A packet of 1,440 bytes is counted as 35/36 of it.
    assert!(of(&[]) == made(Model::Bayes, 1_400));
    assert!(of(&[("unit", "2016 B")]) == made(Model::Bayes, 1_960));
    assert!(of(&[("counted", "1234 B")]) == made(Model::Bayes, 1_234));
    let average = [("variant", "ewma"), ("gain", "0.3")];
    assert!(of(&average) == made(Model::Ewma(0.3), 1_400));
    // A packet of a forecast may be a segment, and not less.
    let legal = |unit| try_build("sprout", &[("unit", unit), ("bins", "16")]).is_ok();
    assert_eq!(["999 B", "1000 B"].map(legal), [false, true]);
    let table = Process {
        tabulated: true,
        ..process.clone()
    };
    let made = Forecaster::new(&table, Model::Bayes, 1_400, 3);
    assert!(of(&[("cdf", "table")]) == format!("{made:?}"));
}
