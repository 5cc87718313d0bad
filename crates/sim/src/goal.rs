//! The goals up to which a world runs that is driven from outside: levels of scores, an empty place, an instant.

use backwater_transport::units::Time;

use crate::ids::PortId;

/// A term of a score.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// Data frames that wait at a port.
    Waiting(PortId),
    /// Bytes that the class queues of a port hold, those of the frame in transmission included.
    Bytes(PortId),
    /// Packets lost since the run began.
    Lost,
}

/// A score and the level that it has to reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The terms of the score.
    pub score: Vec<Count>,
    /// The level.
    pub level: u64,
}

/// Where a climb ends.
#[derive(Clone, Debug)]
pub struct Course<'a> {
    /// The goals: one of them is enough.
    pub goals: &'a [Goal],
    /// The climb has failed where nothing is left here; never where the list is empty.
    pub empty: &'a [Count],
    /// The climb has failed at this instant.
    pub to: Time,
    /// The climb ends where the score of the first goal is below this between two instants; never where it is 0.
    pub floor: u64,
}

/// How a climb ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Climbed {
    /// The goal that was reached; of several at the same instant the last.
    Goal(usize),
    /// Nothing was left.
    Empty,
    /// The time was over.
    Over,
    /// The score of the first goal was below the floor.
    Fallen,
}
