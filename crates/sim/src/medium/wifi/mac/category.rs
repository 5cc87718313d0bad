//! The contention of one access category, and what a MAC is told to do. Everything here is a function
//! of instants: an idle medium has a base, the instant from which interframe spaces count, and a
//! category sends at base + AIFS + counter × slot. Nothing happens at the slots between.
//!
//! Reference: IEEE 802.11-2016 10.3 (DCF) and 10.22.2 (EDCA).
//! DCF takes one off the counter at the end of each idle slot. EDCA does exactly one thing at each slot
//! boundary after AIFS: it sends if the counter is zero, else it takes one off; the boundary at which
//! somebody else begins to send counts too (10.22.2.4), so a frozen counter may be zero.

use backwater_transport::product;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Rate, Span, Time};
use smallvec::SmallVec;

use crate::limit::Limit;
use crate::medium::access::Category;
use crate::medium::wifi::queue::arrangement::Arrangement;
use crate::stamp::Backlog;

/// How stations get at the medium.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AccessMode {
    /// One queue, DIFS.
    Dcf,
    /// Four access categories.
    Edca,
}

/// When the counter goes down.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Countdown {
    /// At the end of each full idle slot.
    IdleSlot,
    /// At each slot boundary, the one at which another begins to send included.
    Boundary,
}

/// When the medium counts as idle again after an exchange that failed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AfterCollision {
    /// Sender: after its CTS or ACK timeout. Bystanders that heard a damaged frame: EIFS.
    Timeout,
    /// Everybody: at the end of the frames.
    Difs,
    /// Everybody: EIFS.
    Eifs,
}

/// How far the Duration fields of the frames of a TXOP reserve the medium. 9.2.5.2.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Protection {
    /// To the end of the exchange, or of the next one where the TXOP goes on.
    Single,
    /// To the end of the TXOP: one RTS for each receiver, and a CF-End gives back the time that is left.
    Multiple,
}

/// The settings that all stations of a medium share.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct MacSpec {
    /// DCF or EDCA.
    pub access: AccessMode,
    /// Data frames longer than so many bytes (MAC header and FCS included) are preceded by RTS/CTS.
    pub rts_above: u64,
    /// Transmissions of an RTS, or of a frame without one; 0 = no limit.
    pub retry_short: u32,
    /// Transmissions of a frame after RTS/CTS; 0 = no limit.
    pub retry_long: u32,
    /// After a failed exchange.
    pub after_collision: AfterCollision,
    /// When counters go down.
    pub countdown: Countdown,
    /// Whether a NAV that an RTS set is taken back when no frame follows (10.3.2.4).
    pub nav_reset: bool,
    /// What a TXOP of several exchanges reserves.
    pub protection: Protection,
    /// dot11EDCATableMSDULifetime: how long a packet may wait at a station and be tried. 10.22.2.7.
    pub lifetime: Option<Span>,
    /// Access categories, lowest first; only the first under DCF.
    pub categories: [Category; 4],
}

impl AccessMode {
    /// Queues of a station.
    pub fn categories(self) -> usize {
        match self {
            AccessMode::Dcf => 1,
            AccessMode::Edca => 4,
        }
    }

    /// Default parameters (EDCA: Table 9-137; TXOP limit 0), from aCWmin and aCWmax.
    pub fn defaults(self, (cw_min, cw_max): (u32, u32)) -> [Category; 4] {
        let category = |aifsn, cw_min, cw_max| Category {
            aifsn,
            cw_min,
            cw_max,
            txop: Span::ZERO,
        };
        match self {
            AccessMode::Dcf => [category(2, cw_min, cw_max); 4],
            AccessMode::Edca => [
                category(7, cw_min, cw_max),
                category(3, cw_min, cw_max),
                category(2, cw_min.div_ceil(2) - 1, cw_min),
                category(2, cw_min.div_ceil(4) - 1, cw_min.div_ceil(2) - 1),
            ],
        }
    }
}

