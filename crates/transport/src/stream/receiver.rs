//! The receiving end of a stream: reassembly, acknowledgements and selective acknowledgements.

use crate::ends::Receiver;
use crate::reassembly::Reassembly;
use crate::receiver::{DelayedAck, Echo, Last, ReceiverSetup};
use crate::segment::{AckSegment, Ecn, Segment};
use crate::setup::EcnFeedback;
use crate::units::{Span, Time};
use crate::walk::{Base, Walk};

/// The receiver. The fields that a segment needs come first, in two cache lines.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct StreamReceiver {
    echo: Echo,
    deadline: Time,
    /// RFC 7323 section 4.3: Last.ACK.sent.
    acked_upto: u64,
    timeout: Span,
    /// Segments received and not acknowledged.
    pending: u32,
    /// An acknowledgement waits for this many segments, at most for `timeout`.
    segments: u16,
    data: Reassembly,
}

impl StreamReceiver {
    /// A receiver before the first segment.
    pub fn new(setup: &ReceiverSetup) -> StreamReceiver {
        let mut receiver = StreamReceiver {
            echo: Echo::new(setup),
            deadline: Time::NEVER,
            acked_upto: 0,
            pending: 0,
            segments: 0,
            timeout: Span::ZERO,
            data: Reassembly::default(),
        };
        receiver.delay_acks(setup.delayed_ack);
        receiver
    }

    /// Tracks the marks. In DCTCP a change of state acknowledges pending segments at once with the old
    /// state (RFC 8257 section 3.2).
    fn track_marks(&mut self, now: Time, ecn: Ecn, segment: &Segment) -> Option<AckSegment> {
        let marked = ecn == Ecn::Ce;
        match self.echo.ecn {
            EcnFeedback::Dctcp => {
                let changes = marked != self.echo.echo && self.pending > 0;
                let before = changes.then(|| self.acknowledge(now, false));
                self.echo.echo = marked;
                before
            }
            EcnFeedback::Classic => {
                self.echo.echo = marked || (self.echo.echo && !segment.cwr);
                None
            }
            EcnFeedback::Off | EcnFeedback::Accurate | EcnFeedback::Ace => None,
        }
    }

    fn acknowledge(&mut self, now: Time, duplicate: bool) -> AckSegment {
        let mut ack = self.echo.acknowledgement(now, self.data.next());
        if duplicate {
            let Last { start, len, .. } = self.echo.last;
            ack.report(start, start + u64::from(len));
            ack.duplicate = true;
        }
        self.data.report(&mut ack);
        self.pending = 0;
        self.deadline = Time::NEVER;
        self.acked_upto = ack.upto;
        ack
    }
}

impl Receiver for StreamReceiver {
    fn delay_acks(&mut self, delayed: Option<DelayedAck>) {
        let at_once = DelayedAck {
            segments: 0,
            timeout: Span::ZERO,
        };
        let DelayedAck { segments, timeout } = delayed.unwrap_or(at_once);
        self.segments = segments.min(u32::from(u16::MAX)) as u16;
        self.timeout = timeout;
    }

    fn on_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) -> Option<AckSegment> {
        let begins = self.echo.arrive(now, segment, ecn);
        let before = self.track_marks(now, ecn, segment);
        let end = segment.start + u64::from(segment.len);
        let next = self.data.next();
        if segment.start <= self.acked_upto && segment.sent >= self.echo.recent {
            self.echo.recent = segment.sent;
        }
        let duplicate = if end > next.saturating_add(u64::from(self.echo.window)) {
            false
        } else {
            !self.data.insert(segment.start, end)
        };
        self.pending += 1;
        self.echo.record(now, segment, ecn);
        // RFC 5681 section 4.2: acknowledge at once data that are out of order, duplicate, or fill a
        // gap.
        let plain = segment.start == next && self.data.next() == end && !self.data.gaps();
        // RFC 9768 section 3.2.2.5.1. Its other rule, an ACK for at least every sixth mark, always
        // holds with an ACK for every second segment.
        let plain = plain && !(begins && self.echo.ecn == EcnFeedback::Ace);
        let wait = plain && !segment.push && self.pending < u32::from(self.segments);
        if wait {
            self.deadline = self.deadline.min(now.after(self.timeout));
            return before;
        }
        if before.is_some() {
            // Two are due. The timer sends the second at once.
            self.deadline = now;
            return before;
        }
        Some(self.acknowledge(now, duplicate))
    }

    fn on_timer(&mut self, now: Time) -> Option<AckSegment> {
        (self.deadline <= now).then(|| self.acknowledge(now, false))
    }

    #[inline]
    fn prefetch(&self) -> u64 {
        self.data.next() ^ self.deadline.0
    }

    fn due(&self) -> Time {
        self.deadline
    }

    fn delivered(&self) -> u64 {
        self.data.next()
    }

    fn walk(&mut self, walk: &mut Walk, flow: &str, base: &Base) {
        let StreamReceiver {
            echo,
            deadline,
            acked_upto,
            timeout,
            pending,
            segments,
            data,
        } = self;
        echo.walk(walk, flow, base);
        walk.until(deadline);
        walk.long(acked_upto, base.byte);
        walk.same(timeout.0);
        walk.same(*pending);
        walk.same(*segments);
        data.walk(walk, base);
    }
}
