//! TDMA: a frame of slots that terminals share on their way to a hub, as on the return link of a satellite (DVB-RCS).
//!
//! A frame has so many slots of one length, and a slot carries so many bytes. Packets are cut and joined to fill slots. A
//! terminal has slots that are its own in each frame (constant assignment), or asks at the beginning of a frame for slots: for
//! as many bytes as came to it in the frame before (rate-based), or for the bytes that wait and were not asked for (volume-based).
//! The hub answers whole frames later. What nobody asked for may be shared among all (free assignment).
//!
//! A terminal is a direction of a link. Its packets wait at the port, and each assigned slot takes from there, so schedulers, queue
//! management and laws of explicit feedback see an ordinary queue.
//!
//! * `spec`: what is written. `hub` assigns slots and knows no simulator. `terminal`: what a port remembers.
//! * `frames`: what a world remembers, `build`: how it begins, `events`: frames and slots. `egress` pulls packets from a port.
//!
//! In: events of frames and slots. Out: packets on the wire of their port (`Shared::send_pulled`).
//!
//! Reference: ETSI EN 301 790 (DVB-RCS) 6.6.1: CRA, RBDC, VBDC, FCA, granted in this order.
//! Differences: one carrier; requests take no capacity, are never lost and all begin with a frame; a rate is asked for anew in
//! each frame; no synchronisation bursts, no guard times, no coding: a slot's bytes are what is left for packets.

mod build;
mod egress;
mod events;
pub mod frames;
pub mod hub;
mod row;
pub mod spec;
pub mod terminal;

pub use row::{
    CONSTANT, DELAY, DEMAND, DEMANDS, FRAME, FREE, MAX_FRAME, MOST, OVERHEAD, PART, REQUEST_DELAY,
    SLOT, SLOTS,
};
pub use spec::{Demand, FramesSpec, TerminalSpec};
