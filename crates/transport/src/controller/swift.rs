//! Swift: a window that holds the round trip at a target.
//!
//! Detects: the round trip against a target, which is a base, a part for each hop and a part that falls with the window, so that
//! many flows with small windows leave room for each other. Responds: below the target the window rises by `ai` packets in a
//! round trip; above it, at most once in a round trip, it falls by β of the share of the round trip beyond, at most by `max_mdf`.
//! A loss is answered by `max_mdf`, five timeouts without an acknowledgement by the least window. A window below a packet is a pace.
//!
//! Reference: Kumar et al., SIGCOMM 2020, algorithm 1 and section 3.5. Differences: one window for the fabric, none for the
//! end host, whose delay is not part of a round trip here. The count of timeouts begins anew at an acknowledgement, not at a loss,
//! where the public simulator (htsim) does so too.

use crate::building_blocks::rdma::check_queue_pair;
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Inspect, Limits, Reduction,
};
use crate::part::{Default, Kind, Opt, Part, Refusal};
use crate::units::{Rate, Span, Time};

/// Timeouts in a row after which the window is the least.
const RESET: u32 = 5;

/// The options and the state. Times in seconds, windows in packets.
#[derive(Clone, Debug)]
pub struct Swift {
    base: f64,
    hops: f64,
    ai: f64,
    beta: f64,
    max_mdf: f64,
    range: f64,
    alpha: f64,
    floor: f64,
    ceiling: f64,
    mss: u64,
    frame: u64,
    window: f64,
    srtt: f64,
    decreased: Time,
    timeouts: u32,
}

impl Swift {
    /// The part of the target that falls with the window.
    fn scaling(&self, window: f64) -> f64 {
        let scaled = self.alpha * (1.0 / libm::sqrt(window) - 1.0 / libm::sqrt(self.ceiling));
        scaled.clamp(0.0, self.range)
    }

    fn target(&self) -> f64 {
        self.base + self.hops + self.scaling(self.window)
    }

    /// Whether a round trip has passed since the last decrease.
    fn may_decrease(&self, now: Time) -> bool {
        now.since(self.decreased).seconds() >= self.srtt
    }

    /// The window after a round trip against a target, for so many packets acknowledged.
    fn after(&self, delay: f64, target: f64, packets: f64, may: bool) -> f64 {
        if delay < target {
            return match self.window >= 1.0 {
                true => self.window + self.ai / self.window * packets,
                false => self.window + self.ai * packets,
            };
        }
        let share = 1.0 - self.beta * (delay - target) / delay;
        match may {
            true => self.window * share.max(1.0 - self.max_mdf),
            false => self.window,
        }
    }

    fn set(&mut self, window: f64, now: Time) {
        let window = window.clamp(self.floor, self.ceiling);
        if window < self.window {
            self.decreased = now;
        }
        self.window = window;
    }
}

impl Controller for Swift {
    fn on_ack(&mut self, ack: &Ack) {
        self.timeouts = 0;
        let Some(rtt) = ack.rtt else {
            return;
        };
        self.srtt = ack.srtt.seconds();
        let packets = ack.acked as f64 / self.mss as f64;
        let may = self.may_decrease(ack.now);
        let window = self.after(rtt.seconds(), self.target(), packets, may);
        self.set(window, ack.now);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let now = congestion.now;
        match congestion.cause {
            Cause::Timeout if self.timeouts + 1 >= RESET => self.set(self.floor, now),
            Cause::Timeout | Cause::Loss => {
                self.timeouts += u32::from(congestion.cause == Cause::Timeout);
                if self.may_decrease(now) {
                    self.set(self.window * (1.0 - self.max_mdf), now);
                }
            }
            Cause::Mark | Cause::Spurious | Cause::Recovered => {}
        }
    }

    fn limits(&self) -> Limits {
        let window = (self.window * self.mss as f64) as u64;
        // One packet in each 1 / window of a round trip.
        let pace = self.window * self.frame as f64 * 8.0 / self.srtt.max(self.base);
        Limits {
            pacing: (self.window < 1.0).then_some(Rate((pace as u64).max(1))),
            ..Limits::of(window.max(self.mss))
        }
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            state: if self.window < 1.0 { "paced" } else { "window" },
            values: Inspect::values([("target_s", self.target()), ("window_pkts", self.window)]),
            ..Inspect::default()
        }
    }
}

const fn span(name: &'static str, default: &'static str, help: &'static str) -> Opt {
    Opt::new(name, Kind::Span, Default::Is(default), help).at_most("1 s")
}

const fn number(name: &'static str, default: &'static str, help: &'static str) -> Opt {
    Opt::new(name, Kind::Number, Default::Is(default), help)
        .at_least("0.001")
        .at_most("1000000")
}

