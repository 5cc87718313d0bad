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
use crate::medium::wifi::phy::power_level::Band;
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
        -self.density * receivers.rungs[self.rung].log_right(sinr)
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
        power: u64,
        now: Time,
    ) -> Band {
        let calm = coded.calm_until(receivers, self.wanted);
        let unit = self.random.unit();
        // An exponential variate is more than x with a chance of more than 1 − x.
        if power <= calm && unit <= 1.0 - CALM {
            (self.bounded, self.bound) = (calm, coded.calm_rate);
            sense.suspect = Time::NEVER;
            Band::up_to(calm)
        } else {
            sense.suspect = self.suspect(receivers, coded, unit, power, now);
            match sense.suspect {
                Time::NEVER => Band::up_to(self.bounded),
                _ => Band::at(power),
            }
        }
    }

    /// When a bit of the frame may fail, where one may well, for a uniform variate.
    #[inline(never)]
    fn suspect(
        &mut self,
        receivers: &Receivers,
        coded: &Coded,
        unit: f64,
        power: u64,
        now: Time,
    ) -> Time {
        let calm = coded.calm_until(receivers, self.wanted);
        (self.bounded, self.bound) = if power <= calm {
            (calm, coded.calm_rate)
        } else {
            (power, coded.rate(receivers, self.wanted, power))
        };
        let now = now.max(coded.from);
        let left = (coded.ends.0 - now.0) as f64;
        if unit > 1.0 - self.bound * left {
            let after = -libm::log(unit) / self.bound;
            if after < left {
                return Time(now.0 + after as u64);
            }
        }
        Time::NEVER
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

    /// The power on the air has changed from one to another, and it is news to a station that receives a frame: its band.
    #[inline(never)]
    pub(super) fn update_reception(
        &mut self,
        (receivers, coded): (&Receivers, &Coded),
        sense: &mut CarrierSense,
        (before, power): (u64, u64),
        now: Time,
    ) -> Band {
        if sense.suspect > now && power <= self.bounded {
            return Band::at(power);
        }
        sense.damaged |= self.has_failed(receivers, coded, sense.suspect, before, now);
        if sense.damaged {
            sense.suspect = Time::NEVER;
            Band::ALL
        } else {
            self.watch(receivers, coded, sense, power, now)
        }
    }
}

#[cfg(test)]
mod tests {
    use backwater_transport::units::Span;

    use super::*;
    use crate::medium::wifi::phy::channel::ChannelSpec;
    use crate::medium::wifi::phy::physical::tests::plain;
    use crate::medium::wifi::phy::power_level::Levels;
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
                let mut power = wanted + units(stretches[0].0);
                let mut levels = Levels::default();
                levels.push(Some(&receivers));
                let mut level = levels.rows(1);
                level.change(0, power as i64);
                let band = hearing.watch(&receivers, &coded, &mut sense, power, now);
                level.set(0, band);
                for pair in stretches.windows(2) {
                    now += Span::micros(pair[0].1);
                    let after = wanted + units(pair[1].0);
                    let change = level.change(0, after as i64 - power as i64);
                    power = after;
                    if level.is_news(0) {
                        let coding = (&receivers, &coded);
                        let band = hearing.update_reception(coding, &mut sense, change, now);
                        level.set(0, band);
                    }
                }
                sense.damaged |=
                    hearing.has_failed(&receivers, &coded, sense.suspect, power, coded.ends);
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
        let n = 100_000;
        let mut ahead = 0;
        for _ in 0..n {
            let band = hearing.watch(&receivers, &coded, &mut sense, wanted, begun);
            if sense.suspect == Time::NEVER {
                assert_eq!(band, Band::up_to(calm));
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
