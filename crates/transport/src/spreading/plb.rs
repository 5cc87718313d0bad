//! PLB, protective load balancing: a flow keeps its way until it met congestion for some round trips in a row, or a timeout.
//!
//! A round begins with a packet and ends when a packet that left later comes back. A round is congested if more than a share of its
//! packets came back with a mark.
//! Reference: Qureshi et al., SIGCOMM 2022. Difference: the paper prefers to move when the flow is idle; here it moves at once.

use super::{AnySpreader, Build, Fate, Spreader, draw};
use crate::part::{Default, Kind, Opt, Part};
use crate::random::Random;
use crate::units::Time;

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Plb {
    share: f64,
    rounds: u64,
    random: Random,
    value: u16,
    /// Number of the next packet to leave.
    next: u64,
    /// The round ends when this packet or a later one comes back.
    until: u64,
    /// Packets of the round that came back, and those with a mark.
    back: u64,
    marked: u64,
    /// Congested rounds in a row.
    congested: u64,
}

pub(super) const PART: Part<Build> = Part {
    id: "plb",
    aliases: &[],
    summary: "a flow takes another way after some congested round trips in a row",
    source: "Qureshi et al., SIGCOMM 2022",
    options: &[
        Opt::new(
            "marked",
            Kind::Share,
            Default::Is("50 %"),
            "share of marked packets above which a round is congested",
        ),
        Opt::new(
            "rounds",
            Kind::Count,
            Default::Is("5"),
            "congested rounds in a row after which the flow takes another way",
        )
        .at_least("1")
        .at_most("1000"),
    ],
    build: |args, mut random| {
        Ok(AnySpreader::Plb(Plb {
            share: args.share("marked"),
            rounds: args.count("rounds"),
            value: draw(&mut random, u16::MAX),
            random,
            next: 0,
            until: 0,
            back: 0,
            marked: 0,
            congested: 0,
        }))
    },
};

impl Plb {
    fn move_on(&mut self) {
        self.value = draw(&mut self.random, u16::MAX);
        self.congested = 0;
        self.begin();
    }

    fn begin(&mut self) {
        (self.until, self.back, self.marked) = (self.next, 0, 0);
    }
}

impl Spreader for Plb {
    fn stream(&mut self) -> &mut Random {
        &mut self.random
    }

    fn next(&mut self, _now: Time, number: u64) -> u16 {
        self.next = number + 1;
        self.value
    }

    fn learn(&mut self, _now: Time, number: u64, _value: u16, fate: Fate) {
        if fate == Fate::TimedOut {
            return self.move_on();
        }
        if number >= self.until && self.back > 0 {
            let congested = self.marked as f64 > self.share * self.back as f64;
            self.congested = if congested { self.congested + 1 } else { 0 };
            if self.congested >= self.rounds {
                return self.move_on();
            }
            self.begin();
        }
        self.back += 1;
        self.marked += u64::from(fate != Fate::Clean);
    }
}
