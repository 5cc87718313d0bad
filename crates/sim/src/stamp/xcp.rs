//! XCP at a router: unused capacity and standing queue, divided among the packets of an interval.
//!
//! Detects: arrived bytes against the capacity, and the least backlog, once for each mean round trip. Tells: a
//! change of throughput in each congestion header. Responds: the senders add it up.
//!
//! Reference: Katabi, Handley and Rohrs, SIGCOMM 2002; draft-falk-xcp-spec-03; queue and end system of ns-2.
//! `variant`: the draft's form; the paper's, which weighs by bytes and keeps no residue; or that of the authors
//! of ABC for links of varying rate, which is computed anew at each departure from sliding windows and gives
//! every packet the same. Deviation: ns-2 draws the first control interval; here it is 50 ms.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::units::{Span, Time};

use super::Build;
use super::allocation::{Allocation, FIRST, SHUFFLE};
use super::law::{Backlog, Believed, CAPACITY, LawPacket, LawQueue, Passing, SCALE, Stamp, gain};
use super::xcp_wireless::XcpWireless;

/// Shortest interval between two looks at the least backlog.
const LEAST_QUEUE_INTERVAL: f64 = 0.002;

/// The options and the state.
#[derive(Clone, Debug)]
pub struct XcpLaw {
    believed: Believed,
    alpha: f64,
    beta: f64,
    gamma: f64,
    capacity: f64,
    allocation: Allocation,
    mean_rtt: Span,
    interval: Span,
    control: Time,
    queue_interval_end: Time,
    /// Least backlog since the last queue interval ended; `queue` is that of the interval before.
    least: u64,
    queue: f64,
    phi: f64,
}

impl XcpLaw {
    /// The control interval is over.
    fn divide(&mut self) {
        let input = self.allocation.bytes() / self.interval.seconds();
        self.mean_rtt = self.allocation.mean_rtt();
        let rtt = self.mean_rtt.seconds().max(1e-6);
        self.phi = self.alpha * (self.capacity - input) - self.beta * self.queue / rtt;
        let shuffle = (self.gamma * input - self.phi.abs()).max(0.0);
        self.allocation.divide(self.phi, shuffle);
        self.interval = self.mean_rtt.max(Span::millis(1));
        self.control += self.interval;
    }

    /// The queue interval is over.
    fn end_queue_interval(&mut self, backlog: Backlog) {
        self.queue = self.least.min(backlog.bytes) as f64;
        self.least = backlog.bytes;
        let drain = backlog.bytes as f64 / self.capacity;
        let next = ((self.mean_rtt.seconds() - drain) / 2.0).max(LEAST_QUEUE_INTERVAL);
        self.queue_interval_end += Span::from_seconds(next);
    }
}

impl Stamp for XcpLaw {
    fn layout(&self) -> Option<Layout> {
        Some(Layout::Change)
    }

    fn needs_rate(&self) -> bool {
        self.believed.needs_rate()
    }

    fn attach(&mut self, place: &LawQueue) {
        self.capacity = self.believed.at(place);
    }

    fn update(&mut self, now: Time, backlog: Backlog) {
        while self.control.min(self.queue_interval_end) <= now {
            if self.queue_interval_end <= self.control {
                self.end_queue_interval(backlog);
            } else {
                self.divide();
            }
        }
    }

    fn arrive(&mut self, seen: &LawPacket, header: Option<&CongestionHeader>) {
        self.allocation.count(seen.size, header);
    }

    fn depart(&mut self, seen: &LawPacket, passing: &mut Passing) {
        self.least = self.least.min(seen.backlog.bytes);
        self.allocation
            .write(seen.size, passing.header.as_deref_mut());
    }

    fn values(&self) -> [(&'static str, f64); 4] {
        [
            ("phi_bps", 8.0 * self.phi),
            ("queue_B", self.queue),
            ("mean_rtt_s", self.mean_rtt.seconds()),
            ("", 0.0),
        ]
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "xcp",
    aliases: &[],
    summary: "unused capacity less standing queue, divided among packets",
    source: "Katabi, Handley and Rohrs, SIGCOMM 2002; draft-falk-xcp-spec-03",
    options: &[
        Opt::new(
            "variant",
            Kind::Choice(&["spec", "paper", "wireless"]),
            Default::Is("spec"),
            "form of the draft, of the paper, or of ABC's authors for links of varying rate",
        ),
        CAPACITY,
        SCALE,
        gain("alpha", "0.4", "gain of unused capacity"),
        gain("beta", "0.226", "gain of the standing queue"),
        SHUFFLE,
    ],
    build: |args| {
        let believed = Believed::new(args);
        let (alpha, beta) = (args.number("alpha"), args.number("beta"));
        if args.choice("variant") == "wireless" {
            return XcpWireless::build(args, alpha, beta);
        }
        let law = XcpLaw {
            believed,
            alpha,
            beta,
            gamma: args.number("gamma"),
            capacity: 0.0,
            allocation: Allocation::new(args.choice("variant") == "paper"),
            mean_rtt: FIRST,
            interval: FIRST,
            control: Time::ZERO.after(FIRST),
            queue_interval_end: Time::ZERO.after(FIRST),
            least: 0,
            queue: 0.0,
            phi: 0.0,
        };
        Ok(law.into())
    },
};
