//! QCN: a rate that notices from queues on the way cut, and that time and bytes raise.
//!
//! Detects: nothing; queues of the kind `qcn` sample what comes to them. Tells: they send a notice with six bits of feedback n to the
//! source. Responds: R_C ← R_C(1 − n/128), to half at most, and R_T ← R_C where a counter has stepped since the notice before. Then
//! five steps of a counter go half the way to R_T (fast recovery); behind them R_T rises by R_AI (active increase), and by R_HAI times
//! the steps beyond five once both counters are there (hyper-active increase). The period of a counter beyond five steps is half.
//!
//! Reference: IEEE 802.1Qau, reaction point; constants from its MIB (IEEE8021-CN-MIB), but for the least rate, 5 Mbit/s there.
//! Differences: a limiter is one for each flow, where the standard may have one for each priority of a port; steps that cannot change
//! a rate at the line's are not made.

use crate::building_blocks::rate_steps::{Halves, RateSteps, Rise};
use crate::building_blocks::rdma::{FIRST_RATE, check_queue_pair, rate};
use crate::controller_interface::{
    Ack, BuildOf, Congestion, Controller, Departure, Inspect, Limits, Reduction, Sent,
};
use crate::part::{Default, Kind, Opt, Part};
use crate::segment::Signal;
use crate::units::Time;

/// Steps of fast recovery (rpgThreshold).
const FAST_RECOVERY: u32 = 5;
/// What is left of a rate at least (rpgMinDecFac).
const LEFT: f64 = 0.5;

/// The options and the state.
#[derive(Clone, Debug)]
pub struct Qcn {
    steps: RateSteps,
    /// What a unit of feedback takes from the rate.
    gain: f64,
    least: f64,
    /// The last event.
    now: Time,
    /// Payload of a packet.
    mss: u64,
    /// Bytes of a frame besides.
    overhead: u64,
}

impl Controller for Qcn {
    fn on_ack(&mut self, ack: &Ack) {
        self.now = ack.now;
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.now = congestion.now;
    }

