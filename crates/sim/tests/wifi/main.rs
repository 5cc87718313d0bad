//! 802.11 against references computed elsewhere.

mod cell;
mod multihop;
mod saturation;
