//! The radio: how long frames take, how far they reach, and how often they fail.
//!
//! In: rates, lengths and places. Out: durations, powers and probabilities. It knows no station and schedules nothing.
//!
//! * `standard` has the timing of 802.11b and OFDM, `timing` what the stations of a medium have in common.
//! * `mode` has the modes of 802.11n to 802.11be, `mode_errors` how often they fail, `check_mode` refuses others, `aggregate` has the bytes of what carries several frames, and of its answers.
//! * `minstrel` chooses modes by what became of frames.
//! * `channel` turns positions into who hears whom; `physical` has path loss and shadowing, `fading` gains that change, `errors` the frame errors of a
//!   rate, `power_level` the sum of what reaches a receiver.

pub mod aggregate;
pub mod channel;
pub mod check_mode;
pub mod errors;
pub mod fading;
pub(super) mod minstrel;
pub mod mode;
pub(super) mod mode_errors;
pub mod physical;
pub(super) mod power_level;
pub mod standard;
#[cfg(test)]
mod test_links;
#[cfg(test)]
mod test_spans;
pub mod timing;
