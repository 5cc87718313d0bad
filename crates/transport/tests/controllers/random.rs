//! Random sequences of events, sensible and not, over every row: limits stay sane whatever comes.

use backwater_transport::congestion_header::CongestionHeader;
use backwater_transport::controller::{
    Ack, AnyController, Cause, Congestion, Controller, Lost, RateSample, Sent,
};
use backwater_transport::random::Random;
use backwater_transport::segment::Feedback;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::build::{MSS, all, extremes};

/// Schemes that may stop altogether while bytes are in flight; they wake again by a timer.
const MAY_STOP: &[&str] = &["sprout"];

struct World {
    random: Random,
    now: Time,
    delivered: u64,
    sent: u64,
    in_flight: u64,
    number: u64,
    round: u64,
}

impl World {
    /// Mostly ordinary, at times extreme.
    fn span(&mut self) -> Span {
        match self.random.between(0, 19) {
            0 => Span(1),
            1 => Span::secs(self.random.between(1, 100)),
            2 => Span::nanos(self.random.between(1, 1000)),
            _ => Span::micros(self.random.between(1_000, 300_000)),
        }
    }

    fn bytes(&mut self) -> u64 {
        match self.random.between(0, 9) {
            0 => 1,
            1 => self.random.between(1, 1_000_000_000),
            _ => self.random.between(1, 4) * MSS,
        }
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.random.between(1, 100) <= percent
    }

    fn feedback(&mut self) -> Option<Feedback> {
        match self.random.between(0, 7) {
            0..2 => {
                let mut packets = [0u16; 8];
                for count in &mut packets {
                    *count = self.random.between(0, 60_000) as u16;
                }
                Some(Feedback::Forecast {
                    made: Time(self.random.between(0, self.now.0)),
                    packets,
                    settled: self.random.between(0, 2 * self.sent + 1),
                })
            }
            2..5 => Some(Feedback::Congestion(self.congestion_header())),
            _ => None,
        }
    }

    /// A header that routers may write, or one that they may not.
    fn congestion_header(&mut self) -> CongestionHeader {
        let rtt = if self.chance(10) {
            Span::ZERO
        } else {
            self.span()
        };
        let grant = match self.random.between(0, 9) {
            0 => f64::INFINITY,
            1 => 0.0,
            2 => 1e30,
            _ => self.random.between(1, 1 << 40) as f64,
        };
        let bytes = |random: &mut Random| random.between(0, 3) as u32 * MSS as u32;
        match self.random.between(0, 4) {
            0 => CongestionHeader::Change {
                rtt,
                spacing: 0.001,
                change: if self.chance(50) { -grant } else { grant },
            },
            1 => CongestionHeader::Rate { rtt, rate: grant },
            2 => CongestionHeader::Target {
                rtt,
                rate: grant,
                congested: self.chance(50),
            },
            3 => CongestionHeader::Window {
                rtt,
                cwnd: 10.0,
                window: grant,
            },
            _ => CongestionHeader::Codepoints {
                ect1: bytes(&mut self.random),
                ect0: bytes(&mut self.random),
                ce: bytes(&mut self.random),
            },
        }
    }

