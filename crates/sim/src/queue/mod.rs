//! Class queues and who goes first among them. A scheduler orders; it neither stores nor drops.
//! A scheduler is a file here and a row of `SCHEDULERS`.

mod drr;
mod fifo;
mod strict_priority;
mod wrr;

use backwater_transport::part::{Args, Part, Refusal};

pub use drr::Drr;
pub use wrr::Wrr;

use crate::packet::List;

/// Classes a port can have.
pub const MAX_CLASSES: usize = 8;

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

/// How a row builds its scheduler.
pub type Build = fn(&Args) -> Result<AnyScheduler, Refusal>;

/// Every scheduler a port can have.
pub static SCHEDULERS: &[Part<Build>] = &[fifo::PART, strict_priority::PART, wrr::PART, drr::PART];
