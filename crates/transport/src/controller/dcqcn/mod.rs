//! DCQCN: a rate that falls with notification packets and rises with time and bytes.
//!
//! Detects: marks of the queue, of which the receiver tells by notification packets (CNP); in the variant `hpcc-simulator` by the echo of
//! each acknowledgement. Responds: R_C ← R_C(1 − α/2), where α is a moving share of the intervals with a notification. Then
//! R_C goes half the way to the target R_T at each step of a timer T and of a byte counter B; after F steps of either R_T rises
//! by R_AI, after F steps of both by R_HAI.
//!
//! Reference: Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 5 (`paper`); the public
//! simulator of its authors (`ns3-rdma`, as shipped); the firmware of ConnectX cards (`connectx`); the `dcqcn` of HPCC's public
//! simulator (`hpcc-simulator`). They differ in order, constants and in when R_T follows R_C; `law.rs` says where. Differences: the
//! byte counter counts frames and what is beyond B is dropped; the gate of notification packets is a flow's `cnp_gate`, which `connectx` has
//! at the port; steps that cannot change a rate at the line's are not made.

mod law;
mod options;

pub use options::PART;

use law::{Decay, Follows, Law};

use crate::building_blocks::rate_steps::RateSteps;
use crate::controller_interface::{
    Ack, Congestion, Controller, Departure, Inspect, Limits, Reduction, Sent,
};
use crate::segment::{Ecn, Signal};
use crate::units::{Span, Time};

/// The rate, and what moves it.
#[derive(Clone, Debug)]
pub struct Dcqcn {
    law: Law,
    steps: RateSteps,
    alpha: f64,
    /// α has been brought up to here.
    decayed: Time,
    /// A notification came since that tick.
    flagged: bool,
    /// When the next cut is made; `NEVER` for none.
    cut_at: Time,
    /// The first tick of clocks.
    first: Time,
    /// The last event.
    now: Time,
    /// A notification has come.
    begun: bool,
    /// Bytes in flight at the line's rate; none: no limit.
    window: Option<u64>,
    /// Payload of a packet.
    mss: u64,
    /// Bytes of a frame besides.
    overhead: u64,
}

impl Dcqcn {
    fn new(law: Law, line: f64, window: Option<u64>, [mss, frame]: [u64; 2]) -> Dcqcn {
        Dcqcn {
            law,
            steps: RateSteps::new(law.rise, line),
            alpha: law.alpha,
            decayed: Time::NEVER,
            flagged: false,
            cut_at: Time::NEVER,
            first: Time::NEVER,
            now: Time::ZERO,
            begun: false,
            window,
            mss,
            overhead: frame - mss,
        }
    }

    /// α moves toward 1.
    fn raise(&mut self) {
        self.alpha += (1.0 - self.alpha) * self.law.gain;
    }

    /// Brings α up to now.
    fn decay(&mut self, now: Time) {
        let period = match self.law.decay {
            Decay::AfterNotice(period) | Decay::Free(period) => period,
        };
        let mut periods = Span(now.0.saturating_sub(self.decayed.0)).0 / period.0;
        if periods == 0 || self.decayed == Time::NEVER {
            return;
        }
        self.decayed = self.decayed.after(period.times(periods));
        if std::mem::take(&mut self.flagged) {
            self.raise();
            periods -= 1;
        }
        self.alpha *= libm::pow(1.0 - self.law.gain, periods as f64);
    }

    /// A notification, or a mark that an acknowledgement echoes.
    fn notice(&mut self, now: Time) {
        if !std::mem::replace(&mut self.begun, true) {
            (self.first, self.decayed) = (now, now);
        }
        self.decay(now);
        match self.law.cut_ticks {
            None => {
                // The first notification finds α as it was set.
                if self.law.alpha_first {
                    self.raise();
                }
                self.cut(now);
                if !self.law.alpha_first {
                    self.raise();
                }
                self.decayed = now;
            }
            Some(ticks) => {
                self.flagged = true;
                if self.cut_at == Time::NEVER {
                    let over = now.since(self.first).0 / ticks.0 + 1;
                    self.cut_at = self.first.after(ticks.times(over));
                }
            }
        }
    }

