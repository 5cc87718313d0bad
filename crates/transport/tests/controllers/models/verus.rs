//! Verus beside its model, on a path whose delay grows with the window: with silences, losses, timeouts and delays that end slow start.

use backwater_transport::controller::{
    Ack, AnyController, Cause, Congestion, Controller, Limits, Lost, Sent,
};
use backwater_transport::endpoint::Protocol;
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::verus_model::{Given, Verus};
use super::{SEGMENT, TICK, built, tick};
use crate::build::quiet_ack;

/// The options of the paper, R = 6.
fn paper() -> Given {
    Given {
        epoch: Span::millis(5),
        down: 0.001,
        up: 0.002,
        ratio: 6.0,
        kept: 0.7,
        refit: Span::secs(1),
        initial: 1.0,
    }
}

/// Fractions of two, so that nothing is rounded, and short times.
const EXACT: [(&str, &str); 7] = [
    ("epoch", "3.90625 ms"),
    ("delta1", "1.953125 ms"),
    ("delta2", "3.90625 ms"),
    ("ratio", "2"),
    ("decrease", "75 %"),
    ("refit", "31.25 ms"),
    ("initial", "4 packets"),
];

fn exact() -> Given {
    Given {
        epoch: TICK.times(2),
        down: 1.0 / 512.0,
        up: 2.0 / 512.0,
        ratio: 2.0,
        kept: 0.75,
        refit: TICK.times(16),
        initial: 4.0,
    }
}

struct Path {
    random: Random,
    now: Time,
    next: u64,
    flight: u64,
    /// Ticks of an empty path.
    base: u64,
    /// Windows for a tick of delay.
    serves: u64,
}

impl Path {
    fn below(&mut self, n: u64) -> u64 {
        self.random.between(0, n - 1)
    }

    fn send(&mut self, both: &mut Both) {
        // Some numbers are left out, so that segments are forgotten.
        self.next += [1, 1, 1, 1, 1, 1, 1, 333][self.below(8) as usize];
        self.flight += 1;
        let sent = Sent {
            now: self.now,
            number: self.next,
            len: SEGMENT,
            in_flight: self.flight * SEGMENT,
            again: false,
            app_limited: false,
        };
        both.controller.on_sent(&sent);
        both.model.sent(&sent);
    }

    /// A number that was sent, or one at the end of what is remembered.
    fn number(&mut self) -> u64 {
        let back = [0, 0, 1, 1, 2, 3, 5, 999, 1000, 1001][self.below(10) as usize];
        self.next.saturating_sub(back)
    }

    fn ack(&mut self, both: &mut Both) {
        self.flight = [self.flight.saturating_sub(1), self.below(30), 2, 1][self.below(4) as usize];
        let queue = both.model.window as u64 / self.serves;
        let more = [0, 0, 0, 1, 2][self.below(5) as usize];
        // Below and above the least growth of the delay that counts.
        let little = [0, 0, 75, 150, 300][self.below(5) as usize];
        let mut rtt = TICK.times(self.base + queue + more) + Span::nanos(little);
        match self.below(200) {
            0 => rtt = Span::millis(500),
            1 => rtt = Span::millis(501),
            2 => rtt = TICK.times(self.base / 2),
            3 => rtt = TICK.times(2 * self.base),
            _ => {}
        }
        let rtt = (self.below(10) > 0).then_some(rtt);
        let ack = Ack {
            acked: SEGMENT,
            rtt,
            number: self.number(),
            ..quiet_ack(self.now, self.flight * SEGMENT)
        };
        both.controller.on_ack(&ack);
        both.model.ack(&ack);
    }

    fn lose(&mut self, both: &mut Both) {
        let lost = Lost {
            now: self.now,
            number: self.number(),
            len: SEGMENT,
            tx_in_flight: 0,
            lost: SEGMENT,
            in_flight: self.flight * SEGMENT,
            app_limited: false,
        };
        both.controller.on_lost(&lost);
        both.model.lost(&lost);
    }

    fn congest(&mut self, both: &mut Both, cause: Cause) {
        let told = Congestion {
            now: self.now,
            cause,
            in_flight: self.flight * SEGMENT,
            lost: SEGMENT,
            tx_in_flight: 0,
            round: 0,
        };
        if cause == Cause::Timeout {
            self.flight = 0;
        }
        both.controller.on_congestion(&told);
        both.model.congestion(&told);
    }

    fn step(&mut self, both: &mut Both, losses: u64) {
        let wake = both.controller.limits().wake;
        let pause = [0, 0, 1, 1, 2][self.below(5) as usize];
        self.now = self.now.after(Span(TICK.0 * pause / 2));
        // The timer may be late.
        if (wake <= self.now && self.below(4) > 0) || self.below(8) == 0 {
            // At the end of an epoch, or without a cause.
            self.now = if wake < Time::NEVER && self.below(4) > 0 {
                wake.max(self.now)
            } else {
                self.now
            };
            both.controller.on_timer(self.now);
            let window = both.controller.inspect().values[0].1;
            both.model.timer(self.now, window);
        }
        match self.below(1000) {
            n if n < losses => self.lose(both),
            n if n < losses + 2 => self.congest(both, Cause::Timeout),
            n if n < losses + 4 => self.congest(both, Cause::Loss),
            // A silence, and another path after it.
            999 => {
                self.now = self.now.after(Span::millis(700));
                self.base = [4, 8, 20][self.below(3) as usize];
                self.serves = [1, 2, 1_000_000][self.below(3) as usize];
            }
            n if n % 2 == 0 => self.send(both),
            _ => self.ack(both),
        }
    }
}

