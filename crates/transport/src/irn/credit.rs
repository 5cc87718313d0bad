//! Credit: the receiver gives it, the sender spends it on each packet. A sender may spend some before the first answer; whatever
//! comes back ends that. Each packet says what credit the sender wants, and so does the header of a trimmed packet. A sender
//! without credit that has asked for none sends a request.
//!
//! Reference: receiver-credited congestion control of Ultra Ethernet and its public simulator (htsim, `uec.cpp`), which follows EQDS
//! (Olteanu et al., NSDI 2022) and NDP (Handley et al., SIGCOMM 2017). Differences: what a sender wants is not divided by the number of
//! flows of its host; after a timeout a packet is sent again without credit and owes it.

use crate::ends::CreditState;
use crate::queue_pair::Pull;
use crate::segment::{Feedback, Segment, Signal};
use crate::units::Time;

/// A header alone that is none of a trimmed packet: it asks for credit.
pub(super) fn is_request(segment: &Segment) -> bool {
    let feedback = segment.feedback.as_deref();
    segment.len == 0 && matches!(feedback, Some(Feedback::Wanted { alone: true, .. }))
}

/// The request that leaves with this number.
pub(super) fn request(now: Time, number: u64, start: u64, wanted: Feedback) -> Segment {
    Segment {
        number,
        start,
        sent: now,
        feedback: Some(Box::new(wanted)),
        ..Segment::default()
    }
}

/// The credit of a sender, in bytes on the link.
#[derive(Clone, Debug)]
pub(super) struct Credit {
    pull: Pull,
    mss: u64,
    /// Of a packet, besides its payload.
    overhead: u64,
    /// The credit that the receiver has given.
    granted: u64,
    /// The credit that is left; a packet leaves while there is some, so it may end below zero.
    left: i64,
    /// Nothing has come back yet.
    speculates: bool,
    /// The credit that the newest packet asked for.
    asked: u64,
}

impl Credit {
    pub(super) fn new(pull: Pull, mss: u64, frame: u64) -> Credit {
        Credit {
            pull,
            mss,
            overhead: frame.saturating_sub(mss),
            granted: 0,
            left: pull.speculate as i64,
            speculates: true,
            asked: 0,
        }
    }

    /// A packet may leave.
    pub(super) fn is_left(&self) -> bool {
        self.left > 0
    }

    /// A packet with so much payload leaves.
    pub(super) fn spend(&mut self, payload: u64) {
        self.left -= (payload + self.overhead) as i64;
    }

    /// Something has come back: what was not yet sent ahead of credit waits for it.
    pub(super) fn hear(&mut self) {
        if std::mem::take(&mut self.speculates) {
            self.left = self.left.min(0);
        }
    }

    /// The receiver has given so much since the beginning.
    pub(super) fn take(&mut self, granted: u64) {
        self.hear();
        let more = granted.saturating_sub(self.granted);
        self.granted += more;
        self.left += more as i64;
    }

    /// The credit to ask for where so many bytes of payload wait and the window lets so many be in flight.
    fn wanted(&self, waiting: u64, window: u64) -> u64 {
        let most = self.pull.speculate;
        let payload = waiting.min(window.saturating_add(self.mss)).min(most);
        let bytes = payload + payload.div_ceil(self.mss) * self.overhead;
        let missing = bytes.min(most) as i64 - self.left;
        self.granted + missing.max(0) as u64
    }

    /// The request in a packet with data that leaves; `again` if it left before.
    pub(super) fn say(&mut self, waiting: u64, window: u64, again: bool) -> Feedback {
        Feedback::Wanted {
            credit: self.ask(waiting, window),
            asks: again,
            alone: false,
        }
    }

    /// Data wait, no credit is left, and none is on its way: a request says so.
    pub(super) fn request(&mut self, waiting: u64, window: u64) -> Option<Feedback> {
        let needs = waiting > 0 && self.left <= 0 && self.asked <= self.granted;
        needs.then(|| Feedback::Wanted {
            credit: self.ask(waiting, window),
            asks: true,
            alone: true,
        })
    }

    fn ask(&mut self, waiting: u64, window: u64) -> u64 {
        let credit = self.wanted(waiting, window);
        self.asked = self.asked.max(credit);
        credit
    }

    /// The request may be lost, or its answer.
    pub(super) fn forget(&mut self) {
        self.asked = self.granted;
    }
}