    fn ack(&mut self) -> Ack<'static> {
        let acked = if self.chance(5) { 0 } else { self.bytes() };
        let prior = self.in_flight;
        self.in_flight = prior.saturating_sub(acked);
        self.delivered += acked;
        let round_start = self.chance(10);
        self.round += u64::from(round_start);
        let rtt = self.span();
        let min_rtt = rtt.min(self.span());
        let interval = self.span();
        let delivered = self.bytes();
        let rate = RateSample {
            delivered,
            interval,
            app_limited: self.chance(20),
            prior_delivered: self.delivered.saturating_sub(delivered),
            tx_in_flight: prior,
            lost: if self.chance(20) { self.bytes() } else { 0 },
        };
        Ack {
            now: self.now,
            acked,
            advanced: [0, acked, self.bytes()][self.random.between(0, 2) as usize],
            acked_segments: (acked / MSS) as u32,
            lost: if self.chance(5) { self.bytes() } else { 0 },
            marked: if self.chance(20) { acked } else { 0 },
            delivered: self.delivered,
            prior_in_flight: prior,
            in_flight: self.in_flight,
            rtt: self.chance(90).then_some(rtt),
            srtt: if self.chance(2) { Span::ZERO } else { rtt },
            min_rtt,
            one_way: self.chance(90).then_some(Span(rtt.0 / 2)),
            rate: self.chance(90).then_some(rate),
            round: self.round,
            round_start,
            cwnd_limited: self.chance(70),
            recovering: self.chance(10),
            sent: self.sent,
            number: self.random.between(0, self.number),
            feedback: None,
        }
    }

    fn step(&mut self, controller: &mut AnyController) {
        self.now = self.now.after(match self.random.between(0, 200) {
            0 => Span::secs(self.random.between(1, 50)),
            1..10 => Span::ZERO,
            _ => Span::micros(self.random.between(1, 20_000)),
        });
        match self.random.between(0, 9) {
            0..5 => {
                let ack = self.ack();
                let feedback = self.feedback();
                controller.on_ack(&Ack {
                    feedback: feedback.as_ref(),
                    ..ack
                });
            }
            5..8 => {
                let len = self.random.between(1, MSS);
                self.in_flight += len;
                let sent = Sent {
                    now: self.now,
                    number: self.number,
                    len,
                    in_flight: self.in_flight,
                    again: self.chance(5),
                    app_limited: self.chance(10),
                };
                controller.on_sent(&sent);
                self.sent += len;
                self.number += 1;
            }
            8 => {
                let cause = match self.random.between(0, 9) {
                    0..4 => Cause::Loss,
                    4 | 5 => Cause::Mark,
                    6 => Cause::Timeout,
                    7 => Cause::Spurious,
                    _ => Cause::Recovered,
                };
                if cause == Cause::Loss {
                    controller.on_lost(&Lost {
                        now: self.now,
                        number: self.random.between(0, self.number),
                        len: MSS,
                        tx_in_flight: self.in_flight + MSS,
                        lost: MSS * self.random.between(1, 50),
                        in_flight: self.in_flight,
                        app_limited: self.chance(10),
                    });
                }
                let lost = self.bytes();
                controller.on_congestion(&Congestion {
                    now: self.now,
                    cause,
                    in_flight: self.in_flight,
                    lost,
                    tx_in_flight: self.in_flight,
                    round: self.round,
                });
            }
            _ => {
                let wake = controller.limits().wake;
                if wake != Time::NEVER && wake.0 < self.now.0 + Span::secs(100).0 {
                    self.now = self.now.max(wake);
                    controller.on_timer(self.now);
                }
            }
        }
    }
}

/// Sensible and senseless events, `steps` of them, with sane limits after each.
fn endure(name: &str, mut controller: AnyController, seed: u64, steps: u32) {
    let mut world = World {
        random: Random::stream(seed, "test", name),
        now: Time(1),
        delivered: 0,
        sent: 0,
        in_flight: 0,
        number: 0,
        round: 0,
    };
    for step in 0..steps {
        world.step(&mut controller);
        let limits = controller.limits();
        let place = || format!("{name}, seed {seed}, step {step}: {limits:?}");
        let may_stop = MAY_STOP.iter().any(|id| name.starts_with(id));
        assert!(limits.window >= MSS || may_stop, "{}", place());
        assert!(limits.window < 1 << 60, "{}", place());
        assert!(limits.pacing != Some(Rate(0)), "{}", place());
        assert!(limits.wake >= world.now, "{}", place());
        for (value, x) in controller.inspect().values {
            assert!(x.is_finite(), "{value} = {x}: {}", place());
        }
        // A pacing rate must be usable as one.
        if let Some(rate) = limits.pacing {
            rate.time_for(Bytes(MSS));
        }
    }
}

#[test]
fn limits_stay_sane_whatever_comes() {
    for (name, controller) in all() {
        for seed in 0..10 {
            endure(&name, controller.clone(), seed, 3_000);
        }
    }
}

#[test]
fn limits_stay_sane_at_the_ends_of_every_option() {
    for (name, controller) in extremes() {
        endure(&name, controller, 0, 1_500);
    }
}
