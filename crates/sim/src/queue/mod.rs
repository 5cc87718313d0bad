//! Class queues, who goes first among them, and who is told when they grow. A scheduler orders; it
//! neither stores nor drops. Active queue management judges frames as they come and go. A queue is a
//! file here and a row of `QUEUES`.

mod any_aqm;
pub mod aqm;
mod codel;
mod codel_mahimahi;
mod drop_head;
mod drr;
mod dualpi2;
mod fifo;
mod fq_codel;
mod infinite;
mod pie;
mod pie_mahimahi;
mod ramp;
mod red;
mod strict_priority;
mod wrr;

use backwater_transport::part::{Args, Part, Refusal};

pub use any_aqm::{AnyAqm, Managed};
pub use aqm::Aqm;
pub use drr::Drr;
pub use wrr::Wrr;

use crate::limit::Limit;
use crate::packet::List;

/// The frames of one class waiting at a port, and what they occupy.
#[derive(Clone, Debug, Default)]
pub struct ClassQueue {
    /// Waiting frames, oldest first.
    pub list: List,
    /// Bytes held: waiting frames and the one in transmission.
    pub bytes: u64,
    /// Frames held: waiting frames and the one in transmission.
    pub packets: u64,
}

/// Chooses the class that sends next.
pub trait Scheduler {
    /// Number of class queues.
    fn classes(&self) -> usize;

    /// One of the queues in `ready` (bit i = queue i has a frame that may leave; never empty).
    /// `held` marks the queues that hold frames at all; `size` is the frame a ready queue would send.
    fn pick(&mut self, ready: u8, held: u8, size: impl Fn(usize) -> u64) -> usize;
}

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

/// What a port's queue is made of.
#[derive(Clone, Debug)]
pub struct Queue {
    /// Number of class queues and who goes first.
    pub scheduler: AnyScheduler,
    /// Active queue management.
    pub aqm: Option<AnyAqm>,
    /// What it holds.
    pub room: Room,
}

/// How much a queue holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Room {
    /// The port's buffer, or what its node has where none is written.
    Port,
    /// The port's buffer, or this where none is written.
    Default(Limit),
    /// Without a limit: a buffer makes no sense.
    Endless,
}

impl From<AnyScheduler> for Queue {
    fn from(scheduler: AnyScheduler) -> Queue {
        Queue {
            scheduler,
            aqm: None,
            room: Room::Port,
        }
    }
}

/// How a row builds its queue.
pub type Build = fn(&Args) -> Result<Queue, Refusal>;

/// Every queue a port can have.
pub static QUEUES: &[Part<Build>] = &[
    fifo::PART,
    strict_priority::PART,
    wrr::PART,
    drr::PART,
    infinite::PART,
    drop_head::PART,
    codel::PART,
    codel_mahimahi::PART,
    fq_codel::PART,
    pie::PART,
    pie_mahimahi::PART,
    red::PART,
    ramp::PART,
    dualpi2::PART,
];
