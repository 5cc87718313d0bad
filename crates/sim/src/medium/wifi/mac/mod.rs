//! Access to the medium: who sends when, and what follows from a frame.
//!
//! In: that a category has a frame (`attend`), the end of a frame, of a SIFS or of a count (`events`). Out: frames on the air for
//! `reception`, packets that have arrived (`queue`), notices for their stations (`notices`).
//!
//! * `category` has the contention of one access category, `carrier_sense` what a station senses, `frame` what it sends.
//! * `cell` has one record of what stations sense that all hear one another; `follow` keeps to it those whose own would have the same effect.
//! * `window` has what became of the frames that a hop has tried, and its first one.
//! * `aggregate` sizes bursts of several frames, `session` has what block acknowledgement keeps of them, `reorder` passes them on in order.
//! * `msdu` puts packets together that share an FCS.
//! * `attend` says when stations are looked at, `contend` lets them count down and send.
//! * `choose_mode` tells the rate control what became of frames, and takes the mode of the next ones from it.
//! * `exchange` and `failure` draw the consequences, `group_frames` has those to many, `answer` answers that are missed.

pub(super) mod aggregate;
pub(super) mod answer;
pub(super) mod attend;
pub mod carrier_sense;
pub mod category;
pub(super) mod cell;
pub(super) mod choose_mode;
pub(super) mod contend;
pub(super) mod exchange;
pub(super) mod failure;
pub(super) mod follow;
pub mod frame;
pub(super) mod group_frames;
pub(super) mod msdu;
pub(super) mod reorder;
pub mod session;
#[cfg(test)]
mod test_counters;
#[cfg(test)]
mod test_failures;
#[cfg(test)]
mod test_sense;
#[cfg(test)]
mod test_timeline;
#[cfg(test)]
mod test_tries;
pub mod window;
