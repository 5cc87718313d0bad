//! A queue pair without order as a list of packets that is looked at as a whole at each step: what the rules of IRN (Mittal et al.,
//! SIGCOMM 2018, section 3) and of credit ask for, without counters that are kept up to date.

use backwater_transport::controller::Cause;
use backwater_transport::queue_pair::QueuePair;
use backwater_transport::segment::{AckSegment, Feedback};

use crate::recorder::{Event, Heard};
use crate::{FRAME, MSS};

/// A packet that was sent.
#[derive(Clone, Debug)]
struct Packet {
    start: u64,
    len: u64,
    number: u64,
    arrived: bool,
    cut: bool,
    /// The recovery in which it was sent again last; recoveries count from 1.
    resent_in: u64,
    tx_in_flight: u64,
    delivered: u64,
}

/// What leaves: number, start, length, sent before, what is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaves {
    pub number: u64,
    pub start: u64,
    pub len: u64,
    pub again: bool,
    pub push: bool,
    pub wanted: Option<Feedback>,
}

/// Credit as two sums.
#[derive(Clone, Debug)]
struct Purse {
    given: i64,
    spent: i64,
    granted: u64,
    heard: bool,
    asked: u64,
}

/// A sender.
#[derive(Clone, Debug)]
pub struct Model {
    pub pair: QueuePair,
    pub window: u64,
    packets: Vec<Packet>,
    written: u64,
    pub una: u64,
    number: u64,
    begun: u64,
    /// End and upper edge of the recovery at hand.
    recovery: Option<(u64, u64)>,
    reported: u64,
    pub deadline: Option<u64>,
    purse: Option<Purse>,
    delivered: u64,
    marked: u64,
    pub limited: (bool, bool),
    pub events: Vec<Event>,
    pub lost: u64,
    pub timeouts: u64,
}

impl Model {
    pub fn new(pair: QueuePair, window: u64) -> Model {
        Model {
            pair,
            window,
            packets: Vec::new(),
            written: 0,
            una: 0,
            number: 0,
            begun: 0,
            recovery: None,
            reported: 0,
            deadline: None,
            purse: pair.pull.map(|pull| Purse {
                given: pull.speculate as i64,
                spent: 0,
                granted: 0,
                heard: false,
                asked: 0,
            }),
            delivered: 0,
            marked: 0,
            limited: (false, false),
            events: Vec::new(),
            lost: 0,
            timeouts: 0,
        }
    }

    pub fn write(&mut self, bytes: u64) {
        self.written += bytes;
    }

    pub fn recoveries(&self) -> u64 {
        self.begun
    }

    fn sent(&self) -> u64 {
        self.packets.last().map_or(0, |p| p.start + p.len)
    }

    fn open(&self) -> impl DoubleEndedIterator<Item = &Packet> {
        self.packets.iter().filter(|p| p.start + p.len > self.una)
    }

    pub fn flight(&self) -> u64 {
        let leaves_out = |p: &&Packet| p.cut || (p.arrived && !self.pair.counts_sacked);
        self.open().filter(|p| !leaves_out(p)).map(|p| p.len).sum()
    }

    pub fn all_sent(&self) -> bool {
        self.sent() == self.written
    }

    pub fn outstanding(&self) -> bool {
        self.open().next().is_some()
    }

    fn waiting(&self) -> u64 {
        let cut: u64 = self.open().filter(|p| p.cut).map(|p| p.len).sum();
        self.written - self.sent() + cut
    }

    fn arm(&mut self, now: u64) {
        let open = self.open().count();
        let low = self.pair.timeout_low.filter(|_| open <= 3);
        let timeout = low.or(self.pair.timeout);
        let needed = open > 0 || (self.purse.is_some() && self.waiting() > 0);
        self.deadline = timeout.filter(|_| needed).map(|t| now + t.0);
    }

    fn wants(&mut self) -> Option<u64> {
        let (waiting, speculate) = (self.waiting(), self.pair.pull?.speculate);
        let payload = waiting.min(self.window + MSS).min(speculate);
        let frames = payload.div_ceil(MSS);
        let most = (payload + frames * (FRAME - MSS)).min(speculate);
        let purse = self.purse.as_mut()?;
        let left = purse.given - purse.spent;
        let credit = purse.granted + (most as i64 - left).max(0) as u64;
        purse.asked = purse.asked.max(credit);
        Some(credit)
    }

    /// Place of the packet that a recovery sends again now.
    fn missing(&self) -> Option<usize> {
        let (_, edge) = self.recovery?;
        let due = |p: &Packet| {
            p.start + p.len > self.una
                && p.start + p.len <= edge
                && !p.arrived
                && p.resent_in != self.begun
        };
        self.packets.iter().position(due)
    }

    pub fn poll(&mut self, now: u64) -> Option<Leaves> {
        let flight = self.flight();
        let cut = self.packets.iter().position(|p| p.cut);
        let mut place = self.missing();
        if place.is_none() {
            let data = cut.is_some() || self.written > self.sent();
            let full = flight >= self.window.max(1).min(self.pair.cap);
            self.limited.0 |= data && full;
            let poor = self.purse.as_ref().is_some_and(|p| p.given <= p.spent);
            if !data || full || poor {
                return self.ask(now);
            }
            place = cut;
        }
        let again = place.is_some();
        let place = place.unwrap_or_else(|| {
            let start = self.sent();
            self.packets.push(Packet {
                start,
                len: MSS.min(self.written - start),
                number: 0,
                arrived: false,
                cut: false,
                resent_in: 0,
                tx_in_flight: 0,
                delivered: 0,
            });
            self.packets.len() - 1
        });
        let (number, begun, delivered) = (self.number, self.begun, self.delivered);
        self.number += 1;
        let packet = &mut self.packets[place];
        packet.number = number;
        packet.cut = false;
        packet.resent_in = if again { begun } else { 0 };
        (packet.tx_in_flight, packet.delivered) = (flight + packet.len, delivered);
        let (start, len) = (packet.start, packet.len);
        if self.deadline.is_none() {
            self.arm(now);
        }
        if let Some(purse) = &mut self.purse {
            purse.spent += (len + FRAME - MSS) as i64;
        }
        let wanted = self.wants().map(|credit| Feedback::Wanted {
            credit,
            asks: again,
            alone: false,
        });
        Some(Leaves {
            number,
            start,
            len,
            again,
            push: start + len == self.written,
            wanted,
        })
    }

