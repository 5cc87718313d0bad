//! Zekalho, the controller of the 6.829 report.
//!
//! Detects: congestion, if the mean of the last four round trips is above 70 ms; spare capacity, if it
//! is below 47 ms. Tells: nobody. Responds: one decrease per episode; with spare capacity grows by
//! three packets, otherwise by one.
//!
//! Reference: the report (`variant = "text"`) and its code (`"code"`), which differ: the text halves,
//! not below 3 packets, and waits until the flight is below the halved window; the code divides by 1.4
//! in integers, works in whole milliseconds, takes no mean before four samples, re-arms when the mean
//! is down, and does not reset its counter while there is spare capacity, so the window grows with each
//! acknowledgement up to its last peak. `alpha`, `high`, `low`, `n`, `per`, `beta`, `floor`, `cap` and
//! `cooldown` apply to both variants unless their help says otherwise. The silence timeout is the
//! sender's. Differences: none known.

use crate::building_blocks::bounds;
use crate::building_blocks::moving_mean::MovingMean;
use crate::controller_interface::{
    Ack, BuildOf, Congestion, Controller, Inspect, Limits, Reduction,
};
use crate::part::{Default, Kind, Opt, Part, Refusal};
use crate::units::Span;

/// One millisecond, the clock of the code.
const MS: u64 = 1_000_000_000;

/// The window in packets, and the rules.
#[derive(Clone, Debug)]
pub struct Zekalho {
    mss: u64,
    code: bool,
    window: f64,
    recent: MovingMean,
    mean: Span,
    high: Span,
    low: Span,
    alpha: f64,
    fast: f64,
    beta: f64,
    per_ack: bool,
    floor: f64,
    cap: f64,
    cooldown: bool,
    /// A decrease has been made and the next waits.
    cooling: bool,
    /// Acknowledgements counted toward the next step (code).
    counter: f64,
    decreases: u64,
    at_floor: u64,
}

impl Zekalho {
    fn text(&mut self, ack: &Ack) {
        if self.cooling && ack.in_flight as f64 <= self.window * self.mss as f64 {
            self.cooling = false;
        }
        if self.mean > self.high {
            if !self.cooling {
                self.window /= self.beta;
                self.cooling = self.cooldown;
                self.decreases += 1;
            }
        } else {
            let step = if self.mean < self.low {
                self.fast
            } else {
                self.alpha
            };
            self.window += if self.per_ack {
                step
            } else {
                step / self.window
            };
        }
    }

    fn code(&mut self) {
        if self.mean > self.high {
            if !self.cooling {
                self.window = libm::floor(self.window / self.beta);
                if self.window < 1.0 {
                    self.window = 2.0;
                }
                self.cooling = self.cooldown;
                self.decreases += 1;
            }
            return;
        }
        self.cooling = false;
        self.counter += 1.0;
        if self.per_ack || self.counter >= self.window {
            if self.mean > self.low {
                self.counter = 0.0;
                self.window += self.alpha;
            } else {
                self.window += self.fast;
            }
        }
    }
}

impl Controller for Zekalho {
    fn on_ack(&mut self, ack: &Ack) {
        let Some(rtt) = ack.rtt else {
            return;
        };
        if self.code {
            let sent = ack.now.0.saturating_sub(rtt.0) / MS;
            self.recent.push(Span((ack.now.0 / MS - sent) * MS));
            let mean = if self.recent.full() {
                self.recent.mean().0
            } else {
                0
            };
            self.mean = Span(mean / MS * MS);
            self.code();
        } else {
            self.recent.push(rtt);
            self.mean = self.recent.mean();
            self.text(ack);
        }
        self.window = self.window.min(self.cap).max(self.floor);
        self.at_floor += u64::from(self.window <= self.floor);
    }

    fn on_congestion(&mut self, _congestion: &Congestion) {}

    fn limits(&self) -> Limits {
        Limits::of((self.window * self.mss as f64) as u64)
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            ssthresh: None,
            state: if self.cooling { "cooling" } else { "armed" },
            values: Inspect::values([
                ("mean_rtt_s", self.mean.seconds()),
                ("decreases", self.decreases as f64),
                ("acks_at_floor", self.at_floor as f64),
            ]),
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Zekalho>> = Part {
    id: "zekalho",
    aliases: &[],
    summary: "AIMD on two thresholds of the mean round trip, with a cool-down",
    source: "6.829 report",
    options: &[
        Opt::new(
            "variant",
            Kind::Choice(&["code", "text"]),
            Default::Is("code"),
            "what was handed in, or what the report says",
        ),
        Opt::new(
            "n",
            Kind::Count,
            Default::Is("4"),
            "round trips in the mean",
        )
        .at_least("1")
        .at_most("10000"),
        Opt::new(
            "high",
            Kind::Span,
            Default::Is("70 ms"),
            "a longer mean means congestion",
        )
        .at_least("1 us")
        .at_most("100 s"),
        Opt::new(
            "low",
            Kind::Span,
            Default::Is("47 ms"),
            "a shorter mean means room",
        )
        .at_most("100 s"),
        Opt::new("alpha", Kind::Number, Default::Is("1"), "packets added")
            .at_least("0")
            .at_most("1000"),
        Opt::new(
            "fast",
            Kind::Number,
            Default::Is("3"),
            "packets added where there is room",
        )
        .at_least("0")
        .at_most("1000"),
        Opt::new(
            "beta",
            Kind::Number,
            Default::Absent,
            "divisor of the window; 1.4 in the code, 2 in the text",
        )
        .at_least("1")
        .at_most("1000"),
        Opt::new(
            "per",
            Kind::Choice(&["window", "ack"]),
            Default::Is("window"),
            "add for each window acknowledged, or for each acknowledgement",
        ),
        Opt::new(
            "cooldown",
            Kind::Flag,
            Default::Is("true"),
            "one decrease for each episode",
        ),
        Opt::new(
            "floor",
            Kind::Packets,
            Default::Absent,
            "least window; 3 packets in the text; the code turns 0 into 2",
        )
        .at_least("1 packets")
        .at_most("1000000 packets"),
        Opt::new(
            "cap",
            Kind::Packets,
            Default::Absent,
            "greatest window; none if absent",
        )
        .at_least("1 packets")
        .at_most("1000000 packets"),
        bounds::first_window("2 packets"),
    ],
    build: |args, setup| {
        let code = args.choice("variant") == "code";
        let packets = |name, otherwise: f64| match args.has(name) {
            true => args.packets(name) as f64,
            false => otherwise,
        };
        let beta = match args.has("beta") {
            true => args.number("beta"),
            false if code => 1.4,
            false => 2.0,
        };
        let (high, low) = (args.span("high"), args.span("low"));
        if low > high {
            return Err(Refusal {
                option: "low",
                what: "is above `high`".into(),
                fix: "write low = \"47 ms\", high = \"70 ms\"".into(),
            });
        }
        let floor = packets("floor", if code { 1.0 } else { 3.0 });
        let cap = bounds::cap(packets("cap", f64::MAX), floor)?;
        Ok(Zekalho {
            mss: setup.mss,
            code,
            // The text begins with 2 packets, below its own floor.
            window: packets("initial", 2.0).min(cap),
            recent: MovingMean::new(args.count("n") as usize),
            mean: Span::ZERO,
            high,
            low,
            alpha: args.number("alpha"),
            fast: args.number("fast"),
            beta,
            per_ack: args.choice("per") == "ack",
            floor,
            cap,
            cooldown: args.flag("cooldown"),
            cooling: false,
            counter: 0.0,
            decreases: 0,
            at_floor: 0,
        })
    },
};
