//! The simulated network.

pub mod record;
pub mod source;
