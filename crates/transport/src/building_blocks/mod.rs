//! Code that several controllers share: windows, filters, estimators and the engine of BBRv3.

pub mod bbr3_engine;
pub(crate) mod bbr_common;
pub(crate) mod bounds;
pub(crate) mod marked_share;
pub(crate) mod minmax;
pub(crate) mod moving_mean;
pub(crate) mod network_window;
pub(crate) mod queueing_delay;
pub(crate) mod rate_steps;
pub(crate) mod rdma;
pub(crate) mod reno_window;
pub mod signal_aimd;
pub(crate) mod slow_start;
