//! TIMELY: a rate that follows the slope of the round trip.
//!
//! Detects: the slope of the round trip over completions, smoothed, as a share of the least round trip. Responds: below `low` the
//! rate rises by δ; above `high` it falls by the share of the round trip beyond; between, it rises by δ where the slope is not
//! positive, by 5δ from the fifth time in a row on, else falls in proportion to the slope.
//!
//! Reference: Mittal et al., SIGCOMM 2015 (`original`); Zhu et al., CoNEXT 2016, algorithm 2 (`patched`): between `low` and `high`
//! the weight w = 2 g + 1/2 within 0 and 1 leads from one increase to a decrease by the distance from `low`, so that flows share
//! evenly, at a round trip of low (1 + N δ / (β C)). Differences: a completion is the acknowledgement of `chunk` bytes.

use crate::building_blocks::rdma::{check_queue_pair, rate};
use crate::controller_interface::{
    Ack, BuildOf, Congestion, Controller, Inspect, Limits, Reduction,
};
use crate::part::{Default, Kind, Opt, Part, Refusal};
use crate::setup::MAX_UNACKNOWLEDGED;
use crate::units::Rate;

/// Weight of a new difference of round trips.
const WEIGHT: f64 = 0.875;
/// Increases in a row from which on the rate rises by `FAST` times δ.
const STEADY: u32 = 5;
const FAST: f64 = 5.0;
/// Share of the round trip beyond `high` by which the rate falls, and of the slope.
const ABOVE: f64 = 0.8;
/// Least rate, bit/s.
const LEAST: f64 = 10e6;

/// The options and the state. Times in seconds, rates in bit/s.
#[derive(Clone, Debug)]
pub struct Timely {
    line: f64,
    low: f64,
    high: f64,
    least_rtt: f64,
    step: f64,
    beta: f64,
    patched: bool,
    chunk: u64,
    mss: u64,
    rate: f64,
    before: Option<f64>,
    difference: f64,
    rises: u32,
    acked: u64,
}

impl Timely {
    /// A chunk is complete after this round trip.
    fn complete(&mut self, rtt: f64) {
        let Some(before) = self.before.replace(rtt) else {
            return;
        };
        self.difference = (1.0 - WEIGHT) * self.difference + WEIGHT * (rtt - before);
        let slope = self.difference / self.least_rtt;
        let rising = rtt < self.low || (rtt <= self.high && slope <= 0.0);
        self.rises = if rising && rtt >= self.low {
            self.rises + 1
        } else {
            0
        };
        self.rate = if rtt < self.low {
            self.rate + self.step
        } else if rtt > self.high {
            self.rate * (1.0 - ABOVE * (1.0 - self.high / rtt))
        } else if self.patched {
            let weight = (2.0 * slope + 0.5).clamp(0.0, 1.0);
            let beyond = (rtt - self.low) / self.low;
            (1.0 - weight) * self.step + self.rate * (1.0 - self.beta * weight * beyond)
        } else if slope <= 0.0 {
            let times = if self.rises >= STEADY { FAST } else { 1.0 };
            self.rate + times * self.step
        } else {
            self.rate * (1.0 - ABOVE * slope).max(0.0)
        };
        self.rate = self.rate.clamp(LEAST.min(self.line), self.line);
    }
}

impl Controller for Timely {
    fn on_ack(&mut self, ack: &Ack) {
        self.acked += ack.acked;
        if let Some(rtt) = ack.rtt.filter(|_| self.acked >= self.chunk) {
            self.acked = 0;
            self.complete(rtt.seconds());
        }
    }

    fn on_congestion(&mut self, _congestion: &Congestion) {}

    fn limits(&self) -> Limits {
        Limits {
            pacing: Some(Rate(self.rate as u64)),
            ..Limits::of(MAX_UNACKNOWLEDGED * self.mss)
        }
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            state: if self.rises >= STEADY {
                "rising"
            } else {
                "steady"
            },
            values: Inspect::values([
                ("gradient", self.difference / self.least_rtt),
                ("rate_bps", self.rate),
            ]),
            ..Inspect::default()
        }
    }
}

const fn span(name: &'static str, default: &'static str, help: &'static str) -> Opt {
    Opt::new(name, Kind::Span, Default::Is(default), help)
        .at_least("1 us")
        .at_most("1 s")
}

