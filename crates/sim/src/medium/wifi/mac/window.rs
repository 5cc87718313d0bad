//! The fate of the frames that a hop has tried, and the first entry of its queue: a packet that waits, or the ghost of one
//! that its receiver has.
//!
//! A burst is what one exchange carries: the first frames of a category that are not acknowledged. Those that wait stand at the head
//! of the queue, in the order of the window.

use backwater_transport::units::{Span, Time};

use crate::ids::{FlowId, PacketId};
use crate::medium::wifi::mac::session::Session;
use crate::medium::wifi::radio::Hop;
use crate::network::Network;
use crate::packet::Packet;

const NANOSECOND: Span = Span::nanos(1);

/// The first frame of a hop's queue.
#[derive(Copy, Clone, Debug)]
pub enum First<'a> {
    /// There is none.
    None,
    /// A packet that waits.
    Waits(PacketId),
    /// The frame of a packet that its receiver has.
    Ghost(&'a Ghost),
}

impl First<'_> {
    /// Whether its receiver has the packet.
    pub fn is_ghost(self) -> bool {
        matches!(self, First::Ghost(_))
    }

    /// The packet, unless its receiver has it.
    #[inline]
    pub fn waits(self) -> Option<PacketId> {
        match self {
            First::Waits(id) => Some(id),
            First::Ghost(_) | First::None => None,
        }
    }
}

impl Hop {
    /// The first frame of a category.
    #[inline]
    pub fn first(&self, network: &Network, number: usize) -> First<'_> {
        if let Some(ghost) = &self.windows[number].first().ghost {
            return First::Ghost(ghost);
        }
        let head = network.ports[self.port].queue(number).list.head();
        match head.is_none() {
            true => First::None,
            false => First::Waits(head),
        }
    }

    /// The packet that waits behind another in the queue of a category; the first where that is `NONE`.
    pub fn behind(&self, network: &Network, number: usize, before: PacketId) -> PacketId {
        match before.is_none() {
            true => network.ports[self.port].queue(number).list.head(),
            false => network.packets[before].next,
        }
    }
}

/// The frames of a hop and category that were tried, in order. One frame is under way at a time unless `for_bursts` made the window.
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// The first frame of a window of one.
    one: Tried,
    /// A larger one, under block acknowledgement: each of its frames was part of a burst, or is part of the one that is being sent.
    more: Option<Box<Session>>,
}

impl Window {
    /// One for bursts of several frames; of one MPDU where it goes `alone`.
    pub fn for_bursts(alone: bool) -> Window {
        let session = Session {
            alone,
            ..Session::default()
        };
        Window {
            one: Tried::default(),
            more: Some(Box::new(session)),
        }
    }

    /// The session under which frames are acknowledged, if there is one.
    #[inline]
    pub fn session(&self) -> Option<&Session> {
        self.more.as_deref()
    }

    /// The same, to be changed.
    #[inline]
    pub fn session_mut(&mut self) -> Option<&mut Session> {
        self.more.as_deref_mut()
    }

    /// The first frame; a fresh one where none was tried.
    #[inline]
    pub fn first(&self) -> &Tried {
        match &self.more {
            None => &self.one,
            Some(more) => more.frames.front().unwrap_or(&self.one),
        }
    }

    /// A frame, by its place; a fresh one behind those that were tried.
    #[inline]
    pub fn at(&self, place: usize) -> &Tried {
        match &self.more {
            None => &self.one,
            Some(more) => more.frames.get(place).unwrap_or(&self.one),
        }
    }

    /// The same, to be changed.
    #[inline]
    pub fn at_mut(&mut self, place: usize) -> &mut Tried {
        match &mut self.more {
            None => &mut self.one,
            Some(more) => {
                while more.frames.len() <= place {
                    more.frames.push_back(Tried::default());
                }
                &mut more.frames[place]
            }
        }
    }

    /// The first place from this on that is not acknowledged.
    #[inline]
    pub fn open_from(&self, mut place: usize) -> usize {
        while self.at(place).done {
            place += 1;
        }
        place
    }

    /// The first frame from this place on that is not acknowledged, where its receiver has it: it is acknowledged now. Its place is told.
    #[inline]
    pub fn take_received(&mut self, place: &mut usize) -> Option<(Ghost, Tried)> {
        *place = self.open_from(*place);
        let tried = *self.at(*place);
        let ghost = tried.ghost?;
        self.finish(*place);
        Some((ghost, tried))
    }

    /// A frame is acknowledged or given up. It keeps its place until all before it are.
    #[inline]
    pub fn finish(&mut self, place: usize) -> Tried {
        let done = self.more.is_some();
        let joined = self.at(place).joined;
        let fresh = Tried {
            done,
            joined,
            ..Tried::default()
        };
        std::mem::replace(self.at_mut(place), fresh)
    }

    /// Moves on to the first frame that is not acknowledged.
    #[inline]
    pub fn advance(&mut self) {
        if let Some(more) = &mut self.more {
            while more.frames.front().is_some_and(|tried| tried.done) {
                more.frames.pop_front();
                more.start = more.start.wrapping_add(1);
            }
        }
    }

    /// The first frame is given up. Frames get their numbers when they are sent first, so one that was not leaves no hole at the receiver.
    pub fn give_up(&mut self) -> Tried {
        let begun = self.first().has_begun();
        if let (Some(more), false) = (&mut self.more, begun) {
            return more.frames.pop_front().unwrap_or_default();
        }
        let tried = self.finish(0);
        self.advance();
        tried
    }

