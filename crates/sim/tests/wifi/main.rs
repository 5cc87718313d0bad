//! 802.11 against references computed elsewhere.

mod access_point;
mod aggregate;
mod aggregate_bounds;
mod aggregate_mechanisms;
mod aggregate_parts;
mod attempts;
mod cell;
mod congestion_notification;
mod control;
mod diffq;
mod ez_flow;
mod frame_bytes;
mod groups;
mod hops;
mod mechanisms;
mod msdu;
mod multihop;
#[path = "../../../transport/tests/support/options.rs"]
mod options;
mod physical;
mod queues;
mod refusals;
mod saturation;
mod serving;
mod thresholds;
mod txop;
