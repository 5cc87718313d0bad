//! Random worlds of wires, trace links, boxes and 802.11 stations together.

mod exact;
#[path = "../support/outside.rs"]
mod outside;
mod property;
#[path = "../support/random.rs"]
mod random;
mod served;
mod worlds;
mod written;