struct Both {
    controller: AnyController,
    model: Verus,
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-11 * (1.0 + b.abs())
}

impl Both {
    fn compare(&self, place: &str) {
        let model = &self.model;
        let shown = self.controller.inspect();
        let least = if model.least.is_finite() {
            model.least
        } else {
            0.0
        };
        let expected = [model.window, model.target, least, model.budget];
        for ((name, ours), theirs) in shown.values.into_iter().zip(expected) {
            assert!(near(ours, theirs), "{place}: {name} {ours} {theirs}");
        }
        let state = match (model.starting, model.losing) {
            (true, _) => "slow start",
            (false, true) => "loss phase",
            (false, false) => "steering",
        };
        assert_eq!(shown.state, state, "{place}");
        let (packets, wake) = match model.starting {
            true => (model.window, Time::NEVER),
            false => (model.flight + model.budget, model.ends.max(model.now)),
        };
        let limits = self.controller.limits();
        let bytes = (packets.max(1.0) * SEGMENT as f64) as u64;
        assert!(
            limits.window.abs_diff(bytes) <= 1,
            "{place}: {} {bytes}",
            limits.window
        );
        assert_eq!(
            Limits {
                window: 0,
                ..limits
            },
            Limits {
                window: 0,
                pacing: None,
                wake
            },
            "{place}"
        );
    }
}

/// Walks, long enough for a few slow starts each.
fn walks(given: &Given, options: &[(&str, &str)], losses: u64) {
    for seed in 0..20 {
        let mut both = Both {
            controller: built("verus", options, Protocol::Stream),
            model: Verus::new(given.clone()),
        };
        let mut path = Path {
            random: Random::stream(seed, "test", "verus"),
            now: tick(1 + seed % 2 * 512),
            next: 0,
            flight: 0,
            base: 8,
            serves: 2,
        };
        for step in 0..1000 {
            path.step(&mut both, losses);
            both.compare(&format!("{options:?}, seed {seed}, step {step}"));
        }
    }
}

#[test]
fn verus_is_that_of_its_paper() {
    walks(&paper(), &[], 3);
}

#[test]
fn verus_decides_at_its_limits() {
    for losses in [0, 10] {
        walks(&exact(), &EXACT, losses);
    }
}

/// A loss ends slow start above 20 packets.
#[test]
fn losses_count_above_twenty_packets() {
    for (initial, state) in [("20 packets", "slow start"), ("21 packets", "loss phase")] {
        let mut verus = built("verus", &[("initial", initial)], Protocol::Stream);
        verus.on_lost(&Lost {
            now: tick(1),
            number: 0,
            len: SEGMENT,
            tx_in_flight: SEGMENT,
            lost: SEGMENT,
            in_flight: 0,
            app_limited: false,
        });
        assert_eq!(verus.inspect().state, state, "{initial}");
    }
}

/// Slow start grows by a packet for each that is acknowledged, to 40,000.
#[test]
fn slow_start_ends_its_growth_at_the_greatest_window() {
    let mut verus = built("verus", &[("initial", "1000 packets")], Protocol::Stream);
    let ack = |ms| Ack {
        acked: SEGMENT,
        rtt: Some(Span::millis(ms)),
        ..quiet_ack(tick(1), 0)
    };
    (0..38_999).for_each(|_| verus.on_ack(&ack(40)));
    assert_eq!(verus.limits().window, 39_999 * SEGMENT);
    verus.on_ack(&ack(40));
    verus.on_ack(&ack(40));
    assert_eq!(verus.limits().window, 40_000 * SEGMENT);
    verus.on_sent(&Sent {
        now: tick(1),
        number: 0,
        len: SEGMENT,
        in_flight: SEGMENT,
        again: false,
        app_limited: false,
    });
    // After a timeout 70 % are left, more than half of the greatest.
    verus.on_congestion(&Congestion {
        now: tick(1),
        cause: Cause::Timeout,
        in_flight: 0,
        lost: 0,
        tx_in_flight: 0,
        round: 0,
    });
    assert!(near(verus.inspect().values[0].1, 28_000.0));
    verus.on_ack(&ack(40));
    assert!(near(verus.inspect().values[0].1, 28_000.0 + 1.0 / 28_000.0));
}

/// A timeout before any delay: the silence of 15 ms is the greatest delay, no more than the first delay that is seen, so the wanted delay
/// rises by 2 ms from nought.
#[test]
fn silence_counts_from_the_beginning() {
    let mut verus = built("verus", &[("refit", "10 ms")], Protocol::Stream);
    let at = |ms| Time::ZERO.after(Span::millis(ms));
    verus.on_sent(&Sent {
        now: at(0),
        number: 0,
        len: SEGMENT,
        in_flight: SEGMENT,
        again: false,
        app_limited: false,
    });
    verus.on_congestion(&Congestion {
        now: at(10),
        cause: Cause::Timeout,
        in_flight: SEGMENT,
        lost: SEGMENT,
        tx_in_flight: SEGMENT,
        round: 0,
    });
    verus.on_timer(at(15));
    verus.on_ack(&Ack {
        acked: SEGMENT,
        rtt: Some(Span::millis(15)),
        ..quiet_ack(at(16), 0)
    });
    verus.on_timer(at(20));
    assert_eq!(verus.inspect().values[1], ("wanted_s", 0.002));
}