    /// A request for credit.
    fn ask(&mut self, now: u64) -> Option<Leaves> {
        let purse = self.purse.as_ref()?;
        let (poor, silent) = (purse.given <= purse.spent, purse.asked <= purse.granted);
        if self.waiting() == 0 || !poor || !silent {
            return None;
        }
        let credit = self.wants()?;
        self.number += 1;
        if self.deadline.is_none() {
            self.arm(now);
        }
        Some(Leaves {
            number: self.number - 1,
            start: self.sent(),
            len: 0,
            again: false,
            push: false,
            wanted: Some(Feedback::Wanted {
                credit,
                asks: true,
                alone: true,
            }),
        })
    }

    fn hear(&mut self) {
        if let Some(purse) = &mut self.purse
            && !std::mem::replace(&mut purse.heard, true)
        {
            purse.given = purse.given.min(purse.spent);
        }
    }

    pub fn credit(&mut self, granted: u64) {
        self.hear();
        if let Some(purse) = &mut self.purse
            && granted > purse.granted
        {
            purse.given += (granted - purse.granted) as i64;
            purse.granted = granted;
        }
    }

    fn begin(&mut self, edge: u64, cause: Cause, flight: u64) {
        self.begun += 1;
        self.recovery = Some((self.sent(), edge));
        self.events.push((cause, flight, MSS, flight));
    }

    /// What an acknowledgement tells; and, of the packet that left last among those that it delivers, bytes in flight and delivered
    /// as it left.
    pub fn ack(&mut self, now: u64, ack: &AckSegment) -> Option<(Heard, Option<[u64; 2]>)> {
        if ack.upto > self.sent() || ack.upto < self.una {
            return None;
        }
        self.hear();
        let before = self.flight();
        let block = ack.sack().next();
        let covers = |p: &Packet| {
            let end = p.start + p.len;
            end <= ack.upto || block.is_some_and(|b| b.0 <= p.start && end <= b.1)
        };
        let mut heard = Heard {
            before,
            advanced: ack.upto - self.una,
            number: ack.number,
            ..Heard::default()
        };
        let advanced = ack.upto > self.una;
        self.una = ack.upto;
        // Of what is acknowledged now only the header came before; nothing more is lost.
        for p in &mut self.packets {
            p.cut &= p.start + p.len > ack.upto;
        }
        if advanced {
            self.arm(now);
        }
        if let Some((start, end)) = block
            && ack.nack
            && start == end
        {
            heard.lost = self.cut(start, ack.number);
        }
        let mut newest: Option<&Packet> = None;
        for p in self.packets.iter_mut().filter(|p| covers(p) && !p.arrived) {
            (p.arrived, p.cut) = (true, false);
            heard.acked += p.len;
            heard.segments += 1;
            newest = match newest {
                Some(n) if n.number > p.number => newest,
                _ => Some(p),
            };
        }
        let newest = newest.map(|p| [p.tx_in_flight, p.delivered]);
        self.delivered += heard.acked;
        if self.recovery.is_some_and(|r| r.0 <= self.una) {
            self.recovery = None;
            self.events.push((Cause::Recovered, before, 0, 0));
        }
        if let Some((_, end)) = block.filter(|b| ack.nack && b.0 < b.1) {
            match &mut self.recovery {
                Some(recovery) => recovery.1 = recovery.1.max(end),
                None => self.begin(end, Cause::Loss, before),
            }
        }
        heard.marked = ack.ce_bytes.saturating_sub(self.marked);
        self.marked = self.marked.max(ack.ce_bytes);
        heard.delivered = self.delivered;
        heard.flight = self.flight();
        heard.recovering = self.recovery.is_some();
        Some((heard, newest))
    }

    /// Only the header came of the packet that begins here and left with this number.
    fn cut(&mut self, start: u64, number: u64) -> u64 {
        let flight = self.flight();
        let una = self.una;
        let found = self.packets.iter_mut().find(|p| {
            let same = p.start == start && p.number == number;
            same && p.start >= una && !p.arrived && !p.cut
        });
        let Some(packet) = found else {
            return 0;
        };
        packet.cut = true;
        let len = packet.len;
        self.lost += 1;
        if number >= self.reported {
            self.reported = self.number;
            self.events.push((Cause::Loss, flight, len, flight));
        }
        len
    }

    /// The timer has expired.
    pub fn expire(&mut self, now: u64) {
        let edge = {
            let arrived = self.open().rev().find(|p| p.arrived);
            arrived.or(self.open().next()).map(|p| p.start + p.len)
        };
        if let Some(edge) = edge {
            self.timeouts += 1;
            self.begin(edge, Cause::Timeout, self.flight());
        } else {
            let purse = self.purse.as_mut().expect("a timer without packets");
            purse.asked = purse.granted;
        }
        self.arm(now);
    }
}
