//! VCP at a router: the load of the link in two bits.
//!
//! Detects: arrived bytes and smoothed backlog against the capacity, every t_ρ. Tells: low load (ECT(1)), high
//! load (ECT(0)) or overload (CE); a router only raises what it finds. Responds: the senders.
//!
//! Reference: Xia, Subramanian, Stoica and Kalyanaraman, SIGCOMM 2005, section 4.1: the load factor is
//! (λ + κ q) / (γ C t_ρ), low below 80 %, overload above 100 %; the backlog is sampled every 10 ms and smoothed
//! with a weight of 3/4 on the previous value.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Span, Time};

use super::Build;
use super::law::{Backlog, Believed, CAPACITY, LawPacket, LawQueue, Passing, SCALE, Stamp, gain};

/// Interval of samples of the backlog.
const SAMPLE: Span = Span::millis(10);
/// Load factor from which on the load is high.
const HIGH: f64 = 0.8;

/// The options and the state.
#[derive(Clone, Debug)]
pub struct VcpLaw {
    believed: Believed,
    gamma: f64,
    kappa: f64,
    interval: Span,
    capacity: f64,
    next_sample: Time,
    control: Time,
    queue: f64,
    arrived: u64,
    load: f64,
}

impl VcpLaw {
    fn control(&mut self) {
        let demand = self.arrived as f64 + self.kappa * self.queue;
        self.load = demand / (self.gamma * self.capacity * self.interval.seconds());
        self.arrived = 0;
        self.control += self.interval;
    }

    fn sample(&mut self, backlog: Backlog) {
        self.queue += 0.25 * (backlog.bytes as f64 - self.queue);
        self.next_sample += SAMPLE;
    }
}

impl Stamp for VcpLaw {
    fn layout(&self) -> Option<Layout> {
        Some(Layout::Load)
    }

    fn needs_rate(&self) -> bool {
        self.believed.needs_rate()
    }

    fn attach(&mut self, place: &LawQueue) {
        self.capacity = self.believed.at(place);
    }

    fn update(&mut self, now: Time, backlog: Backlog) {
        while self.control.min(self.next_sample) <= now {
            if self.next_sample <= self.control {
                self.sample(backlog);
            } else {
                self.control();
            }
        }
    }

    fn arrive(&mut self, seen: &LawPacket, _: Option<&CongestionHeader>) {
        self.arrived += seen.size;
    }

    fn depart(&mut self, _: &LawPacket, passing: &mut Passing) {
        let found = *passing.ecn;
        *passing.ecn = match found {
            Ecn::Ect1 | Ecn::Ect0 if self.load > 1.0 => Ecn::Ce,
            Ecn::Ect1 if self.load >= HIGH => Ecn::Ect0,
            Ecn::NotEct | Ecn::Ect1 | Ecn::Ect0 | Ecn::Ce => found,
        };
    }

    fn values(&self) -> [(&'static str, f64); 4] {
        [
            ("load", self.load),
            ("queue_B", self.queue),
            ("", 0.0),
            ("", 0.0),
        ]
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "vcp",
    aliases: &[],
    summary: "the load of the link in the two ECN bits",
    source: "Xia et al., SIGCOMM 2005",
    options: &[
        CAPACITY,
        SCALE,
        Opt::new(
            "gamma",
            Kind::Number,
            Default::Is("0.98"),
            "share of the capacity to fill",
        )
        .at_least("0.01")
        .at_most("1"),
        gain("kappa", "0.5", "weight of the backlog"),
        Opt::new(
            "interval",
            Kind::Span,
            Default::Is("200 ms"),
            "t_ρ: interval of the load factor",
        )
        .at_least("1 ms")
        .at_most("10 s"),
    ],
    build: |args| {
        let interval = args.span("interval");
        let law = VcpLaw {
            believed: Believed::new(args),
            gamma: args.number("gamma"),
            kappa: args.number("kappa"),
            interval,
            capacity: 0.0,
            next_sample: Time::ZERO.after(SAMPLE),
            control: Time::ZERO.after(interval),
            queue: 0.0,
            arrived: 0,
            load: 0.0,
        };
        Ok(law.into())
    },
};