/// The credit that a receiver has given to its sender.
#[derive(Clone, Debug)]
pub(super) struct Grants {
    pull: Pull,
    wanted: u64,
    granted: u64,
    /// It says again what it has given.
    repeats: bool,
}

impl Grants {
    pub(super) fn new(pull: Pull) -> Grants {
        Grants {
            pull,
            wanted: 0,
            granted: 0,
            repeats: false,
        }
    }

    /// A packet says what is wanted.
    pub(super) fn note(&mut self, segment: &Segment) {
        if let Some(&Feedback::Wanted { credit, asks, .. }) = segment.feedback.as_deref() {
            self.wanted = self.wanted.max(credit);
            self.repeats |= asks && self.granted >= credit;
        }
    }

    pub(super) fn state(&self) -> CreditState {
        match self.granted {
            granted if granted < self.wanted => CreditState::Waits,
            granted if granted < self.wanted + self.pull.speculate => CreditState::Ahead,
            _ => CreditState::Enough,
        }
    }

    pub(super) fn give(&mut self) -> Signal {
        self.granted += self.pull.quantum;
        Signal::Credit {
            granted: self.granted,
        }
    }

    pub(super) fn repeated(&mut self) -> Option<Signal> {
        std::mem::take(&mut self.repeats).then_some(Signal::Credit {
            granted: self.granted,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets of 4,150 bytes, 4,086 of them payload; 41,500 bytes ahead, 16,384 a pull.
    fn credit() -> Credit {
        let pull = Pull {
            quantum: 16_384,
            speculate: 41_500,
        };
        Credit::new(pull, 4086, 4150)
    }

    fn sends(credit: &mut Credit) -> u32 {
        let mut packets = 0;
        while credit.is_left() {
            credit.spend(4086);
            packets += 1;
        }
        packets
    }

    /// Ten packets go ahead. A pull pays for 3.95, so four leave, and four pulls for 15.8.
    #[test]
    fn a_packet_leaves_while_there_is_credit() {
        let mut credit = credit();
        assert_eq!(sends(&mut credit), 10);
        credit.take(16_384);
        assert_eq!(sends(&mut credit), 4);
        credit.take(2 * 16_384);
        credit.take(4 * 16_384);
        assert_eq!(sends(&mut credit), 12);
    }

    #[test]
    fn the_first_answer_ends_what_goes_ahead_of_credit() {
        let mut credit = credit();
        credit.spend(4086);
        credit.hear();
        assert_eq!(sends(&mut credit), 0);
        credit.take(16_384);
        assert_eq!(sends(&mut credit), 4);
    }

    /// Wanted: what waits, with headers, but at most as much as goes ahead, less what is left.
    #[test]
    fn a_sender_wants_what_waits_and_no_more_than_goes_ahead() {
        let mut credit = credit();
        credit.hear();
        assert_eq!(credit.wanted(2 * 4086, u64::MAX), 2 * 4150);
        assert_eq!(credit.wanted(1_000_000, u64::MAX), 41_500);
        // A window of one packet, and one more.
        assert_eq!(credit.wanted(1_000_000, 4086), 2 * 4150);
        credit.take(4150);
        assert_eq!(credit.wanted(2 * 4086, u64::MAX), 2 * 4150);
    }

    /// One request until credit has come; the receiver gives until what was wanted is there, and then some ahead.
    #[test]
    fn a_request_is_answered_once() {
        let mut credit = credit();
        credit.hear();
        let asked = credit.request(5000, u64::MAX).expect("no credit");
        assert_eq!(credit.request(5000, u64::MAX), None);
        let mut grants = Grants::new(credit.pull);
        assert_eq!(grants.state(), CreditState::Ahead);
        grants.note(&Segment {
            feedback: Some(Box::new(asked)),
            ..Segment::default()
        });
        assert_eq!(grants.state(), CreditState::Waits);
        let given = grants.give();
        assert_eq!(given, Signal::Credit { granted: 16_384 });
        assert_eq!(grants.state(), CreditState::Ahead);
        // The pull packet was lost: the sender asks again, and hears the same.
        credit.forget();
        let again = credit.request(5000, u64::MAX).expect("no credit yet");
        grants.note(&Segment {
            feedback: Some(Box::new(again)),
            ..Segment::default()
        });
        assert_eq!(grants.repeated(), Some(given));
        assert_eq!(grants.repeated(), None);
    }
}
