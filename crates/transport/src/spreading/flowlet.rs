//! Flowlets: the packets behind a pause have another entropy value. Behind a pause longer than the difference of the delays of two ways
//! no packet overtakes another.
//!
//! Reference: Sinha, Kandula and Katabi, HotNets 2004; Alizadeh et al., SIGCOMM 2014 (CONGA), where a switch does the same.

use super::{AnySpreader, Build, Spreader, draw};
use crate::part::{Default, Kind, Opt, Part};
use crate::random::Random;
use crate::units::{Span, Time};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Flowlet {
    gap: Span,
    last: Time,
    value: u16,
    random: Random,
}

pub(super) const PART: Part<Build> = Part {
    id: "flowlet",
    aliases: &[],
    summary: "packets behind a pause have another value",
    source: "Sinha, Kandula and Katabi, HotNets 2004",
    options: &[Opt::new(
        "gap",
        Kind::Span,
        Default::Is("100 us"),
        "the least pause behind which a packet may take another way",
    )
    .at_least("1 ns")
    .at_most("1 s")],
    build: |args, mut random| {
        Ok(AnySpreader::Flowlet(Flowlet {
            gap: args.span("gap"),
            last: Time::ZERO,
            value: draw(&mut random, u16::MAX),
            random,
        }))
    },
};

impl Spreader for Flowlet {
    fn reads_marks(&self) -> bool {
        false
    }

    fn stream(&mut self) -> &mut Random {
        &mut self.random
    }

    fn next(&mut self, now: Time, _number: u64) -> u16 {
        if now > self.last.after(self.gap) {
            self.value = draw(&mut self.random, u16::MAX);
        }
        self.last = now;
        self.value
    }
}