    fn cut(&mut self, now: Time) {
        let follows = self.law.follows == Follows::Always || self.steps.stepped();
        let share = 1.0 - self.alpha / 2.0;
        self.steps.cut(share, self.law.least, follows, now);
    }
}

impl Controller for Dcqcn {
    fn on_ack(&mut self, ack: &Ack) {
        self.now = ack.now;
        if self.law.by_acks && ack.marked > 0 {
            self.notice(ack.now);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.now = congestion.now;
    }

    fn on_signal(&mut self, now: Time, signal: &Signal) {
        self.now = now;
        match signal {
            Signal::Congestion if !self.law.by_acks => self.notice(now),
            Signal::Congestion | Signal::Credit { .. } | Signal::Notice { .. } => {}
        }
    }

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        self.now = sent.now;
        self.steps.on_sent(sent.len + self.overhead);
        Departure::Noted
    }

    fn on_timer(&mut self, now: Time) {
        self.now = now;
        if self.cut_at <= now {
            self.cut_at = Time::NEVER;
            self.decay(now);
            self.cut(now);
        }
        self.steps.on_timer(now);
    }

    fn limits(&self) -> Limits {
        let limits = self.steps.limits(self.mss);
        let share = self.steps.current / self.steps.line;
        let window = |window: u64| ((window as f64 * share) as u64).max(self.mss);
        Limits {
            window: self.window.map_or(limits.window, window),
            // A timer that is overdue is due at once.
            wake: self.cut_at.min(limits.wake).max(self.now),
            ..limits
        }
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn ecn(&self) -> Ecn {
        Ecn::Ect0
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            state: if self.steps.is_at_line() {
                "line rate"
            } else {
                "below"
            },
            values: Inspect::values([
                ("alpha", self.alpha),
                ("rate_bps", self.steps.current),
                ("target_bps", self.steps.target),
            ]),
            ..Inspect::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GBIT: f64 = 1e9;

    fn us(n: u64) -> Time {
        Time(n * 1_000_000)
    }

    fn at(variant: &str, line: f64) -> Dcqcn {
        Dcqcn::new(Law::named(variant, line), line, None, [1000, 1048])
    }

    fn near(got: f64, expected: f64) {
        assert!(
            (got - expected).abs() < 5e-7 * expected.max(1.0),
            "{got} {expected}"
        );
    }

    /// (255/256)^k: .99609375, .961617, .676116, .367160 after 1, 10, 100 and 256 silent periods; half after 177.1.
    #[test]
    fn alpha_falls_by_a_part_in_256_each_silent_period() {
        for (periods, alpha) in [
            (1, 0.996_093_75),
            (10, 0.961_617),
            (100, 0.676_116),
            (256, 0.367_160),
        ] {
            let mut d = at("paper", 40.0 * GBIT);
            (d.begun, d.decayed) = (true, us(0));
            d.decay(us(55 * periods));
            near(
                (d.alpha * 1e6).round() / 1e6,
                (alpha * 1e6_f64).round() / 1e6,
            );
        }
    }

    /// With α = 1 each notification halves: 20, 10, 5, 2.5 Gbit/s.
    #[test]
    fn a_rate_that_is_all_marked_halves() {
        let mut d = at("paper", 40.0 * GBIT);
        for (number, gbit) in [20.0, 10.0, 5.0, 2.5].into_iter().enumerate() {
            d.alpha = 1.0;
            d.notice(us(number as u64));
            near(d.steps.current, gbit * GBIT);
        }
    }

    /// α = .5 at first: cut then α gives 30, 22.470703, 16.809225, 12.557865; α first 29.960938, 22.412300, 16.743820, 12.492842.
    #[test]
    fn the_order_of_cut_and_alpha_makes_two_readings() {
        let orders = [
            (false, [30.0, 22.470_703, 16.809_225, 12.557_865]),
            (true, [29.960_938, 22.412_300, 16.743_820, 12.492_842]),
        ];
        for (alpha_first, rates) in orders {
            let law = Law {
                alpha: 0.5,
                alpha_first,
                ..Law::named("paper", 40.0 * GBIT)
            };
            let mut d = Dcqcn::new(law, 40.0 * GBIT, None, [1000, 1048]);
            for (number, gbit) in rates.into_iter().enumerate() {
                d.notice(us(number as u64));
                near(
                    (d.steps.current / 1e3).round() * 1e3,
                    (gbit * 1e6_f64).round() * 1e3,
                );
            }
            if !alpha_first {
                near((d.alpha * 1e6).round() / 1e6, 0.507_767);
            }
        }
    }

    fn steps(d: &mut Dcqcn, count: usize) -> Vec<f64> {
        let mut rates = Vec::new();
        for _ in 0..count {
            d.on_timer(d.steps.step_at);
            rates.push(d.steps.current / GBIT);
        }
        rates
    }

    /// From R_T 40 and R_C 20: 30, 35, 37.5, 38.75, and 39.375 if the fifth step were one of them; a target at the line stays.
    #[test]
    fn recovery_halves_the_way_to_the_target() {
        let mut d = at("paper", 40.0 * GBIT);
        d.notice(us(0));
        for (got, expected) in steps(&mut d, 5)
            .into_iter()
            .zip([30.0, 35.0, 37.5, 38.75, 39.375])
        {
            near(got, expected);
        }
    }

    /// From R_T 20 and R_C 10 by the timer alone: 15, 17.5, 18.75, 19.375; R_AI of 40 Mbit/s from the fifth step on.
    #[test]
    fn the_fifth_step_adds_to_the_target() {
        let mut d = at("paper", 40.0 * GBIT);
        (d.steps.current, d.steps.target) = (20.0 * GBIT, 20.0 * GBIT);
        d.notice(us(0));
        let expected = [15.0, 17.5, 18.75, 19.375, 19.7075, 19.893_75, 20.006_875];
        for (got, expected) in steps(&mut d, 7).into_iter().zip(expected) {
            near(got, expected);
        }
    }

    /// In HPCC's reading a cut waits for the next tick of 4 us, marks between count once, and the target stays where no step has
    /// come since the last cut.
    #[test]
    fn a_cut_waits_for_its_tick_and_the_target_for_a_step() {
        let mut d = at("hpcc-simulator", 100.0 * GBIT);
        d.notice(us(10));
        d.notice(us(12));
        assert_eq!(d.limits().wake, us(14));
        near(d.steps.current, 100.0 * GBIT);
        d.on_timer(us(14));
        let first = d.steps.current;
        assert!((50.0 * GBIT..51.0 * GBIT).contains(&first), "{first}");
        d.notice(us(15));
        d.on_timer(us(18));
        near(d.steps.target, 100.0 * GBIT);
        assert!(d.steps.current < 26.0 * GBIT, "{}", d.steps.current);
        // R_AI once, then R_HAI: 20 and 200 Mbit/s at 100 Gbit/s.
        d.steps.target = 30.0 * GBIT;
        let rates = steps(&mut d, 2);
        near(d.steps.target, 30.22 * GBIT);
        near(rates[1], (rates[0] + 30.22) / 2.0);
    }

    /// B of 32,767 bytes is over after 32 packets of 1,048: 33,536. The excess is dropped, so the 64th ends the next.
    #[test]
    fn bytes_step_as_time_does() {
        let mut d = at("connectx", 100.0 * GBIT);
        d.notice(us(0));
        d.on_timer(us(4));
        let mut ended = Vec::new();
        for number in 1..=64 {
            d.on_sent(&Sent {
                now: us(5),
                number,
                len: 1000,
                in_flight: 0,
                again: false,
                app_limited: false,
            });
            if d.steps.by_bytes as usize > ended.len() {
                ended.push(number);
            }
        }
        assert_eq!(ended, [32, 64]);
    }
}
