//! NSCC: the window of Ultra Ethernet, by marks and delay.
//!
//! Detects: for each packet whether it was marked, and its round trip beyond the least one, the delay, against a target. Responds:
//! * no mark, delay below the target: the window rises in proportion to what is missing, and fast while there is no queue;
//! * no mark, delay above it: the queue drains already, and the window rises a little, for fairness;
//! * mark, delay above it: at most once in a round trip the window falls by γ of the share of the mean delay beyond the target;
//! * mark, delay below it: nothing; a spreader may take another way;
//! * a trimmed packet takes its bytes out of the window.
//!
//! After a trimmed packet, a timeout or a delay of four targets the window falls to what came through in a round trip (quick adapt).
//! Reference: the public simulator of UET (htsim, `uec.cpp`); its constants scale with the product of rate and round trip, from a network of
//! 150 kB. In bytes on the wire as there, frames without preamble and gap. Differences from that simulator:
//! * there a wish for quick adapt stays until it acts; here it ends with its interval;
//! * there a trimmed packet may itself end an interval; here only the acknowledgement of a packet does;
//! * there behind quick adapt only marked packets are ignored, and what has gathered is dropped; here all are, and it stays;
//! * there bytes without a queue are counted anew behind a delay of 1 us or more that is below the target and not marked, and behind
//!   a mark above it; here behind every mark and every delay of 1 us or more;
//! * there the time after which one packet moves the window runs from the last η; here from the last move;
//! * there η is due at its period and quick adapt ends behind its instant; here η is due behind its period and quick adapt ends at its instant.

use crate::building_blocks::rdma::{base_rtt, rate};
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Inspect, Limits, Reduction,
};
use crate::part::{Default, Kind, Opt, Part, Refusal};
use crate::segment::Ecn;
use crate::units::{Span, Time};

/// The product of the network from which the constants scale, bytes.
const REFERENCE: f64 = 150_000.0;
/// Its target, ps.
const REFERENCE_TARGET: f64 = 12e6;
/// Largest share of the mean delay beyond the target by which the window falls.
const GAMMA: f64 = 0.8;
/// Weight of a new delay in the mean.
const WEIGHT: f64 = 0.0125;
/// A delay below which there is no queue, ps.
const NO_QUEUE: f64 = 1e6;
/// Packets acknowledged after which the window moves.
const PERIOD_PACKETS: f64 = 8.0;

/// Options and state: bytes on the wire and picoseconds.
#[derive(Clone, Debug)]
pub struct Nscc {
    /// Bytes per ps.
    rate: f64,
    period: f64,
    target: f64,
    alpha: f64,
    fair: f64,
    eta: f64,
    fast: f64,
    mss: f64,
    frame: f64,
    base: f64,
    window: f64,
    mean: f64,
    /// The rise of the window, times the window.
    rise: f64,
    /// Bytes acknowledged since the window moved last.
    since: f64,
    adjusted: Time,
    raised: Time,
    decreased: Option<Time>,
    /// Bytes acknowledged in a row without a queue.
    clear: f64,
    quick: Quick,
}

/// Quick adapt.
#[derive(Clone, Debug, std::default::Default)]
struct Quick {
    /// The end of the interval at hand; none before the first acknowledgement.
    ends: Option<Time>,
    /// Bytes acknowledged in it.
    achieved: f64,
    wanted: bool,
    /// Bytes to be acknowledged that left before it acted.
    ignored: f64,
}

impl Nscc {
    fn new(bits: f64, round_trip: Span, trimming: bool, mss: u64, frame: u64) -> Nscc {
        let (rate, period) = (bits / 8e12, round_trip.0 as f64);
        let target = if trimming { 0.75 } else { 1.0 } * period;
        let product = rate * period;
        let (a, b) = (product / REFERENCE, target / REFERENCE_TARGET);
        let mss = mss as f64;
        Nscc {
            rate,
            period,
            target,
            alpha: 4.0 * mss * a * b / target,
            fair: 5.0 * mss * a,
            eta: 0.15 * mss * a,
            fast: 0.25 * a,
            mss,
            frame: frame as f64,
            base: period,
            window: 1.5 * product,
            mean: 0.0,
            rise: 0.0,
            since: 0.0,
            adjusted: Time::ZERO,
            raised: Time::ZERO,
            decreased: None,
            clear: 0.0,
            quick: Quick::default(),
        }
    }

