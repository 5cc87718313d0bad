//! The laws by which routers write congestion headers. A law sees the packets that arrive at a queue and
//! those that depart, and rewrites the header of each that departs.
//!
//! A law knows no simulator: it is told the time and the backlog. Its timers are caught up when it is told
//! next, because nothing they read changes in between.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{Args, Default, Kind, Opt};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Rate, Time};

use crate::limit::Limit;

/// The queue that a law watches, and what serves it.
#[derive(Copy, Clone, Debug)]
pub struct LawQueue {
    /// Line rate; none at a trace link and over the air.
    pub rate: Option<Rate>,
    /// `LawPacket::offered` says what the link could have carried.
    pub offers: bool,
    /// BufferOption of the queue.
    pub buffer: Limit,
}

/// The packets that wait.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Bytes of frames.
    pub bytes: u64,
    /// Frames.
    pub packets: u64,
}

/// A packet that arrives or departs.
#[derive(Copy, Clone, Debug)]
pub struct LawPacket {
    /// When.
    pub now: Time,
    /// Bytes for which the packet occupies the link.
    pub size: u64,
    /// Nodes of its two ends, the lower first.
    pub ends: [u32; 2],
    /// The packets that wait besides it.
    pub backlog: Backlog,
    /// It arrived and was lost.
    pub lost: bool,
    /// Bytes of all opportunities of a trace link so far.
    pub offered: Option<u64>,
}

/// The fields of a departing packet that a law may change.
#[derive(Debug)]
pub struct Passing<'a> {
    /// Congestion header of a data packet.
    pub header: Option<&'a mut CongestionHeader>,
    /// ECN codepoint.
    pub ecn: &'a mut Ecn,
    /// Receive window of an acknowledgement.
    pub window: Option<&'a mut u32>,
}

/// The flows that carry the headers of a law.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Senders {
    /// How many.
    pub flows: usize,
    /// Pairs of nodes between which they go.
    pub pairs: usize,
    /// Least share of the way to a target that one of them goes at an acknowledgement.
    pub approach: Option<f64>,
}

/// A law.
pub trait Stamp {
    /// The headers that it writes; none if it changes something else.
    fn layout(&self) -> Option<Layout>;

    /// Whether it needs the line rate of a wire.
    fn needs_rate(&self) -> bool {
        false
    }

    /// Whether it needs a buffer that counts packets.
    fn needs_packets(&self) -> bool {
        false
    }

    /// Line rates that its fields can name; empty: any.
    fn rates(&self) -> &'static [Rate] {
        &[]
    }

    /// Whether it is told of arrivals. A law that is not has no timers either: between departures nothing changes that it reads.
    fn observes_arrivals(&self) -> bool {
        true
    }

    /// It is put to a queue.
    fn attach(&mut self, _place: &LawQueue) {}

    /// Catches up with its timers. The backlog has been this since it was told last.
    fn update(&mut self, _now: Time, _backlog: Backlog) {}

    /// A packet has come to the queue.
    fn arrive(&mut self, seen: &LawPacket, header: Option<&CongestionHeader>);

    /// A packet leaves the queue.
    fn depart(&mut self, seen: &LawPacket, passing: &mut Passing);

    /// A packet leaves through another queue. `seen` has the backlog of the law's own queue.
    fn cross(&mut self, seen: &LawPacket, passing: &mut Passing) {
        self.arrive(seen, passing.header.as_deref());
        self.depart(seen, passing);
    }

    /// Warnings for the report of a run.
    fn warnings(&self, _now: Time, _senders: &Senders) -> Vec<String> {
        Vec::new()
    }

    /// Up to four named values for the report of a run.
    fn values(&self) -> [(&'static str, f64); 4];
}

crate::custom::custom! {
    /// A law from outside this crate.
    CustomStamp: Stamp
}

/// The capacity that a router believes in.
pub const CAPACITY: Opt = Opt::new(
    "capacity",
    Kind::Rate,
    Default::Absent,
    "capacity that the router believes in; absent: the line rate",
)
.at_least("1 kbit/s")
.at_most("800 Gbit/s");

/// An error of that capacity.
pub const SCALE: Opt = Opt::new(
    "capacity_scale",
    Kind::Number,
    Default::Is("1"),
    "factor on that capacity: 1.5 for a router that believes in half as much again",
)
.at_least("0.01")
.at_most("100");

/// The options above.
#[derive(Copy, Clone, Debug)]
pub struct Believed {
    written: Option<Rate>,
    scale: f64,
}

impl Believed {
    /// From the arguments of a law with both options.
    pub fn new(args: &Args) -> Believed {
        Believed {
            written: args.has("capacity").then(|| args.rate("capacity")),
            scale: args.number("capacity_scale"),
        }
    }

    /// Whether the line rate is needed.
    pub fn needs_rate(&self) -> bool {
        self.written.is_none()
    }

    /// Bytes/s.
    pub fn at(&self, place: &LawQueue) -> f64 {
        let rate = self
            .written
            .or(place.rate)
            .expect("a place that was checked");
        self.scale * rate.0 as f64 / 8.0
    }
}

/// The buffer that a router believes in.
pub const BUFFER: Opt = Opt::new(
    "buffer",
    Kind::Packets,
    Default::Absent,
    "packets that the law takes as the buffer; absent: the port's",
)
.at_least("1 packets")
.at_most("1000000 packets");

/// That option, and the port's own buffer where that counts packets.
#[derive(Copy, Clone, Debug)]
pub struct BufferOption {
    written: Option<u64>,
    port: Option<u64>,
}

impl BufferOption {
    /// From the arguments of a law with the option.
    pub fn new(args: &Args) -> BufferOption {
        BufferOption {
            written: args.has("buffer").then(|| args.packets("buffer")),
            port: None,
        }
    }

    /// Whether the port's buffer has to count packets.
    pub fn needs_packets(self) -> bool {
        self.written.is_none()
    }

    /// Packets.
    pub fn at(&mut self, place: &LawQueue) -> f64 {
        self.port = match place.buffer {
            Limit::Packets(packets) => Some(packets),
            Limit::Bytes(_) | Limit::Unlimited => None,
        };
        self.written
            .or(self.port)
            .expect("a place that was checked") as f64
    }

    /// Says that the law waits for packets that the port would have dropped.
    pub fn warning(self) -> Option<String> {
        let (written, port) = (self.written?, self.port?);
        (written > port).then(|| {
            format!(
                "the law's buffer of {written} packets is larger than its port's of {port}, so that the law waits for a queue \
                 that the port drops: leave out `buffer` in the stamp, or write {port} packets at most"
            )
        })
    }
}

/// A positive number.
pub const fn gain(name: &'static str, default: &'static str, help: &'static str) -> Opt {
    Opt::new(name, Kind::Number, Default::Is(default), help)
        .at_least("0")
        .at_most("1000")
}
