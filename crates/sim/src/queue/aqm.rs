//! Active queue management: which packets are marked or dropped. An algorithm sees each frame as
//! it joins and as it leaves, and answers with a verdict; the port carries it out. Most watch the
//! port's class queues. Some keep queues of their own and choose among them too.
//!
//! An algorithm knows no simulator: it is told the time, and what has changed since it was told
//! last. Timers that were due in between are replayed then.

use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Rate, Span, Time};

use super::row::ClassQueue;
use crate::knob::Knob;
use crate::packet::Packets;

/// The verdict on a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on.
    Accept,
    /// It goes on with CE.
    Mark,
    /// It is lost.
    Drop,
    /// It goes on, and its source is told how congested the queue is. Only arriving frames are answered so.
    Notify(u8),
}

/// A frame that joins a queue or leaves it.
#[derive(Copy, Clone, Debug)]
pub struct Frame {
    /// When.
    pub now: Time,
    /// Number of its queue.
    pub queue: usize,
    /// Frame bytes.
    pub size: u64,
    /// Codepoint.
    pub ecn: Ecn,
    /// How long it has waited.
    pub sojourn: Span,
    /// Bytes waiting in its queue besides it; the frame in transmission does not wait.
    pub bytes: u64,
    /// Frames waiting in its queue besides it.
    pub packets: u64,
}

impl Frame {
    /// A mark if the transport takes marks and the queue gives them, else a loss.
    pub fn punish(&self, mark: bool) -> Verdict {
        if mark && self.ecn != Ecn::NotEct {
            Verdict::Mark
        } else {
            Verdict::Drop
        }
    }
}

/// Who sends a packet to whom, for queues that tell flows apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Parties {
    /// Number of the flow.
    pub flow: u32,
    /// Node that sends.
    pub from: u32,
    /// Host number that receives.
    pub to: u32,
    /// Codepoint.
    pub ecn: Ecn,
}

/// The queues that an algorithm manages.
#[derive(Copy, Clone, Debug)]
pub struct Waiting<'a> {
    /// Its own queues, or the port's class queues.
    pub queues: &'a [ClassQueue],
    /// Where their frames lie.
    pub packets: &'a Packets,
    /// Bytes in the first queue that wait no more, since they are being sent.
    pub sending: u64,
}

impl Waiting<'_> {
    /// How long the frame at the head of a queue has waited; nothing where there is none.
    pub fn sojourn(&self, queue: usize, now: Time) -> Span {
        let head = self.queues[queue].list.head();
        if head.is_none() {
            return Span::ZERO;
        }
        Span(now.0.saturating_sub(self.packets[head].at.0))
    }

    /// Bytes waiting in the first queue.
    pub fn bytes(&self) -> u64 {
        self.queues[0].bytes - self.sending
    }
}

/// Says who is told of congestion.
pub trait Aqm {
    /// It is put to a port of this rate, with its stream.
    fn attach(&mut self, _rate: Rate, _random: &mut Random) {}

    /// A random stream of its own, beside the port's; none where it needs none.
    fn stream(&mut self) -> Option<&mut Random> {
        None
    }

    /// The port's line rate is another from now on.
    fn line_rate(&mut self, _rate: Rate) {}

    /// The parameter that may be changed while a world runs.
    fn knob(&mut self) -> Option<Knob<'_>> {
        None
    }

    /// Queues of its own; none watches the port's class queues.
    fn queues(&self) -> usize {
        0
    }

    /// The queue of its own that a packet joins.
    fn classify(&mut self, _packet: &Parties) -> usize {
        0
    }

    /// Replays what its timer had due up to `now`. Called before anything changes.
    fn update(&mut self, _now: Time, _waiting: &Waiting) {}

    /// The queue whose head makes room for a frame that does not fit; none if it is lost itself.
    fn victim(&self, _arriving: &Frame, _queues: &[ClassQueue]) -> Option<usize> {
        None
    }

    /// A frame is about to join.
    fn push(&mut self, _frame: &Frame, _random: &mut Random) -> Verdict {
        Verdict::Accept
    }

    /// A frame that arrives is lost because there is no room for it. `judged` says that `push` has seen it, as where the
    /// memory of a switch is full.
    fn refused(&mut self, _frame: &Frame, _judged: bool, _random: &mut Random) {}

    /// The queue of its own to serve; called with a frame waiting in at least one of them.
    fn choose(&mut self, _queues: &[ClassQueue]) -> usize {
        0
    }

    /// A frame is about to leave.
    fn pop(&mut self, _frame: &Frame) -> Verdict {
        Verdict::Accept
    }

    /// Whether the frame behind the one that was just let go is lost at once. It is shown to `pop`, whose
    /// verdict is a drop, and then this is asked again.
    fn takes_next(&self) -> bool {
        false
    }

    /// Whether it sends notices to sources.
    fn notifies(&self) -> bool {
        false
    }

    /// A warning about its constants at this port, where it drops.
    fn warning(&self) -> Option<String> {
        None
    }

    /// A frame arrives, and the port has found none since this was called last.
    fn emptied(&mut self, _now: Time) {}
}

crate::custom::custom! {
    /// An algorithm from outside this crate.
    CustomAqm: Aqm
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame in transmission waits no more.
    #[test]
    fn what_is_being_sent_does_not_wait() {
        let packets = Packets::default();
        let queue = ClassQueue {
            bytes: 2000,
            ..ClassQueue::default()
        };
        let waiting = Waiting {
            queues: &[queue],
            packets: &packets,
            sending: 1500,
        };
        assert_eq!(waiting.bytes(), 500);
    }
}
