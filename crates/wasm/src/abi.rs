//! The layout of `backwater-cc/1`: what a controller is told and what it answers, in words of eight bytes, little-endian.
//! Times are ps, sizes bytes, rates bit/s. The first word of an acknowledgement and of an answer is a mask: bit n says that
//! the nth optional field has a value.

use backwater_transport::controller::{Ack, Cause, Congestion, Idle, Lost, Sent};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Rate, Span, Time};

/// The return value of `abi`.
pub const VERSION: u32 = 1;
/// Bytes of the buffer that a controller gives.
pub const BUFFER: usize = 256;
/// Bytes of a word.
pub const WORD: usize = 8;

/// Words of an answer.
pub const ANSWER: usize = 5;
/// Bits of its mask that have a meaning.
const ANSWERED: u64 = 0b111;

/// Bits of `traits`: the window comes down at once, and the codepoint.
const DIRECT: u64 = 1;
const CODEPOINTS: [Ecn; 3] = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1];

/// The values that `limits` wrote.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Answer {
    /// Most bytes in flight.
    pub window: u64,
    /// Pacing rate.
    pub pacing: Option<Rate>,
    /// When to call `on_timer`.
    pub wake: Option<Time>,
    /// Slow-start threshold, for plots.
    pub ssthresh: Option<u64>,
}

impl Answer {
    /// Of the words; why they are none.
    pub fn read(words: &[u8]) -> Result<Answer, String> {
        let word = |at: usize| {
            let bytes = words[at * WORD..][..WORD].try_into();
            u64::from_le_bytes(bytes.expect("eight bytes"))
        };
        let mask = word(0);
        if mask & !ANSWERED != 0 {
            return Err(format!(
                "its mask is {mask:#x}, of which bits 0, 1 and 2 have a meaning"
            ));
        }
        let given = |bit: u32, at: usize| (mask >> bit & 1 == 1).then(|| word(at));
        if given(0, 2) == Some(0) {
            return Err("it paces at 0 bit/s".to_owned());
        }
        Ok(Answer {
            window: word(1),
            pacing: given(0, 2).map(Rate),
            wake: given(1, 3).map(Time),
            ssthresh: given(2, 4),
        })
    }
}

/// Whether the window comes down at once, and the codepoint of segments; none where a bit has no meaning.
pub fn traits(word: u64) -> Option<(bool, Ecn)> {
    let codepoint = *CODEPOINTS.get((word >> 1) as usize)?;
    Some((word & DIRECT == DIRECT, codepoint))
}

fn flags<const N: usize>(all: [bool; N]) -> u64 {
    let bits = all.iter().enumerate();
    bits.fold(0, |mask, (at, one)| mask | u64::from(*one) << at)
}

/// The words of an acknowledgement.
pub fn ack(ack: &Ack) -> [u64; 23] {
    let rate = ack.rate;
    let of = |value: Option<u64>| value.unwrap_or(0);
    [
        flags([ack.rtt.is_some(), ack.one_way.is_some(), rate.is_some()]),
        ack.now.0,
        ack.acked,
        ack.advanced,
        u64::from(ack.acked_segments),
        ack.lost,
        ack.marked,
        ack.delivered,
        ack.prior_in_flight,
        ack.in_flight,
        of(ack.rtt.map(|rtt: Span| rtt.0)),
        ack.srtt.0,
        ack.min_rtt.0,
        of(ack.one_way.map(|delay: Span| delay.0)),
        ack.round,
        flags([
            ack.round_start,
            ack.cwnd_limited,
            ack.recovering,
            rate.is_some_and(|sample| sample.app_limited),
        ]),
        ack.sent,
        ack.number,
        of(rate.map(|sample| sample.delivered)),
        of(rate.map(|sample| sample.interval.0)),
        of(rate.map(|sample| sample.prior_delivered)),
        of(rate.map(|sample| sample.tx_in_flight)),
        of(rate.map(|sample| sample.lost)),
    ]
}

/// The words of a congestion event.
pub fn congestion(congestion: &Congestion) -> [u64; 6] {
    let cause = match congestion.cause {
        Cause::Loss => 0,
        Cause::Mark => 1,
        Cause::Timeout => 2,
        Cause::Spurious => 3,
        Cause::Recovered => 4,
    };
    [
        congestion.now.0,
        cause,
        congestion.in_flight,
        congestion.lost,
        congestion.tx_in_flight,
        congestion.round,
    ]
}

/// The words of a departure.
pub fn sent(sent: &Sent) -> [u64; 5] {
    [
        sent.now.0,
        sent.number,
        sent.len,
        sent.in_flight,
        flags([sent.again, sent.app_limited]),
    ]
}

/// The words of a loss.
pub fn lost(lost: &Lost) -> [u64; 7] {
    [
        lost.now.0,
        lost.number,
        lost.len,
        lost.tx_in_flight,
        lost.lost,
        lost.in_flight,
        flags([lost.app_limited]),
    ]
}

/// The words of a restart after an idle time.
pub fn idle(idle: &Idle) -> [u64; 3] {
    [idle.now.0, idle.window, idle.threshold]
}
