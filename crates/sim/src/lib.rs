//! The simulated network.

pub mod source;
