//! The frames that stations put on the air, in the order in which they began: what a capture needs
//! besides the events. Kept on request only; nothing that happens depends on it.

use backwater_transport::units::{Rate, Span, Time};

use super::frame::FrameKind;
use crate::connection::Header;
use crate::ids::FlowId;
use crate::mechanism::notice::Notice;
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
    /// From its end to the end of the exchange.
    pub rest: Span,
    /// Rate of what follows the PHY header.
    pub rate: Rate,
    /// What a data or management frame carries.
    pub body: Option<Body>,
    /// 802.11 sequence number of what it carries.
    pub number: u16,
    /// It was on the air before.
    pub retry: bool,
}

/// What a data or management frame carries.
#[derive(Clone, Debug)]
pub enum Body {
    /// A packet, in a frame of an access category.
    Packet(Carried, u8),
    /// A notice, in a frame of so many bytes, header and FCS included, with the nodes of the hosts that it names.
    Notice(Box<Notice>, u64, Vec<u32>),
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
    /// What it says, for a packet of a connection.
    pub header: Option<Box<Header>>,
}

/// Frames so far, and what sequence numbers and retry bits need. A station counts sequence numbers for
/// itself, under EDCA for each category (10.3.2.11); management frames have a counter of their own.
#[derive(Clone, Debug, Default)]
pub struct AirLog {
    frames: Vec<AirFrame>,
    /// By station: next sequence number of each category, and of management frames.
    next: Vec<[u16; 5]>,
    /// By hop and category: the packet sent last, with its number.
    last: Vec<[Option<(Carried, u16)>; 4]>,
    /// By station: number of the management frame sent last.
    last_ask: Vec<u16>,
}

/// Sequence numbers have twelve bits.
const NUMBERS: u16 = 4096;
const MANAGEMENT: usize = 4;

impl AirLog {
    /// A log of so many stations and hops.
    pub fn new(stations: usize, hops: usize) -> AirLog {
        AirLog {
            frames: Vec::new(),
            next: vec![[0; 5]; stations],
            last: vec![[const { None }; 4]; hops],
            last_ask: vec![0; stations],
        }
    }

    /// Frames since the last call.
    pub fn take(&mut self) -> Vec<AirFrame> {
        std::mem::take(&mut self.frames)
    }

    /// Adds a frame as it stands.
    pub fn push(&mut self, frame: AirFrame) {
        self.frames.push(frame);
    }

    /// The packet that a hop's category sends, its number, and whether it was sent before; `None`
    /// repeats the packet that its receiver has already.
    pub fn packet(
        &mut self,
        station: u32,
        hop: u32,
        category: u8,
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
        let number = Self::count(&mut self.next[station as usize][usize::from(category)]);
        *last = Some((packet.clone(), number));
        (packet, number, false)
    }

    /// The number of a station's management frame, new unless it is repeated.
    pub fn management(&mut self, station: u32, repeated: bool) -> u16 {
        let last = &mut self.last_ask[station as usize];
        if !repeated {
            *last = Self::count(&mut self.next[station as usize][MANAGEMENT]);
        }
        *last
    }

    fn count(next: &mut u16) -> u16 {
        let number = *next;
        *next = (number + 1) % NUMBERS;
        number
    }
}