/// The contention of a category at a station.
#[derive(Clone, Debug)]
pub struct Contention {
    /// Parameters.
    pub set: Category,
    /// The most that it holds, in frames or IP bytes.
    pub buffer: Limit,
    /// SIFS + AIFSN slots.
    pub aifs: Span,
    /// Contention window.
    pub cw: u32,
    /// Failures in a row under block acknowledgement.
    pub failures: u32,
    /// Slots left when the medium became idle last.
    pub slots: u32,
    /// The same at a station that follows a record: at which of its slots the counter is zero. See `cell`.
    pub zero_at: u64,
    /// A frame that came while the medium was idle may leave from then on.
    pub ready: Time,
    /// Frames that wait; without any the counter runs to zero and stays there (post-backoff).
    pub frames: u32,
    /// Their bytes (IP), and how many frames and bytes are the station's own.
    pub bytes: u64,
    /// Frames of the station's own flows.
    pub own_frames: u32,
    /// Bytes of the station's own flows.
    pub own_bytes: u64,
    /// Of `frames` and `bytes`, those that their receiver has and that no block acknowledgement has ended: laws of explicit feedback
    /// no longer count them.
    pub passed: Backlog,
    /// When the last data frame was done with: the next one is the first in line from then on.
    pub since: Time,
    /// The hop whose first frame has been tried; it stays first in line.
    pub current: Option<u32>,
    /// The hops for which it has frames.
    pub hops: SmallVec<[u32; 4]>,
    /// A token bucket allows nothing before then.
    pub held: Time,
    /// The bucket's rate.
    pub pace: Option<Rate>,
    /// It has frames, and gates hold all of them back.
    pub dormant: bool,
    /// Ticks for which it was so, up to the last change; then since when it is.
    stalled: u64,
    stalled_from: Time,
    /// The stall clock at `since`.
    pub stalled_at_since: u64,
    /// Queue management in front of its lists, and turns, where it has either.
    pub arranged: Option<Box<Arrangement>>,
}

/// Whether a frame fits a buffer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Room {
    /// It does.
    Free,
    /// It does not.
    Full,
    /// It would, but the share of its kind is full.
    ShareFull,
}

impl Contention {
    /// A category that has never sent.
    pub fn new(set: Category, buffer: Limit, sifs: Span, slot: Span) -> Contention {
        Contention {
            set,
            buffer,
            aifs: sifs + slot.times(u64::from(set.aifsn)),
            cw: set.cw_min,
            failures: 0,
            slots: 0,
            zero_at: 0,
            ready: Time::ZERO,
            frames: 0,
            bytes: 0,
            own_frames: 0,
            own_bytes: 0,
            passed: Backlog::default(),
            since: Time::ZERO,
            current: None,
            hops: SmallVec::new(),
            held: Time::ZERO,
            pace: None,
            dormant: false,
            stalled: 0,
            stalled_from: Time::ZERO,
            stalled_at_since: 0,
            arranged: None,
        }
    }

    /// Whether it has a frame that no gate holds back.
    #[inline]
    pub fn wants_medium(&self) -> bool {
        self.frames > 0 && !self.dormant
    }

    /// Whether queue management judges its packets.
    #[inline]
    pub fn manages(&self) -> bool {
        self.arranged.as_ref().is_some_and(|a| a.manages())
    }

    /// Ticks for which gates have held back all of its frames.
    pub fn stall_clock(&self, now: Time) -> u64 {
        match self.dormant {
            true => self.stalled + (now.0 - self.stalled_from.0),
            false => self.stalled,
        }
    }

    /// Gates hold back all of its frames from now on, or no longer.
    pub fn set_dormant(&mut self, dormant: bool, now: Time) {
        self.stalled = self.stall_clock(now);
        (self.dormant, self.stalled_from) = (dormant, now);
    }

    /// Reads a word at each end.
    #[inline]
    pub fn prefetch(&self) -> u64 {
        u64::from(self.frames) ^ self.held.0 ^ self.bytes
    }

    /// Whether a frame of so many bytes fits the buffer, of which `own_share` is for the station's own.
    pub fn room(&self, own: bool, bytes: u64, own_share: f64) -> Room {
        let share = if own {
            own_share
        } else if own_share < 1.0 {
            1.0 - own_share
        } else {
            1.0
        };
        let frames = |n: u32| u64::from(n);
        let (held, mine, step, room) = match (self.buffer, own) {
            (Limit::Unlimited, _) => return Room::Free,
            (Limit::Bytes(room), true) => (self.bytes, self.own_bytes, bytes, room.0),
            (Limit::Bytes(room), false) => (self.bytes, self.bytes - self.own_bytes, bytes, room.0),
            (Limit::Packets(room), true) => (frames(self.frames), frames(self.own_frames), 1, room),
            (Limit::Packets(room), false) => {
                let others = frames(self.frames - self.own_frames);
                (frames(self.frames), others, 1, room)
            }
        };
        if held + step > room {
            Room::Full
        } else if mine + step > (room as f64 * share) as u64 {
            Room::ShareFull
        } else {
            Room::Free
        }
    }

