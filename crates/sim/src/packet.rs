//! Packets: one cache line each, no payload, in one arena with an intrusive free list. A packet is
//! in exactly one place: a queue, a wire, or the free list; `next` links it there.

use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use crate::ids::{FlowId, PacketId, PortId};
pub use crate::medium::ethernet::frame;
use crate::table::Id;

/// A frame on its way.
#[derive(Copy, Clone, Debug)]
#[repr(align(64))]
pub struct Packet {
    /// The packet behind it in the list that holds it.
    pub next: PacketId,
    /// Its flow; `NONE` for a control frame.
    pub flow: FlowId,
    /// Destination host number; for a control frame the index of its notice.
    pub to: u32,
    /// Bytes of the IP packet, or of a control frame's body.
    pub len: u16,
    /// Class and ECN codepoint.
    pub traffic: Traffic,
    /// Number of the port it came in through at the node where it is, or on a wire comes in through at the far
    /// one; says nothing at its origin.
    pub entry: u8,
    /// Number within its flow, modulo 2³².
    pub seq: u32,
    /// In a queue, the port whose wire it came over last, `NONE` at its origin. On a wire, the port by
    /// which it will leave the far node, `NONE` where that is a host.
    pub ingress: PortId,
    /// When the source created it.
    pub born: Time,
    /// When it entered this queue; on a wire, when its last bit reaches the far end.
    pub at: Time,
    /// Ticks spent being serialised so far.
    pub serial: u64,
    /// Ticks spent waiting at ports so far, behind other frames or a closed gate.
    pub waited: u64,
    /// The part of `waited` at closed gates.
    pub gated: u64,
}

/// The traffic class octet of IP: six bits of class, two of ECN (RFC 2474, RFC 3168).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic(u8);

impl Traffic {
    /// Class 0..8 and codepoint.
    pub fn new(class: u8, ecn: Ecn) -> Traffic {
        Traffic(class << 2 | ecn as u8)
    }

    /// Class 0..8.
    pub fn class(self) -> u8 {
        self.0 >> 2
    }

    /// Codepoint.
    pub fn ecn(self) -> Ecn {
        match self.0 & 3 {
            0 => Ecn::NotEct,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }
}

impl Packet {
    /// A data packet of 1500 B that entered its queue at an instant.
    #[cfg(test)]
    pub(crate) fn example(at: Time) -> Packet {
        Packet {
            next: Id::NONE,
            flow: Id::NONE,
            to: 0,
            len: 1500,
            traffic: Traffic::default(),
            entry: 0,
            seq: 0,
            ingress: Id::NONE,
            born: Time::ZERO,
            at,
            serial: 0,
            waited: 0,
            gated: 0,
        }
    }

    /// Class 0..8.
    pub fn class(&self) -> u8 {
        self.traffic.class()
    }

    /// Frame bytes: header and FCS included, padded to the minimum, without preamble and gap.
    pub fn frame(&self) -> u64 {
        frame(u64::from(self.len))
    }
}

/// A first-in first-out list of packets.
#[derive(Copy, Clone, Debug)]
pub struct List {
    head: PacketId,
    tail: PacketId,
}

impl Default for List {
    fn default() -> Self {
        List {
            head: Id::NONE,
            tail: Id::NONE,
        }
    }
}

impl List {
    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.head.is_none()
    }

    /// The first packet, or `NONE`.
    pub fn head(&self) -> PacketId {
        self.head
    }

    /// The last packet, or `NONE`.
    pub fn tail(&self) -> PacketId {
        self.tail
    }
}

/// All packets.
#[derive(Clone, Debug)]
pub struct Packets {
    slots: Vec<Packet>,
    /// When a packet that was sent ahead had joined its queue; says nothing of others.
    joined: Vec<Time>,
    free: PacketId,
    live: u32,
}

impl Default for Packets {
    fn default() -> Self {
        Packets {
            slots: Vec::new(),
            joined: Vec::new(),
            free: Id::NONE,
            live: 0,
        }
    }
}

impl Packets {
    /// Takes a place for a packet.
    #[inline(always)]
    pub fn create(&mut self, packet: Packet) -> PacketId {
        self.live += 1;
        if self.free.is_none() {
            self.slots.push(packet);
            self.joined.push(Time::ZERO);
            return Id::new(self.slots.len() - 1);
        }
        let id = self.free;
        self.free = self.slots[id.index()].next;
        self.slots[id.index()] = packet;
        id
    }

