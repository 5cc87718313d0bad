//! The fields of a frame of slots and of a terminal.

use std::sync::Arc;

use backwater_transport::units::{Bytes, Span};

/// A frame of slots, the same in every frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FramesSpec {
    /// Name of the medium.
    pub name: String,
    /// Duration of a frame.
    pub frame: Span,
    /// Slots of a frame.
    pub slots: u32,
    /// Bytes of packets that a slot carries.
    pub slot: Bytes,
    /// Time from a request until the first frame whose slots answer it; none: twice the longest delay to the hub.
    pub request_delay: Option<Span>,
    /// Whether slots that nobody asked for are shared among all terminals.
    pub free: bool,
}

/// How a terminal asks for slots besides those that it always has.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Demand {
    /// It does not.
    None,
    /// For the bytes that came in the frame before.
    Rate,
    /// For the bytes that wait and were not asked for.
    Volume,
}

/// A direction of a link that sends in slots.
#[derive(Clone, Debug)]
pub struct TerminalSpec {
    /// The frame that it shares.
    pub frames: Arc<FramesSpec>,
    /// Slots of each frame that are its own.
    pub constant: u32,
    /// How it asks for more.
    pub demand: Demand,
    /// Most slots of a frame that it gets because it asked.
    pub most: u32,
    /// Bytes that a packet takes besides its IP bytes.
    pub overhead: u64,
    /// Propagation delay to the hub.
    pub delay: Span,
}

impl TerminalSpec {
    /// Bytes that a packet of `len` IP bytes takes in slots.
    pub fn size(&self, len: u16) -> u64 {
        u64::from(len) + self.overhead
    }

    /// The most that slots give it, bit/s.
    pub fn fastest(&self) -> f64 {
        let frames = &self.frames;
        let most = match (self.demand, frames.free) {
            (_, true) => frames.slots,
            (Demand::None, false) => self.constant,
            (_, false) => frames.slots.min(self.constant.saturating_add(self.most)),
        };
        f64::from(most) * frames.slot.0 as f64 * 8.0 / frames.frame.seconds()
    }
}
