//! The frames that stations put on the air, in the order in which they began: what a capture needs
//! besides the events. Kept on request only; nothing that happens depends on it.

use backwater_transport::units::{Rate, Span, Time};

use crate::connection::Header;
use crate::ids::FlowId;
use crate::mechanism::notice::Notice;
use crate::medium::wifi::mac::frame::FrameKind;
use crate::medium::wifi::phy::mode::Mode;
use crate::medium::wifi::reception::frame_set::FrameSet;
use crate::packet::Traffic;

/// A frame on the air.
#[derive(Clone, Debug)]
pub struct AirFrame {
    /// When its transmission began.
    pub at: Time,
    /// Its sender's station.
    pub from: u32,
    /// For whom; `NOBODY` for all neighbours.
    pub to: u32,
    /// What.
    pub kind: FrameKind,
    /// Its Duration field, before it is rounded up to microseconds.
    pub duration: Span,
    /// Rate of what follows the PHY header.
    pub rate: Rate,
    /// Its mode, for a data frame of 802.11n and later.
    pub mode: Option<Mode>,
    /// Which A-MPDU it was part of.
    pub part: Option<Part>,
    /// The content of a data or management frame, or of a block acknowledgement.
    pub body: Option<Body>,
    /// 802.11 sequence number of what it carries.
    pub number: u16,
    /// It was on the air before.
    pub retry: bool,
    /// Its fate.
    pub fate: Fate,
}

/// A frame's place in an A-MPDU.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of the A-MPDU.
    pub of: u32,
    /// It is the last frame.
    pub last: bool,
    /// From the beginning of the A-MPDU to its own.
    pub after: Span,
}

/// The fate of a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its last bit is still to come.
    OnAir,
    /// Its receiver has it whole, or one station of its group.
    Received,
    /// Nobody for whom it was has it whole: a collision, noise, or a receiver that was busy with another frame.
    Lost,
}

/// The content of a data or management frame.
#[derive(Clone, Debug)]
pub enum Body {
    /// A packet, in a frame of an access category, with what else the frame brings.
    Packet(Carried, u8, Fields),
    /// Packets that share a frame of an access category: an A-MSDU.
    Joined(Vec<Carried>, u8),
    /// A notice, in a frame of so many bytes, header and FCS included, with the nodes of the hosts that it names.
    Notice(Box<Notice>, u64, Vec<u32>),
    /// A BAR: it asks what has come of a category from this number on.
    Asks(u8, u16),
    /// A block acknowledgement of a category: from this number on a bit for each frame, the lowest first.
    Acknowledges(u8, u16, Vec<u8>),
}

/// Header fields of a data frame, behind its packet.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    /// Numbers, each with the bytes of its field: packets that its sender holds for the destination, steps that its sender has
    /// taken.
    pub numbers: Vec<(u32, u64)>,
    /// A notice, with the nodes of the hosts that it names.
    pub notice: Option<(Box<Notice>, Vec<u32>)>,
}

/// A packet.
#[derive(Clone, Debug)]
pub struct Carried {
    /// Flow.
    pub flow: FlowId,
    /// Number within the flow.
    pub seq: u32,
    /// Destination host number.
    pub to: u32,
    /// IP bytes.
    pub len: u16,
    /// Class and ECN codepoint.
    pub traffic: Traffic,
    /// Its segment, for a packet of a connection.
    pub header: Option<Box<Header>>,
}

/// Frames so far, and what sequence numbers and retry bits need. Under EDCA a station counts the data frames to each receiver by
/// category, and with one more counter all others; under DCF it has that one only. 10.3.2.11, Table 10-3.
#[derive(Clone, Debug, Default)]
pub struct AirLog {
    frames: Vec<AirFrame>,
    /// By station: next sequence number of frames that have no counter of their own.
    baseline: Vec<u16>,
    /// By hop: that of each category.
    next: Vec<[u16; 4]>,
    /// By hop and category: the packet sent last, with its number.
    last: Vec<[Option<(Carried, u16)>; 4]>,
    /// By station: number of the management frame sent last.
    last_ask: Vec<u16>,
    /// By hop and category: frames under block acknowledgement, in the order of their numbers.
    numbered: Vec<[Vec<Numbered>; 4]>,
    /// By hop and category: frames under block acknowledgement so far.
    frames_so_far: Vec<[u32; 4]>,
    /// By station: hop and category of its last burst, and by the places of their first packets its frames.
    bursts: Vec<(u32, u8, Vec<u32>)>,
    /// A-MPDUs so far.
    aggregates: u32,
}

/// A frame under block acknowledgement. Its session counts packets, of which it may have several; on the air frames are counted.
#[derive(Clone, Debug)]
struct Numbered {
    /// Number of its first packet.
    first: u32,
    number: u32,
    packets: Vec<Carried>,
    received: bool,
}