    /// Whether it holds no ghost.
    #[inline]
    pub fn is_clear(&self) -> bool {
        match &self.more {
            None => self.one.ghost.is_none(),
            Some(more) => more.frames.iter().all(|tried| tried.ghost.is_none()),
        }
    }

    /// The frames of a burst took so many ticks and were not acknowledged.
    pub fn charge(&mut self, count: u16, ticks: u64) {
        if self.more.is_none() {
            self.one.spent += ticks;
            return;
        }
        let alone = self.session().is_some_and(|session| session.alone);
        let mut place = 0;
        for frame in 0..count {
            place = self.open_from(place);
            let tried = self.at_mut(place);
            tried.fail_in_burst(ticks, count);
            // The failures of an MPDU that goes alone are counted at its first packet. See `failed`.
            tried.short -= u32::from(alone && frame == 0);
            place += 1;
        }
    }

    /// The same of those that the receiver does not have, where it has acknowledged others.
    pub fn charge_missing(&mut self, count: u16, ticks: u64) {
        if self.more.is_none() {
            return;
        }
        let mut place = 0;
        for _ in 0..count {
            place = self.open_from(place);
            if self.at(place).ghost.is_none() {
                self.at_mut(place).fail_in_burst(ticks, count);
            }
            place += 1;
        }
    }

    /// Another frame of the category leaves.
    #[inline]
    pub fn overtake(&mut self) {
        match &mut self.more {
            None => self.one.overtaken = self.one.spent,
            Some(more) => {
                for tried in &mut more.frames {
                    tried.overtaken = tried.spent;
                }
            }
        }
    }
}

/// The fate of a frame.
#[derive(Copy, Clone, Debug, Default)]
pub struct Tried {
    /// Transmissions of an RTS, or of a frame without one, that failed.
    pub short: u32,
    /// Transmissions after RTS/CTS that failed.
    pub long: u32,
    /// Ticks of exchanges that failed.
    pub spent: u64,
    /// Of these, ticks before another frame of the category left: a gate had closed between two attempts.
    pub overtaken: u64,
    /// The frame reached its receiver, and the ACK did not come back: the packet is there, and the
    /// sender repeats a frame of so many bytes.
    pub ghost: Option<Ghost>,
    /// Its MPDU was on the air and stays as it is.
    pub sealed: bool,
    /// It shares the MPDU of the packet before.
    pub joined: bool,
    /// Of `spent`, nanoseconds that count for other frames of the same bursts.
    pub of_others: u32,
    /// It was acknowledged or given up, and frames before it were not.
    pub done: bool,
}

impl Tried {
    /// Whether it is the frame of a packet that waits at its sender.
    pub fn waits(&self) -> bool {
        self.ghost.is_none() && !self.done
    }

    /// Whether the frame was sent before.
    pub fn has_begun(&self) -> bool {
        self.ghost.is_some() || self.short + self.long > 0
    }

    /// It was one of so many frames of an exchange of these ticks that failed.
    fn fail_in_burst(&mut self, ticks: u64, count: u16) {
        self.spent += ticks;
        self.short += 1;
        let others = Span(ticks - ticks / u64::from(count));
        self.of_others = self
            .of_others
            .saturating_add((others.0 / NANOSECOND.0) as u32);
    }

    /// The transmission is over, with so many more ticks of its last exchange.
    pub fn over(&self, to: u32, last: Span, acknowledged: bool) -> Transmission {
        let others = NANOSECOND.times(u64::from(self.of_others));
        Transmission {
            to,
            airtime: Span(self.spent + last.0 - others.0),
            retries: self.short + self.long,
            acknowledged,
        }
    }
}

/// A MAC transmission that is over, with all its exchanges.
#[derive(Copy, Clone, Debug)]
pub struct Transmission {
    /// To whom.
    pub to: u32,
    /// Ticks of its exchanges, those that failed and their timeouts included; of an exchange of n frames an nth.
    pub airtime: Span,
    /// Exchanges that failed.
    pub retries: u32,
    /// Whether it was acknowledged, or is acknowledged by nobody.
    pub acknowledged: bool,
}

/// A frame whose packet has moved on.
#[derive(Copy, Clone, Debug)]
pub struct Ghost {
    /// IP bytes.
    pub len: u16,
    /// When it came into the queue.
    pub at: Time,
    /// Whether it was of the station's own.
    pub own: bool,
    /// The station that it came from, where somebody watches; else `NOBODY`.
    pub from: u32,
    /// Its flow.
    pub flow: FlowId,
    /// Its number in the flow.
    pub seq: u32,
    /// Host that it goes to.
    pub to: u32,
    /// Whether the next station sends it on over the air and the sender overhears that.
    pub overheard: bool,
}

impl Ghost {
    /// The ghost of a packet that came from a station, or from an interface below `first_port`.
    pub fn of(packet: &Packet, first_port: u32, from: u32, overheard: bool) -> Ghost {
        Ghost {
            len: packet.len,
            at: packet.at,
            own: packet.ingress.is_none() || packet.ingress.0 < first_port,
            from,
            flow: packet.flow,
            seq: packet.seq,
            to: packet.to,
            overheard,
        }
    }
}
