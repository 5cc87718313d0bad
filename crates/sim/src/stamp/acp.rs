//! ACP at a router: an integrator of unused capacity and backlog, divided by an estimate of the flows.
//!
//! Detects: arrived bytes and backlog in each control period, the mean round trip. Tells: a target rate and
//! a congestion bit in the congestion header. Responds: the senders approach the target.
//!
//! Reference: Lestas, Pitsillides, Ioannou and Hadjipollas, Computer Networks 51, 2007, after summaries of it.
//! p ← [p + (k_i (0.99 C T - y) - k_q q) / N], N ← [N + γ (y - N p) p / (1 + p²)], in packets and per period T.
//! Which of 0.3175 and 0.1587 is k_i could not be verified; k_i = 0.3175 has the positive phase margin.
//! Readings: when the period changes, p changes with it, so that the rate stays; p begins at one packet.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::units::{Span, Time};

use super::Build;
use super::law::{Backlog, Believed, CAPACITY, LawPacket, LawQueue, Passing, SCALE, Stamp, gain};
use super::measure::ticks;

/// Share of the capacity that the integrator aims at, and the share above which a link counts as congested.
const AIM: f64 = 0.99;
const CONGESTED: f64 = 0.95;
/// Period before the first round trip is known.
const FIRST: Span = Span::millis(50);

/// The options and the state.
#[derive(Clone, Debug)]
pub struct AcpLaw {
    believed: Believed,
    ki: f64,
    kq: f64,
    learning: f64,
    packet: f64,
    as_rate: bool,
    /// Bytes/s.
    capacity: f64,
    period: Span,
    due: Time,
    /// Packets for each period and flow.
    p: f64,
    flows: f64,
    congested: bool,
    arrived: u64,
    /// Round trips in seconds, and how many.
    rtts: (f64, u64),
}

impl AcpLaw {
    fn control(&mut self, backlog: Backlog) -> Span {
        let full = self.capacity * self.period.seconds() / self.packet;
        let y = self.arrived as f64 / self.packet;
        let q = backlog.bytes as f64 / self.packet;
        let step = self.ki * (AIM * full - y) - self.kq * q;
        let p = self.p;
        self.p = (p + step / self.flows).clamp(0.0, full);
        let flows = self.flows + self.learning * (y - self.flows * p) * p / (1.0 + p * p);
        self.flows = flows.max(1.0);
        self.congested = y > CONGESTED * full;
        let (sum, count) = std::mem::take(&mut self.rtts);
        self.arrived = 0;
        if count > 0 {
            let period = Span::from_seconds(sum / count as f64).max(Span::millis(1));
            self.p *= period.seconds() / self.period.seconds();
            self.period = period;
        }
        self.period
    }
}

impl Stamp for AcpLaw {
    fn layout(&self) -> Option<Layout> {
        Some(Layout::Target)
    }

    fn needs_rate(&self) -> bool {
        self.believed.needs_rate()
    }

    fn attach(&mut self, place: &LawQueue) {
        self.capacity = self.believed.at(place);
    }

    fn update(&mut self, now: Time, backlog: Backlog) {
        let mut due = self.due;
        ticks(&mut due, now, backlog, |_, backlog| self.control(backlog));
        self.due = due;
    }

    fn arrive(&mut self, seen: &LawPacket, header: Option<&CongestionHeader>) {
        self.arrived += seen.size;
        if let Some(rtt) = header.and_then(CongestionHeader::rtt) {
            self.rtts.0 += rtt.seconds();
            self.rtts.1 += 1;
        }
    }

    fn depart(&mut self, _: &LawPacket, passing: &mut Passing) {
        let Some(CongestionHeader::Target {
            rtt,
            rate,
            congested,
        }) = passing.header.as_deref_mut()
        else {
            return;
        };
        *congested |= self.congested;
        let per = match self.as_rate {
            true => self.period,
            false => *rtt,
        };
        if per > Span::ZERO {
            *rate = rate.min(self.p * self.packet / per.seconds());
        }
    }

    fn values(&self) -> [(&'static str, f64); 4] {
        [
            ("target_pkts", self.p),
            ("flows", self.flows),
            ("period_s", self.period.seconds()),
            ("", 0.0),
        ]
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "acp",
    aliases: &[],
    summary: "a target rate from unused capacity and backlog, for an estimated number of flows",
    source: "Lestas et al., Computer Networks 51, 2007",
    options: &[
        CAPACITY,
        SCALE,
        gain("ki", "0.3175", "gain of unused capacity"),
        gain("kq", "0.1587", "gain of the backlog"),
        gain("learning", "0.1", "gain of the estimate of the flows"),
        Opt::new(
            "flows",
            Kind::Number,
            Default::Is("10"),
            "number of flows that the estimate begins with",
        )
        .at_least("1")
        .at_most("1000000"),
        Opt::new(
            "packet",
            Kind::Bytes,
            Default::Is("1500 B"),
            "size of a packet in the equations",
        )
        .at_least("64 B")
        .at_most("65535 B"),
        Opt::new(
            "feedback",
            Kind::Choice(&["rate", "window"]),
            Default::Is("rate"),
            "equal rates, or equal windows",
        ),
    ],
    build: |args| {
        let law = AcpLaw {
            believed: Believed::new(args),
            ki: args.number("ki"),
            kq: args.number("kq"),
            learning: args.number("learning"),
            packet: args.bytes("packet").0 as f64,
            as_rate: args.choice("feedback") == "rate",
            capacity: 0.0,
            period: FIRST,
            due: Time::ZERO.after(FIRST),
            p: 1.0,
            flows: args.number("flows"),
            congested: false,
            arrived: 0,
            rtts: (0.0, 0),
        };
        Ok(law.into())
    },
};