/// Sequence numbers have twelve bits.
const NUMBERS: u16 = 4096;

impl AirLog {
    /// A log of so many stations and hops.
    pub fn new(stations: usize, hops: usize) -> AirLog {
        AirLog {
            frames: Vec::new(),
            baseline: vec![0; stations],
            next: vec![[0; 4]; hops],
            last: vec![[const { None }; 4]; hops],
            last_ask: vec![0; stations],
            numbered: vec![Default::default(); hops],
            frames_so_far: vec![[0; 4]; hops],
            bursts: vec![Default::default(); stations],
            aggregates: 0,
        }
    }

    /// Frames since the last call, up to the first that is still on the air; at the end of a run all that are left.
    pub fn take(&mut self, at_end: bool) -> Vec<AirFrame> {
        let on_air = self.frames.iter().position(|f| f.fate == Fate::OnAir);
        let until = on_air.filter(|_| !at_end).unwrap_or(self.frames.len());
        self.frames.drain(..until).collect()
    }

    /// When the first frame began that is still on the air.
    pub fn on_air_since(&self) -> Option<Time> {
        let first = self.frames.iter().find(|f| f.fate == Fate::OnAir);
        first.map(|frame| frame.at)
    }

    /// A station's frame has ended, or a burst of which these frames are damaged.
    pub fn conclude(&mut self, station: u32, received: bool, damaged: &FrameSet) {
        let sent = self.frames.iter().rposition(|f| f.from == station);
        let sent = sent.expect("a frame that began");
        let (at, kind) = (self.frames[sent].at, self.frames[sent].kind);
        let packets = matches!(
            self.frames[sent].body,
            Some(Body::Packet(..) | Body::Joined(..))
        );
        let of_it = |f: &&mut AirFrame| f.from == station && f.at == at;
        for (frame, place) in self.frames.iter_mut().filter(of_it).zip(0..) {
            frame.fate = match received && !damaged.contains(place) {
                true => Fate::Received,
                false => Fate::Lost,
            };
        }
        if kind != FrameKind::Data || !packets || !received {
            return;
        }
        let (hop, category, firsts) = &self.bursts[station as usize];
        for (first, place) in firsts.iter().zip(0..) {
            let all = &mut self.numbered[*hop as usize][usize::from(*category)];
            let found = all.iter_mut().find(|n| n.first == *first);
            if let Some(frame) = found.filter(|_| !damaged.contains(place)) {
                frame.received = true;
            }
        }
    }

    /// Adds a frame as it stands.
    pub fn push(&mut self, frame: AirFrame) {
        self.frames.push(frame);
    }

    /// The packet that a hop's category sends, its number, and whether it was sent before; `None`
    /// repeats the packet that its receiver has already. `counted_apart` where it is a QoS data frame to one station.
    pub fn packet(
        &mut self,
        station: u32,
        hop: u32,
        category: u8,
        counted_apart: bool,
        packet: Option<Carried>,
    ) -> (Carried, u16, bool) {
        let last = &mut self.last[hop as usize][usize::from(category)];
        let same = |(sent, _): &&(Carried, u16)| match &packet {
            Some(p) => (sent.flow, sent.seq) == (p.flow, p.seq),
            None => true,
        };
        if let Some((sent, number)) = last.as_ref().filter(same) {
            return (sent.clone(), *number, true);
        }
        let packet = packet.expect("what its receiver has was sent");
        let number = Self::count(match counted_apart {
            true => &mut self.next[hop as usize][usize::from(category)],
            false => &mut self.baseline[station as usize],
        });
        *last = Some((packet.clone(), number));
        (packet, number, false)
    }

    /// A station begins a burst of so many frames, or one frame, of a hop's category. Gives the number of the A-MPDU.
    pub fn burst(&mut self, station: u32, (hop, category): (u32, u8), start: u32) -> u32 {
        self.bursts[station as usize] = (hop, category, Vec::new());
        let of_hop = &mut self.numbered[hop as usize][usize::from(category)];
        of_hop.retain(|n| n.is_from(start));
        self.aggregates += 1;
        self.aggregates
    }

    /// The packets of the next frame of a station's burst, the first of which has the number `first`; the frame's number, and whether it
    /// was sent before. `fresh` are those that wait at their sender, none where their receiver has them already.
    pub fn numbered(
        &mut self,
        station: u32,
        first: u32,
        fresh: Vec<Carried>,
    ) -> (Vec<Carried>, u16, bool) {
        let (hop, category, firsts) = &mut self.bursts[station as usize];
        firsts.push(first);
        let of_hop = &mut self.numbered[*hop as usize][usize::from(*category)];
        if let Some(sent) = of_hop.iter().find(|n| n.first == first) {
            return (sent.packets.clone(), of_twelve_bits(sent.number), true);
        }
        assert!(!fresh.is_empty(), "what its receiver has was sent");
        let next = &mut self.frames_so_far[*hop as usize][usize::from(*category)];
        let number = *next;
        *next = next.wrapping_add(1);
        of_hop.push(Numbered {
            first,
            number,
            packets: fresh.clone(),
            received: false,
        });
        (fresh, of_twelve_bits(number), false)
    }

