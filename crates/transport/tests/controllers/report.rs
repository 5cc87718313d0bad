//! The controllers of the 6.829 report, acknowledgement by acknowledgement, with windows worked out by
//! hand from its rules.

use backwater_transport::controller::{Ack, AnyController, Cause, Congestion, Controller};
use backwater_transport::units::{Span, Time};

use crate::build::{MSS, build, quiet_ack};

struct Bench {
    controller: AnyController,
    now: Time,
    number: u64,
}

impl Bench {
    fn new(id: &str, options: &[(&str, &str)]) -> Bench {
        Bench {
            controller: build(id, options),
            now: Time::ZERO + Span::secs(10),
            number: 0,
        }
    }

    /// A segment is acknowledged after so many milliseconds; so many more are in flight. Gives the
    /// window in segments.
    fn ack(&mut self, rtt_ms: f64, flight: u64) -> f64 {
        self.number += 1;
        self.controller.on_ack(&Ack {
            acked: MSS,
            advanced: MSS,
            acked_segments: 1,
            rtt: Some(Span::from_seconds(rtt_ms / 1e3)),
            number: self.number,
            ..quiet_ack(self.now, flight * MSS)
        });
        self.window()
    }

    fn window(&self) -> f64 {
        self.controller.limits().window as f64 / MSS as f64
    }

    fn acks(&mut self, rtts_ms: &[f64]) -> Vec<f64> {
        rtts_ms.iter().map(|rtt| self.ack(*rtt, 0)).collect()
    }

    fn timeout(&mut self) -> f64 {
        self.controller.on_congestion(&Congestion {
            now: self.now,
            cause: Cause::Timeout,
            in_flight: 0,
            lost: 0,
            tx_in_flight: 0,
            round: 0,
        });
        self.window()
    }
}

fn close(ours: &[f64], expected: &[f64]) {
    assert_eq!(ours.len(), expected.len());
    for (o, e) in ours.iter().zip(expected) {
        assert!((o - e).abs() < 1e-2, "{ours:?} {expected:?}");
    }
}

/// The code's counter goes on below 47 ms, so the window grows by three for each three
/// acknowledgements; there is no mean before the fourth.
#[test]
fn zekalho_code_grows_with_each_acknowledgement_while_there_is_room() {
    let mut z = Bench::new("zekalho", &[]);
    close(
        &z.acks(&[40.0; 8]),
        &[2.0, 5.0, 5.0, 5.0, 8.0, 8.0, 8.0, 11.0],
    );
    // Means 55 and 70: one more for a window. Then 85: 11 / 1.4 = 7, once, until the mean is down.
    close(&z.acks(&[100.0; 6]), &[11.0, 11.0, 7.0, 7.0, 7.0, 7.0]);
    // (100, 100, 100, 10) is 77; (100, 100, 10, 10) is 55: the counter stands at 11, so one more,
    // and begins anew.
    close(&z.acks(&[10.0, 10.0, 10.0]), &[7.0, 8.0, 8.0]);
}

/// After a cut the counter is still at the old peak: three more for each acknowledgement until the
/// window is there again.
#[test]
fn zekalho_code_remembers_its_peak() {
    let mut z = Bench::new("zekalho", &[("n", "1")]);
    z.acks(&[40.0; 8]);
    close(
        &z.acks(&[100.0, 40.0, 40.0, 40.0]),
        &[7.0, 10.0, 13.0, 13.0],
    );
}

/// The code reads a clock of whole milliseconds: 70.9 ms are 71 or 70.
#[test]
fn zekalho_code_counts_whole_milliseconds() {
    for (micros, expected) in [(500, 14.0), (950, 20.0)] {
        let mut z = Bench::new("zekalho", &[("n", "1"), ("initial", "20 packets")]);
        z.now += Span::micros(micros);
        close(&[z.ack(70.9, 0)], &[expected]);
    }
}

#[test]
fn zekalho_code_turns_nothing_into_two() {
    let mut z = Bench::new("zekalho", &[("n", "1"), ("initial", "1 packets")]);
    close(&[z.ack(100.0, 0)], &[2.0]);
}

