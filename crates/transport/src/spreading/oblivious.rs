//! Oblivious spraying: each packet has another entropy value, whatever the network says.
//!
//! A counter runs through all values. It is combined by exclusive or with a random value, which is drawn anew when the counter
//! begins again, so that flows do not keep step.
//! Reference: the public simulator of UET (htsim, `uec_mp.cpp`).

use super::{AnySpreader, Build, Spreader, VALUES, draw, mask};
use crate::part::Part;
use crate::random::Random;
use crate::units::Time;

/// A round through all values.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub(super) mask: u16,
    index: u16,
    xor: u16,
    pub(super) random: Random,
}

impl Round {
    pub(super) fn new(mask: u16, mut random: Random) -> Round {
        let xor = draw(&mut random, mask);
        Round {
            mask,
            index: 0,
            xor,
            random,
        }
    }

    /// The value whose turn it is.
    pub(super) fn value(&self) -> u16 {
        self.index ^ self.xor
    }

    /// Goes on to the next value.
    pub(super) fn step(&mut self) {
        self.index = self.index.wrapping_add(1) & self.mask;
        if self.index == 0 {
            self.xor = draw(&mut self.random, self.mask);
        }
    }
}

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Oblivious(Round);

pub(super) const PART: Part<Build> = Part {
    id: "oblivious",
    aliases: &[],
    summary: "each packet has another value, whatever the network says",
    source: "UET's public simulator, uec_mp.cpp",
    options: &[VALUES],
    build: |args, random| {
        Ok(AnySpreader::Oblivious(Oblivious(Round::new(
            mask(args)?,
            random,
        ))))
    },
};

impl Spreader for Oblivious {
    fn reads_marks(&self) -> bool {
        false
    }

    fn stream(&mut self) -> &mut Random {
        &mut self.0.random
    }

    fn next(&mut self, _now: Time, _number: u64) -> u16 {
        let value = self.0.value();
        self.0.step();
        value
    }
}
