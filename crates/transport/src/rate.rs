//! Delivery-rate samples, rounds and the application-limited mark (draft-ietf-ccwg-bbr section 4.1;
//! before that draft-cheng-iccrg-delivery-rate-estimation).
//!
//! Each segment keeps a snapshot of the counters at its transmission. The newest segment that an
//! acknowledgement delivers gives the sample: the bytes delivered since it left, divided by the longer
//! of the send interval and the ACK interval.

use crate::controller_interface::RateSample;
use crate::units::{Span, Time};
use crate::walk::{Base, Walk};

/// The counters at a segment's transmission.
#[derive(Copy, Clone, Debug, Default)]
pub struct Snapshot {
    /// When it left.
    pub sent: Time,
    /// When the segment delivered last had left.
    pub(crate) first_sent: Time,
    /// Time of the last delivery.
    pub(crate) delivered_time: Time,
    /// Bytes delivered by then.
    pub delivered: u64,
    /// Bytes in flight, itself included.
    pub tx_in_flight: u64,
    /// Bytes lost by then, modulo 2³². No flight is that large.
    pub(crate) lost: u32,
    /// The flow was application-limited.
    pub app_limited: bool,
}

impl Snapshot {
    pub(crate) fn walk(&mut self, walk: &mut Walk, base: &Base) {
        let Snapshot {
            sent,
            first_sent,
            delivered_time,
            delivered,
            tx_in_flight,
            lost,
            app_limited,
        } = self;
        walk.time(sent);
        walk.time(first_sent);
        walk.time(delivered_time);
        walk.long(delivered, base.delivered);
        walk.same(*tx_in_flight);
        walk.low(lost, base.lost);
        walk.same(*app_limited);
    }
}

/// The sampler of one flow.
#[derive(Clone, Debug, Default)]
pub struct Sampler {
    delivered: u64,
    delivered_time: Time,
    first_sent: Time,
    lost: u64,
    /// Delivered bytes at which the application-limited phase ends; 0 = none.
    limited_until: u64,
    round: u64,
    round_ends: u64,
}

/// The newest segment that an acknowledgement delivers.
#[derive(Copy, Clone, Debug)]
pub struct Newest {
    /// Number of its transmission.
    pub number: u64,
    /// Whether it is a retransmission.
    pub again: bool,
    /// The counters at its transmission.
    pub snapshot: Snapshot,
}

impl Sampler {
    /// Adds what the numbers of its snapshots are compared with.
    pub(crate) fn add_to(&self, base: Base) -> Base {
        Base {
            delivered: self.delivered,
            lost: self.lost,
            ..base
        }
    }

    pub(crate) fn walk(&mut self, walk: &mut Walk) {
        let base = self.delivered;
        let Sampler {
            delivered,
            delivered_time,
            first_sent,
            lost,
            limited_until,
            round,
            round_ends,
        } = self;
        walk.time(delivered_time);
        walk.time(first_sent);
        walk.same(*limited_until > 0);
        if *limited_until > 0 {
            walk.long(limited_until, base);
        }
        walk.long(round_ends, base);
        walk.count(round);
        walk.count(delivered);
        walk.count(lost);
    }

    /// A segment leaves; `in_flight` is before it.
    pub fn on_send(&mut self, now: Time, in_flight: u64, len: u64) -> Snapshot {
        if in_flight == 0 {
            self.first_sent = now;
            self.delivered_time = now;
        }
        Snapshot {
            sent: now,
            first_sent: self.first_sent,
            delivered_time: self.delivered_time,
            delivered: self.delivered,
            tx_in_flight: in_flight + len,
            lost: self.lost as u32,
            app_limited: self.limited_until > 0,
        }
    }

    /// `len` more bytes are known to be delivered.
    pub fn on_delivered(&mut self, now: Time, len: u64) {
        self.delivered += len;
        self.delivered_time = now;
    }

    /// Bytes declared lost were delivered after all.
    pub fn on_late(&mut self, len: u64) {
        self.delivered += len;
    }

    /// A segment was declared lost. Returns the bytes lost since it left, itself included.
    pub fn on_lost(&mut self, snapshot: &Snapshot, len: u64) -> u64 {
        self.lost += len;
        self.lost_since(snapshot)
    }

    fn lost_since(&self, snapshot: &Snapshot) -> u64 {
        u64::from((self.lost as u32).wrapping_sub(snapshot.lost))
    }

