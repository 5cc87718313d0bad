//! Recording: what a run leaves behind besides its metrics. `frame_bytes` turns the description of
//! a frame into the bytes it would have on a wire. `pcapng` writes such bytes as a capture.

pub mod frame_bytes;
pub mod pcapng;
