//! REPS, recycled entropies: a value whose packet came back without a mark is used again, each once, the oldest first. Without
//! such a value a packet takes a random one.
//!
//! After a timeout the sender freezes for a while: it uses the values it has, over and over, and tries no others; then it sends
//! 16 packets with random values before the next timeout may freeze it again.
//! Reference: Bonato et al., "REPS: Recycled Entropy Packet Spraying" (2024); the public simulator of UET (htsim, `buffer_reps.cpp`).

use super::{AnySpreader, Build, Fate, Spreader, VALUES, draw, mask};
use crate::part::{Default, Kind, Opt, Part};
use crate::random::Random;
use crate::units::{Span, Time};

/// Values that are kept.
const KEPT: usize = 8;
/// Packets with random values behind a freeze.
const EXPLORED: u32 = 16;

/// A value that came back.
#[derive(Copy, Clone, Debug)]
struct Entry {
    value: u16,
    /// It has not been used since.
    fresh: bool,
}

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Reps {
    mask: u16,
    random: Random,
    freeze: Span,
    ring: Vec<Entry>,
    /// Place of the next value to be kept, where the oldest stands once the ring is full.
    head: usize,
    /// Place of the value that a frozen sender uses next.
    turn: usize,
    frozen_until: Time,
    /// Packets that still take random values.
    explores: u32,
}

pub(super) const PART: Part<Build> = Part {
    id: "reps",
    aliases: &[],
    summary: "a value whose packet came back without a mark is used again",
    source: "Bonato et al., REPS, 2024",
    options: &[
        VALUES,
        Opt::new(
            "freeze",
            Kind::Span,
            Default::Is("10 ms"),
            "how long after a timeout no new value is tried; 0 s for never",
        )
        .at_most("10 s"),
    ],
    build: |args, random| {
        Ok(AnySpreader::Reps(Reps {
            mask: mask(args)?,
            random,
            freeze: args.span("freeze"),
            ring: Vec::with_capacity(KEPT),
            head: 0,
            turn: 0,
            frozen_until: Time::ZERO,
            explores: 0,
        }))
    },
};

impl Reps {
    /// The oldest value that has not been used since it came back.
    fn oldest(&mut self) -> Option<u16> {
        let count = self.ring.len();
        let places = (0..count).map(|n| (self.head + n) % count);
        for place in places {
            let entry = &mut self.ring[place];
            if std::mem::replace(&mut entry.fresh, false) {
                return Some(entry.value);
            }
        }
        None
    }
}

impl Spreader for Reps {
    fn stream(&mut self) -> &mut Random {
        &mut self.random
    }

    fn next(&mut self, now: Time, _number: u64) -> u16 {
        if now < self.frozen_until && !self.ring.is_empty() {
            self.turn = (self.turn + 1) % self.ring.len();
            let entry = &mut self.ring[self.turn];
            entry.fresh = false;
            return entry.value;
        }
        if self.explores > 0 && now >= self.frozen_until {
            self.explores -= 1;
            return draw(&mut self.random, self.mask);
        }
        match self.oldest() {
            Some(value) => value,
            None => draw(&mut self.random, self.mask),
        }
    }

    fn learn(&mut self, now: Time, _number: u64, value: u16, fate: Fate) {
        match fate {
            Fate::Clean => {
                let entry = Entry { value, fresh: true };
                match self.ring.get_mut(self.head) {
                    Some(oldest) => *oldest = entry,
                    None => self.ring.push(entry),
                }
                self.head = (self.head + 1) % KEPT;
            }
            Fate::TimedOut if self.explores == 0 && self.freeze > Span::ZERO => {
                self.frozen_until = now.after(self.freeze);
                self.explores = EXPLORED;
            }
            Fate::Marked | Fate::Trimmed | Fate::TimedOut => {}
        }
    }
}
