//! ABC at a router: a share of the packets accelerates, the others brake.
//!
//! Detects: capacity and dequeue rate over a window, and the delay of the queue. Tells: a packet that says
//! accelerate, ECT(1), keeps that while there are tokens, else it becomes a brake. Responds: the senders.
//!
//! Reference: Goyal et al., NSDI 2020, equations (1) and (2); `cellular_packet_queue.cc` of the authors. Paper:
//! the target rate is η μ - (μ/δ) (x - d_t)⁺. Code: it is 0.98 of the dequeue rate, less the same term, with one
//! packet more in x. Brakes are ECT(0) in the paper, CE in the code. On a trace link the capacity is that of the
//! opportunities, on a wire the line rate, over the air what is served while frames wait.
//! Deviation: the code adds 0.49 tokens at an unused opportunity; here an opportunity without a packet says
//! nothing, because tokens are full by then.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::segment::Ecn;
use backwater_transport::units::Span;

use super::Build;
use super::law::{LawPacket, LawQueue, Passing, Stamp};
use super::measure::{Meter, Recent};

/// Most tokens.
const TOKENS: f64 = 5.0;

/// The options and the state.
#[derive(Clone, Debug)]
pub struct AbcLaw {
    as_coded: bool,
    eta: f64,
    delta: f64,
    threshold: f64,
    window: Span,
    meter: Meter,
    departures: Recent,
    tokens: f64,
    share: f64,
}

impl AbcLaw {
    /// The share of accelerates, from capacity and dequeue rate in bytes/s and the bytes that wait.
    fn accelerates(&self, capacity: f64, dequeued: f64, waiting: f64) -> f64 {
        let delay = waiting / capacity;
        let drain = capacity / self.delta * (delay - self.threshold).max(0.0);
        let base = if self.as_coded { dequeued } else { capacity };
        let target = self.eta * base - drain;
        (0.5 * target / dequeued).clamp(0.0, 1.0)
    }

    /// Whether a packet that says accelerate keeps that.
    fn take_token(&mut self) -> bool {
        let taken = self.tokens > 1.0;
        if taken {
            self.tokens -= 1.0;
        }
        taken
    }
}

impl Stamp for AbcLaw {
    fn layout(&self) -> Option<Layout> {
        Some(Layout::Brake)
    }

    fn attach(&mut self, place: &LawQueue) {
        self.meter = Meter::new(place, self.window);
    }

    fn arrive(&mut self, _: &LawPacket, _: Option<&CongestionHeader>) {}

    fn depart(&mut self, seen: &LawPacket, passing: &mut Passing) {
        self.meter.depart(seen);
        self.departures.add(seen.now, seen.size);
        let dequeued = self.departures.rate(seen.now);
        let own = if self.as_coded { seen.size } else { 0 };
        let waiting = (seen.backlog.bytes + own) as f64;
        self.share = match self.meter.rate() {
            Some(capacity) if capacity > 0.0 => self.accelerates(capacity, dequeued, waiting),
            // Before the first measurement nothing speaks against acceleration.
            _ => 1.0,
        };
        self.tokens = (self.tokens + self.share).min(TOKENS);
        if *passing.ecn == Ecn::Ect1 && !self.take_token() {
            *passing.ecn = if self.as_coded { Ecn::Ce } else { Ecn::Ect0 };
        }
    }

    fn values(&self) -> [(&'static str, f64); 4] {
        let capacity = self.meter.rate().unwrap_or(0.0);
        [
            ("accelerate_share", self.share),
            ("capacity_bps", 8.0 * capacity),
            ("tokens", self.tokens),
            ("", 0.0),
        ]
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "abc",
    aliases: &[],
    summary: "accelerate or brake each packet, from capacity, dequeue rate and delay",
    source: "Goyal et al., NSDI 2020",
    options: &[
        Opt::new(
            "variant",
            Kind::Choice(&["paper", "code"]),
            Default::Is("paper"),
            "target rate from the capacity and brakes as ECT(0), or from the dequeue rate and brakes as CE",
        ),
        Opt::new(
            "eta",
            Kind::Number,
            Default::Is("0.98"),
            "share of the capacity to fill",
        )
        .at_least("0.1")
        .at_most("1.5"),
        Opt::new(
            "delta",
            Kind::Span,
            Default::Is("133 ms"),
            "time in which delay is drained",
        )
        .at_least("1 ms")
        .at_most("100 s"),
        Opt::new(
            "threshold",
            Kind::Span,
            Default::Is("50 ms"),
            "delay that is not drained",
        )
        .at_most("10 s"),
        Opt::new(
            "window",
            Kind::Span,
            Default::Is("20 ms"),
            "window of the rates",
        )
        .at_least("1 us")
        .at_most("10 s"),
    ],
    build: |args| {
        let window = args.span("window");
        let law = AbcLaw {
            as_coded: args.choice("variant") == "code",
            eta: args.number("eta"),
            delta: args.span("delta").seconds(),
            threshold: args.span("threshold").seconds(),
            window,
            meter: Meter::Line(0.0),
            departures: Recent::new(window),
            tokens: TOKENS,
            share: 1.0,
        };
        Ok(law.into())
    },
};
