//! Reception under the physical channel. Preamble: from `preamble_detect` on, if its SINR reaches the threshold of
//! the lowest rate. Of preambles that begin at one instant the strongest is taken. Capture: a later one takes the receiver away from
//! its frame, at any time, if it is stronger than all others by the threshold; without capture none does. Either way the
//! SINR decides whether the frame is received. The bits of a frame fail at a rate that follows the SINR, so the first failure comes as in a Poisson process whose
//! rate moves. It is drawn by thinning (Lewis and Shedler 1979): while the power on the air stays below some bound, the rate
//! stays below another, by which an instant is drawn at which a bit may fail; whether it does is drawn at that instant, from the
//! SINR that there is. That is the same law as adding up errors from change to change, but a change is news only where
//! power passes its bound or such an instant lies ahead. So a frame that is strong enough is received without another look,
//! and one that has failed is not looked at again.
//!
//! Without a frame a change is news where the medium becomes busy or idle by it.

use backwater_transport::random::Random;
use backwater_transport::units::Time;

use crate::medium::wifi::mac::carrier_sense::CarrierSense;
use crate::medium::wifi::phy::errors::CALM;
use crate::medium::wifi::phy::physical::Receivers;
use crate::medium::wifi::phy::power_level::Level;
use crate::medium::wifi::reception::frame_set::FrameSet;
use crate::medium::wifi::reception::parts::{Parts, Received};

/// A frame at its receivers.
#[derive(Copy, Clone, Debug, Default)]
pub struct Coded {
    /// Number of its rate.
    rung: usize,
    /// Whether it is a burst, of which each frame is received or not.
    pub(super) burst: bool,
    /// When it begins.
    pub(super) begun: Time,
    /// When its bits do: at once but for a burst.
    from: Time,
    /// When it ends.
    ends: Time,
    /// Bits by tick.
    density: f64,
    /// Noise and others up to so many times its power leave it calm: it expects no more than `CALM` errors.
    calm: f64,
    /// Errors by tick that it expects then, at most.
    calm_rate: f64,
}

impl Coded {
    /// A frame of so many bytes from `begun` to `ends`.
    pub(in crate::medium::wifi) fn new(
        receivers: &Receivers,
        rung: usize,
        bytes: u64,
        begun: Time,
        ends: Time,
    ) -> Coded {
        let span = (ends.0 - begun.0) as f64;
        Coded {
            rung,
            burst: false,
            begun,
            from: begun,
            ends,
            density: (8 * bytes) as f64 / span,
            calm: receivers.rungs[rung].calm(8 * bytes),
            calm_rate: CALM / span,
        }
    }

    /// The same, where it is a burst: its bits begin behind the preamble.
    pub(super) fn of_parts(self, bytes: u64, parts: &Parts) -> Coded {
        let Some(&from) = parts.begins.first() else {
            return self;
        };
        let span = (self.ends.0 - from.0) as f64;
        Coded {
            burst: true,
            from,
            density: (8 * bytes) as f64 / span,
            calm_rate: CALM / span,
            ..self
        }
    }

    /// Power of all frames up to which one of power `wanted` is calm; 0 if noise alone is too much.
    #[inline]
    fn calm_until(&self, receivers: &Receivers, wanted: u64) -> u64 {
        let others = (wanted as i64 as f64 * self.calm) as i64 - receivers.noise as i64;
        if others < 0 {
            0
        } else {
            wanted + others as u64
        }
    }

    /// Errors by tick where all frames add up to `power`.
    fn rate(&self, receivers: &Receivers, wanted: u64, power: u64) -> f64 {
        let others = receivers.noise + (power - wanted);
        let sinr = wanted as f64 / others as f64;
        // Where no bit fails the logarithm is nought, and the rate must not be a negative one: delays are divided by it.
        0.0 - self.density * receivers.rungs[self.rung].log_right(sinr)
    }
}

/// A receiver's knowledge of the frame that it receives.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Hearing {
    /// Its power.
    pub(in crate::medium::wifi) wanted: u64,
    /// Power up to which errors come no more often than `bound`.
    bounded: u64,
    /// Errors by tick.
    bound: f64,
    /// Stream of errors.
    pub(in crate::medium::wifi) random: Random,
    /// The burst that it receives, or received last.
    pub(super) burst: Option<Box<Received>>,
}

impl Hearing {
    /// The receiver of a station.
    pub fn new(seed: u64, name: &str) -> Hearing {
        Hearing {
            wanted: 0,
            bounded: 0,
            bound: 0.0,
            random: Random::stream(seed, "reception", name),
            burst: None,
        }
    }

