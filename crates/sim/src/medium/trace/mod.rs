//! A link that is served by opportunities: instants at which up to so many bytes may leave, as
//! recorded on a cellular network or drawn from a model of one.
//!
//! At an opportunity the packet under way goes on where it stopped; if bytes of the opportunity are
//! left, the next packet is taken from the queue, and so on; what no packet wants is lost. A packet
//! leaves at the opportunity that carries its last byte. A packet under way no longer counts in its
//! queue.
//!
//! `schedule` holds what all traces share and their table; each trace is a file here. `log` reads and
//! writes mahimahi's logs; `scorer` measures what the link did to its packets.
//!
//! Reference: mahimahi `src/frontend/link_queue.cc`; cellsim (`cellsim.cc` of Sprout and multisend).
//! Differences: the real ones wake up late by up to a millisecond; here nobody does.

mod adversarial;
mod any_trace;
mod cellreplay;
mod constant;
mod cox;
mod egress;
pub mod file;
pub mod fit;
pub mod graph;
mod listed;
pub mod log;
mod opportunities;
mod periodic;
pub mod portrait;
mod random_walk;
mod rates;
mod redraw;
mod row;
pub mod schedule;
pub mod scorer;
mod stream;
#[cfg(test)]
mod test_link;
mod trains;

use backwater_transport::part::{Default, Kind, Opt};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use crate::cause::Cause;
use crate::packet::Packet;
use stream::Stream;
pub(crate) use stream::Turn;

pub use crate::source::trace::Fault;
pub use any_trace::{AnyTrace, TRACES};
pub use cox::{Cox, Shape};
pub use listed::Listed;
pub use opportunities::Opportunities;
pub use rates::Rates;
pub use row::{
    CLOCK, DELAY, DELAY_AT, EMULATOR, FIRST, MAX_FRAME, OPPORTUNITY, OVERHEAD, PART, PHASE, REPEAT,
};
pub use schedule::Schedule;
pub use scorer::{Omniscient, Scorer};
pub use trains::{Release, TrainReplay};

/// The rules of a named emulator: opportunity, accounting, order of ties and clock.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Emulator {
    /// Its name.
    pub name: &'static str,
    /// Bytes of an opportunity.
    pub opportunity: u64,
    /// Bytes a packet takes on the link besides its IP bytes.
    pub overhead: u64,
    /// Who goes first where a packet arrives at the instant of an opportunity.
    pub first: First,
    /// Whether what is longer than an opportunity may be sent in parts.
    pub whole: bool,
}

/// Who goes first at one instant.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum First {
    /// Opportunities at or before now are used before an arrival at now is queued.
    Opportunity,
    /// A packet may use the opportunities of the instant of its arrival.
    Arrival,
}

/// mahimahi: its TUN device puts 4 bytes before an IP packet, and a packet larger than an opportunity
/// ends its process. cellsim as of the 2013 contest: Ethernet frames without FCS against 1500 bytes,
/// and the packets whose delay is over join the queue before the opportunities of that millisecond.
pub static EMULATORS: [Emulator; 2] = [
    Emulator {
        name: "mahimahi",
        opportunity: 1504,
        overhead: 4,
        first: First::Opportunity,
        whole: true,
    },
    Emulator {
        name: "cellsim-2013",
        opportunity: 1500,
        overhead: 14,
        first: First::Arrival,
        whole: false,
    },
];

/// A millisecond, in which both emulators count.
pub const MILLISECOND: Span = Span::millis(1);

/// `now` on a clock that counts whole milliseconds.
pub fn floor(now: Time) -> Time {
    Time(now.0 - now.0 % MILLISECOND.0)
}

/// How a direction of a link is served.
#[derive(Clone, Debug)]
pub struct ServerSpec {
    /// Opportunities.
    pub trace: AnyTrace,
    /// Bytes of an opportunity.
    pub opportunity: u64,
    /// Bytes a packet takes besides its IP bytes.
    pub overhead: u64,
    /// Who goes first at one instant.
    pub first: First,
    /// Whether a packet that is longer than an opportunity is refused.
    pub whole: bool,
    /// Whether opportunities, delay before the queue and logs count whole milliseconds.
    pub milliseconds: bool,
    /// Propagation delay behind the queue. One in front of it is a box.
    pub delay_behind: Span,
}