    /// The largest window.
    fn most(&self) -> f64 {
        1.5 * self.rate * self.base
    }

    fn note_delay(&mut self, delay: f64, marked: bool) {
        let sample = match !marked && delay > self.target {
            true => self.base / 4.0,
            false => delay,
        };
        self.mean += WEIGHT * (sample - self.mean);
    }

    /// The window after a decrease.
    fn decreased(&self) -> f64 {
        let share = 1.0 - GAMMA * (self.mean - self.target) / self.mean;
        self.window * share.max(0.5)
    }

    /// Moves the window by what was acknowledged with this delay.
    fn respond(&mut self, now: Time, acked: f64, delay: f64, marked: bool) {
        self.clear = match !marked && delay < NO_QUEUE {
            true => self.clear + acked,
            false => 0.0,
        };
        match (marked, delay >= self.target) {
            (false, true) => self.rise += self.fair * acked,
            (false, false) if self.clear > self.window => self.window += self.fast * acked,
            (false, false) => self.rise += self.alpha * acked * (self.target - delay),
            (true, true) => {
                let over = self
                    .decreased
                    .is_none_or(|at| now.since(at).0 as f64 > self.base);
                if over && self.mean > self.target {
                    self.window = self.decreased();
                    self.decreased = Some(now);
                }
            }
            (true, false) => {}
        }
        self.since += acked;
        let late = now.since(self.adjusted).0 as f64 > self.period;
        if late || self.since > PERIOD_PACKETS * self.frame {
            self.window += self.rise / self.window;
            (self.rise, self.since, self.adjusted) = (0.0, 0.0, now);
            if now.since(self.raised).0 as f64 > self.period {
                self.window += self.eta;
                self.raised = now;
            }
        }
    }

    /// Whether quick adapt has set the window, or what is acknowledged left before it did.
    fn adapt(&mut self, now: Time, acked: f64, delay: f64, in_flight: f64) -> bool {
        let quick = &mut self.quick;
        if quick.ignored > 0.0 {
            quick.ignored -= acked;
            return true;
        }
        quick.achieved += acked;
        let next = now.after(Span((self.base + self.target) as u64));
        match quick.ends {
            None => quick.ends = Some(next),
            Some(ends) if now < ends => {}
            Some(_) => {
                let (achieved, wanted) = (quick.achieved, quick.wanted);
                *quick = Quick {
                    ends: Some(next),
                    ..Quick::default()
                };
                let acts = wanted || delay > 4.0 * self.target;
                if acts && achieved < self.most() / 8.0 {
                    self.quick.ignored = in_flight;
                    self.window = achieved;
                    return true;
                }
            }
        }
        false
    }
}

impl Controller for Nscc {
    fn on_ack(&mut self, ack: &Ack) {
        let Some(rtt) = ack.rtt else {
            return;
        };
        let wire = self.frame / self.mss;
        self.base = self.base.min(rtt.0 as f64);
        let delay = rtt.0 as f64 - self.base;
        let (acked, lost) = (ack.acked as f64 * wire, ack.lost as f64 * wire);
        if lost > 0.0 {
            self.quick.wanted = true;
            self.note_delay(self.period, true);
            if self.quick.ignored <= 0.0 {
                self.window -= lost;
            }
        }
        if acked > 0.0 {
            let marked = ack.marked > 0;
            self.note_delay(delay, marked);
            if !self.adapt(ack.now, acked, delay, ack.in_flight as f64 * wire) {
                self.respond(ack.now, acked, delay, marked);
            }
        }
        self.window = self.window.min(self.most()).max(self.frame);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        if congestion.cause == Cause::Timeout {
            self.quick.wanted = true;
            self.window = (self.window - self.frame).max(self.frame);
        }
    }