    /// Draws when a bit of the frame may fail from now on, and sets the band within which that stands.
    #[inline(always)]
    pub(super) fn watch(
        &mut self,
        receivers: &Receivers,
        coded: &Coded,
        sense: &mut CarrierSense,
        level: &mut Level,
        now: Time,
    ) {
        let calm = coded.calm_until(receivers, self.wanted);
        let unit = self.random.unit();
        // An exponential variate is more than x with a chance of more than 1 − x.
        if level.power <= calm && unit <= 1.0 - CALM {
            (self.bounded, self.bound) = (calm, coded.calm_rate);
            sense.suspect = Time::NEVER;
            (level.low, level.high) = (0, calm);
        } else {
            sense.suspect = self.suspect(receivers, coded, unit, level, now);
        }
    }

    /// The same where a bit may well fail, for a uniform variate. Gives the instant.
    #[inline(never)]
    fn suspect(
        &mut self,
        receivers: &Receivers,
        coded: &Coded,
        unit: f64,
        level: &mut Level,
        now: Time,
    ) -> Time {
        let calm = coded.calm_until(receivers, self.wanted);
        (self.bounded, self.bound) = if level.power <= calm {
            (calm, coded.calm_rate)
        } else {
            (level.power, coded.rate(receivers, self.wanted, level.power))
        };
        let now = now.max(coded.from);
        let left = (coded.ends.0 - now.0) as f64;
        let mut suspect = Time::NEVER;
        if unit > 1.0 - self.bound * left {
            let after = -libm::log(unit) / self.bound;
            if after < left {
                suspect = Time(now.0 + after as u64);
            }
        }
        (level.low, level.high) = match suspect {
            Time::NEVER => (0, self.bounded),
            _ => (u64::MAX, 0),
        };
        suspect
    }

    /// Whether a bit has failed by now, of a burst one in each frame, where all frames added up to `power` since `suspect` at least.
    #[inline(always)]
    pub(super) fn has_failed(
        &mut self,
        receivers: &Receivers,
        coded: &Coded,
        suspect: Time,
        power: u64,
        now: Time,
    ) -> bool {
        suspect <= now && self.fails(receivers, coded, suspect, power, now)
    }

    #[inline(never)]
    fn fails(
        &mut self,
        receivers: &Receivers,
        coded: &Coded,
        suspect: Time,
        power: u64,
        now: Time,
    ) -> bool {
        let rate = coded.rate(receivers, self.wanted, power);
        if coded.burst
            && let Some(burst) = &mut self.burst
        {
            return burst.settle(&mut self.random, (self.bound, rate), suspect, now);
        }
        // From the instant at which none failed the process goes on, by its own rate.
        self.bound * self.random.unit() <= rate
            || self.random.exponential(1.0) < rate * (now.0 - suspect.0) as f64
    }

    /// Whether a frame of the burst that ended now is damaged here.
    #[cold]
    pub(in crate::medium::wifi) fn missed(&self, frame: u16) -> bool {
        let burst = self.burst.as_ref();
        burst.is_some_and(|burst| burst.failed.contains(frame))
    }

    /// The burst that it received has ended: which frames are damaged.
    #[cold]
    pub(super) fn tell_damaged(&mut self, damaged: &mut FrameSet) {
        if let Some(burst) = &mut self.burst {
            std::mem::swap(damaged, &mut burst.failed);
        }
    }

    /// The power on the air, `before` until now, has changed, and it is news to a station that receives a frame.
    #[inline(never)]
    pub(super) fn update_reception(
        &mut self,
        (receivers, coded): (&Receivers, &Coded),
        sense: &mut CarrierSense,
        before: u64,
        level: &mut Level,
        now: Time,
    ) {
        if sense.suspect > now && level.power <= self.bounded {
            return;
        }
        sense.damaged |= self.has_failed(receivers, coded, sense.suspect, before, now);
        if sense.damaged {
            sense.suspect = Time::NEVER;
            (level.low, level.high) = (0, u64::MAX);
        } else {
            self.watch(receivers, coded, sense, level, now);
        }
    }
}

#[cfg(test)]
mod test_errors;
#[cfg(test)]
mod tests {
    use backwater_transport::units::Span;

    use super::*;
    use crate::medium::wifi::phy::channel::ChannelSpec;
    use crate::medium::wifi::phy::physical::tests::plain;
    use crate::medium::wifi::phy::standard::Standard;
    use crate::medium::wifi::test_line::{PHY, line};
    use crate::world::World;

