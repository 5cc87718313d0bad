//! The notice that the echo of a mark is to a neighbour. The receiver of a marked packet says so in its ACKs. The node whose queue is
//! watched reads the ACKs that it sends to a neighbour: one with an echo is a notice to that neighbour.
//!
//! Classic ECN and DCTCP set ECE (RFC 3168 6.1.3, RFC 8257 3.2). Accurate ECN counts marked packets modulo eight (RFC 9768
//! 3.2.2), so the count of the flow's last ACK is remembered.

use std::collections::BTreeMap;

use super::notice::{Ask, Form, Notice, first_key};
use super::notifier::Terms;
use crate::connection::Header;
use crate::ids::FlowId;
use crate::table::Id;

/// Reads echoes for one mechanism, on the way to one neighbour.
#[derive(Clone, Debug)]
pub struct Echo {
    /// Number of the mechanism whose responder answers.
    mechanism: u32,
    /// Layout of the notice that the echo stands for.
    form: Form,
    /// Units for which the neighbour acts.
    quanta: u16,
    /// Whether an echo speaks of its own class alone.
    per_class: bool,
    /// Marked packets that the last ACK of each flow counted.
    counted: BTreeMap<FlowId, u8>,
}

impl Echo {
    /// A reader that has read nothing.
    pub fn new(mechanism: u32, terms: &Terms) -> Echo {
        Echo {
            mechanism,
            form: terms.form,
            quanta: terms.quanta,
            per_class: terms.per_class,
            counted: BTreeMap::new(),
        }
    }

    /// Whether it reads for this mechanism.
    pub fn is_of(&self, mechanism: u32) -> bool {
        self.mechanism == mechanism
    }

    /// The notice that a packet of this class brings, if it is an ACK with an echo.
    pub fn read(&mut self, flow: FlowId, class: u8, header: &Header) -> Option<Notice> {
        let Header::Ack(ack) = header else {
            return None;
        };
        let before = self.counted.insert(flow, ack.ace).unwrap_or(0);
        (ack.ece || ack.ace != before).then(|| Notice {
            mechanism: self.mechanism,
            form: self.form,
            classes: if self.per_class { 1 << class } else { 0xff },
            ask: Ask::Stop(self.quanta),
            hosts: None,
            origin: Id::NONE,
            origin_classes: 0,
            key: first_key(self.mechanism),
        })
    }
}

#[cfg(test)]
mod tests {
    use backwater_transport::segment::AckSegment;
    use backwater_transport::units::Span;

    use super::*;
    use crate::mechanism::carrier::CarriedBy;
    use crate::mechanism::notifier::{Audience, Cast};

    fn terms(per_class: bool) -> Terms {
        Terms {
            form: Form::Pause,
            audience: Audience::Feeders,
            window: Span::ZERO,
            quanta: 9,
            refresh: 0.5,
            per_class,
            addresses: None,
            cast: Cast::Each,
            carrier: CarriedBy::Mark,
        }
    }

    fn ack(ece: bool, ace: u8) -> Header {
        Header::Ack(AckSegment {
            ece,
            ace,
            ..AckSegment::default()
        })
    }

    /// ECE speaks at once; a counter speaks when it differs from the flow's last one, and each flow has its own.
    #[test]
    fn ece_and_counters_that_move_are_echoes() {
        let mut echo = Echo::new(3, &terms(false));
        let mut reads = |flow: u32, header: Header| echo.read(Id::raw(flow), 0, &header).is_some();
        let said = [
            reads(1, ack(false, 0)),
            reads(1, ack(true, 0)),
            reads(1, ack(false, 2)),
            reads(1, ack(false, 2)),
            reads(2, ack(false, 2)),
            reads(2, ack(false, 1)),
        ];
        assert_eq!(said, [false, true, true, false, true, true]);
    }

    /// A notice of a mechanism that tells classes apart stops the class of the packet alone; bit 5 is class 5.
    #[test]
    fn an_echo_is_for_its_own_mechanism_and_class() {
        let classes = [(false, 0b1111_1111), (true, 0b10_0000)];
        for (per_class, stopped) in classes {
            let mut echo = Echo::new(3, &terms(per_class));
            assert!(echo.is_of(3) && !echo.is_of(2));
            let notice = echo.read(Id::raw(1), 5, &ack(true, 0)).expect("an echo");
            assert_eq!((notice.mechanism, notice.classes), (3, stopped));
            assert_eq!(notice.ask, Ask::Stop(9));
        }
    }
}
