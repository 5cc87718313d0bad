//! A link that does its worst within a bound: by every instant t its opportunities have carried at
//! most C·t bits and no less than C·t − W, whoever asked for them.
//!
//! When: opportunities come in bursts that use up all that the upper bound allows; between bursts
//! nothing comes. `pattern = "sawtooth"` waits each time until the lower bound forces a burst, which
//! is the greatest jitter the bound allows; `"random"` draws the instant uniformly up to then, so
//! that no sender can tell waiting from congestion by its rhythm.
//! Reference: Arun, Arashloo, Saeed, Alizadeh and Balakrishnan, Toward Formally Verifying Congestion
//! Control Behavior (CCAC), SIGCOMM 2021, section 4 (the path-server model).
//! Differences: CCAC chooses among all service curves by a solver; these are two of them. Bytes that
//! find no packet are lost, as on every trace link.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::{PS_PER_S, Time};

use super::schedule::{Build, Schedule};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Adversarial {
    rate: u64,
    slack: u64,
    random: bool,
    /// Opportunities so far.
    sent: u64,
    /// Those left of the burst, and its instant.
    burst: u64,
    at: Time,
}

impl Adversarial {
    /// When so many bits have passed at the rate; the instants of a run fit.
    fn instant(&self, bits: u128) -> Time {
        let ticks = (bits * u128::from(PS_PER_S)).div_ceil(u128::from(self.rate));
        Time(u64::try_from(ticks).unwrap_or(u64::MAX))
    }
}

impl Schedule for Adversarial {
    fn next(&mut self, size: u64, random: &mut Random) -> Option<Time> {
        let bits = u128::from(size) * 8;
        if self.burst == 0 {
            let sent = bits * u128::from(self.sent);
            // One whole opportunity must be allowed, and the lower bound not be crossed.
            let soonest = self.instant(sent + bits);
            let latest = self.instant(sent + u128::from(self.slack) * 8).max(soonest);
            self.at = match self.random {
                true => Time(random.between(soonest.0, latest.0)),
                false => latest,
            };
            if self.at == Time::NEVER {
                return None;
            }
            let allowed = u128::from(self.rate) * u128::from(self.at.0) / u128::from(PS_PER_S);
            self.burst = (allowed / bits) as u64 - self.sent;
        }
        self.burst -= 1;
        self.sent += 1;
        Some(self.at)
    }

    fn is_random(&self) -> bool {
        self.random
    }
}

pub(super) const PART: Part<Build<Adversarial>> = Part {
    id: "adversarial",
    aliases: &["ccac"],
    summary: "the worst service between C·t - W and C·t",
    source: "Arun et al., CCAC, SIGCOMM 2021, section 4",
    options: &[
        super::rate("rate", "C, the long-term rate"),
        Opt::new(
            "slack",
            Kind::Bytes,
            Default::Is("25 kB"),
            "W, how far service may lag behind",
        )
        .at_least("1504 B")
        .at_most("1000 MB"),
        Opt::new(
            "pattern",
            Kind::Choice(&["sawtooth", "random"]),
            Default::Is("sawtooth"),
            "when bursts come: as late as the bound allows, or at random before",
        ),
    ],
    build: |args| {
        Ok(Adversarial {
            rate: args.rate("rate").0,
            slack: args.bytes("slack").0,
            random: args.choice("pattern") == "random",
            sent: 0,
            burst: 0,
            at: Time::ZERO,
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    /// A link is random where another stream gives other opportunities.
    #[test]
    fn only_the_random_pattern_is_random() {
        for random in [false, true] {
            let opportunities = |seed| {
                let mut link = Adversarial {
                    rate: 12_000_000,
                    slack: 30_000,
                    random,
                    sent: 0,
                    burst: 0,
                    at: Time::ZERO,
                };
                let mut stream = Random::stream(seed, "trace", "t");
                let at = [0; 50].map(|_| link.next(1500, &mut stream));
                (at, link.is_random())
            };
            let (one, is_random) = opportunities(1);
            assert_eq!(is_random, random);
            assert_eq!(one != opportunities(2).0, random);
        }
    }
}
