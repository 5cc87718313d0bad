//! The contest's datagrams as a list of packets whose fates are looked at as a whole at each step.

use backwater_transport::controller::Cause;
use backwater_transport::segment::AckSegment;
use backwater_transport::units::Span;

use crate::MSS;
use crate::recorder::{Event, Heard};

/// After it an extra packet leaves.
pub const SILENCE: Span = Span::micros(600);

/// The state of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    Flying,
    Arrived,
    Overtaken,
    /// Overtaken, and 64 others since.
    Forgotten,
}

#[derive(Clone, Copy, Debug)]
pub struct Packet {
    pub start: u64,
    pub len: u64,
    pub left: u64,
    pub fate: Fate,
    pub flight: u64,
}

/// The sender.
pub struct Model {
    pub window: u64,
    pub heartbeat: u64,
    pub written: u64,
    pub packets: Vec<Packet>,
    /// The overtaken packets in the order in which that was noticed.
    pub overtaken: Vec<u64>,
    /// The first packet whose loss counts in the episode at hand, and the one that ends it.
    pub episode: Option<(u64, u64)>,
    pub answered: u64,
    pub marks_from: u64,
    pub deadline: Option<u64>,
    pub extra: bool,
    pub delivered: u64,
    pub marked: u64,
    pub events: Vec<Event>,
    /// Timeouts, lost, recoveries, spurious, marks.
    pub counts: [u64; 5],
    pub acked: u64,
    /// Number, length, bytes in flight as it left and without it now.
    pub lost: Vec<[u64; 4]>,
    pub limited: (bool, bool),
}

impl Model {
    pub fn new(window: u64, heartbeat: u64) -> Model {
        Model {
            window,
            heartbeat,
            written: 0,
            packets: Vec::new(),
            overtaken: Vec::new(),
            episode: None,
            answered: 0,
            marks_from: 0,
            deadline: None,
            extra: false,
            delivered: 0,
            marked: 0,
            events: Vec::new(),
            counts: [0; 5],
            acked: 0,
            lost: Vec::new(),
            limited: (false, false),
        }
    }

    pub fn sent(&self) -> u64 {
        self.packets.last().map_or(0, |p| p.start + p.len)
    }

    pub fn flight(&self) -> u64 {
        // Behind the newest that arrived.
        let behind = self.packets.iter().rev();
        let flying = behind.take_while(|p| p.fate == Fate::Flying);
        flying.map(|p| p.len).sum()
    }

    /// Length of the packet that leaves now.
    pub fn poll(&mut self, now: u64) -> Option<u64> {
        let (sent, flight) = (self.sent(), self.flight());
        let mut len = MSS.min(self.written - sent);
        let extra = self.extra;
        if len == 0 {
            self.extra = false;
            return None;
        }
        if !extra && flight + len > self.window {
            if self.heartbeat == 0 {
                self.limited.0 = true;
                self.deadline.get_or_insert(now + SILENCE.0);
                return None;
            }
            len = len.min(self.heartbeat);
        } else {
            self.extra = false;
        }
        self.deadline = Some(now + SILENCE.0);
        self.packets.push(Packet {
            start: sent,
            len,
            left: now,
            fate: Fate::Flying,
            flight: flight + len,
        });
        Some(len)
    }

    /// Packets of the episode that have not arrived.
    fn missing(&self, from: u64) -> usize {
        let of = &self.packets[from as usize..];
        let gone = |p: &&Packet| matches!(p.fate, Fate::Overtaken | Fate::Forgotten);
        of.iter().filter(gone).count()
    }

    fn overtake(&mut self, number: u64) {
        self.packets[number as usize].fate = Fate::Overtaken;
        self.overtaken.push(number);
        if self.overtaken.len() > 64 {
            let oldest = self.overtaken.remove(0);
            self.packets[oldest as usize].fate = Fate::Forgotten;
        }
    }

    pub fn ack(&mut self, now: u64, ack: &AckSegment) -> Option<Heard> {
        let number = ack.number as usize;
        let packet = *self.packets.get(number)?;
        self.deadline = Some(now + SILENCE.0);
        let mut heard = Heard {
            before: self.flight(),
            number: ack.number,
            ..Heard::default()
        };
        if self.episode.is_some_and(|e| ack.number >= e.1) {
            self.episode = None;
            self.events.push((Cause::Recovered, heard.before, 0, 0));
        }
        let mut overtaken = Vec::new();
        match packet.fate {
            Fate::Arrived | Fate::Forgotten => return None,
            Fate::Overtaken => {
                self.overtaken.retain(|n| *n != ack.number);
                self.counts[3] += 1;
            }
            Fate::Flying => {
                let below = (0..ack.number)
                    .rev()
                    .take_while(|n| self.packets[*n as usize].fate == Fate::Flying);
                overtaken = below.collect();
                overtaken.reverse();
                heard.rtt = Some(Span(now - packet.left));
                heard.one_way = Some(Span(ack.received.0 - packet.left));
            }
        }
        self.packets[number].fate = Fate::Arrived;
        let mut flight = heard.before;
        for n in &overtaken {
            let Packet {
                len,
                flight: as_it_left,
                ..
            } = self.packets[*n as usize];
            flight -= len;
            self.lost.push([*n, len, as_it_left, flight]);
            self.overtake(*n);
        }
        let late = packet.fate == Fate::Overtaken;
        if let Some((from, _)) = self.episode
            && late
            && ack.number >= from
            && self.missing(from) == 0
        {
            self.episode = None;
            self.events.push((Cause::Spurious, heard.before, 0, 0));
        }
        (heard.acked, heard.advanced, heard.segments) = (packet.len, packet.len, 1);
        self.delivered += packet.len;
        self.acked += packet.len;
        heard.lost = overtaken
            .iter()
            .map(|n| self.packets[*n as usize].len)
            .sum();
        self.counts[1] += overtaken.len() as u64;
        heard.marked = ack.ce_bytes.saturating_sub(self.marked);
        self.marked = self.marked.max(ack.ce_bytes);
        heard.delivered = self.delivered;
        self.congestion(&heard, &overtaken);
        heard.flight = self.flight();
        heard.recovering = self.episode.is_some();
        Some(heard)
    }

    fn congestion(&mut self, heard: &Heard, overtaken: &[u64]) {
        let next = self.packets.len() as u64;
        if self.episode.is_some() {
            return;
        }
        if let (Some(first), Some(last)) = (overtaken.first(), overtaken.last())
            && heard.number > self.answered
        {
            self.episode = Some((self.answered.max(*first), next));
            self.answered = next;
            self.counts[2] += 1;
            let as_it_left = self.packets[*last as usize].flight;
            self.events
                .push((Cause::Loss, heard.before, heard.lost, as_it_left));
        } else if heard.marked > 0 && heard.number >= self.marks_from {
            self.marks_from = next;
            self.counts[4] += 1;
            self.events.push((Cause::Mark, heard.before, 0, 0));
        }
    }

    pub fn expire(&mut self, now: u64) {
        self.deadline = None;
        if self.written > self.sent() {
            self.counts[0] += 1;
            self.extra = true;
            self.deadline = Some(now + SILENCE.0);
            self.events.push((Cause::Timeout, self.flight(), 0, 0));
        }
    }
}
