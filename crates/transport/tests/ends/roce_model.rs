//! A queue pair in order (InfiniBand C9-110) as a list of all transmissions, and its receiver.

use backwater_transport::controller::Cause;
use backwater_transport::queue_pair::QueuePair;
use backwater_transport::segment::{AckSegment, Ecn, Segment};
use backwater_transport::units::Time;

use crate::MSS;
use crate::notices::Notices;
use crate::recorder::{Event, Heard};

/// A transmission.
#[derive(Clone, Copy, Debug)]
pub struct Gone {
    pub start: u64,
    pub len: u64,
    /// Neither acknowledged nor given up.
    pub open: bool,
    pub flight: u64,
    pub delivered: u64,
}

/// The sender: all its transmissions, and the byte from which it goes on.
pub struct Model {
    pub pair: QueuePair,
    pub window: u64,
    pub written: u64,
    pub una: u64,
    pub from: u64,
    pub gone: Vec<Gone>,
    /// What was sent by the last report of a loss.
    pub reported: u64,
    pub deadline: Option<u64>,
    pub delivered: u64,
    pub marked: u64,
    pub limited: (bool, bool),
    pub events: Vec<Event>,
    pub counts: [u64; 3],
    /// By how much the left edge moved, in all.
    pub acked: u64,
}

impl Model {
    pub fn new(pair: QueuePair, window: u64) -> Model {
        Model {
            pair,
            window,
            written: 0,
            una: 0,
            from: 0,
            gone: Vec::new(),
            reported: 0,
            deadline: None,
            delivered: 0,
            marked: 0,
            limited: (false, false),
            events: Vec::new(),
            counts: [0; 3],
            acked: 0,
        }
    }

    pub fn highest(&self) -> u64 {
        self.gone.iter().map(|g| g.start + g.len).max().unwrap_or(0)
    }

    fn arm(&mut self, now: u64) {
        let timeout = self.pair.timeout.filter(|_| self.from > self.una);
        self.deadline = timeout.map(|t| now + t.0);
    }

    /// Start, length, sent before, and whether it is the last of what was written.
    pub fn poll(&mut self, now: u64) -> Option<(u64, u64, bool, bool)> {
        let (start, flight) = (self.from, self.from - self.una);
        let len = (self.written - start).min(MSS);
        let full = flight > 0 && flight >= self.window;
        self.limited.0 |= len > 0 && full;
        if len == 0 || full {
            return None;
        }
        let again = start < self.highest();
        self.gone.push(Gone {
            start,
            len,
            open: true,
            flight: flight + len,
            delivered: self.delivered,
        });
        self.from += len;
        if self.deadline.is_none() {
            self.arm(now);
        }
        Some((start, len, again, self.from == self.written))
    }

    fn give_up(&mut self) {
        for gone in &mut self.gone {
            gone.open = false;
        }
    }

    pub fn ack(&mut self, now: u64, ack: &AckSegment) -> Option<(Heard, Option<Gone>)> {
        if ack.upto > self.highest() || (!ack.nack && ack.upto < self.una) {
            return None;
        }
        let mut heard = Heard {
            before: self.from - self.una,
            number: ack.number,
            ..Heard::default()
        };
        let mut newest = None;
        if ack.upto > self.una {
            heard.advanced = ack.upto - self.una;
            for gone in self.gone.iter_mut().filter(|g| g.open) {
                if gone.start + gone.len <= ack.upto {
                    gone.open = false;
                    heard.acked += gone.len;
                    heard.segments += 1;
                    newest = Some(*gone);
                }
            }
            self.una = ack.upto;
            self.from = self.from.max(self.una);
            self.delivered += heard.acked;
            self.acked += heard.advanced;
            self.arm(now);
        }
        if ack.nack {
            let flight = self.from - self.una;
            (self.una, self.from) = (ack.upto, ack.upto);
            self.give_up();
            (self.deadline, heard.lost) = (None, MSS);
            self.counts[0] += 1;
            if ack.upto >= self.reported {
                self.reported = self.highest();
                self.counts[1] += 1;
                self.events.push((Cause::Loss, flight, MSS, flight));
            }
        }
        heard.marked = ack.ce_bytes.saturating_sub(self.marked);
        self.marked = self.marked.max(ack.ce_bytes);
        heard.delivered = self.delivered;
        heard.flight = self.from - self.una;
        heard.recovering = self.una < self.reported;
        Some((heard, newest))
    }

    pub fn expire(&mut self) {
        let flight = self.from - self.una;
        self.counts[2] += 1;
        self.from = self.una;
        self.give_up();
        (self.deadline, self.reported) = (None, self.highest());
        self.events.push((Cause::Timeout, flight, MSS, flight));
    }
}

/// The receiver: what it expects, what it has asked for and when, and the beginnings of packets since.
#[derive(Default)]
pub struct Expected {
    pub next: u64,
    pub delivered: u64,
    pub asked: Option<(u64, u64)>,
    pub since: Vec<u64>,
    pub notices: Notices,
}

impl Expected {
    /// Whether a packet beyond the next one is answered: the first is; after it, one after the interval, or where there is none, one that
    /// shows by its place that the sender has gone back.
    fn asks(&mut self, now: u64, start: u64, pair: &QueuePair) -> bool {
        let asks = match (self.asked, pair.nack_interval) {
            (Some((byte, at)), Some(interval)) if byte == self.next => now - at >= interval.0,
            (Some((byte, _)), None) if byte == self.next => self.since.iter().any(|s| *s >= start),
            _ => true,
        };
        if asks {
            if let Some(message) = pair.message {
                self.next -= self.next % message;
            }
            self.asked = Some((self.next, now));
            self.since.clear();
        }
        self.since.push(start);
        asks
    }

    pub fn answer(
        &mut self,
        now: Time,
        segment: &Segment,
        ecn: Ecn,
        pair: &QueuePair,
    ) -> Option<AckSegment> {
        let (start, len) = (segment.start, u64::from(segment.len));
        if len > 0 {
            self.notices.arrive(now, segment, ecn);
        }
        let mut nack = false;
        if start > self.next || (start == self.next && len == 0) {
            nack = self.asks(now.0, start, pair);
            if !nack {
                return None;
            }
        } else if len == 0 {
            return None;
        } else if start == self.next {
            self.next += len;
            let part = pair
                .message
                .filter(|_| !segment.push)
                .map_or(0, |m| self.next % m);
            self.delivered = self.delivered.max(self.next - part);
        }
        Some(AckSegment {
            nack,
            ..self.notices.answer(now, segment, ecn, self.next)
        })
    }
}
