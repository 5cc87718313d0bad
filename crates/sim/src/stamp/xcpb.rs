//! XCP-b, "blind": XCP without a capacity, reconstructed from summaries.
//!
//! Detects: the growth of the queue over a mean round trip, and its distance from a level above zero. Tells: a
//! change of throughput, divided as in XCP. Responds: the senders add it up.
//!
//! Reference: Abrantes and Ricardo, CCR 36(3), 2006; IEEE TMC 10(1), 2011. Their equations were not available:
//! this is a reconstruction from their abstracts and from discussions of them, hence the name. While the
//! queue is not empty, or was not within `hold` mean round trips, φ = -α (q(t) - q(t - d)) - β (q - κ), else φ is
//! a fixed grant χ of the buffer. The queue counts packets, converted with the mean size of packets that
//! carry a congestion header, because an access point's queue may hold nothing but acknowledgements.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::units::{Span, Time};

use super::Build;
use super::allocation::{Allocation, FIRST, SHUFFLE};
use super::law::{
    BUFFER, Backlog, BufferOption, LawPacket, LawQueue, Passing, Senders, Stamp, gain,
};
use super::measure::{Smoothed, ticks};

/// The options and the state.
#[derive(Clone, Debug)]
pub struct XcpBlind {
    alpha: f64,
    beta: f64,
    gamma: f64,
    kappa: f64,
    chi: f64,
    hold: f64,
    smooth: bool,
    room: BufferOption,
    /// Packets.
    buffer: f64,
    allocation: Allocation,
    interval: Span,
    due: Time,
    /// Mean bytes of packets with a header.
    size: Smoothed,
    average: Smoothed,
    /// Backlogs found by arrivals in this interval, and how many.
    found: (f64, u64),
    /// The queue at the end of the last interval.
    before: f64,
    /// When the queue was last not empty.
    busy: Time,
    phi: f64,
}

impl XcpBlind {
    /// A control interval is over.
    fn divide(&mut self, now: Time, backlog: Backlog) -> Span {
        let interval = self.interval.seconds();
        let input = self.allocation.bytes() / interval;
        let queue = match self.smooth {
            true => self.average.get().unwrap_or(0.0),
            false => backlog.packets as f64,
        };
        if backlog.packets > 0 {
            self.busy = now;
        }
        let (sum, count) = std::mem::take(&mut self.found);
        let mean = if count > 0 { sum / count as f64 } else { queue };
        let idle = now.since(self.busy).seconds();
        let packets = match idle > self.hold * interval {
            false => {
                let growth = queue - self.before;
                -self.alpha * growth - self.beta * (mean - self.kappa * self.buffer)
            }
            true => self.chi * self.buffer,
        };
        self.before = queue;
        self.phi = packets * self.size.get().unwrap_or(0.0) / interval;
        let shuffle = (self.gamma * input - self.phi.abs()).max(0.0);
        self.interval = self.allocation.mean_rtt().max(Span::millis(1));
        self.allocation.divide(self.phi, shuffle);
        self.interval
    }
}

impl Stamp for XcpBlind {
    fn layout(&self) -> Option<Layout> {
        Some(Layout::Change)
    }

    fn needs_packets(&self) -> bool {
        self.room.needs_packets()
    }

    fn attach(&mut self, place: &LawQueue) {
        self.buffer = self.room.at(place);
    }

    fn update(&mut self, now: Time, backlog: Backlog) {
        let mut due = self.due;
        ticks(&mut due, now, backlog, |at, backlog| {
            self.divide(at, backlog)
        });
        self.due = due;
    }

    fn arrive(&mut self, seen: &LawPacket, header: Option<&CongestionHeader>) {
        let queue = seen.backlog.packets as f64;
        self.found.0 += queue;
        self.found.1 += 1;
        self.average.add(queue);
        if queue > 0.0 {
            self.busy = seen.now;
        }
        if header.is_some() {
            self.size.add(seen.size as f64);
        }
        self.allocation.count(seen.size, header);
    }

    fn depart(&mut self, seen: &LawPacket, passing: &mut Passing) {
        self.allocation
            .write(seen.size, passing.header.as_deref_mut());
    }

    fn warnings(&self, _: Time, _: &Senders) -> Vec<String> {
        self.room.warning().into_iter().collect()
    }

    fn values(&self) -> [(&'static str, f64); 4] {
        [
            ("phi_bps", 8.0 * self.phi),
            ("interval_s", self.interval.seconds()),
            ("", 0.0),
            ("", 0.0),
        ]
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "xcpb-reconstructed",
    aliases: &[],
    summary: "XCP-b: XCP that infers unused capacity from the queue; a reconstruction",
    source: "Abrantes and Ricardo, CCR 36(3), 2006 (equations not available)",
    options: &[
        gain("alpha", "0.4", "gain of the queue's growth"),
        gain("beta", "0.226", "gain of the queue's distance from its level"),
        SHUFFLE,
        Opt::new("kappa", Kind::Share, Default::Is("20 %"), "level of the queue, of the buffer")
            .at_most("100 %"),
        Opt::new(
            "chi",
            Kind::Number,
            Default::Is("0.2286"),
            "grant for each mean round trip while the queue is empty, of the buffer; 1 / (5 - alpha - beta)",
        )
        .at_least("0")
        .at_most("100"),
        Opt::new(
            "hold",
            Kind::Number,
            Default::Is("1"),
            "mean round trips for which an empty queue counts as busy",
        )
        .at_least("0")
        .at_most("100"),
        Opt::new(
            "queue",
            Kind::Choice(&["instant", "average"]),
            Default::Is("instant"),
            "queue whose growth is taken; the average has the weight 0.2",
        ),
        BUFFER,
    ],
    build: |args| {
        let law = XcpBlind {
            alpha: args.number("alpha"),
            beta: args.number("beta"),
            gamma: args.number("gamma"),
            kappa: args.share("kappa"),
            chi: args.number("chi"),
            hold: args.number("hold"),
            smooth: args.choice("queue") == "average",
            room: BufferOption::new(args),
            buffer: 0.0,
            allocation: Allocation::new(false),
            interval: FIRST,
            due: Time::ZERO.after(FIRST),
            size: Smoothed::new(0.02),
            average: Smoothed::new(0.2),
            found: (0.0, 0),
            before: 0.0,
            busy: Time::ZERO,
            phi: 0.0,
        };
        Ok(law.into())
    },
};