    fn on_signal(&mut self, now: Time, signal: &Signal) {
        self.now = now;
        if let Signal::Notice { feedback } = signal {
            let share = (1.0 - self.gain * f64::from(*feedback)).max(LEFT);
            let follows = self.steps.stepped();
            self.steps.cut(share, self.least, follows, now);
        }
    }

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        self.now = sent.now;
        self.steps.on_sent(sent.len + self.overhead);
        Departure::Noted
    }

    fn on_timer(&mut self, now: Time) {
        self.now = now;
        self.steps.on_timer(now);
    }

    fn receives_notices(&self) -> bool {
        true
    }

    fn limits(&self) -> Limits {
        let limits = self.steps.limits(self.mss);
        Limits {
            // A timer that is overdue is due at once.
            wake: limits.wake.max(self.now),
            ..limits
        }
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            state: if self.steps.is_at_line() {
                "line rate"
            } else {
                "below"
            },
            values: Inspect::values([
                ("rate_bps", self.steps.current),
                ("target_bps", self.steps.target),
            ]),
            ..Inspect::default()
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Qcn>> = Part {
    id: "qcn",
    aliases: &[],
    summary: "a rate that notices from queues on the way cut and that time and bytes raise",
    source: "IEEE 802.1Qau, reaction point",
    options: &[
        rate(FIRST_RATE),
        Opt::new(
            "gain",
            Kind::Number,
            Default::Is("0.0078125"),
            "what a unit of feedback takes from the rate (rpgGd)",
        )
        .at_least("0.0001")
        .at_most("0.5"),
        Opt::new(
            "timer",
            Kind::Span,
            Default::Is("15 ms"),
            "between two steps by time (rpgTimeReset); half of it behind fast recovery",
        )
        .at_least("1 us")
        .at_most("10 s"),
        Opt::new(
            "bytes",
            Kind::Bytes,
            Default::Is("150 kB"),
            "between two steps by bytes (rpgByteReset); half of it behind fast recovery",
        )
        .at_least("1 kB")
        .at_most("1000 MB"),
        Opt::new(
            "additive",
            Kind::Rate,
            Default::Is("5 Mbit/s"),
            "R_AI (rpgAiRate)",
        )
        .at_most("100 Gbit/s"),
        Opt::new(
            "hyper",
            Kind::Rate,
            Default::Is("50 Mbit/s"),
            "R_HAI (rpgHaiRate)",
        )
        .at_most("100 Gbit/s"),
        Opt::new(
            "least",
            Kind::Rate,
            Default::Is("10 Mbit/s"),
            "least rate (rpgMinRate)",
        )
        .at_least("1 Mbit/s")
        .at_most("100 Gbit/s"),
    ],
    build: |args, setup| {
        let why =
            "QCN is for queue pairs: it does not answer losses, and its pace is that of a card";
        check_queue_pair(setup, "rate", why)?;
        let rise = Rise {
            // The first step that raises the target is the one behind fast recovery.
            stages: FAST_RECOVERY + 1,
            timer: args.span("timer"),
            bytes: Some(args.bytes("bytes").0),
            additive: args.rate("additive").0 as f64,
            hyper: args.rate("hyper").0 as f64,
            hyper_grows: Some(1),
            additive_once: false,
            halves: Halves::Each(FAST_RECOVERY),
            shrinks_target: true,
        };
        Ok(Qcn {
            steps: RateSteps::new(rise, args.rate("rate").0 as f64),
            gain: args.number("gain"),
            least: args.rate("least").0 as f64,
            now: Time::ZERO,
            mss: setup.mss,
            overhead: setup.frame - setup.mss,
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller_interface::Setup;
    use crate::part::{Args, Value};
    use crate::protocol::Protocol;
    use crate::random::Random;
    use crate::units::{Bytes, Rate, Span};

    const GBIT: f64 = 1e9;

    fn ms(n: f64) -> Time {
        Time((n * 1e9) as u64)
    }

    /// As a scenario builds it, with the constants of the standard's MIB but for the gain.
    fn built(gain: f64) -> Qcn {
        let setup = Setup {
            protocol: Protocol::Roce,
            mss: 1452,
            frame: 1500,
            initial: 14_520,
            random: Random::stream(1, "test", "qcn"),
        };
        let rate = |bits: f64| Value::Rate(Rate(bits as u64));
        let args = Args(vec![
            ("rate", rate(10.0 * GBIT)),
            ("gain", Value::Number(gain)),
            ("timer", Value::Span(Span::millis(15))),
            ("bytes", Value::Bytes(Bytes(150_000))),
            ("additive", rate(5e6)),
            ("hyper", rate(50e6)),
            ("least", rate(10e6)),
        ]);
        (PART.build)(&args, &setup).expect("legal options")
    }

    fn at_10_gbit() -> Qcn {
        built(1.0 / 128.0)
    }

    fn near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-9 * expected, "{got} {expected}");
    }

    /// From 10 Gbit/s: n = 14 leaves 8.90625, 37 leaves 7.109375, 63 leaves 5.078125 Gbit/s.
    #[test]
    fn a_notice_takes_a_128th_for_each_unit() {
        for (feedback, gbit) in [(14, 8.906_25), (37, 7.109_375), (63, 5.078_125)] {
            let mut qcn = at_10_gbit();
            qcn.on_signal(ms(1.0), &Signal::Notice { feedback });
            near(qcn.steps.current, gbit * GBIT);
            near(qcn.steps.target, 10.0 * GBIT);
        }
    }

    /// Of the greatest gain a unit would take a half: more than half is never taken. Eleven notices of 63 would leave
    /// 10 Gbit/s (65/128)¹¹ = 5.8 Mbit/s, and 10 Mbit/s are left.
    #[test]
    fn a_notice_leaves_half_and_all_of_them_the_least_rate() {
        let mut qcn = built(0.5);
        qcn.on_signal(ms(1.0), &Signal::Notice { feedback: 2 });
        near(qcn.steps.current, 5.0 * GBIT);
        let mut qcn = at_10_gbit();
        for _ in 0..11 {
            qcn.on_signal(ms(1.0), &Signal::Notice { feedback: 63 });
        }
        near(qcn.steps.current, 10e6);
    }

    /// Three steps of both counters and 99 packets, then a notice: the timer has its whole period before it, the byte counter its 100
    /// packets, and five steps pass before the target rises.
    #[test]
    fn a_notice_begins_both_counters_anew() {
        let mut qcn = at_10_gbit();
        qcn.steps.cut(0.5, 10e6, false, ms(0.0));
        for at in [15.0, 30.0, 45.0] {
            qcn.on_timer(ms(at));
            qcn.steps.on_sent(150_000);
        }
        qcn.steps.on_sent(148_500);
        qcn.on_signal(ms(50.0), &Signal::Notice { feedback: 32 });
        assert_eq!(qcn.limits().wake, ms(65.0));
        let target = qcn.steps.target;
        for _ in 0..99 {
            qcn.steps.on_sent(1500);
        }
        assert!(!qcn.steps.stepped());
        qcn.steps.on_sent(1500);
        assert!(qcn.steps.stepped());
        for step in 1..=5 {
            qcn.on_timer(ms(50.0 + 15.0 * f64::from(step)));
            near(qcn.steps.target, target);
        }
        qcn.on_timer(ms(132.5));
        near(qcn.steps.target, target + 5e6);
    }

    /// A second notice before a step leaves the target; after a step the target is the rate before it.
    #[test]
    fn the_target_follows_once_a_cycle_is_over() {
        let mut qcn = at_10_gbit();
        let notice = Signal::Notice { feedback: 64 / 2 };
        qcn.on_signal(ms(0.0), &notice);
        qcn.on_signal(ms(1.0), &notice);
        near(qcn.steps.current, 5.625 * GBIT);
        near(qcn.steps.target, 10.0 * GBIT);
        qcn.on_timer(ms(16.0));
        near(qcn.steps.current, 7.8125 * GBIT);
        qcn.on_signal(ms(17.0), &notice);
        near(qcn.steps.target, 7.8125 * GBIT);
        near(qcn.steps.current, 5.859_375 * GBIT);
    }

    /// R_C 5 and R_T 6 Gbit/s by the timer alone: five steps go half the way, 15 ms apart; the sixth and those behind it, 7.5 ms apart,
    /// add 5 Mbit/s to R_T first.
    #[test]
    fn fast_recovery_then_active_increase() {
        let mut qcn = at_10_gbit();
        (qcn.steps.current, qcn.steps.target) = (10.0 * GBIT, 10.0 * GBIT);
        qcn.steps.cut(0.5, 10e6, false, ms(0.0));
        qcn.steps.target = 6.0 * GBIT;
        let expected = [
            (15.0, 5.5),
            (30.0, 5.75),
            (45.0, 5.875),
            (60.0, 5.9375),
            (75.0, 5.968_75),
            (82.5, 5.986_875),
            (90.0, 5.998_437_5),
        ];
        for (at, gbit) in expected {
            assert_eq!(qcn.limits().wake, ms(at));
            qcn.on_timer(ms(at));
            near(qcn.steps.current, gbit * GBIT);
        }
        near(qcn.steps.target, 6.01 * GBIT);
    }

    /// By bytes alone, 1,500 B a packet: a step each 100 packets, from the sixth on each 50.
    #[test]
    fn bytes_step_at_half_the_period_behind_fast_recovery() {
        let mut qcn = at_10_gbit();
        qcn.steps.cut(0.5, 10e6, false, ms(0.0));
        let mut steps = Vec::new();
        for number in 1..=620 {
            qcn.on_sent(&Sent {
                now: ms(1.0),
                number,
                len: 1452,
                in_flight: 0,
                again: false,
                app_limited: false,
            });
            if qcn.steps.by_bytes as usize > steps.len() {
                steps.push(number);
            }
        }
        assert_eq!(steps, [100, 200, 300, 400, 500, 550, 600]);
    }

    /// Both counters at seven steps: R_T has risen by R_AI with the first of them, then by R_HAI times the least count beyond five.
    #[test]
    fn both_counters_beyond_five_rise_faster() {
        let mut qcn = at_10_gbit();
        qcn.steps.cut(0.5, 10e6, false, ms(0.0));
        qcn.steps.target = 6.0 * GBIT;
        for _ in 0..5 {
            qcn.steps.on_sent(150_000);
        }
        for _ in 0..5 {
            qcn.on_timer(qcn.steps.step_at);
        }
        near(qcn.steps.target, 6.0 * GBIT);
        qcn.steps.on_sent(75_000);
        near(qcn.steps.target, 6.005 * GBIT);
        qcn.on_timer(qcn.steps.step_at);
        near(qcn.steps.target, 6.055 * GBIT);
        qcn.steps.on_sent(75_000);
        near(qcn.steps.target, 6.105 * GBIT);
        qcn.on_timer(qcn.steps.step_at);
        near(qcn.steps.target, 6.205 * GBIT);
    }

    /// A target above ten rates falls to an eighth at the first step.
    #[test]
    fn a_far_target_is_brought_nearer() {
        let mut qcn = at_10_gbit();
        qcn.steps.cut(0.05, 10e6, true, ms(0.0));
        qcn.on_timer(ms(15.0));
        near(qcn.steps.target, 1.25 * GBIT);
        near(qcn.steps.current, 0.875 * GBIT);
    }
}
