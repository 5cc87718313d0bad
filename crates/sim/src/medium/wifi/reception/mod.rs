//! The reception of frames that reach a station.
//!
//! In: a frame that begins, and one that ends. Out: who has understood it (`Air::heard`), which frames of a burst are missing there
//! (`Air::damaged`), and who senses the medium busy or idle.
//! It knows no packet.
//!
//! * `hearing` has what a receiver makes of its frame under the physical channel, `reached` what a frame is to all whom it reaches there;
//!   `collision` has both under the unit disc.
//! * `faded` has what a frame is where the channel fades.
//! * `parts` says which frames of a burst a collision damages, `frame_set` is a set of them.

pub(super) mod collision;
pub(super) mod faded;
pub mod frame_set;
pub mod hearing;
pub mod parts;
pub(super) mod reached;
#[cfg(test)]
mod test_disc;
