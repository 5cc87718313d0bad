//! The types that the row of a queue makes, and that a queue consists of. Files of schedulers and of algorithms know this one, and
//! not each other's lists.

use backwater_transport::part::{self, Default, Kind, Opt};

use crate::ids::PacketId;
use crate::limit::Limit;
use crate::packet::List;
use crate::table::Id;

/// The frames of one class waiting at a port, and what they occupy.
#[derive(Clone, Debug)]
pub struct ClassQueue {
    /// Waiting frames, oldest first.
    pub list: List,
    /// Bytes held: waiting frames and the one in transmission.
    pub bytes: u64,
    /// Frames held: waiting frames and the one in transmission.
    pub packets: u32,
    /// Where frames are sent ahead (`network/ahead.rs`), the first on the wire that counts as held; else `NONE`.
    pub ahead: PacketId,
}

impl std::default::Default for ClassQueue {
    fn default() -> Self {
        ClassQueue {
            list: List::default(),
            bytes: 0,
            packets: 0,
            ahead: Id::NONE,
        }
    }
}

impl ClassQueue {
    /// It holds one more frame of so many bytes.
    #[inline(always)]
    pub fn hold(&mut self, size: u64) {
        self.bytes += size;
        self.packets += 1;
    }
}

/// Chooses the class that sends next.
pub trait Scheduler {
    /// Number of class queues.
    fn classes(&self) -> usize;

    /// One of the queues in `ready` (bit i = queue i has a frame that may leave; never empty).
    /// `held` marks the queues that hold frames at all; `size` is the frame a ready queue would send.
    fn pick(&mut self, ready: u8, held: u8, size: impl Fn(usize) -> u64) -> usize;
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

/// A scheduler or an algorithm that a row makes, and the queue around it.
#[derive(Clone, Debug)]
pub struct Made<T> {
    /// The scheduler or the algorithm.
    pub part: T,
    /// Class queues under strict priority that an algorithm watches one by one; 1 where it has one queue.
    pub classes: usize,
    /// The most that the queue holds.
    pub room: Room,
}

impl<T> From<T> for Made<T> {
    fn from(part: T) -> Made<T> {
        Made {
            part,
            classes: 1,
            room: Room::Port,
        }
    }
}

/// How a row makes its scheduler or algorithm from options that were checked.
pub type Build<T> = part::Build<Made<T>>;

/// Option `ecn` of all that mark.
pub(super) const ECN: Opt = Opt::new(
    "ecn",
    Kind::Flag,
    Default::Is("true"),
    "mark packets that take marks instead of dropping them",
);

/// Option `classes` of algorithms that watch several class queues.
pub(super) const CLASSES: Opt = Opt::new(
    "classes",
    Kind::Count,
    Default::Is("1"),
    "class queues, the highest first, each with an average of its own",
)
.at_least("1")
.at_most("8");

/// Option `classes` of schedulers.
pub(super) const SCHEDULED_CLASSES: Opt = Opt::new(
    "classes",
    Kind::Count,
    Default::Is("2"),
    "number of classes",
)
.at_least("1")
.at_most("8");
