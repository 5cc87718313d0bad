//! The room that a watched place needs above its mark.

use crate::ids::PortId;

/// The bytes that may still come to a place when its mark has been crossed, although its feeders obey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headroom {
    /// The place that is watched.
    pub port: PortId,
    /// Packets that came in through the port are watched, not those that wait to leave by it.
    pub ingress: bool,
    /// Its feeders: the ports by which they send.
    pub feeders: Vec<PortId>,
    /// Frames that they may still send; at an ingress with the one that crosses the mark.
    pub frames: u64,
    /// Bytes of the longest.
    pub frame: u64,
    /// Frames for which there is room above the mark, where the port's buffer alone decides that.
    pub room: Option<u64>,
    /// Bytes of the port's buffer with which there would be room for all, where it has a mark at a share of it.
    pub buffer: Option<u64>,
    /// Bytes of a class that an ingress may hold before its sender is stopped, where its mark is a number.
    pub xoff: Option<u64>,
}
