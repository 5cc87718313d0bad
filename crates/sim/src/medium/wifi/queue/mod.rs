//! Packets that wait at a station, and which of them it sends next.
//!
//! In: packets for a hop, the question of a category for its next frame, the end of a frame. Out: the hop whose first frame goes;
//! a packet that has come in lets `mac` contend.
//!
//! * `station_queue` takes packets in, `line_up` orders them (`rounds`: round-robin by flow), `room` counts what they take.
//! * `next_frame` chooses one at the attempt, `gates` says what may go, `judge` lets queue management decide.
//! * `arrangement` says where packets wait before their hop's list, `turns` which hop is served next, `serve` carries both out;
//!   `airtime_limit` bounds the time for which packets wait there.
//! * `refill` lets a saturated source put packets in the place of those that left, where room alone decides.
//! * `blocked_share` limits what waits at gates.

pub(super) mod airtime_limit;
pub mod arrangement;
pub(super) mod blocked_share;
pub(super) mod gates;
pub(super) mod judge;
pub(super) mod line_up;
pub(super) mod next_frame;
pub(super) mod refill;
pub(super) mod room;
pub mod rounds;
pub(super) mod serve;
pub(super) mod station_queue;
#[cfg(test)]
mod test_gates;
#[cfg(test)]
mod test_turns;
pub mod turns;
