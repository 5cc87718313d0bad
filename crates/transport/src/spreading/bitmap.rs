//! Bitmap: oblivious spraying that passes over values on which packets met congestion.
//!
//! A value has a penalty: 1 for a mark, 4 for a trimmed packet, 15 for a timeout, at most 15 in all. Each packet lowers the
//! first penalty that it meets by one; other values with a penalty are passed over. When all values are, the packet takes the next one.
//! Reference: the public simulator of UET (htsim, `uec_mp.cpp`).

use super::oblivious::Round;
use super::{AnySpreader, Build, Fate, Spreader, VALUES, mask};
use crate::part::Part;
use crate::random::Random;
use crate::units::Time;

/// The greatest penalty.
const MOST: u8 = 15;

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Bitmap {
    round: Round,
    penalties: Vec<u8>,
}

pub(super) const PART: Part<Build> = Part {
    id: "bitmap",
    aliases: &[],
    summary: "each packet has another value; values that met congestion are passed over for a while",
    source: "UET's public simulator, uec_mp.cpp",
    options: &[VALUES],
    build: |args, random| Ok(AnySpreader::Bitmap(Bitmap::new(mask(args)?, random))),
};

impl Bitmap {
    /// Without penalties.
    pub(super) fn new(mask: u16, random: Random) -> Bitmap {
        Bitmap {
            round: Round::new(mask, random),
            penalties: vec![0; usize::from(mask) + 1],
        }
    }
}

impl Spreader for Bitmap {
    fn stream(&mut self) -> &mut Random {
        &mut self.round.random
    }

    fn next(&mut self, _now: Time, _number: u64) -> u16 {
        let mut met = false;
        for _ in 0..self.penalties.len() {
            let penalty = &mut self.penalties[usize::from(self.round.value())];
            if *penalty == 0 {
                break;
            }
            if !std::mem::replace(&mut met, true) {
                *penalty -= 1;
            }
            self.round.step();
        }
        let value = self.round.value();
        self.round.step();
        value
    }

    fn learn(&mut self, _now: Time, _number: u64, value: u16, fate: Fate) {
        let more = match fate {
            Fate::Clean => 0,
            Fate::Marked => 1,
            Fate::Trimmed => 4,
            Fate::TimedOut => MOST,
        };
        let penalty = &mut self.penalties[usize::from(value)];
        *penalty = (*penalty + more).min(MOST);
    }
}