    /// Books the bytes of a frame that came in.
    pub fn book(&mut self, own: bool, bytes: u64) {
        self.bytes += bytes;
        if own {
            self.own_frames += 1;
            self.own_bytes += bytes;
        }
    }

    /// A frame for a hop came in.
    pub fn line_up(&mut self, hop: u32) {
        if !self.hops.contains(&hop) {
            self.hops.push(hop);
        }
    }

    /// The last frame for a hop is gone.
    pub fn clear(&mut self, hop: u32) {
        self.hops.retain(|waiting| *waiting != hop);
    }

    /// Books a frame that is gone.
    pub fn release(&mut self, own: bool, bytes: u64) {
        self.frames -= 1;
        self.bytes -= bytes;
        if own {
            self.own_frames -= 1;
            self.own_bytes -= bytes;
        }
    }

    /// Books the bytes of a frame that its receiver has, and that no block acknowledgement has ended.
    #[inline]
    pub fn pass(&mut self, bytes: u64) {
        self.passed.packets += 1;
        self.passed.bytes += bytes;
    }

    /// Draws a backoff from the present window.
    pub fn draw(&mut self, random: &mut Random) {
        self.slots = random.between(0, u64::from(self.cw)) as u32;
        self.ready = Time::ZERO;
    }

    /// After a failure: the window doubles.
    pub fn widen(&mut self) {
        self.cw = (2 * self.cw + 1).min(self.set.cw_max);
    }

    /// After a failure under block acknowledgement, where frames are not given up for their failures: the window doubles, and
    /// returns to its least after more failures in a row than a frame alone may have transmissions. 10.23.2.2.
    pub fn widen_or_return(&mut self, limit: u32) {
        self.failures += 1;
        if limit > 0 && self.failures > limit {
            (self.cw, self.failures) = (self.set.cw_min, 0);
        } else {
            self.widen();
        }
    }

    /// A frame of so many bytes has left: charges the token bucket.
    pub fn spend(&mut self, bytes: u64, now: Time) {
        if let Some(rate) = self.pace {
            self.held = self.held.max(now) + rate.time_for(Bytes(bytes));
        }
    }

    /// Moves parameters while the medium is idle since `base`; a counter keeps its slots, and what would
    /// have sent already sends at the next boundary. A category that has nothing to send counts no slots for that.
    pub fn move_to(&mut self, set: Category, base: Time, now: Time, sifs: Span, slot: Span) {
        self.set = set;
        self.aifs = sifs + slot.times(u64::from(set.aifsn));
        self.cw = self.cw.clamp(set.cw_min, set.cw_max);
        let first = base.0 + self.aifs.0;
        if self.wants_medium() && self.expiry(base, slot) < now {
            self.slots = (now.0 - first).div_ceil(slot.0) as u32;
        }
    }

    /// When it would send, if the medium, idle since `base`, stayed so.
    #[inline]
    pub fn expiry(&self, base: Time, slot: Span) -> Time {
        let counted = Time(base.0 + self.aifs.0 + product::of(u64::from(self.slots), slot.0));
        counted.max(self.ready).max(self.held)
    }

    /// The medium, idle since `base`, becomes busy at `at`: keeps what is left of the counter. True if
    /// the category sends at that very instant too.
    pub fn freeze(&mut self, base: Time, at: Time, slot: Span, countdown: Countdown) -> bool {
        let first = base.0 + self.aifs.0;
        if at.0 < first {
            return false;
        }
        let due = self.wants_medium() && self.expiry(base, slot) == at;
        let passed = (at.0 - first) / slot.0
            + match countdown {
                Countdown::IdleSlot => 0,
                Countdown::Boundary => 1,
            };
        self.slots -= u64::from(self.slots).min(passed) as u32;
        due
    }

