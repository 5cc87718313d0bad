//! The measurements of laws: rates over a window, capacities, and active flows.

use std::collections::VecDeque;

use backwater_transport::part::{Default, Kind, Opt};
use backwater_transport::units::{Span, Time};

use super::law::{Backlog, LawPacket, LawQueue, Senders};

/// Bytes over the last `span`.
#[derive(Clone, Debug)]
pub struct Recent {
    span: Span,
    entries: VecDeque<(Time, u64)>,
    sum: u64,
}

impl Recent {
    /// Nothing so far.
    pub fn new(span: Span) -> Recent {
        Recent {
            span,
            entries: VecDeque::new(),
            sum: 0,
        }
    }

    /// The window is so long from now on.
    pub fn set_span(&mut self, span: Span) {
        self.span = span;
    }

    /// So many bytes now.
    pub fn add(&mut self, now: Time, bytes: u64) {
        self.entries.push_back((now, bytes));
        self.sum += bytes;
        self.forget(now);
    }

    fn forget(&mut self, now: Time) {
        let span = self.span;
        while let Some((_, bytes)) = self.entries.pop_front_if(|e| e.0.after(span) <= now) {
            self.sum -= bytes;
        }
    }

    /// Bytes/s.
    pub fn rate(&mut self, now: Time) -> f64 {
        self.forget(now);
        self.sum as f64 / self.span.seconds()
    }

    /// Entries in the window.
    pub fn count(&self) -> usize {
        self.entries.len()
    }
}

/// The capacity of what serves a queue.
#[derive(Clone, Debug)]
pub enum Meter {
    /// A line rate in bytes/s.
    Line(f64),
    /// Opportunities of a trace link: instants and bytes offered up to them, over a window.
    Offered(Span, VecDeque<(Time, u64)>),
    /// A radio: what it serves while frames wait.
    Served(Served),
}

/// Bytes served back to back, and how long that took.
#[derive(Clone, Debug)]
pub struct Served {
    span: Span,
    /// The last departure, if frames waited behind it.
    last: Option<Time>,
    entries: VecDeque<(Time, u64, Span)>,
    bytes: u64,
    time: Span,
}

impl Meter {
    /// The meter that suits a place.
    pub fn new(place: &LawQueue, window: Span) -> Meter {
        match place.rate {
            Some(rate) => Meter::Line(rate.0 as f64 / 8.0),
            None if place.offers => Meter::Offered(window, VecDeque::new()),
            None => Meter::Served(Served {
                span: window,
                last: None,
                entries: VecDeque::new(),
                bytes: 0,
                time: Span::ZERO,
            }),
        }
    }

    /// A packet departs.
    pub fn depart(&mut self, seen: &LawPacket) {
        match self {
            Meter::Line(_) => {}
            Meter::Offered(window, samples) => {
                let offered = seen.offered.expect("a place with opportunities");
                samples.push_back((seen.now, offered));
                // One sample at the beginning of the window or before it stays.
                while samples.len() > 2 && samples[1].0.after(*window) <= seen.now {
                    samples.pop_front();
                }
            }
            Meter::Served(served) => served.depart(seen),
        }
    }

    /// Bytes/s; none before there is anything to measure.
    pub fn rate(&self) -> Option<f64> {
        match self {
            Meter::Line(rate) => Some(*rate),
            Meter::Offered(_, samples) => {
                let (from, to) = (samples.front()?, samples.back()?);
                let time = to.0.since(from.0).seconds();
                (time > 0.0).then(|| (to.1 - from.1) as f64 / time)
            }
            Meter::Served(served) => {
                let time = served.time.seconds();
                (time > 0.0).then(|| served.bytes as f64 / time)
            }
        }
    }
}

impl Served {
    fn depart(&mut self, seen: &LawPacket) {
        if let Some(last) = self.last {
            let took = seen.now.since(last);
            self.entries.push_back((seen.now, seen.size, took));
            self.bytes += seen.size;
            self.time += took;
        }
        self.last = (seen.backlog.packets > 0).then_some(seen.now);
        let span = self.span;
        while self.entries.len() > 1
            && let Some((_, bytes, took)) =
                self.entries.pop_front_if(|e| e.0.after(span) <= seen.now)
        {
            self.bytes -= bytes;
            self.time -= took;
        }
    }
}

/// How long a flow counts as active.
pub const FLOW_TIMEOUT: Opt = Opt::new(
    "flow_timeout",
    Kind::Span,
    Default::Is("1 s"),
    "a flow counts as active so long after its last packet",
)
.at_least("1 ms")
.at_most("1000 s");

/// Pairs of nodes seen within the last `span`.
#[derive(Clone, Debug)]
pub struct Flows {
    span: Span,
    /// Pairs in order, each with its last packet.
    last: Vec<([u32; 2], Time)>,
    /// No pair's last packet is older.
    oldest: Time,
}

impl Flows {
    /// None so far.
    pub fn new(span: Span) -> Flows {
        Flows {
            span,
            last: Vec::new(),
            oldest: Time::NEVER,
        }
    }

    /// A packet of a pair.
    pub fn note(&mut self, now: Time, ends: [u32; 2]) {
        match self.last.binary_search_by_key(&ends, |pair| pair.0) {
            Ok(place) => self.last[place].1 = now,
            Err(place) => self.last.insert(place, (ends, now)),
        }
        self.oldest = self.oldest.min(now);
        let span = self.span;
        // Pairs are gone through once in a span or when one ends, not at every packet.
        if self.oldest.after(span) < now {
            self.last.retain(|pair| pair.1.after(span) >= now);
            let oldest = self.last.iter().map(|pair| pair.1).min();
            self.oldest = oldest.unwrap_or(Time::NEVER);
        }
    }

    /// Active pairs, at least one.
    pub fn count(&self) -> f64 {
        self.last.len().max(1) as f64
    }

    /// Says that several flows between the same nodes count as one.
    pub fn warning(senders: &Senders) -> Option<String> {
        let Senders { flows, pairs, .. } = *senders;
        (flows > pairs).then(|| {
            format!(
                "the law counts pairs of nodes, as its source does: it takes {flows} flows for {pairs}, so that its target is \
                 for {pairs}; give each flow a pair of nodes of its own"
            )
        })
    }
}

/// A mean that follows with a fixed weight and begins with the first value.
#[derive(Copy, Clone, Debug)]
pub struct Smoothed {
    weight: f64,
    value: Option<f64>,
}

impl Smoothed {
    /// Nothing so far.
    pub fn new(weight: f64) -> Smoothed {
        Smoothed {
            weight,
            value: None,
        }
    }

    /// The next value.
    pub fn add(&mut self, x: f64) {
        let old = self.value.unwrap_or(x);
        self.value = Some(old + self.weight * (x - old));
    }

    /// The mean.
    pub fn get(&self) -> Option<f64> {
        self.value
    }
}

/// The state that a timer reads: the backlog does not change between two events.
pub fn ticks(
    due: &mut Time,
    now: Time,
    backlog: Backlog,
    mut tick: impl FnMut(Time, Backlog) -> Span,
) {
    while *due <= now {
        *due = due.after(tick(*due, backlog));
    }
}
