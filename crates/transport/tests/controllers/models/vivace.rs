//! Vivace beside its model, on a path whose round trips rise and fall: with losses, timeouts and pauses.

use backwater_transport::controller::{
    Ack, AnyController, Cause, Congestion, Controller, Limits, Lost, Sent,
};
use backwater_transport::endpoint::Protocol;
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span, Time};

use super::vivace_model::{Given, Phase, Vivace};
use super::{INITIAL, SEGMENT, TICK, built, stream, tick};
use crate::build::quiet_ack;

/// The paper's constants.
fn paper() -> Given {
    Given {
        paper: true,
        exponent: 0.9,
        latency: 900.0,
        loss: 11.35,
        deviation: 0.0,
        tolerance: 0.01,
        epsilon: 0.05,
        step: 1.0,
        least_change: 0.5,
        least: 0.5,
    }
}

struct Both {
    controller: AnyController,
    model: Vivace,
    random: Random,
    now: Time,
    next: u64,
    acked: u64,
    /// Ticks of a round trip, and picoseconds by which each is longer than the one before.
    rtt: u64,
    srtt: Span,
    slope: i64,
    drift: i64,
    /// Acknowledgements come a tick earlier and later by turns, so that a deviation is never what is rounded off.
    uneven: bool,
    turn: u64,
}

impl Both {
    fn new(given: Given, options: &[(&str, &str)], seed: u64) -> Both {
        Both {
            controller: built("vivace", options, Protocol::Stream),
            random: Random::stream(seed, "test", "vivace"),
            now: tick(512),
            next: 0,
            acked: 0,
            rtt: 8,
            srtt: Span::ZERO,
            slope: 0,
            drift: 0,
            uneven: given.deviation > 0.0,
            turn: 0,
            model: Vivace::new(given, stream("vivace")),
        }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.random.between(0, n - 1)
    }

    fn send(&mut self) {
        let sent = Sent {
            now: self.now,
            number: self.next,
            len: SEGMENT,
            in_flight: 10 * SEGMENT,
            again: false,
            app_limited: false,
        };
        self.next += 1;
        self.controller.on_sent(&sent);
        self.model.sent(&sent);
    }

    fn ack(&mut self) {
        let step = [1, 1, 1, 1, 0, 2][self.below(6) as usize];
        self.acked = (self.acked + step).min(self.next.saturating_sub(1));
        self.turn ^= 1;
        let noise = match self.uneven {
            true => 2 * self.turn,
            false => [0, 0, 0, 1][self.below(4) as usize],
        };
        self.drift = (self.drift + self.slope).clamp(0, 40_000_000_000);
        let rtt = Span(TICK.0 * (self.rtt + noise) + self.drift as u64);
        self.srtt = TICK.times(self.rtt);
        let ack = Ack {
            acked: SEGMENT,
            number: self.acked,
            rtt: (self.below(12) > 0).then_some(rtt),
            srtt: self.srtt,
            ..quiet_ack(self.now, 10 * SEGMENT)
        };
        self.controller.on_ack(&ack);
        self.model.ack(&ack);
    }

    fn lose(&mut self) {
        let back = self.below(8);
        let lost = Lost {
            now: self.now,
            number: self.acked.saturating_sub(4) + back,
            len: SEGMENT,
            tx_in_flight: 10 * SEGMENT,
            lost: SEGMENT,
            in_flight: 9 * SEGMENT,
            app_limited: false,
        };
        self.controller.on_lost(&lost);
        self.model.lost(&lost);
    }

    fn congest(&mut self, cause: Cause) {
        let told = Congestion {
            now: self.now,
            cause,
            in_flight: 10 * SEGMENT,
            lost: SEGMENT,
            tx_in_flight: 10 * SEGMENT,
            round: 0,
        };
        self.controller.on_congestion(&told);
        self.model.congestion(&told);
    }

    /// Time goes on by up to a tick, or to the end of the interval.
    fn pass(&mut self) {
        let wake = self.controller.limits().wake;
        let next = self.now.after(Span(TICK.0 * self.below(5) / 4));
        if wake > next {
            self.now = next;
            return;
        }
        self.now = wake.max(self.model.ends).max(self.now);
        // Sometimes an acknowledgement is first.
        if self.below(3) > 0 {
            self.controller.on_timer(self.now);
            self.model.timer(self.now);
        }
    }

    fn step(&mut self) {
        self.pass();
        match self.below(1000) {
            0 => self.congest(Cause::Timeout),
            1 => self.congest(Cause::Loss),
            2..=9 => self.lose(),
            // A burst of losses.
            10 => (0..12).for_each(|_| self.lose()),
            11..=30 => {
                // Slopes at and about the tolerance: an acknowledgement comes twice in 2.5 ticks.
                self.slope = [0, 0, 1, 5, -5, 40][self.below(6) as usize] * 10_000_000;
                self.drift = 20_000_000_000;
            }
            31..=33 => self.rtt = [2, 8, 16, 40][self.below(4) as usize],
            34 => self.now = self.now.after(Span::millis(40)),
            35 => {
                // Too early for the timer.
                self.controller.on_timer(self.now);
                self.model.timer(self.now);
            }
            n if n % 2 == 0 => self.send(),
            _ => self.ack(),
        }
    }

