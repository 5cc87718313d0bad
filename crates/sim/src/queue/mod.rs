//! Class queues, who goes first among them, and who is told when they grow. A scheduler orders; it
//! neither stores nor drops. Active queue management judges frames as they come and go. A queue is a
//! file here and a row of `QUEUES`.

pub mod aqm;
mod blue;
mod codel;
mod codel_mahimahi;
mod drop_head;
mod drr;
mod dualpi2;
mod fifo;
mod fq_codel;
mod infinite;
mod managed;
mod pie;
mod pie_mahimahi;
mod qcn;
mod ramp;
mod red;
mod row;
mod script;
mod strict_priority;
mod wrr;

use backwater_transport::added::{Added, Addition, NotAdded};
use backwater_transport::part::{self, Part};
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Time};
use backwater_transport::walk::Walk;

pub use aqm::Aqm;
pub use managed::Managed;
pub use row::{ClassQueue, Room, Scheduler};

use crate::knob::Knob;
use aqm::{CustomAqm, Frame, Parties, Verdict, Waiting};
use drr::Drr;
use fifo::Fifo;
use row::Made;
use strict_priority::StrictPriority;
use wrr::Wrr;

/// Every scheduler.
#[derive(Clone, Debug)]
pub enum AnyScheduler {
    /// One queue for all classes.
    Fifo,
    /// The highest class first.
    StrictPriority(usize),
    /// Weighted round robin by frames.
    Wrr(Box<Wrr>),
    /// Deficit round robin by bytes.
    Drr(Box<Drr>),
}

impl AnyScheduler {
    pub(crate) fn walk(&self, walk: &mut Walk) {
        match self {
            AnyScheduler::Fifo | AnyScheduler::StrictPriority(_) => {}
            AnyScheduler::Wrr(wrr) => wrr.walk(walk),
            AnyScheduler::Drr(drr) => drr.walk(walk),
        }
    }
}

impl From<Fifo> for AnyScheduler {
    fn from(Fifo: Fifo) -> AnyScheduler {
        AnyScheduler::Fifo
    }
}

impl From<StrictPriority> for AnyScheduler {
    fn from(StrictPriority(classes): StrictPriority) -> AnyScheduler {
        AnyScheduler::StrictPriority(classes)
    }
}

impl From<Wrr> for AnyScheduler {
    fn from(wrr: Wrr) -> AnyScheduler {
        AnyScheduler::Wrr(Box::new(wrr))
    }
}

impl From<Drr> for AnyScheduler {
    fn from(drr: Drr) -> AnyScheduler {
        AnyScheduler::Drr(Box::new(drr))
    }
}

impl Scheduler for AnyScheduler {
    fn classes(&self) -> usize {
        match self {
            AnyScheduler::Fifo => 1,
            AnyScheduler::StrictPriority(classes) => *classes,
            AnyScheduler::Wrr(s) => s.classes(),
            AnyScheduler::Drr(s) => s.classes(),
        }
    }

    fn pick(&mut self, ready: u8, held: u8, size: impl Fn(usize) -> u64) -> usize {
        match self {
            AnyScheduler::Fifo => 0,
            AnyScheduler::StrictPriority(_) => 7 - ready.leading_zeros() as usize,
            AnyScheduler::Wrr(s) => s.pick(ready, held, size),
            AnyScheduler::Drr(s) => s.pick(ready, held, size),
        }
    }
}

backwater_transport::parts! {
    /// Every algorithm.
    pub enum AnyAqm: Aqm in Box or Custom(Box<dyn CustomAqm>) {
        fn attach(&mut self, rate: Rate, random: &mut Random);
        fn stream(&mut self) -> Option<&mut Random>;
        fn line_rate(&mut self, rate: Rate);
        fn warning(&self) -> Option<String>;
        fn knob(&mut self) -> Option<Knob<'_>>;
        fn queues(&self) -> usize;
        fn classify(&mut self, packet: &Parties) -> usize;
        fn update(&mut self, now: Time, waiting: &Waiting);
        fn victim(&self, arriving: &Frame, queues: &[ClassQueue]) -> Option<usize>;
        fn push(&mut self, frame: &Frame, random: &mut Random) -> Verdict;
        fn take_over(&mut self, frame: &Frame);
        fn refused(&mut self, frame: &Frame, judged: bool, random: &mut Random);
        fn choose(&mut self, queues: &[ClassQueue]) -> usize;
        fn pop(&mut self, frame: &Frame) -> Verdict;
        fn takes_next(&self) -> bool;
        fn notifies(&self) -> bool;
        fn emptied(&mut self, now: Time);
    }

    fifo::Fifo,
    drop_head::DropHead,
    codel::Codel,
    codel_mahimahi::CodelMahimahi,
    fq_codel::FqCodel,
    pie::Pie,
    pie_mahimahi::PieMahimahi,
    red::Red,
    blue::Blue,
    ramp::Ramp,
    qcn::Qcn,
    dualpi2::DualPi2,
}

