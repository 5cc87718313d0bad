//! An acknowledgement to begin with: tests write the fields that they mean.

use backwater_transport::controller::Ack;
use backwater_transport::units::{Span, Time};

/// One that tells of nothing: no byte is acknowledged, and no round trip is known.
pub fn ack(now: Time) -> Ack<'static> {
    Ack {
        now,
        acked: 0,
        advanced: 0,
        acked_segments: 0,
        lost: 0,
        marked: 0,
        delivered: 0,
        prior_in_flight: 0,
        in_flight: 0,
        rtt: None,
        srtt: Span::ZERO,
        min_rtt: Span::MAX,
        one_way: None,
        rate: None,
        round: 0,
        round_start: false,
        cwnd_limited: true,
        recovering: false,
        sent: 0,
        number: 0,
        feedback: None,
    }
}
