//! RCP at a router: one rate for all flows.
//!
//! Detects: arrived bytes against a share γ of the capacity, and the backlog, every T = min(d, 10 ms). Tells: the
//! rate, in the congestion header, if that is lower than what it has. Responds: the senders send at it.
//!
//! Reference: Dukkipati et al., IWQoS 2005; Dukkipati's thesis, 2008; `rcp.cc` of Zhang and Dukkipati for ns-2.
//! R ← R (1 + (T/d) (α (γC - y) - β q/d) / (γC)), between one packet for each d and γC. The mean round trip d
//! moves toward the mean d_T of the last interval with packets, which weighs each by its bytes: with the gain T/d
//! where d_T is d or more, else with (R/C) (d_T/d) (T/d). So d follows longer round trips within one of them, and
//! shorter ones slowly.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::units::{Span, Time};

use super::Build;
use super::law::{Backlog, Believed, CAPACITY, LawPacket, LawQueue, Passing, SCALE, Stamp, gain};
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
    /// Of this interval: round trips times bytes, and those bytes.
    rtts: (f64, u64),
    /// Mean round trip of the last interval with packets; zero before the first.
    recent: f64,
}

impl RcpLaw {
    fn control(&mut self, backlog: Backlog) -> Span {
        let t = self.interval;
        let (sum, bytes) = std::mem::take(&mut self.rtts);
        if bytes > 0 {
            self.recent = sum / bytes as f64;
        }
        // An interval without packets counts as the one before, in ns-2, too.
        let gain = match self.recent >= self.d {
            true => t / self.d,
            false => self.rate / self.capacity * (self.recent / self.d) * (t / self.d),
        };
        self.d += gain * (self.recent - self.d);
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

    fn attach(&mut self, place: &LawQueue) {
        self.capacity = self.believed.at(place);
        self.rate = self.start * self.capacity;
    }

    fn update(&mut self, now: Time, backlog: Backlog) {
        let mut due = self.due;
        ticks(&mut due, now, backlog, |_, backlog| self.control(backlog));
        self.due = due;
    }

    fn arrive(&mut self, seen: &LawPacket, header: Option<&CongestionHeader>) {
        self.arrived += seen.size;
        if let Some(rtt) = header.and_then(CongestionHeader::rtt) {
            self.rtts.0 += rtt.seconds() * seen.size as f64;
            self.rtts.1 += seen.size;
        }
    }

    fn depart(&mut self, _: &LawPacket, passing: &mut Passing) {
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
            recent: 0.0,
        };
        Ok(law.into())
    },
};