impl AnyAqm {
    /// One queue that nobody manages, for a place where packets wait as under queue management.
    pub fn first_in_first_out() -> AnyAqm {
        Fifo.into()
    }
}

impl From<script::Script> for AnyAqm {
    fn from(script: script::Script) -> AnyAqm {
        AnyAqm::Custom(Box::new(script))
    }
}

/// The parts of a port's queue.
#[derive(Clone, Debug)]
pub struct Queue {
    /// Number of class queues and who goes first.
    pub scheduler: AnyScheduler,
    /// Active queue management.
    pub aqm: Option<AnyAqm>,
    /// The most that it holds.
    pub room: Room,
}

impl Queue {
    /// A queue under an algorithm of another crate: one class queue, in the room that its place has.
    pub fn managed_by(algorithm: impl CustomAqm) -> Queue {
        Queue {
            scheduler: AnyScheduler::Fifo,
            aqm: Some(AnyAqm::Custom(Box::new(algorithm))),
            room: Room::Port,
        }
    }
}

impl From<AnyScheduler> for Queue {
    fn from(scheduler: AnyScheduler) -> Queue {
        scheduled(scheduler.into())
    }
}

impl Queue {
    /// Whether it is one queue for all, first in, first out, in the room that its place has.
    pub fn is_plain(&self) -> bool {
        let one = matches!(self.scheduler, AnyScheduler::Fifo);
        one && self.aqm.is_none() && matches!(self.room, Room::Port)
    }
}

/// A queue without active management.
fn scheduled<S: Into<AnyScheduler>>(made: Made<S>) -> Queue {
    Queue {
        scheduler: made.part.into(),
        aqm: None,
        room: made.room,
    }
}

/// A queue under active management: one class queue, several under strict priority, or the algorithm's own queues.
fn managed<A: Into<AnyAqm>>(made: Made<A>) -> Queue {
    Queue {
        scheduler: match made.classes {
            1 => AnyScheduler::Fifo,
            classes => AnyScheduler::StrictPriority(classes),
        },
        aqm: Some(made.part.into()),
        room: made.room,
    }
}

/// How a row builds its queue.
pub type Build = part::Build<Queue>;

macro_rules! rows {
    ($($kind:ident: $module:ident::$row:ident),* $(,)?) => {
        /// Every queue a port can have.
        pub static QUEUES: &[Part<Build>] = &[$(
            $module::$row.with_build(|args| ($module::$row.build)(args).map($kind))
        ),*];
    };
}

/// Queue management that a host makes. A world that holds one and has no host is refused.
pub static HOSTED: &[Part<Build>] =
    &[script::PART.with_build(|args| (script::PART.build)(args).map(managed))];

static ADDED: Added<Build> = Added::new();

/// Adds a queue of another crate, for all scenarios of this process.
///
/// # Errors
/// When a scenario or the list of parts has been read, one of the names is taken, or the text of the source is missing.
pub fn add(queue: Addition<Build>) -> Result<(), NotAdded> {
    ADDED.add(&[QUEUES, HOSTED], queue)
}

/// Queues of other crates.
pub fn added() -> &'static Added<Build> {
    &ADDED
}

rows! {
    scheduled: fifo::PART,
    scheduled: strict_priority::PART,
    scheduled: wrr::PART,
    scheduled: drr::PART,
    scheduled: infinite::PART,
    managed: drop_head::PART,
    managed: codel::PART,
    managed: codel_mahimahi::PART,
    managed: fq_codel::PART,
    managed: pie::PART,
    managed: pie_mahimahi::PART,
    managed: red::PART,
    managed: blue::PART,
    managed: ramp::PART,
    managed: ramp::WRED,
    managed: qcn::PART,
    managed: dualpi2::PART,
}