    /// A frame comes to an empty queue while the medium is idle since `base`: it may leave at once if
    /// the counter ran out and AIFS has passed, under EDCA at the next slot boundary. False if the
    /// station must draw a backoff.
    pub fn admit(&mut self, base: Time, now: Time, slot: Span, countdown: Countdown) -> bool {
        let first = base.0 + self.aifs.0;
        if now.0 < first {
            return self.slots > 0;
        }
        if self.expiry(base, slot) <= now {
            self.slots = 0;
            self.ready = match countdown {
                Countdown::IdleSlot => now,
                Countdown::Boundary => {
                    Time(first + product::of((now.0 - first).div_ceil(slot.0), slot.0))
                }
            };
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: Span = Span::micros(20);

    fn contention(slots: u32) -> Contention {
        let set = AccessMode::Dcf.defaults((31, 1023))[0];
        Contention {
            slots,
            frames: 1,
            ..Contention::new(set, Limit::Unlimited, Span::micros(10), SLOT)
        }
    }

    fn us(t: u64) -> Time {
        Time::ZERO + Span::micros(t)
    }

    #[test]
    fn a_counter_of_n_sends_n_slots_after_aifs() {
        assert_eq!(contention(0).expiry(us(100), SLOT), us(150));
        assert_eq!(contention(7).expiry(us(100), SLOT), us(290));
    }

    /// Another begins to send at boundary m: DCF has counted m full slots, EDCA m + 1 boundaries.
    #[test]
    fn the_boundary_at_which_another_sends_counts_under_edca_only() {
        for (at, dcf, edca) in [
            (149, 5, 5),
            (150, 5, 4),
            (169, 5, 4),
            (170, 4, 3),
            (230, 1, 0),
        ] {
            for (countdown, left) in [(Countdown::IdleSlot, dcf), (Countdown::Boundary, edca)] {
                let mut c = contention(5);
                assert!(!c.freeze(us(100), us(at), SLOT, countdown));
                assert_eq!(c.slots, left, "{at} {countdown:?}");
            }
        }
        for countdown in [Countdown::IdleSlot, Countdown::Boundary] {
            let mut c = contention(5);
            assert!(c.freeze(us(100), us(250), SLOT, countdown));
            assert_eq!(c.slots, 0);
        }
    }

    #[test]
    fn a_frame_that_finds_the_medium_idle_for_aifs_leaves_at_once_or_at_the_boundary() {
        let mut c = contention(0);
        assert!(c.admit(us(100), us(777), SLOT, Countdown::IdleSlot));
        assert_eq!(c.expiry(us(100), SLOT), us(777));
        let mut c = contention(3);
        assert!(c.admit(us(100), us(777), SLOT, Countdown::Boundary));
        assert_eq!(c.expiry(us(100), SLOT), us(790));
        // Post-backoff still running: it goes on.
        let mut c = contention(9);
        assert!(c.admit(us(100), us(200), SLOT, Countdown::IdleSlot));
        assert_eq!(c.expiry(us(100), SLOT), us(330));
        // Within AIFS the medium isn't idle: a backoff must be drawn.
        assert!(!contention(0).admit(us(100), us(140), SLOT, Countdown::IdleSlot));
    }

    #[test]
    fn windows_double_to_their_largest() {
        let mut c = contention(0);
        let mut seen = vec![c.cw];
        for _ in 0..7 {
            c.widen();
            seen.push(c.cw);
        }
        assert_eq!(seen, [31, 63, 127, 255, 511, 1023, 1023, 1023]);
    }

    #[test]
    fn default_parameters_are_those_of_the_table() {
        let row = |c: Category| (c.aifsn, c.cw_min, c.cw_max);
        let b = AccessMode::Edca.defaults((31, 1023)).map(row);
        assert_eq!(b, [(7, 31, 1023), (3, 31, 1023), (2, 15, 31), (2, 7, 15)]);
        let a = AccessMode::Edca.defaults((15, 1023)).map(row);
        assert_eq!(a, [(7, 15, 1023), (3, 15, 1023), (2, 7, 15), (2, 3, 7)]);
    }

    /// Own packets may fill the share for them, and packets of others what is left: of ten packets, or 10,000 B, two and eight.
    #[test]
    fn own_and_relayed_packets_have_shares_of_the_buffer() {
        for (buffer, unit) in [(Limit::Packets(10), 1), (Limit::Bytes(Bytes(10_000)), 1000)] {
            let holds = |all: u32, own: u32| Contention {
                buffer,
                frames: all,
                own_frames: own,
                bytes: u64::from(all) * 1000,
                own_bytes: u64::from(own) * 1000,
                ..contention(0)
            };
            let room = |all, own, mine| holds(all, own).room(mine, 1000, 0.2);
            assert_eq!(room(8, 2, false), Room::Free, "{unit}");
            assert_eq!(room(8, 1, false), Room::Free, "{unit}");
            assert_eq!(room(8, 0, false), Room::ShareFull, "{unit}");
            assert_eq!(room(9, 1, true), Room::Free, "{unit}");
            assert_eq!(room(8, 2, true), Room::ShareFull, "{unit}");
            assert_eq!(room(10, 2, false), Room::Full, "{unit}");
            assert_eq!(room(10, 1, true), Room::Full, "{unit}");
            // Without a share for own packets all may fill it.
            assert_eq!(holds(9, 0).room(false, 1000, 1.0), Room::Free, "{unit}");
        }
    }
}
