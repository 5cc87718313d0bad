//! The receiving end: in order, or a NACK.

use crate::ends::Receiver;
use crate::queue_pair::NotificationPoint;
use crate::receiver::{Echo, ReceiverSetup};
use crate::segment::{AckSegment, Ecn, Segment, Signal};
use crate::units::{Span, Time};

/// The last NACK. It counts while the receiver still expects the byte that it asked for.
#[derive(Copy, Clone, Debug)]
struct Asked {
    /// The byte that it asked for.
    next: u64,
    at: Time,
    /// Highest beginning of a packet that has come since.
    highest: u64,
}

/// The receiver.
#[derive(Clone, Debug)]
pub struct RoceReceiver {
    echo: Echo,
    point: NotificationPoint,
    /// Next byte expected.
    next: u64,
    delivered: u64,
    message: Option<u64>,
    interval: Option<Span>,
    asked: Option<Asked>,
}

impl RoceReceiver {
    /// A receiver before the first segment.
    pub fn new(setup: &ReceiverSetup) -> RoceReceiver {
        RoceReceiver {
            echo: Echo::new(setup),
            point: NotificationPoint::new(&setup.pair),
            next: 0,
            delivered: 0,
            message: setup.pair.message,
            interval: setup.pair.nack_interval,
            asked: None,
        }
    }

    /// Bytes that the application has when all below `next` are here: without go-back-0 all of them, else whole messages.
    fn take(&mut self, segment: &Segment) {
        self.next += u64::from(segment.len);
        let whole = match self.message {
            Some(message) if !segment.push => self.next / message * message,
            _ => self.next,
        };
        self.delivered = self.delivered.max(whole);
    }

    /// Whether a packet beyond the next one expected is answered with a NACK. One that begins no higher than another since
    /// the last NACK shows that the sender has gone back: the packet that was asked for is lost again.
    fn asks(&mut self, now: Time, start: u64) -> bool {
        let again = match (&mut self.asked, self.interval) {
            (Some(asked), None) if asked.next == self.next => {
                let again = start <= asked.highest;
                asked.highest = asked.highest.max(start);
                again
            }
            (Some(asked), Some(interval)) if asked.next == self.next => {
                now >= asked.at.after(interval)
            }
            _ => true,
        };
        if again {
            if let Some(message) = self.message {
                self.next = self.next / message * message;
            }
            self.asked = Some(Asked {
                next: self.next,
                at: now,
                highest: start,
            });
        }
        again
    }
}

impl Receiver for RoceReceiver {
    fn on_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) -> Option<AckSegment> {
        if segment.len == 0 {
            self.echo.record_trimmed(now, segment);
            let missing = segment.start >= self.next && self.asks(now, segment.start);
            return missing.then(|| AckSegment {
                nack: true,
                ..self.echo.acknowledgement(now, self.next)
            });
        }
        self.echo.arrive(now, segment, ecn);
        self.point.arrive(now, ecn == Ecn::Ce);
        self.echo.echo = ecn == Ecn::Ce;
        self.echo.record(now, segment, ecn);
        self.echo.recent = segment.sent;
        let mut nack = false;
        if segment.start == self.next {
            self.take(segment);
        } else if segment.start > self.next {
            nack = self.asks(now, segment.start);
            if !nack {
                return None;
            }
        }
        Some(AckSegment {
            nack,
            ..self.echo.acknowledgement(now, self.next)
        })
    }

    fn next_signal(&mut self, _now: Time) -> Option<Signal> {
        self.point.next()
    }

    fn on_timer(&mut self, now: Time) -> Option<AckSegment> {
        self.point.on_timer(now);
        None
    }

    fn due(&self) -> Time {
        self.point.due()
    }

    fn prefetch(&self) -> u64 {
        self.next
    }

    /// In order; with go-back-0 whole messages, and what the last packet of a write ends.
    fn delivered(&self) -> u64 {
        self.delivered
    }
}
