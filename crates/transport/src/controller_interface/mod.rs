//! The interface between the sender and a congestion controller. A controller decides how many bytes
//! may be in flight and how fast they leave. It sees acknowledgements and congestion, never packets,
//! sockets or clocks. The sender does loss recovery, round-trip estimation and rate sampling.

mod controller;
mod decisions;
mod driven;
mod signals;

pub use controller::{BuildOf, Controller, CustomController, MOST_SEGMENTS, Setup};
pub use decisions::{Departure, Inspect, Limits, Reduction};
pub use driven::{Asks, Driven, Heard, Interval};
pub use signals::{Ack, Cause, Congestion, Idle, Lost, RateSample, Sent};