    fn compare(&self, place: &str) {
        let model = &self.model;
        let shown = self.controller.inspect();
        let state = match model.phase {
            Phase::Starting => "starting",
            Phase::Probing => "probing",
            Phase::Moving => "moving",
        };
        assert_eq!(shown.state, state, "{place}");
        let utility = model.utility.unwrap_or(f64::MIN).max(-1e300);
        let expected = [1e6 * model.rate, utility, f64::from(model.steps), 0.0];
        for ((name, ours), theirs) in shown.values.into_iter().zip(expected) {
            let within = 1e-9 * (1.0 + theirs.abs());
            assert!(
                (ours - theirs).abs() <= within,
                "{place}: {name} {ours} {theirs}"
            );
        }
        let limits = self.controller.limits();
        let bits = 1e6 * model.sending;
        let window = match model.srtt > 0.0 {
            true => (bits / 4.0 * model.srtt).max(INITIAL as f64),
            false => INITIAL as f64,
        };
        let wide = (limits.window as f64 - window).abs() <= 1.0 + 1e-9 * window;
        assert!(wide, "{place}: window {} {window}", limits.window);
        if model.srtt == 0.0 {
            return assert_eq!(limits, Limits::of(limits.window), "{place}");
        }
        let Rate(paced) = limits.pacing.expect("it paces");
        let within = 1.0 + 1e-9 * bits;
        assert!(
            (paced as f64 - bits.min(1e13)).abs() <= within,
            "{place}: {paced} {bits}"
        );
        let wake = model.ends.max(model.now);
        assert!(
            limits.wake.0.abs_diff(wake.0) <= 1000,
            "{place}: {} {wake}",
            limits.wake
        );
    }
}

fn walks(given: &Given, options: &[(&str, &str)]) {
    for seed in 0..40 {
        let mut both = Both::new(given.clone(), options, seed);
        for step in 0..1000 {
            both.step();
            both.compare(&format!("{options:?}, seed {seed}, step {step}"));
        }
    }
}

#[test]
fn vivace_is_that_of_its_paper() {
    walks(&paper(), &[]);
}

#[test]
fn vivace_of_the_program_is_that_of_its_program() {
    let given = Given {
        paper: false,
        ..paper()
    };
    walks(&given, &[("variant", "code")]);
}

#[test]
fn a_scavenger_is_that_of_its_paper() {
    let given = Given {
        deviation: 1500.0,
        ..paper()
    };
    walks(&given, &[("scavenger", "true")]);
}

/// Small steps, so that changes lie within their bound and beyond it, and gentle penalties, so that trials agree.
#[test]
fn vivace_with_gentle_penalties_is_that_of_its_paper() {
    for (word, paper_itself) in [("paper", true), ("code", false)] {
        let given = Given {
            paper: paper_itself,
            exponent: 0.5,
            latency: 0.0625,
            loss: 0.125,
            epsilon: 0.125,
            step: 0.25,
            least_change: 0.001,
            least: 1.0,
            ..paper()
        };
        let options = [
            ("variant", word),
            ("exponent", "0.5"),
            ("latency-weight", "0.0625"),
            ("loss-weight", "0.125"),
            ("epsilon", "12.5 %"),
            ("step", "0.25"),
            ("least-change", "1 kbit/s"),
            ("least", "1 Mbit/s"),
        ];
        walks(&given, &options);
    }
}

/// Vivace after its first acknowledgement, with this smoothed round trip.
fn first(srtt: Span) -> AnyController {
    let mut vivace = built("vivace", &[], Protocol::Stream);
    vivace.on_ack(&Ack {
        srtt,
        ..quiet_ack(tick(1), 0)
    });
    vivace
}

/// An interval lasts a millisecond at least and ten seconds at most.
#[test]
fn intervals_are_bounded() {
    assert_eq!(first(Span(1)).limits().wake, tick(1).after(Span::millis(1)));
    assert_eq!(
        first(Span::secs(20)).limits().wake,
        tick(1).after(Span::secs(10))
    );
}

/// 10 Tbit/s are the greatest rate, whatever is measured.
#[test]
fn rates_are_bounded() {
    let mut vivace = first(Span(1));
    assert_eq!(vivace.inspect().values[0].1, 1e13);
    vivace.on_sent(&Sent {
        now: tick(1),
        number: 0,
        len: SEGMENT,
        in_flight: SEGMENT,
        again: false,
        app_limited: false,
    });
    // While that is measured it sends as fast as a window in a round trip of a picosecond.
    vivace.on_timer(tick(2));
    assert_eq!(vivace.limits().pacing, Some(Rate(10_000_000_000_000)));
}

/// Before a round trip is known nothing is measured, and the least rate is the first.
#[test]
fn a_smoothed_round_trip_of_nought_is_none() {
    let mut vivace = first(Span::ZERO);
    assert_eq!(vivace.inspect().values[0].1, 500_000.0);
    assert_eq!(vivace.limits(), Limits::of(INITIAL));
    // Then two windows of 10 kB in one of 2^-6 s.
    vivace.on_ack(&Ack {
        srtt: TICK.times(8),
        ..quiet_ack(tick(2), 0)
    });
    assert_eq!(vivace.limits().pacing, Some(Rate(10_485_760)));
}

/// A timeout before a round trip is known begins no interval: the first acknowledgement begins one, with a trial of its rate.
#[test]
fn a_timeout_before_the_first_round_trip_measures_nothing() {
    let mut vivace = built("vivace", &[], Protocol::Stream);
    vivace.on_congestion(&Congestion {
        now: tick(1),
        cause: Cause::Timeout,
        in_flight: 0,
        lost: 0,
        tx_in_flight: 0,
        round: 0,
    });
    vivace.on_ack(&Ack {
        srtt: TICK.times(8),
        ..quiet_ack(tick(2), 0)
    });
    // Two windows of 10 kB in 2^-6 s, 5 % more or less.
    let Rate(paced) = vivace.limits().pacing.expect("it paces");
    let share = paced as f64 / 10_485_760.0;
    assert!((0.94..1.06).contains(&share), "{paced}");
}
