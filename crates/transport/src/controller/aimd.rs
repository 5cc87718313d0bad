//! Additive increase, multiplicative decrease on the round-trip time.
//!
//! Detects: a round trip above a threshold; silence; or loss, by option. Tells: nobody. Responds:
//! divides the window by `beta`; otherwise adds `alpha` packets per window or per acknowledgement.
//!
//! Reference: the 6.829 report (`alpha` 1, `beta` 2, 100 ms). Its published numbers follow from `per =
//! "ack"` with 200 ms, not from the rule it prints; both are options here. The rule does not define
//! whether several acknowledgements in one millisecond, common on cellular links, count as one sample
//! (`every = "ms"`), nor whether a fraction of a packet in the window lets a packet leave (`rounding =
//! "up"`). Differences: none beyond the options.

use crate::building_blocks::bounds;
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Inspect, Limits, Reduction,
};
use crate::part::{Default, Kind, Opt, Part};
use crate::units::{Span, Time};

/// State: the window in packets, and the parameters.
#[derive(Clone, Debug)]
pub struct Aimd {
    mss: u64,
    window: f64,
    alpha: f64,
    beta: f64,
    threshold: Option<Span>,
    per_ack: bool,
    /// One decrease for each millisecond at most.
    by_ms: bool,
    round_up: bool,
    /// No second decrease before this many acknowledgements.
    cooldown: u64,
    /// Or before everything sent at the first is acknowledged.
    once: bool,
    on_timeout: bool,
    on_loss: bool,
    calm_acks: u64,
    /// No decrease before this transmission is acknowledged.
    calm_until: u64,
    next: u64,
    /// When the window was decreased last.
    decreased: Option<Time>,
}

fn ms(at: Time) -> u64 {
    at.0 / Span::millis(1).0
}

impl Aimd {
    fn decrease(&mut self) {
        self.window = (self.window / self.beta).max(1.0);
        self.calm_acks = self.cooldown;
        self.calm_until = self.next;
    }
}

impl Controller for Aimd {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.acked == 0 {
            return;
        }
        let congested = match (ack.rtt, self.threshold) {
            (Some(rtt), Some(threshold)) => rtt > threshold,
            _ => false,
        };
        if !congested {
            self.window += if self.per_ack {
                self.alpha
            } else {
                self.alpha / self.window
            };
        } else if self.by_ms && self.decreased.map(ms) == Some(ms(ack.now)) {
            return;
        } else if self.calm_acks == 0 && (!self.once || ack.number >= self.calm_until) {
            self.decrease();
            self.decreased = Some(ack.now);
            return;
        }
        self.calm_acks = self.calm_acks.saturating_sub(1);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let answers = match congestion.cause {
            Cause::Timeout => self.on_timeout,
            Cause::Loss | Cause::Mark => self.on_loss,
            Cause::Spurious | Cause::Recovered => false,
        };
        if answers {
            self.decrease();
        }
    }

    fn on_sent(&mut self, sent: &super::Sent) -> super::Departure {
        self.next = sent.number + 1;
        super::Departure::Noted
    }

    fn limits(&self) -> Limits {
        let packets = match self.round_up {
            true => libm::ceil(self.window),
            false => self.window,
        };
        Limits::of((packets * self.mss as f64) as u64)
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            state: "aimd",
            ..Inspect::default()
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Aimd>> = Part {
    id: "aimd",
    aliases: &[],
    summary: "additive increase, multiplicative decrease on the round-trip time",
    source: "6.829 report",
    options: &[
        Opt::new("alpha", Kind::Number, Default::Is("1"), "packets added")
            .at_least("0")
            .at_most("1000"),
        Opt::new(
            "beta",
            Kind::Number,
            Default::Is("2"),
            "divisor of the window",
        )
        .at_least("1")
        .at_most("1000"),
        Opt::new(
            "threshold",
            Kind::Span,
            Default::Is("100 ms"),
            "a longer round trip means congestion",
        )
        .at_least("1 us")
        .at_most("100 s"),
        Opt::new(
            "delay",
            Kind::Flag,
            Default::Is("true"),
            "whether the round trip counts at all",
        ),
        Opt::new(
            "per",
            Kind::Choice(&["window", "ack"]),
            Default::Is("window"),
            "add for each window acknowledged, or for each acknowledgement",
        ),
        Opt::new(
            "every",
            Kind::Choice(&["ack", "ms"]),
            Default::Is("ack"),
            "how often a long round trip counts: at each acknowledgement, or once in a millisecond",
        ),
        Opt::new(
            "rounding",
            Kind::Choice(&["down", "up"]),
            Default::Is("down"),
            "whether a fraction of a packet in the window is room for one",
        ),
        Opt::new(
            "cooldown",
            Kind::Count,
            Default::Is("0"),
            "acknowledgements after a decrease before the next",
        )
        .at_most("1000000"),
        Opt::new(
            "once",
            Kind::Flag,
            Default::Is("false"),
            "one decrease for each window",
        ),
        Opt::new(
            "on_timeout",
            Kind::Flag,
            Default::Is("false"),
            "decrease also when the sender's timer expires",
        ),
        Opt::new(
            "on_loss",
            Kind::Flag,
            Default::Is("false"),
            "decrease also at a loss or mark",
        ),
        bounds::first_window("1 packets"),
    ],
    build: |args, setup| {
        Ok(Aimd {
            mss: setup.mss,
            window: args.packets("initial") as f64,
            alpha: args.number("alpha"),
            beta: args.number("beta"),
            threshold: args.flag("delay").then(|| args.span("threshold")),
            per_ack: args.choice("per") == "ack",
            by_ms: args.choice("every") == "ms",
            round_up: args.choice("rounding") == "up",
            cooldown: args.count("cooldown"),
            once: args.flag("once"),
            on_timeout: args.flag("on_timeout"),
            on_loss: args.flag("on_loss"),
            calm_acks: 0,
            calm_until: 0,
            next: 0,
            decreased: None,
        })
    },
};
