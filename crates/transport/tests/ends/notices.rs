//! What the receiver of a queue pair echoes and tells: marks counted, and one notification packet an interval (Zhu et al., SIGCOMM 2015).

use backwater_transport::endpoint::{AnyReceiver, Receiver};
use backwater_transport::segment::{AckSegment, Ecn, Segment, Signal};
use backwater_transport::units::{Span, Time};

/// The interval of the default settings.
const INTERVAL: Span = Span::micros(50);

/// Marks so far, and the instants of notification packets: the next may leave at once, or waits for the end of the interval.
#[derive(Default)]
pub struct Notices {
    bytes: u64,
    packets: u64,
    ends: Time,
    waits: bool,
    due_now: bool,
}

impl Notices {
    /// A packet with data has come.
    pub fn arrive(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        if ecn != Ecn::Ce {
            return;
        }
        self.bytes += u64::from(segment.len);
        self.packets += 1;
        match now >= self.ends {
            true => self.tell(now),
            false => self.waits = true,
        }
    }

    fn tell(&mut self, now: Time) {
        self.due_now = true;
        self.waits = false;
        self.ends = now.after(INTERVAL);
    }

    /// The receiver's timer is the model's; it expires where it is due. A signal that is no credit is the model's, too.
    pub fn compare(&mut self, now: Time, receiver: &mut AnyReceiver) {
        let told = receiver.next_signal(now);
        let expected = std::mem::take(&mut self.due_now).then_some(Signal::Congestion);
        assert_eq!(told, expected);
        let due = if self.waits { self.ends } else { Time::NEVER };
        assert_eq!(receiver.due(), due);
        if due <= now {
            assert_eq!(receiver.on_timer(now), None);
            self.tell(now);
            self.compare(now, receiver);
        }
    }

    /// The fields of an acknowledgement of all below `upto` that this segment causes.
    pub fn answer(&self, now: Time, segment: &Segment, ecn: Ecn, upto: u64) -> AckSegment {
        AckSegment {
            upto,
            number: segment.number,
            echo: segment.sent,
            received: now,
            ece: segment.len > 0 && ecn == Ecn::Ce,
            ce_bytes: self.bytes,
            ace: (self.packets % 8) as u8,
            window: 1_048_576_000,
            ..AckSegment::default()
        }
    }
}
