//! RCP at a router: one rate for all flows.
//!
//! Detects: arrived bytes against a share γ of the capacity, and the backlog, every T = min(d, 10 ms). Tells: the
//! rate, in the congestion header, if that is lower than what it has. Responds: the senders send at it.
//!
//! Reference: Dukkipati et al., IWQoS 2005; Dukkipati's thesis, 2008; `rcp.cc` of Zhang and Dukkipati for ns-2.
//! R ← R (1 + (T/d) (α (γC - y) - β q/d) / (γC)), between one packet for each d and γC. The mean round trip d
//! moves with the gain T/d, or with (R/C) (d_T/d) (T/d) where that is smaller.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::units::{Span, Time};

use super::Build;
use super::law::{Backlog, Believed, CAPACITY, Passing, Place, SCALE, Seen, Stamp, gain};
use super::measure::ticks;

/// Longest update interval.
const LONGEST: f64 = 0.01;
/// Bytes of the packet in the least rate.
const PACKET: f64 = 1000.0;

/// The options and the state.
#[derive(Clone, Debug)]
pub struct RcpLaw {
    believed: Believed,
    alpha: f64,
    beta: f64,
    gamma: f64,
    start: f64,
    capacity: f64,
    /// Bytes/s.
    rate: f64,
    /// Mean round trip in seconds.
    d: f64,
    interval: f64,
    due: Time,
    arrived: u64,
    rtts: (f64, u64),
}

impl RcpLaw {
    fn control(&mut self, backlog: Backlog) -> Span {
        let t = self.interval;
        let (sum, count) = std::mem::take(&mut self.rtts);
        if count > 0 {
            let recent = sum / count as f64;
            let plain = t / self.d;
            let slow = self.rate / self.capacity * (recent / self.d) * (t / self.d);
            let gain = plain.min(slow);
            self.d += gain * (recent - self.d);
        }
        let aim = self.gamma * self.capacity;
        let input = self.arrived as f64 / t;
        self.arrived = 0;
        let spare = self.alpha * (aim - input) - self.beta * backlog.bytes as f64 / self.d;
        let rate = self.rate * (1.0 + t / self.d * spare / aim);
        self.rate = rate.max(PACKET / self.d).min(aim);
        self.interval = self.d.clamp(1e-4, LONGEST);
        Span::from_seconds(self.interval)
    }
}

impl Stamp for RcpLaw {
    fn layout(&self) -> Option<Layout> {
        Some(Layout::Rate)
    }

    fn needs_rate(&self) -> bool {
        self.believed.needs_rate()
    }

    fn attach(&mut self, place: &Place) {
        self.capacity = self.believed.at(place);
        self.rate = self.start * self.capacity;
    }

    fn update(&mut self, now: Time, backlog: Backlog) {
        let mut due = self.due;
        ticks(&mut due, now, backlog, |_, backlog| self.control(backlog));
        self.due = due;
    }

    fn arrive(&mut self, seen: &Seen, header: Option<&CongestionHeader>) {
        self.arrived += seen.size;
        if let Some(rtt) = header.and_then(CongestionHeader::rtt) {
            self.rtts.0 += rtt.seconds();
            self.rtts.1 += 1;
        }
    }

    fn depart(&mut self, _: &Seen, passing: &mut Passing) {
        if let Some(CongestionHeader::Rate { rate, .. }) = passing.header.as_deref_mut() {
            *rate = rate.min(self.rate);
        }
    }

    fn values(&self) -> [(&'static str, f64); 4] {
        [
            ("rate_bps", 8.0 * self.rate),
            ("flows", self.capacity / self.rate),
            ("mean_rtt_s", self.d),
            ("", 0.0),
        ]
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "rcp",
    aliases: &[],
    summary: "one rate for all flows, from unused capacity and backlog",
    source: "Dukkipati et al., IWQoS 2005",
    options: &[
        CAPACITY,
        SCALE,
        gain("alpha", "0.4", "gain of unused capacity"),
        gain("beta", "0.4", "gain of the backlog"),
        Opt::new(
            "gamma",
            Kind::Number,
            Default::Is("0.95"),
            "share of the capacity to fill",
        )
        .at_least("0.01")
        .at_most("1"),
        Opt::new(
            "start",
            Kind::Number,
            Default::Is("0.05"),
            "first rate, of the capacity",
        )
        .at_least("0.0001")
        .at_most("1"),
        Opt::new(
            "first_rtt",
            Kind::Span,
            Default::Is("200 ms"),
            "mean round trip that the router begins with",
        )
        .at_least("1 us")
        .at_most("10 s"),
    ],
    build: |args| {
        let d = args.span("first_rtt").seconds();
        let interval = d.clamp(1e-4, LONGEST);
        let law = RcpLaw {
            believed: Believed::new(args),
            alpha: args.number("alpha"),
            beta: args.number("beta"),
            gamma: args.number("gamma"),
            start: args.number("start"),
            capacity: 0.0,
            rate: 0.0,
            d,
            interval,
            due: Time::ZERO.after(Span::from_seconds(interval)),
            arrived: 0,
            rtts: (0.0, 0),
        };
        Ok(law.into())
    },
};