    /// A packet leaves if what is in flight fits the window with it.
    fn limits(&self) -> Limits {
        let room = (self.window - self.frame).max(0.0) * self.mss / self.frame;
        Limits::of((room as u64 + 1).max(self.mss as u64))
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn ecn(&self) -> Ecn {
        Ecn::Ect0
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            values: Inspect::values([
                ("window_B", self.window),
                ("mean_delay_s", self.mean * 1e-12),
            ]),
            ..Inspect::default()
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Nscc>> = Part {
    id: "nscc",
    aliases: &[],
    summary: "a window by marks and delay that learns from trimmed packets",
    source: "Ultra Ethernet 1.0; its public simulator, uec.cpp",
    options: &[
        rate("line rate of its host"),
        base_rtt(
            Default::Required,
            "longest round trip of the network without queues, a full packet at each hop",
        ),
        Opt::new(
            "trimming",
            Kind::Flag,
            Default::Is("true"),
            "whether switches trim: then the target is three quarters of a round trip, else a whole one",
        ),
    ],
    build: |args, setup| {
        if !setup.protocol.row().queue_pair {
            return Err(Refusal {
                option: "rate",
                what: "NSCC learns from trimmed packets and marks of each packet, and this transport reports neither".into(),
                fix: "write transport = \"irn\"".into(),
            });
        }
        let (rate, round_trip) = (args.rate("rate"), args.span("base_rtt"));
        Ok(Nscc::new(
            rate.0 as f64,
            round_trip,
            args.flag("trimming"),
            setup.mss,
            setup.frame,
        ))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Nscc {
        // 4,086 of 4,150 bytes, 100 Gbit/s and 14.02272 us, as UET's simulator prints them.
        Nscc::new(100e9, Span(14_022_720), true, 4086, 4150)
    }

    /// The simulator prints: product 175,284 B, target 10.51704 us, α .00159158 B/ps, fair increase 23,873.7, η 716.21, window 262,926.
    #[test]
    fn constants_scale_as_in_the_public_simulator() {
        let nscc = example();
        let near = |got: f64, expected: f64| {
            assert!((got / expected - 1.0).abs() < 1e-5, "{got} {expected}")
        };
        near(nscc.rate * nscc.period, 175_284.0);
        near(nscc.target, 10.517_04e6);
        near(nscc.alpha, 0.001_591_58);
        near(nscc.fair, 23_873.7);
        near(nscc.eta, 716.21);
        near(nscc.window, 262_926.0);
        near(nscc.most(), 262_926.0);
    }

    /// Target 9 us, window 150,000 B, mean delays of 10, 12, 18 and 36 us.
    #[test]
    fn the_decrease_follows_the_mean_delay() {
        for (mean, expected) in [
            (10e6, 138_000.0),
            (12e6, 120_000.0),
            (18e6, 90_000.0),
            (36e6, 75_000.0),
        ] {
            let nscc = Nscc {
                target: 9e6,
                window: 150_000.0,
                mean,
                ..example()
            };
            assert!((nscc.decreased() - expected).abs() < 1e-6, "{mean}");
        }
    }

    /// A packet leaves if what is in flight and it fit the window: with a window of one frame, one at a time.
    #[test]
    fn a_packet_must_fit_the_window() {
        let window = |window: f64| {
            let nscc = Nscc {
                window,
                ..example()
            };
            nscc.limits().window
        };
        assert_eq!(window(4150.0), 4086);
        // Two frames: in flight may be one packet, and not one and a byte.
        assert_eq!(window(8300.0), 4087);
    }

    /// A trimmed packet takes its bytes out of the window, and the interval that ends with little achieved sets it.
    #[test]
    fn little_achieved_after_a_trimmed_packet_sets_the_window() {
        let mut nscc = example();
        nscc.quick.wanted = true;
        let us = |n: u64| Time(n * 1_000_000);
        assert!(!nscc.adapt(us(1), 4150.0, 0.0, 100_000.0));
        assert!(!nscc.adapt(us(10), 4150.0, 0.0, 100_000.0));
        assert!(nscc.adapt(us(40), 4150.0, 0.0, 100_000.0));
        assert_eq!((nscc.window, nscc.quick.ignored), (12_450.0, 100_000.0));
        // Bytes that were in flight change nothing.
        assert!(nscc.adapt(us(41), 60_000.0, 0.0, 0.0));
        assert!(nscc.adapt(us(42), 60_000.0, 0.0, 0.0));
        assert!(!nscc.adapt(us(43), 4150.0, 0.0, 0.0));
    }
}
