//! The receiving end of the datagram protocol: each packet is acknowledged at once.

use crate::ends::Receiver;
use crate::receiver::{Echo, ReceiverSetup};
use crate::segment::{AckSegment, Ecn, Segment};
use crate::units::Time;
use crate::walk::{Base, Walk};

/// The receiver.
#[derive(Clone, Debug)]
pub struct DatagramReceiver {
    echo: Echo,
    numbers: Numbers,
    delivered: u64,
}

impl DatagramReceiver {
    /// A receiver before the first packet.
    pub fn new(setup: &ReceiverSetup) -> DatagramReceiver {
        DatagramReceiver {
            echo: Echo::new(setup),
            numbers: Numbers::default(),
            delivered: 0,
        }
    }
}

impl Receiver for DatagramReceiver {
    fn on_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) -> Option<AckSegment> {
        self.echo.arrive(now, segment, ecn);
        if self.numbers.insert(segment.number) {
            self.delivered += u64::from(segment.len);
        }
        self.echo.echo = ecn == Ecn::Ce;
        self.echo.record(now, segment, ecn);
        self.echo.recent = segment.sent;
        Some(self.echo.acknowledgement(now, self.numbers.next))
    }

    fn on_timer(&mut self, _now: Time) -> Option<AckSegment> {
        None
    }

    fn due(&self) -> Time {
        Time::NEVER
    }

    fn prefetch(&self) -> u64 {
        self.numbers.next
    }

    /// Each packet once.
    fn delivered(&self) -> u64 {
        self.delivered
    }

    fn walk(&mut self, walk: &mut Walk, flow: &str, base: &Base) {
        let DatagramReceiver {
            echo,
            numbers: Numbers { next, seen },
            delivered,
        } = self;
        echo.walk(walk, flow, base);
        walk.long(next, base.number);
        walk.same(*seen);
        walk.count(delivered);
    }
}

/// Which datagrams have arrived. Duplicates are detected among the last 64 numbers.
#[derive(Clone, Debug, Default)]
struct Numbers {
    /// One above the highest.
    next: u64,
    /// Bit i: `next - 1 - i` has arrived.
    seen: u64,
}

impl Numbers {
    /// Whether this number is new.
    fn insert(&mut self, number: u64) -> bool {
        if number >= self.next {
            let ahead = number + 1 - self.next;
            self.seen = if ahead < 64 { self.seen << ahead } else { 0 } | 1;
            self.next = number + 1;
            return true;
        }
        let back = self.next - 1 - number;
        if back >= 64 {
            return true;
        }
        let fresh = self.seen & (1 << back) == 0;
        self.seen |= 1 << back;
        fresh
    }
}
