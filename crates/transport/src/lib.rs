//! What every other crate stands on: units, random streams, and the shape of a part in a table.
//!
//! Nothing here can see a clock, a socket, a thread or the simulator.

pub mod part;
pub mod random;
pub mod units;
