//! 802.11 against references computed elsewhere.

mod cell;
mod control;
mod multihop;
mod physical;
mod queues;
mod saturation;