/// The row.
pub const PART: Part<BuildOf<Swift>> = Part {
    id: "swift",
    aliases: &[],
    summary: "a window that holds the round trip at a target",
    source: "Kumar et al., SIGCOMM 2020",
    options: &[
        Opt::new(
            "base",
            Kind::Span,
            Default::Required,
            "target of a path without hops: its round trip and room for a queue",
        )
        .at_least("1 us")
        .at_most("1 s"),
        span("hop", "3 us", "part of the target for each hop"),
        Opt::new("hops", Kind::Count, Default::Is("2"), "hops of the path").at_most("64"),
        span(
            "range",
            "100 us",
            "largest part of the target that falls with the window",
        )
        .at_least("1 us"),
        number("fs_min", "0.1", "window up to which that part is largest"),
        number(
            "fs_max",
            "100",
            "window from which on it is zero, and largest window",
        ),
        number(
            "ai",
            "1",
            "packets by which the window rises in a round trip",
        ),
        number(
            "beta",
            "0.8",
            "decrease by the share of the round trip beyond the target",
        ),
        Opt::new(
            "max_mdf",
            Kind::Share,
            Default::Is("50 %"),
            "largest decrease",
        )
        .at_least("1 %")
        .at_most("99 %"),
    ],
    build: |args, setup| {
        let why = "Swift is for networks whose round trips are some microseconds, and this transport has timers of TCP";
        check_queue_pair(setup, "base", why)?;
        let (floor, ceiling) = (args.number("fs_min"), args.number("fs_max"));
        if floor >= ceiling {
            return Err(Refusal {
                option: "fs_min",
                what: "the window of the largest target is not below that of the smallest".into(),
                fix: "write an `fs_min` below `fs_max`".into(),
            });
        }
        let range = args.span("range").seconds();
        let inverse = |window: f64| 1.0 / libm::sqrt(window);
        Ok(Swift {
            base: args.span("base").seconds(),
            hops: args.span("hop").seconds() * args.count("hops") as f64,
            ai: args.number("ai"),
            beta: args.number("beta"),
            max_mdf: args.share("max_mdf"),
            range,
            alpha: range / (inverse(floor) - inverse(ceiling)),
            floor: floor.min(0.001),
            ceiling,
            mss: setup.mss,
            frame: setup.frame,
            window: (setup.initial as f64 / setup.mss as f64).min(ceiling),
            srtt: Span::ZERO.seconds(),
            decreased: Time::ZERO,
            timeouts: 0,
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    fn at(window: f64) -> Swift {
        let inverse = |window: f64| 1.0 / libm::sqrt(window);
        Swift {
            base: 20e-6,
            hops: 0.0,
            ai: 1.0,
            beta: 0.8,
            max_mdf: 0.5,
            range: 100e-6,
            alpha: 100e-6 / (inverse(0.1) - inverse(100.0)),
            floor: 0.001,
            ceiling: 100.0,
            mss: 1000,
            frame: 1048,
            window,
            srtt: 20e-6,
            decreased: Time::ZERO,
            timeouts: 0,
        }
    }

    /// A range of 100 us from .1 to 100 packets: α = 32.655432 us. The part at some windows, in us.
    #[test]
    fn the_target_falls_with_the_window() {
        assert!((at(1.0).alpha * 1e6 - 32.655_432).abs() < 1e-6);
        for (window, part) in [
            (0.05, 100.0),
            (0.1, 100.0),
            (0.5, 42.916),
            (1.0, 29.390),
            (4.0, 13.062),
            (16.0, 4.898),
            (25.0, 3.2655),
            (50.0, 1.3526),
            (100.0, 0.0),
            (200.0, 0.0),
        ] {
            let got = at(1.0).scaling(window) * 1e6;
            assert!((got - part).abs() < 6e-4, "{window} {got}");
        }
    }

    /// A window of 10 and a target of 25 us: 20 us gives 10.1; 30 us 8.6667; 50 us 6; 200 us 5. A window of .5 and 20 us: 1.5; of 1.6:
    /// 1.6 + 1/1.6.
    #[test]
    fn the_window_rises_below_the_target_and_falls_above_it() {
        for (window, delay, expected) in [
            (10.0, 20.0, 10.1),
            (10.0, 30.0, 8.666_667),
            (10.0, 50.0, 6.0),
            (10.0, 200.0, 5.0),
            (0.5, 20.0, 1.5),
            (1.6, 20.0, 2.225),
        ] {
            let got = at(window).after(delay * 1e-6, 25e-6, 1.0, true);
            assert!((got - expected).abs() < 1e-6, "{window} {delay} {got}");
        }
        assert_eq!(at(10.0).after(200e-6, 25e-6, 1.0, false), 10.0);
        // A round trip of the target neither raises nor lowers it.
        assert_eq!(at(10.0).after(25e-6, 25e-6, 1.0, true), 10.0);
    }
}
