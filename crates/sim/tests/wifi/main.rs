//! 802.11 against references computed elsewhere.

mod cell;
mod control;
mod groups;
mod multihop;
mod physical;
mod queues;
mod saturation;
mod thresholds;