/// The row.
pub const PART: Part<BuildOf<Timely>> = Part {
    id: "timely",
    aliases: &[],
    summary: "a rate that follows the slope of the round trip",
    source: "Mittal et al., SIGCOMM 2015",
    options: &[
        rate("rate of the host's line, the highest of a flow"),
        Opt::new(
            "start",
            Kind::Share,
            Default::Is("100 %"),
            "share of the line's rate with which a flow begins",
        )
        .at_least("1 %")
        .at_most("100 %"),
        Opt::new(
            "variant",
            Kind::Choice(&["original", "patched"]),
            Default::Is("original"),
            "the law of 2015, or that of 2016 whose flows share evenly",
        ),
        span(
            "low",
            "50 us",
            "below this round trip the rate rises (T_low)",
        ),
        span(
            "high",
            "500 us",
            "above this round trip it falls whatever the slope (T_high)",
        ),
        span(
            "least_rtt",
            "20 us",
            "round trip of which the slope is a share",
        ),
        Opt::new(
            "step",
            Kind::Rate,
            Default::Is("10 Mbit/s"),
            "additive increase (delta)",
        )
        .at_least("1 kbit/s")
        .at_most("100 Gbit/s"),
        Opt::new(
            "beta",
            Kind::Number,
            Default::Is("0.008"),
            "decrease of the patched law by the distance from `low`",
        )
        .at_least("0.0001")
        .at_most("1"),
        Opt::new(
            "chunk",
            Kind::Bytes,
            Default::Is("16 kB"),
            "bytes whose acknowledgement is a completion",
        )
        .at_least("1 B")
        .at_most("1000 MB"),
    ],
    build: |args, setup| {
        let why = "TIMELY is for queue pairs: it does not answer losses";
        check_queue_pair(setup, "variant", why)?;
        let (low, high) = (args.span("low"), args.span("high"));
        if low > high {
            return Err(Refusal {
                option: "low",
                what: "the lower round trip lies above the upper".into(),
                fix: "write a `low` of at most `high`".into(),
            });
        }
        let line = args.rate("rate").0 as f64;
        Ok(Timely {
            line,
            low: low.seconds(),
            high: high.seconds(),
            least_rtt: args.span("least_rtt").seconds(),
            step: args.rate("step").0 as f64,
            beta: args.number("beta"),
            patched: args.choice("variant") == "patched",
            chunk: args.bytes("chunk").0,
            mss: setup.mss,
            rate: args.share("start") * line,
            before: None,
            difference: 0.0,
            rises: 0,
            acked: 0,
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    /// At 5 Gbit/s of 10, with a step of 10 Mbit/s.
    fn at(patched: bool) -> Timely {
        Timely {
            line: 10e9,
            low: 50e-6,
            high: 500e-6,
            least_rtt: 20e-6,
            step: 10e6,
            beta: 0.008,
            patched,
            chunk: 16_000,
            mss: 1000,
            rate: 5e9,
            before: None,
            difference: 0.0,
            rises: 0,
            acked: 0,
        }
    }

    fn after(mut timely: Timely, before: f64, rtt: f64) -> f64 {
        timely.before = Some(before * 1e-6);
        timely.complete(rtt * 1e-6);
        timely.rate / 1e9
    }

    /// (round trip, the one before) in us: (40, 45) 5.010; (100, 90) a slope of .4375, 3.250; (100, 110) 5.010; (1000, 990)
    /// 3.000; (200, 175) a slope of 1.09375, .625 Gbit/s.
    #[test]
    fn the_rate_falls_by_the_slope_or_the_distance_and_rises_by_a_step() {
        for (rtt, before, gbit) in [
            (40.0, 45.0, 5.010),
            (100.0, 90.0, 3.250),
            (100.0, 110.0, 5.010),
            (1000.0, 990.0, 3.000),
            (200.0, 175.0, 0.625),
        ] {
            let got = after(at(false), before, rtt);
            assert!((got - gbit).abs() < 1e-9, "{rtt} {before}: {got}");
        }
    }

    /// From the fifth increase in a row on a step is five times as large: 5.050 from 5.000.
    #[test]
    fn the_fifth_increase_in_a_row_is_fast() {
        let mut timely = at(false);
        timely.rises = 4;
        assert!((after(timely, 110.0, 100.0) - 5.050).abs() < 1e-9);
    }

    /// At a flat round trip of low (1 + N δ / (β C)) a flow with C / N keeps its rate: 56.25, 62.5, 100 and 150 us for 1, 2, 8, 16.
    #[test]
    fn patched_flows_rest_at_equal_rates() {
        for (flows, rest) in [(1.0, 56.25), (2.0, 62.5), (8.0, 100.0), (16.0, 150.0)] {
            let mut timely = at(true);
            timely.rate = 10e9 / flows;
            let got = after(timely, rest, rest);
            assert!((got - 10.0 / flows).abs() < 1e-9, "{flows}: {got}");
        }
    }
}
