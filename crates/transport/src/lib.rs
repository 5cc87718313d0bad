//! The base of all other crates: units, random streams, the rows of the tables (`part`), and the
//! end-to-end transport without input or output.
//!
//! Nothing here uses a clock, a socket, a thread or the simulator.

mod ace;
pub mod added;
pub mod building_blocks;
pub mod congestion_header;
pub mod controller;
mod controller_interface;
pub mod datagram;
pub mod endpoint;
mod ends;
pub mod forecast;
pub mod irn;
pub mod liar;
pub mod part;
mod parts;
pub mod product;
mod protocol;
pub mod queue_pair;
pub mod random;
mod rate;
mod reassembly;
pub mod receiver;
mod recovery;
pub mod roce;
mod rtt;
mod scoreboard;
pub mod script;
pub mod segment;
mod sender_core;
mod sender_state;
mod setup;
pub mod spreading;
pub mod stream;
pub mod telemetry;
pub mod units;
pub mod walk;