    /// The application has nothing to send although the window is open. Until everything in flight now
    /// is delivered, samples are application-limited.
    pub fn limit(&mut self, in_flight: u64) {
        self.limited_until = (self.delivered + in_flight).max(1);
    }

    /// Finishes an acknowledgement. Returns the sample and whether a round begins. There is no sample
    /// without a delivery, or from an interval shorter than the least round trip.
    pub fn finish(
        &mut self,
        now: Time,
        newest: Option<&Newest>,
        least: Span,
    ) -> (Option<RateSample>, bool) {
        if self.limited_until > 0 && self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        let Some(Newest {
            snapshot: newest, ..
        }) = newest
        else {
            return (None, false);
        };
        self.first_sent = newest.sent;
        let starts = newest.delivered >= self.round_ends;
        if starts {
            self.round += 1;
            self.round_ends = self.delivered;
        }
        let send_elapsed = newest.sent.since(newest.first_sent);
        let ack_elapsed = Span(now.0.saturating_sub(newest.delivered_time.0));
        let interval = send_elapsed.max(ack_elapsed);
        if interval == Span::ZERO || (least != Span::MAX && interval < least) {
            return (None, starts);
        }
        let delivered = self.delivered - newest.delivered;
        let sample = RateSample {
            delivered,
            interval,
            app_limited: newest.app_limited,
            prior_delivered: newest.delivered,
            tx_in_flight: newest.tx_in_flight,
            lost: self.lost_since(newest),
        };
        (Some(sample), starts)
    }

    /// Bytes delivered since the beginning.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Rounds so far.
    pub fn round(&self) -> u64 {
        self.round
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Rate;

    const MSS: u64 = 1000;

    fn deliver(
        s: &mut Sampler,
        now: Time,
        number: u64,
        snapshot: Snapshot,
        least: Span,
    ) -> (Option<RateSample>, bool) {
        s.on_delivered(now, MSS);
        let again = false;
        let newest = Newest {
            number,
            again,
            snapshot,
        };
        s.finish(now, Some(&newest), least)
    }

    fn limited(s: &mut Sampler, now: Time, number: u64, snapshot: Snapshot) -> bool {
        let (sample, _) = deliver(s, now, number, snapshot, Span::MAX);
        sample.unwrap().app_limited
    }

    /// Ten segments leave at once; the path delivers one per ms after 10 ms. Once what left with
    /// that burst behind it is delivered, each sample is one segment per ms = 8 Mbit/s.
    #[test]
    fn the_rate_is_that_of_the_bottleneck() {
        let ms = |n: u64| Time(n * 1_000_000_000);
        let mut s = Sampler::default();
        let mut flying = std::collections::VecDeque::new();
        for n in 0..10 {
            flying.push_back((n, s.on_send(ms(0), n * MSS, MSS)));
        }
        let mut rounds = 0;
        for n in 10..200 {
            let now = ms(n);
            let (number, snapshot) = flying.pop_front().unwrap();
            let (sample, start) = deliver(&mut s, now, number, snapshot, Span::millis(10));
            rounds += u64::from(start);
            let sample = sample.unwrap();
            assert!(!sample.app_limited);
            if n >= 30 {
                assert_eq!(sample.rate(), Rate(8_000_000));
                assert_eq!(sample.delivered, 10 * MSS);
            }
            flying.push_back((n, s.on_send(now, 9 * MSS, MSS)));
        }
        assert_eq!(rounds, 19);
        assert_eq!(s.round(), 19);
    }

    /// The mark holds for what leaves until all that was in flight is delivered, and one more.
    #[test]
    fn the_application_limited_mark_goes_when_its_flight_is_delivered() {
        let ms = |n: u64| Time(n * 1_000_000_000);
        let mut s = Sampler::default();
        let a = s.on_send(ms(0), 0, MSS);
        s.limit(MSS);
        let b = s.on_send(ms(1), MSS, MSS);
        assert!(!limited(&mut s, ms(10), 0, a));
        let c = s.on_send(ms(10), MSS, MSS);
        assert!(limited(&mut s, ms(11), 1, b));
        let d = s.on_send(ms(11), MSS, MSS);
        assert!(limited(&mut s, ms(20), 2, c));
        assert!(!limited(&mut s, ms(21), 3, d));
    }
}