    /// A frame that others disturb for parts of its time, changes that are no news left out as `arrive` and `end_on_channel`
    /// leave them out, is whole with the chance exp(−∫ rate dt): alone too weak to be calm, disturbed from a
    /// calm beginning, disturbed to the end, and by changes in both directions while a failure is ahead.
    #[test]
    fn a_frame_is_whole_with_the_chance_that_its_errors_leave() {
        let receivers = plain().receivers(Standard::Ofdm);
        let mut hearing = Hearing::new(7, "a");
        // SNR, and powers of others with the microseconds that each lasts; at 6 Mbit/s, 1000 bytes in 1 ms.
        let cases: [(f64, &[(f64, u64)]); 6] = [
            (1.25, &[(0.0, 1000)]),
            (1.4, &[(0.1, 300), (0.0, 700)]),
            (4.0, &[(0.0, 400), (3.0, 50), (0.0, 550)]),
            (4.0, &[(0.0, 900), (2.4, 100)]),
            (
                4.0,
                &[(2.1, 100), (2.3, 200), (2.0, 300), (2.35, 200), (0.0, 200)],
            ),
            (100.0, &[(0.0, 500), (80.0, 100), (95.0, 10), (20.0, 390)]),
        ];
        for (snr, stretches) in cases {
            let units = |times: f64| (times * receivers.noise as f64) as u64;
            let wanted = units(snr);
            let begun = Time::ZERO + Span::micros(5);
            let coded = Coded::new(&receivers, 0, 1000, begun, begun + Span::micros(1000));
            let mut expected = 0.0;
            for (others, micros) in stretches {
                let rate = coded.rate(&receivers, wanted, wanted + units(*others));
                expected -= rate * Span::micros(*micros).0 as f64;
            }
            let chance = libm::exp(expected);
            assert!((0.05..0.95).contains(&chance), "{snr}: {chance}");
            let runs = 40_000;
            let mut whole = 0;
            for _ in 0..runs {
                let mut sense = CarrierSense::new(0);
                hearing.wanted = wanted;
                let mut now = begun;
                let mut level = Level {
                    power: wanted + units(stretches[0].0),
                    ..Level::silent(Some(&receivers))
                };
                hearing.watch(&receivers, &coded, &mut sense, &mut level, now);
                for pair in stretches.windows(2) {
                    now += Span::micros(pair[0].1);
                    let before = level.power;
                    level.power = wanted + units(pair[1].0);
                    if level.is_news() {
                        hearing.update_reception(
                            (&receivers, &coded),
                            &mut sense,
                            before,
                            &mut level,
                            now,
                        );
                    }
                }
                sense.damaged |=
                    hearing.has_failed(&receivers, &coded, sense.suspect, level.power, coded.ends);
                whole += u32::from(!sense.damaged);
            }
            let (runs, share) = (f64::from(runs), f64::from(whole) / f64::from(runs));
            let error = libm::sqrt(chance * (1.0 - chance) / runs);
            assert!(
                (share - chance).abs() < 4.0 * error,
                "{snr}: {share}, not {chance}"
            );
        }
    }

    /// 10.3.2.4: the frame of a third station begins before the RTS's NAV may be taken back, and the NAV holds.
    #[test]
    fn a_frame_that_arrives_confirms_the_nav_of_an_rts() {
        let mut spec = line(&[0.0, 50.0]);
        spec.media[0].channel = ChannelSpec::Physical(plain());
        let us = |n| Time::ZERO + Span::micros(n);
        for (begins, reserved) in [(50, 900), (51, 50)] {
            let mut world = World::build(&spec).expect("a legal line");
            let receivers = world.media.air.media[0].receivers.as_ref();
            let rung = receivers.expect("a physical channel").rung(PHY.data);
            let sense = &mut world.media.air.sensing[1];
            (sense.nav_rts, sense.nav_check) = (us(900), us(50));
            world.media.air.arrive(0, rung, 1000, us(300), us(begins));
            assert_eq!(world.media.air.sensing[1].lock, 0);
            assert_eq!(
                world.media.air.sensing[1].reserved(),
                us(reserved),
                "{begins}"
            );
        }
    }

    /// A frame as strong as it must be is drawn for once, and no change up to its bound is news.
    #[test]
    fn changes_that_leave_a_frame_calm_are_no_news() {
        let receivers = plain().receivers(Standard::Ofdm);
        let (wanted, begun) = (100 * receivers.noise, Time::ZERO);
        let coded = Coded::new(&receivers, 0, 1000, begun, begun + Span::micros(1000));
        let calm = coded.calm_until(&receivers, wanted);
        let most = coded.rate(&receivers, wanted, calm) * Span::micros(1000).0 as f64;
        assert!(most <= CALM && most > CALM / 4.0, "{most}");
        let mut hearing = Hearing::new(7, "a");
        let mut sense = CarrierSense::new(0);
        hearing.wanted = wanted;
        let mut level = Level {
            power: wanted,
            ..Level::silent(Some(&receivers))
        };
        let n = 100_000;
        let mut ahead = 0;
        for _ in 0..n {
            hearing.watch(&receivers, &coded, &mut sense, &mut level, begun);
            if sense.suspect == Time::NEVER {
                assert_eq!((level.low, level.high), (0, calm));
            } else {
                ahead += 1;
            }
        }
        let (n, share) = (f64::from(n), -libm::expm1(-CALM));
        let error = libm::sqrt(n * share * (1.0 - share));
        assert!(
            (f64::from(ahead) - n * share).abs() < 4.0 * error,
            "{ahead}"
        );
    }
}
