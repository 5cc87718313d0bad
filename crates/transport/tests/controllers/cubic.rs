//! CUBIC's answers, worked out by hand from RFC 9438.

use backwater_transport::controller::{Ack, AnyController, Cause, Congestion, Controller, Idle};
use backwater_transport::units::{Span, Time};

use crate::build::{MSS, build, quiet_ack};

/// A flow of windows: 100 ms a round, whole windows acknowledged at a time by single segments.
struct Bench {
    cubic: AnyController,
    now: Time,
}

impl Bench {
    fn new(options: &[(&str, &str)]) -> Bench {
        Bench {
            cubic: build("cubic", options),
            now: Time::ZERO + Span::secs(1),
        }
    }

    fn window(&self) -> f64 {
        self.cubic.limits().window as f64 / MSS as f64
    }

    fn value(&self, name: &str) -> f64 {
        let values = self.cubic.inspect().values;
        values.iter().find(|v| v.0 == name).expect("a value").1
    }

    fn round(&mut self, limited: bool) {
        let segments = self.window() as u64;
        for _ in 0..segments {
            self.now += Span(Span::millis(100).0 / segments);
            self.cubic.on_ack(&Ack {
                acked: MSS,
                advanced: MSS,
                acked_segments: 1,
                srtt: Span::millis(100),
                rtt: Some(Span::millis(100)),
                cwnd_limited: limited,
                ..quiet_ack(self.now, segments * MSS)
            });
        }
    }

    fn tell(&mut self, cause: Cause) {
        self.cubic.on_congestion(&Congestion {
            now: self.now,
            cause,
            in_flight: self.window() as u64 * MSS,
            lost: MSS,
            tx_in_flight: 0,
            round: 0,
        });
    }
}

/// From 10 to 160 in four rounds of slow start; the loss keeps 0.7 (section 4.6).
fn after_a_loss(options: &[(&str, &str)]) -> Bench {
    let mut bench = Bench::new(options);
    for _ in 0..4 {
        bench.round(true);
    }
    assert_eq!(bench.window(), 160.0);
    bench.tell(Cause::Loss);
    assert!((bench.window() - 112.0).abs() < 0.01);
    bench
}

/// Section 4.2: W_max 160, cwnd_epoch 112, K = ∛(48 / 0.4) = 4.932 s; after K the window is W_max.
#[test]
fn the_window_is_back_at_its_peak_after_k() {
    let mut bench = after_a_loss(&[]);
    bench.round(true);
    assert!((bench.value("w_max") - 160.0).abs() < 0.01);
    assert!((bench.value("k_s") - 4.9324).abs() < 1e-3);
    for _ in 0..48 {
        bench.round(true);
    }
    assert!((bench.window() - 160.0).abs() < 1.0, "{}", bench.window());
}

/// Section 4.7: a loss below the last peak lowers the next: W · (1 + β) / 2.
#[test]
fn fast_convergence_lets_go_of_capacity() {
    for (choice, factor) in [("true", 0.85), ("false", 1.0)] {
        let mut bench = after_a_loss(&[("fast_convergence", choice)]);
        for _ in 0..20 {
            bench.round(true);
        }
        let window = bench.window();
        assert!(window < 159.0);
        bench.tell(Cause::Loss);
        assert!(
            (bench.value("w_max") - window * factor).abs() < 0.01,
            "{choice}"
        );
    }
}

/// Section 4.8: after a timeout one segment, slow start to 0.7 of the flight, then K = 0 and W_max the
/// window at which congestion avoidance began.
#[test]
fn after_a_timeout_the_cubic_begins_at_its_inflection() {
    let mut bench = after_a_loss(&[]);
    bench.tell(Cause::Timeout);
    assert_eq!(bench.window(), 1.0);
    // 0.7 of 112 is 78.4, reached in the seventh round.
    for _ in 0..8 {
        bench.round(true);
    }
    assert_eq!(bench.value("k_s"), 0.0);
    let start = bench.value("w_max");
    assert!((start - 79.0).abs() < 1.0, "{start}");
    // W(t) = 0.4 t³ + W_max, and W_est is faster: 0.529 a round until W_est reaches cwnd_prior = 112.
    let before = bench.window();
    for _ in 0..10 {
        bench.round(true);
    }
    assert!(
        (bench.window() - before - 5.29).abs() < 0.4,
        "{} {before}",
        bench.window()
    );
}

/// Section 4.9: what a spurious event changed is restored.
#[test]
fn a_spurious_loss_is_as_if_it_had_not_been() {
    for cause in [Cause::Loss, Cause::Timeout] {
        let mut bench = after_a_loss(&[]);
        for _ in 0..10 {
            bench.round(true);
        }
        let before = (bench.window(), bench.value("w_max"), bench.value("k_s"));
        bench.tell(cause);
        assert!(bench.window() < before.0);
        bench.tell(Cause::Spurious);
        let after = (bench.window(), bench.value("w_max"), bench.value("k_s"));
        assert_eq!(after, before);
    }
}

/// Section 4.2: t leaves out the time in which the application did not fill the window.
#[test]
fn time_without_data_does_not_age_the_epoch() {
    let mut bench = after_a_loss(&[]);
    bench.round(true);
    let before = bench.window();
    for _ in 0..100 {
        bench.round(false);
    }
    assert_eq!(bench.window(), before);
    bench.round(true);
    // Ten seconds are 5 s beyond K: the window would jump to one and a half.
    assert!(bench.window() < before + 8.0, "{} {before}", bench.window());
}

/// Section 4.3: while the window is small the Reno estimate leads: 0.529 segments a round until it is
/// at the window of the loss, then one.
#[test]
fn small_windows_grow_like_reno() {
    let mut bench = Bench::new(&[]);
    bench.tell(Cause::Loss);
    assert!((bench.window() - 7.0).abs() < 0.01);
    let mut rounds = 0;
    while bench.window() < 9.9 {
        bench.round(true);
        rounds += 1;
        assert!(rounds < 20);
    }
    // 3 / 0.529 = 5.7 rounds; whole segments acknowledged make them a little shorter.
    assert!((5..=7).contains(&rounds), "{rounds}");
}

/// Section 5.8: a pause is no part of an epoch, however long, and what follows it goes on as if there had
/// been none; a window that had to shrink begins an epoch of its own.
#[test]
fn a_pause_does_not_age_an_epoch() {
    let after = |pause: Span, most: u64| {
        let mut bench = after_a_loss(&[]);
        for _ in 0..5 {
            bench.round(true);
        }
        bench.now += pause;
        bench.cubic.on_idle(&Idle {
            now: bench.now,
            window: most,
            threshold: 0,
        });
        for _ in 0..20 {
            bench.round(true);
        }
        bench
    };
    let (plain, paused) = (
        after(Span::ZERO, u64::MAX),
        after(Span::secs(100), u64::MAX),
    );
    assert!((plain.window() - paused.window()).abs() < 1e-3);
    assert!((plain.value("k_s") - 4.9324).abs() < 1e-3);
    // From ten up to the threshold of 112 in slow start, then from there up to the peak as after the loss.
    let restarted = after(Span::secs(100), 10 * MSS);
    assert!(restarted.window() > 112.0 && restarted.window() <= plain.window());
    assert!((restarted.value("w_max") - 160.0).abs() < 0.01);
    assert!(restarted.value("k_s") < 4.94);
}