/// The transmitter of a port that is served by opportunities.
#[derive(Clone, Debug)]
pub struct Server {
    /// As it was asked for.
    pub spec: ServerSpec,
    stream: Stream,
    /// Trace and stream as they were at the beginning.
    origin: Box<(AnyTrace, Stream)>,
    /// The number of the opportunity in use.
    number: u64,
    /// The notes for a log, if one was asked for.
    pub journal: Option<Box<log::Journal>>,
    /// The first opportunity that was not looked at; `NEVER` when the trace has ended.
    next: Time,
    /// The opportunity in use, and the bytes left of it.
    present: Time,
    left: u64,
    /// The packet at the head may leave at this instant, besides all opportunities.
    granted: Time,
    /// Packets that have left.
    pub scorer: Scorer,
}

impl Server {
    /// At the beginning of its trace.
    pub fn new(spec: ServerSpec, random: Random) -> Server {
        let stream = Stream::new(random);
        let origin = Box::new((spec.trace.clone(), stream.clone()));
        let mut server = Server {
            spec,
            stream,
            origin,
            number: 0,
            journal: None,
            next: Time::ZERO,
            present: Time::ZERO,
            left: 0,
            granted: Time::NEVER,
            scorer: Scorer::default(),
        };
        server.advance();
        server
    }

    /// Bytes that a packet of `len` IP bytes takes on the link.
    pub fn size(&self, len: u16) -> u64 {
        self.spec.size(len)
    }

    /// Looks one opportunity ahead.
    fn advance(&mut self) {
        self.next = self.stream.next(&mut self.spec).unwrap_or(Time::NEVER);
    }

    /// The first instant from `at` on at which a packet can be taken from the queue; `fresh` if all that
    /// waits came at `at` itself. Opportunities before it are lost.
    pub fn opens(&mut self, at: Time, fresh: bool) -> Time {
        if self.granted == at {
            return at;
        }
        let gone = fresh && self.spec.first == First::Opportunity;
        if self.present == at && self.left > 0 && !gone {
            return at;
        }
        self.left = 0;
        while self.next < at || gone && self.next == at {
            self.advance();
        }
        self.next
    }

    /// The next packet may leave at `at`, besides all opportunities: a train lets it go.
    pub fn grant(&mut self, at: Time) {
        self.granted = at;
    }

    /// Takes a packet of so many bytes, which came at `queued`, at the instant that `opens` gave; gives
    /// when it leaves.
    pub fn take(&mut self, queued: Time, at: Time, bytes: u64) -> Time {
        let departs = self.send(at, bytes);
        self.scorer.took(queued, departs, bytes);
        if let Some(journal) = self.journal.as_mut().filter(|_| departs < Time::NEVER) {
            journal.departed(self.number, queued, bytes);
        }
        departs
    }

    /// A packet comes to the queue.
    pub fn came(&mut self, len: u16, now: Time) {
        let bytes = self.size(len);
        if let Some(journal) = &mut self.journal {
            journal.arrived(now, bytes);
        }
    }

    /// An arriving packet is refused.
    pub fn refused(&mut self, packet: &Packet, now: Time) {
        let bytes = self.size(packet.len);
        if let Some(journal) = &mut self.journal {
            journal.dropped(now, bytes);
        }
    }

    /// A packet that waits is dropped: to make room for the one that comes, or by queue management as it was to leave.
    pub fn discarded(&mut self, cause: Cause, packet: &Packet, now: Time) {
        let bytes = self.size(packet.len);
        match (&mut self.journal, cause) {
            (None, _) => {}
            (Some(journal), Cause::BufferFull) => journal.made_room(bytes),
            (Some(journal), _) => journal.discarded(now, bytes),
        }
    }

