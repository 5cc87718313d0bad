//! What every other crate stands on: units, random streams, the shape of a part in a table, and the
//! end-to-end transport without input or output.
//!
//! Nothing here can see a clock, a socket, a thread or the simulator.

pub mod controller;
pub mod forecast;
pub mod part;
pub mod random;
pub mod segment;
pub mod units;
