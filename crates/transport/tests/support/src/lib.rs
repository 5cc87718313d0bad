//! What tests of the transport share: two paths, an acknowledgement to begin with, and options as a person writes them.

pub mod acks;
pub mod bottleneck;
pub mod flow;
pub mod loopback;
pub mod options;
pub mod reaching;