    fn send(&mut self, at: Time, bytes: u64) -> Time {
        if self.granted == at {
            self.granted = Time::NEVER;
            self.scorer.begin_packet();
            self.scorer.carries(at, bytes);
            return at;
        }
        if self.present != at || self.left == 0 {
            self.use_next();
        }
        debug_assert_eq!(self.present, at, "a packet is taken at an opportunity");
        let mut missing = bytes;
        self.scorer.begin_packet();
        loop {
            let part = missing.min(self.left);
            self.scorer.carries(self.present, part);
            missing -= part;
            self.left -= part;
            if missing == 0 || self.present == Time::NEVER {
                return self.present;
            }
            self.use_next();
        }
    }

    fn use_next(&mut self) {
        self.present = self.next;
        self.number = self.stream.drawn;
        self.left = self.spec.opportunity;
        if self.present < Time::NEVER {
            self.advance();
        }
    }

    /// Opportunities that it or its log has drawn so far.
    pub(crate) fn drawn(&self) -> u64 {
        let logged = self.journal.as_ref().map_or(0, |journal| journal.drawn());
        self.stream.drawn.max(logged)
    }

    /// The random numbers that it draws after so many opportunities are drawn anew, wherever its trace is read again.
    /// Gives what whoever else reads the trace has to be told.
    pub(crate) fn rekey(&mut self, after: u64, by: u64) -> Turn {
        let turn = Turn::Reseed(by);
        self.turn(after, &turn);
        turn
    }

    fn turn(&mut self, after: u64, turn: &Turn) {
        self.stream.turn(after, turn.clone());
        self.origin.1.turn(after, turn.clone());
        if let Some(journal) = &mut self.journal {
            journal.turn(after, turn);
        }
    }

    /// Another trace serves from now on. Opportunities that carry a packet which has begun to leave stay. Gives what whoever
    /// else reads the trace has to be told; none where a packet has begun to leave that never will.
    pub(crate) fn change_trace(&mut self, trace: AnyTrace, now: Time) -> Option<(u64, Turn)> {
        if self.present == Time::NEVER {
            return None;
        }
        while self.next <= now {
            self.advance();
        }
        let after = self.stream.drawn - 1;
        let random = self.stream.another(after);
        let turn = Turn::Trace(trace, random, now.max(self.present));
        self.stream.give_back();
        self.turn(after, &turn);
        self.advance();
        Some((after, turn))
    }

    /// The mean rate of a trace in the place of this one's, in bit/s.
    pub(crate) fn rate_of(&self, trace: AnyTrace, end: Time) -> f64 {
        let spec = ServerSpec {
            trace,
            ..self.spec.clone()
        };
        Server::new(spec, self.stream.another(0)).capacity(Time::ZERO, end)
    }

    /// Every opportunity up to and including `end`, from the beginning, used or not.
    pub fn opportunities(&self, end: Time) -> impl Iterator<Item = Time> + use<> {
        let (trace, mut stream) = (*self.origin).clone();
        let mut spec = ServerSpec {
            trace,
            ..self.spec.clone()
        };
        // The search for one that is far beyond the end may take long, and the server has found it already.
        let most = match self.next > end {
            true => self.stream.drawn as usize - 1,
            false => usize::MAX,
        };
        std::iter::from_fn(move || stream.next(&mut spec))
            .take(most)
            .take_while(move |at| *at <= end)
    }
}

impl ServerSpec {
    fn size(&self, len: u16) -> u64 {
        u64::from(len) + self.overhead
    }

    /// The rule that lets packets of light traffic go, where the trace has one.
    pub fn trains(&self) -> Option<TrainReplay> {
        let AnyTrace::CellReplay(replay) = &self.trace else {
            return None;
        };
        let (trains, timer) = replay.trains();
        let bytes = (self.opportunity, self.overhead);
        Some(TrainReplay::new(
            trains.clone(),
            timer,
            bytes,
            self.milliseconds,
        ))
    }

    /// An instant of the trace on the link's clock.
    fn clock(&self, at: Option<Time>) -> Option<Time> {
        at.map(|at| if self.milliseconds { floor(at) } else { at })
    }
}

/// A rate of a generated trace.
const fn rate(name: &'static str, help: &'static str) -> Opt {
    Opt::new(name, Kind::Rate, Default::Required, help)
        .at_least("1 kbit/s")
        .at_most("100 Gbit/s")
}