    /// Gives the place back.
    #[inline(always)]
    pub fn free(&mut self, id: PacketId) {
        self.live -= 1;
        self.slots[id.index()].next = self.free;
        self.free = id;
    }

    /// Packets alive.
    pub fn live(&self) -> u32 {
        self.live
    }

    /// Puts a packet at the end of a list.
    #[inline(always)]
    pub fn append(&mut self, list: &mut List, id: PacketId) {
        self[id].next = Id::NONE;
        self.append_cut(list, id);
    }

    /// The same for a packet that names none behind it. Whether it is the first of the list.
    #[inline(always)]
    pub fn append_cut(&mut self, list: &mut List, id: PacketId) -> bool {
        let tail = std::mem::replace(&mut list.tail, id);
        if tail.is_none() {
            list.head = id;
        } else {
            self[tail].next = id;
        }
        tail.is_none()
    }

    /// Puts a packet at the end of a list, due at an instant.
    #[inline(always)]
    pub fn append_due(&mut self, list: &mut List, id: PacketId, at: Time) {
        self[id].at = at;
        self.append(list, id);
    }

    /// Remembers when a packet joined the queue from which it is sent ahead.
    #[inline(always)]
    pub fn note_joining(&mut self, id: PacketId, at: Time) {
        self.joined[id.index()] = at;
    }

    /// When a packet joined the queue from which it was sent ahead.
    pub fn joined(&self, id: PacketId) -> Time {
        self.joined[id.index()]
    }

    /// Cuts a list behind a packet, and gives what was there.
    pub fn cut_behind(&mut self, list: &mut List, id: PacketId) -> List {
        let head = std::mem::replace(&mut self[id].next, Id::NONE);
        let tail = std::mem::replace(&mut list.tail, id);
        match head.is_none() {
            true => List::default(),
            false => List { head, tail },
        }
    }

    /// Puts a packet into a list in order of time, behind those of its own instant.
    pub fn insert_by_time(&mut self, list: &mut List, id: PacketId) {
        let at = self[id].at;
        if list.tail.is_none() || self[list.tail].at <= at {
            return self.append(list, id);
        }
        let (mut before, mut next) = (Id::NONE, list.head);
        while self[next].at <= at {
            (before, next) = (next, self[next].next);
        }
        self.insert_after(list, before, id);
    }

    /// Takes the packet behind `before` out of a list; the head where `before` is `NONE`.
    #[inline(always)]
    pub fn take_after(&mut self, list: &mut List, before: PacketId) -> PacketId {
        let id = if before.is_none() {
            list.head
        } else {
            self[before].next
        };
        let next = self[id].next;
        if before.is_none() {
            list.head = next;
        } else {
            self[before].next = next;
        }
        if next.is_none() {
            list.tail = before;
        }
        id
    }

    /// Takes the head of a list out, and gives it.
    #[inline(always)]
    pub fn take_head(&mut self, list: &mut List) -> (PacketId, &mut Packet) {
        let id = list.head;
        let packet = &mut self[id];
        list.head = packet.next;
        if list.head.is_none() {
            list.tail = Id::NONE;
        }
        (id, packet)
    }

    /// Puts a packet behind `before` in a list; at its head where `before` is `NONE`.
    pub fn insert_after(&mut self, list: &mut List, before: PacketId, id: PacketId) {
        let next = if before.is_none() {
            std::mem::replace(&mut list.head, id)
        } else {
            std::mem::replace(&mut self[before].next, id)
        };
        self[id].next = next;
        if next.is_none() {
            list.tail = id;
        }
    }

    /// The packets of a list in order.
    pub fn walk(&self, list: &List) -> impl Iterator<Item = &Packet> {
        let mut at = list.head;
        std::iter::from_fn(move || {
            let packet = (!at.is_none()).then(|| &self[at])?;
            at = packet.next;
            Some(packet)
        })
    }
}

impl std::ops::Index<PacketId> for Packets {
    type Output = Packet;
    fn index(&self, id: PacketId) -> &Packet {
        &self.slots[id.index()]
    }
}

impl std::ops::IndexMut<PacketId> for Packets {
    fn index_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.slots[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_and_codepoint_do_not_touch_each_other() {
        for class in 0..8 {
            for ecn in [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce] {
                let traffic = Traffic::new(class, ecn);
                assert_eq!((traffic.class(), traffic.ecn()), (class, ecn));
            }
        }
    }

    #[test]
    fn a_packet_fills_one_cache_line() {
        assert_eq!(std::mem::size_of::<Packet>(), 64);
        assert_eq!(std::mem::align_of::<Packet>(), 64);
    }
}
