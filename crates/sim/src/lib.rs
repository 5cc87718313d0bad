//! The simulated network: a world of nodes, ports, flows and packets that is a pure function of
//! (scenario, seed). Nothing here reads a clock, the environment or the OS's randomness.

pub mod altered;
pub mod books;
pub mod calendar;
pub mod cause;
pub mod connection;
mod custom;
pub mod ends;
pub mod event;
pub mod forwarding;
mod goal;
pub mod ids;
pub mod injection;
pub mod knob;
pub mod limit;
pub mod link_event;
mod link_steps;
pub mod mechanism;
pub mod medium;
pub mod network;
pub mod packet;
mod prefetch;
pub mod progress;
pub mod queue;
pub mod record;
mod refusal;
pub mod run;
pub mod shared;
pub mod skip;
pub mod source;
mod source_notice;
pub mod spec;
pub mod stamp;
pub mod steadiness;
pub mod switch;
pub mod table;
pub mod targets;
#[cfg(test)]
#[path = "../../transport/tests/support/options.rs"]
mod test_options;
pub mod world;
