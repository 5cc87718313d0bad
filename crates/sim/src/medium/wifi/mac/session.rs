//! A block-acknowledgement session of a hop and category, agreed before the run: what its originator has under way, and what its
//! recipient holds back until it can go on in order.
//!
//! Frames are numbered when they first enter a burst, and keep their numbers. The window is the originator's: from the first frame
//! that is not acknowledged on. Scoreboard and reorder buffer of the recipient are two things; the scoreboard is the ghosts of the
//! originator's window, since a frame that the recipient has leaves a ghost there.
//!
//! Reference: IEEE 802.11-2020 10.25.6 (HT-immediate block acknowledgement).
//! Left out: setting up a session on the air. A hole at the recipient ends when its frame comes, when a BAR moves the window, or when the
//! first packet behind it has waited for the time that the medium gives it, as in Linux (net/mac80211/rx.c). A frame that comes
//! after that is acknowledged and its packet lost.

use std::collections::VecDeque;

use backwater_transport::units::Time;

use crate::ids::PacketId;
use crate::medium::wifi::mac::window::Tried;

/// A session.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// The frames of the window, acknowledged ones behind the first included.
    pub frames: VecDeque<Tried>,
    /// Number of the first.
    pub start: u32,
    /// Frames of a burst whose acknowledgement did not come: a BAR asks for them.
    pub asked: u16,
    /// Each MPDU goes alone and is acknowledged alone: there is no block acknowledgement, and failures are counted.
    pub alone: bool,
    /// A frame that was on the air was given up, and the recipient does not know that it will not come.
    pub moved: bool,
    /// The recipient's side.
    pub reorder: Reorder,
}

/// Packets that their receiver has and that wait behind one that is missing.
#[derive(Clone, Debug, Default)]
pub struct Reorder {
    /// Number of the frame that goes on next.
    next: u32,
    /// From that number on, those that came, each with the instant.
    held: VecDeque<Option<(PacketId, Time)>>,
    /// An event will look whether one has waited long enough.
    pub armed: bool,
}

impl Reorder {
    /// A frame that was not received before has come.
    pub fn hold(&mut self, number: u32, packet: PacketId, now: Time) {
        let place = number.wrapping_sub(self.next) as usize;
        if self.held.len() <= place {
            self.held.resize(place + 1, None);
        }
        self.held[place] = Some((packet, now));
    }

    /// Whether the packet of this number goes on before those that are still missing.
    pub fn is_past(&self, number: u32) -> bool {
        (number.wrapping_sub(self.next) as i32) < 0
    }

    /// The first packet that waits behind a hole: its number, and since when.
    pub fn first_held(&self) -> Option<(u32, Time)> {
        let mut held = self.held.iter().zip(0..);
        held.find_map(|(held, place)| held.map(|(_, at)| (self.next.wrapping_add(place), at)))
    }

    /// Whether it has room for a packet that is missing, and so holds one behind it.
    #[inline]
    pub fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// The next packet in order, if it is there, and when it came.
    pub fn release(&mut self) -> Option<(PacketId, Time)> {
        let first = (*self.held.front()?)?;
        self.held.pop_front();
        self.next = self.next.wrapping_add(1);
        Some(first)
    }

    /// Packets missing before this number will not come. Gives the first packet that they held up.
    pub fn skip_to(&mut self, number: u32) -> Option<(PacketId, Time)> {
        while (number.wrapping_sub(self.next) as i32) > 0 {
            self.next = self.next.wrapping_add(1);
            if let Some(Some(held)) = self.held.pop_front() {
                return Some(held);
            }
        }
        self.release()
    }

    /// Packets that wait.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> {
        self.held.iter().flatten().map(|(id, _)| *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    fn drain(reorder: &mut Reorder) -> Vec<u32> {
        std::iter::from_fn(|| reorder.release().map(|(id, _)| id.0)).collect()
    }

    /// Frames behind a hole wait; when it closes all go on, in order.
    #[test]
    fn frames_behind_a_hole_wait_until_it_closes() {
        let mut reorder = Reorder::default();
        reorder.hold(0, Id::raw(10), Time::ZERO);
        assert_eq!(drain(&mut reorder), [10]);
        for number in [2, 3, 5] {
            reorder.hold(number, Id::raw(10 + number), Time::ZERO);
            assert_eq!(drain(&mut reorder), []);
        }
        assert_eq!(reorder.packets().count(), 3);
        reorder.hold(1, Id::raw(11), Time::ZERO);
        assert_eq!(drain(&mut reorder), [11, 12, 13]);
        reorder.hold(4, Id::raw(14), Time::ZERO);
        assert_eq!(drain(&mut reorder), [14, 15]);
        assert_eq!(reorder.packets().count(), 0);
    }

    /// A BAR that moves the window lets go what waited before its start, and what follows in order.
    #[test]
    fn a_bar_ends_holes() {
        let mut reorder = Reorder::default();
        for number in [1, 3, 4, 6] {
            reorder.hold(number, Id::raw(number), Time::ZERO);
        }
        let mut gone = Vec::new();
        while let Some((id, _)) = reorder.skip_to(3) {
            gone.push(id.0);
        }
        assert_eq!(gone, [1, 3, 4]);
        reorder.hold(5, Id::raw(5), Time::ZERO);
        assert_eq!(drain(&mut reorder), [5, 6]);
    }
}
