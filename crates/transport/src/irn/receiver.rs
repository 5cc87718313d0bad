//! The receiving end: each packet is acknowledged, one out of order by a NACK with its place.

use super::credit::Grants;
use crate::ends::{CreditState, Receiver};
use crate::queue_pair::NotificationPoint;
use crate::reassembly::Reassembly;
use crate::receiver::{Echo, ReceiverSetup};
use crate::segment::{AckSegment, Ecn, Segment, Signal};
use crate::units::Time;

/// The receiver.
#[derive(Clone, Debug)]
pub struct IrnReceiver {
    echo: Echo,
    point: NotificationPoint,
    data: Reassembly,
    /// A packet out of order says that others are lost.
    gaps_are_losses: bool,
    /// The credit that it has given to the sender, if it paces it.
    grants: Option<Grants>,
}

impl IrnReceiver {
    /// A receiver before the first segment.
    pub fn new(setup: &ReceiverSetup) -> IrnReceiver {
        IrnReceiver {
            echo: Echo::new(setup),
            point: NotificationPoint::new(&setup.pair),
            data: Reassembly::default(),
            gaps_are_losses: setup.pair.gaps_are_losses,
            grants: setup.pair.pull.map(Grants::new),
        }
    }
}

impl IrnReceiver {
    /// Only the header of this segment came.
    fn ask_again(&mut self, now: Time, segment: &Segment) -> AckSegment {
        self.echo.record_trimmed(now, segment);
        let mut ack = self.echo.acknowledgement(now, self.data.next());
        if segment.start >= ack.upto && !super::credit::is_request(segment) {
            ack.nack = true;
            ack.report(segment.start, segment.start);
        }
        ack
    }
}

impl Receiver for IrnReceiver {
    fn on_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) -> Option<AckSegment> {
        if let Some(grants) = &mut self.grants {
            grants.note(segment);
        }
        if segment.len == 0 {
            return Some(self.ask_again(now, segment));
        }
        self.echo.arrive(now, segment, ecn);
        self.point.arrive(now, ecn == Ecn::Ce);
        self.echo.echo = ecn == Ecn::Ce;
        self.echo.record(now, segment, ecn);
        self.echo.recent = segment.sent;
        let end = segment.start + u64::from(segment.len);
        self.data.insert(segment.start, end);
        let mut ack = self.echo.acknowledgement(now, self.data.next());
        if segment.start > ack.upto {
            ack.nack = self.gaps_are_losses;
            ack.report(segment.start, end);
        }
        Some(ack)
    }

    fn next_signal(&mut self, _now: Time) -> Option<Signal> {
        let credit = self.grants.as_mut().and_then(Grants::repeated);
        credit.or_else(|| self.point.next())
    }

    fn credit(&self) -> CreditState {
        let grants = self.grants.as_ref();
        grants.map_or(CreditState::Enough, Grants::state)
    }

    fn give_credit(&mut self) -> Signal {
        let grants = self.grants.as_mut();
        grants.expect("a receiver that gives credit").give()
    }

    fn on_timer(&mut self, now: Time) -> Option<AckSegment> {
        self.point.on_timer(now);
        None
    }

    fn due(&self) -> Time {
        self.point.due()
    }

    fn prefetch(&self) -> u64 {
        self.data.next()
    }

    /// In order.
    fn delivered(&self) -> u64 {
        self.data.next()
    }
}