/// The text halves, waits until the flight is below the halved window, and stays above three.
#[test]
fn zekalho_text_cools_down_until_the_flight_is_below_the_window() {
    let options = [("variant", "text"), ("n", "1"), ("initial", "20 packets")];
    let mut z = Bench::new("zekalho", &options);
    assert_eq!(z.ack(100.0, 20), 10.0);
    assert_eq!(z.ack(100.0, 15), 10.0);
    assert_eq!(z.ack(100.0, 11), 10.0);
    assert_eq!(z.ack(100.0, 10), 5.0);
    assert_eq!(z.ack(100.0, 5), 3.0);
    // Three for each window below 47 ms, one above.
    close(&z.acks(&[46.0, 50.0]), &[4.0, 4.25]);
    let no_cooldown = [
        ("variant", "text"),
        ("n", "1"),
        ("initial", "20 packets"),
        ("cooldown", "false"),
    ];
    let mut z = Bench::new("zekalho", &no_cooldown);
    assert_eq!((z.ack(100.0, 20), z.ack(100.0, 20)), (10.0, 5.0));
}

#[test]
fn zekalho_keeps_to_its_cap_and_its_mean() {
    let options = [
        ("variant", "text"),
        ("cap", "40 packets"),
        ("initial", "40 packets"),
    ];
    let mut z = Bench::new("zekalho", &options);
    assert_eq!(z.ack(40.0, 0), 40.0);
    // Means of four: 40, 40, 40, 150 are 67.5; then 95.
    close(
        &z.acks(&[40.0, 40.0, 150.0, 150.0]),
        &[40.0, 40.0, 40.0, 20.0],
    );
    let mut per_ack = Bench::new(
        "zekalho",
        &[
            ("variant", "text"),
            ("per", "ack"),
            ("initial", "10 packets"),
        ],
    );
    close(&per_ack.acks(&[40.0, 60.0]), &[13.0, 14.0]);
}

#[test]
fn delay_triggered_halves_once_until_the_mean_is_down() {
    let mut d = Bench::new("delay-triggered", &[("n", "1"), ("initial", "16 packets")]);
    close(
        &d.acks(&[80.0, 80.0, 70.0, 71.0]),
        &[8.0, 8.0, 8.125, 4.0625],
    );
    let options = [("n", "1"), ("initial", "16 packets"), ("rearm", "false")];
    close(
        &Bench::new("delay-triggered", &options).acks(&[80.0, 80.0]),
        &[8.0, 4.0],
    );
    // Ten: nine of 60 and one of 100 are 64; five and five are 80.
    let mut ten = Bench::new("delay-triggered", &[("initial", "16 packets")]);
    ten.acks(&[60.0; 9]);
    let before = ten.window();
    assert!(ten.ack(100.0, 0) > before);
    let cut = ten.acks(&[100.0, 100.0]);
    // (7 · 60 + 3 · 100) / 10 = 72.
    assert!((cut[1] - cut[0] / 2.0).abs() < 1e-2, "{cut:?}");
    let step = [
        ("n", "1"),
        ("law", "step"),
        ("alpha", "0.5"),
        ("beta", "2"),
        ("initial", "4 packets"),
    ];
    close(
        &Bench::new("delay-triggered", &step).acks(&[60.0, 80.0, 80.0, 80.0]),
        &[4.5, 2.5, 1.0, 1.0],
    );
}

#[test]
fn aimd_divides_above_the_threshold_and_adds_below() {
    let mut a = Bench::new("aimd", &[]);
    close(
        &a.acks(&[50.0, 100.0, 100.1, 100.1]),
        &[2.0, 2.5, 1.25, 1.0],
    );
    let published = [("per", "ack"), ("threshold", "200 ms")];
    close(
        &Bench::new("aimd", &published).acks(&[199.0, 199.0, 201.0]),
        &[2.0, 3.0, 1.5],
    );
    let cooled = [("cooldown", "2"), ("initial", "16 packets")];
    close(
        &Bench::new("aimd", &cooled).acks(&[101.0; 4]),
        &[8.0, 8.0, 8.0, 4.0],
    );
    // All acknowledgements of one millisecond count once; those of two milliseconds count twice.
    let mut by_ms = Bench::new("aimd", &[("every", "ms"), ("initial", "16 packets")]);
    close(&by_ms.acks(&[101.0; 3]), &[8.0, 8.0, 8.0]);
    by_ms.now += Span::millis(1);
    close(&by_ms.acks(&[101.0, 101.0]), &[4.0, 4.0]);
    let up = [("rounding", "up"), ("initial", "16 packets"), ("beta", "3")];
    close(
        &Bench::new("aimd", &up).acks(&[101.0, 101.0, 99.0]),
        &[6.0, 2.0, 3.0],
    );
    let loss = [
        ("delay", "false"),
        ("on_timeout", "true"),
        ("beta", "5"),
        ("initial", "10 packets"),
    ];
    let mut t = Bench::new("aimd", &loss);
    close(&[t.ack(5_000.0, 0), t.timeout()], &[10.1, 2.02]);
    assert_eq!(
        Bench::new("aimd", &[("initial", "10 packets")]).timeout(),
        10.0
    );
}