    /// Number of the first frame of a hop's category whose packets have this number or a later one.
    fn first_from(&self, (hop, category): (u32, u8), start: u32) -> u32 {
        let mut of_hop = self.numbered[hop as usize][usize::from(category)].iter();
        let found = of_hop.find(|n| n.is_from(start)).map(|n| n.number);
        found.unwrap_or(self.frames_so_far[hop as usize][usize::from(category)])
    }

    /// The number in a BAR: that of the first frame that its sender may repeat, where its packets begin with this one.
    pub fn asked_from(&self, of: (u32, u8), start: u32) -> u16 {
        of_twelve_bits(self.first_from(of, start))
    }

    /// The content of a block acknowledgement: the number of the same frame, and from there on a bit in so many bytes for each that has come.
    pub fn received(&self, of: (u32, u8), start: u32, bytes: usize) -> (u16, Vec<u8>) {
        let (from, mut bits) = (self.first_from(of, start), vec![0; bytes]);
        let of_hop = &self.numbered[of.0 as usize][usize::from(of.1)];
        for frame in of_hop.iter().filter(|n| n.received) {
            let at = frame.number.wrapping_sub(from) as usize;
            if let Some(byte) = bits.get_mut(at / 8) {
                *byte |= 1 << (at % 8);
            }
        }
        (of_twelve_bits(from), bits)
    }

    /// The number of a station's management frame, new unless it is repeated.
    pub fn management(&mut self, station: u32, repeated: bool) -> u16 {
        let last = &mut self.last_ask[station as usize];
        if !repeated {
            *last = Self::count(&mut self.baseline[station as usize]);
        }
        *last
    }

    fn count(next: &mut u16) -> u16 {
        let number = *next;
        *next = (number + 1) % NUMBERS;
        number
    }
}

impl Numbered {
    /// Whether its packets have this number or later ones.
    fn is_from(&self, start: u32) -> bool {
        (self.first.wrapping_sub(start) as i32) >= 0
    }
}

/// A number as frames have it.
fn of_twelve_bits(number: u32) -> u16 {
    (number % u32::from(NUMBERS)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(from: u32, micros: u64) -> AirFrame {
        AirFrame {
            at: Time::ZERO + Span::micros(micros),
            from,
            to: 9,
            kind: FrameKind::Ack,
            duration: Span::ZERO,
            rate: Rate(1_000_000),
            mode: None,
            part: None,
            body: None,
            number: 0,
            retry: false,
            fate: Fate::OnAir,
        }
    }

    fn senders(log: &mut AirLog, at_end: bool) -> Vec<u32> {
        log.take(at_end).iter().map(|f| f.from).collect()
    }

    /// A capture takes frames in the order in which they began, so it waits for one that is still on the air, though
    /// later ones have ended; at the end it waits for none.
    #[test]
    fn frames_are_taken_up_to_the_first_that_is_still_on_the_air() {
        let mut log = AirLog::new(4, 0);
        for (from, micros) in [(0, 10), (1, 20), (2, 30)] {
            log.push(frame(from, micros));
        }
        assert_eq!(log.on_air_since(), Some(Time::ZERO + Span::micros(10)));
        let whole = FrameSet::default();
        log.conclude(0, true, &whole);
        log.conclude(2, false, &whole);
        assert_eq!(log.on_air_since(), Some(Time::ZERO + Span::micros(20)));
        assert_eq!(senders(&mut log, false), [0]);
        assert_eq!(senders(&mut log, false), []);
        log.conclude(1, true, &whole);
        assert_eq!(log.on_air_since(), None);
        assert_eq!(senders(&mut log, false), [1, 2]);
        log.push(frame(3, 40));
        assert_eq!(senders(&mut log, false), []);
        assert_eq!(senders(&mut log, true), [3]);
    }

    /// Management frames take the numbers of their station, modulo 4096, and one that is repeated keeps its own. 10.3.2.11.
    #[test]
    fn a_repeated_management_frame_keeps_its_number() {
        let mut log = AirLog::new(2, 0);
        let mut numbers = |frames: &[(u32, bool)]| -> Vec<u16> {
            let of = |(station, repeated): &(u32, bool)| log.management(*station, *repeated);
            frames.iter().map(of).collect()
        };
        let sent = [(0, false), (0, true), (1, false), (0, false), (0, true)];
        assert_eq!(numbers(&sent), [0, 0, 0, 1, 1]);
        let many = numbers(&[(0, false); 4096]);
        assert_eq!((many[0], many[4093], many[4094]), (2, 4095, 0));
    }
}
