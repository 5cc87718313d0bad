//! Mixed: a value whose packet came back without a mark is used again, the oldest first; without such a value the bitmap says which.
//!
//! Both hear of every packet. Reference: the public simulator of UET (htsim, `uec_mp.cpp`).

use std::collections::VecDeque;

use super::bitmap::Bitmap;
use super::{AnySpreader, Build, Fate, Spreader, VALUES, mask};
use crate::part::Part;
use crate::random::Random;
use crate::units::Time;

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Mixed {
    clean: VecDeque<u16>,
    bitmap: Bitmap,
}

pub(super) const PART: Part<Build> = Part {
    id: "mixed",
    aliases: &[],
    summary: "a value whose packet came back without a mark is used again, and otherwise the bitmap's",
    source: "UET's public simulator, uec_mp.cpp",
    options: &[VALUES],
    build: |args, random| {
        Ok(AnySpreader::Mixed(Mixed {
            clean: VecDeque::new(),
            bitmap: Bitmap::new(mask(args)?, random),
        }))
    },
};

impl Spreader for Mixed {
    fn stream(&mut self) -> &mut Random {
        self.bitmap.stream()
    }

    fn next(&mut self, now: Time, number: u64) -> u16 {
        let clean = self.clean.pop_front();
        clean.unwrap_or_else(|| self.bitmap.next(now, number))
    }

    fn learn(&mut self, now: Time, number: u64, value: u16, fate: Fate) {
        self.bitmap.learn(now, number, value, fate);
        if fate == Fate::Clean {
            self.clean.push_back(value);
        }
    }
}
