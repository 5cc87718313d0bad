//! Physical channel: power received over a distance with shadowing, and what receivers make of it.
//!
//! Path loss: Pr = Pt + K − 10 n log10(d / 1 km) − ψ (Goldsmith, Wireless Communications, 2.6); the
//! default K joins free space at 2.4 GHz up to 10 m to the fourth power of the distance beyond. ψ is
//! normal in decibels, one draw for each pair of stations, alike both ways.
//!
//! The bits of a frame lie evenly over all its time on the air, preamble included; each meets the SINR of its
//! instant and fails as `errors` has it.
//!
//! Left out: stations that arrive 20 dB below the noise, each of which would raise it by 0.043 dB at most; errors
//! of OFDM by multipath.

use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span};

use crate::medium::wifi::phy::channel::{Link, MOST, Near, UNIT};
use crate::medium::wifi::phy::errors::{Rung, ratio};
use crate::medium::wifi::phy::fading::BlockFading;
use crate::medium::wifi::phy::mode::Mode;
use crate::medium::wifi::phy::standard::Standard;
use crate::medium::wifi::spec::RateControl;

/// Parameters of the physical channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Physical {
    /// Transmission power, dBm.
    pub tx_power: f64,
    /// Noise, dBm.
    pub noise: f64,
    /// Gain at 1 km, dB.
    pub gain: f64,
    /// Power falls with this power of the distance.
    pub exponent: f64,
    /// Standard deviation of the shadowing, dB.
    pub shadowing: f64,
    /// Seed of the shadowing, where runs of several seeds share one draw; the run's otherwise.
    pub shadowing_seed: Option<u64>,
    /// Power of all frames together from which the medium is busy, whether or not a preamble was recognised, dBm.
    /// The standard's value for OFDM at 20 MHz is -62 dBm. IEEE 802.11-2020 17.3.10.6.
    pub energy_detect: f64,
    /// Power from which a receiver recognises a preamble, if its SINR suffices too, dBm. The medium is then busy until
    /// that frame ends, below `energy_detect` too. The standard's value for OFDM at 20 MHz is -82 dBm. IEEE 802.11-2020
    /// 17.3.10.6.
    pub preamble_detect: f64,
    /// A receiver leaves its frame for one that is stronger than all else by so many decibels; without
    /// it a preamble that it would recognise damages the frame that it receives.
    pub capture: Option<f64>,
    /// How gains change with time, if they do.
    pub fading: Option<BlockFading>,
    /// Share of frames of 1500 B that a link may lose at the rate chosen for it.
    pub fer_target: f64,
    /// Added to the thresholds of all rates, dB.
    pub margin: f64,
    /// From every station to every other.
    pub propagation: Span,
}

/// Weakest link that counts, against the noise: dB.
pub const FLOOR: f64 = -20.0;

/// The rules of receivers, made from the parameters.
#[derive(Clone, Debug)]
pub struct Receivers {
    /// Rates, slowest first; behind them the modes of 802.11n or later.
    pub rungs: Vec<Rung>,
    /// Those modes, slowest first.
    pub modes: Vec<Mode>,
    /// Noise, in the units of `Link::power`.
    pub noise: u64,
    /// Power of all frames together from which the medium is busy, in the same units.
    pub busy_from: u64,
    /// Power from which a preamble is recognised, in the same units.
    pub recognised_from: u64,
    /// A preamble is recognised if it is so many times all else.
    pub preamble: f64,
    /// See `Physical::capture`: a plain ratio.
    pub capture: Option<f64>,
}

impl Receivers {
    /// The same with the modes of data frames.
    ///
    /// # Panics
    /// A mode without a table of errors.
    #[must_use]
    pub fn with_modes(
        mut self,
        modes: Vec<Mode>,
        control: RateControl,
        channel: &Physical,
    ) -> Receivers {
        let target = match control {
            RateControl::Off | RateControl::Minstrel(_) => channel.fer_target,
            RateControl::Ideal(target) => target,
        };
        self.modes = modes;
        for mode in &self.modes {
            let rung = Rung::of_mode(mode, channel.margin, target);
            self.rungs.push(rung.expect("modes were checked"));
        }
        self
    }

    /// Number of a mode.
    pub fn rung_of(&self, mode: &Mode) -> usize {
        let found = self.modes.iter().position(|m| m == mode);
        let first = self.rungs.len() - self.modes.len();
        first + found.expect("modes of the medium")
    }

    /// The fastest mode for a power; the slowest where none keeps the target.
    pub fn fastest(&self, power: u64) -> Mode {
        let found = self.modes.iter().rev().find(|m| self.keeps(m, power));
        *found.unwrap_or(&self.modes[0])
    }

    /// Whether a mode keeps the target at a power.
    pub fn keeps(&self, mode: &Mode, power: u64) -> bool {
        self.rungs[self.rung_of(mode)].enough <= power
    }

    /// Number of a rate.
    pub fn rung(&self, rate: Rate) -> usize {
        let found = self.rungs.iter().position(|r| r.rate == rate);
        found.expect("rates were checked")
    }

    /// A link, as a receiver asks for it.
    pub(in crate::medium::wifi) fn near(&self, link: &Link) -> Near {
        let beside = |times: f64| (link.power as f64 / times) as i64 - self.noise as i64;
        Near {
            power: link.power,
            covers: if link.decodes {
                beside(self.preamble)
            } else {
                Near::NOTHING
            },
            overrides: self.capture.map_or(-1, beside),
        }
    }

    /// The rate of a link of this power: `fixed`, or the fastest up to `most`, if it keeps the target.
    pub fn rate(&self, power: u64, fixed: Option<Rate>, most: Rate) -> Option<Rate> {
        if let Some(slowest) = self.modes.first() {
            return self
                .keeps(slowest, power)
                .then(|| self.fastest(power).rate());
        }
        let legal = |rung: &&Rung| match fixed {
            Some(rate) => rung.rate == rate,
            None => rung.rate <= most,
        };
        let keeps = self.rungs.iter().filter(|rung| rung.enough <= power);
        keeps.rev().find(legal).map(|rung| rung.rate)
    }
}

impl Physical {
    /// Power received over so many metres through shadowing of so many decibels, dBm.
    pub fn received(&self, metres: f64, shadowing: f64) -> f64 {
        let far = libm::log10(metres.max(1.0) / 1000.0);
        self.tx_power + self.gain - 10.0 * self.exponent * far - shadowing
    }

    /// A power in dBm in the units of `Link::power`.
    pub fn power(&self, dbm: f64) -> u64 {
        (UNIT * ratio(dbm - self.noise)).clamp(1.0, MOST) as u64
    }

    /// Shadowing between two stations, dB.
    fn shadowing(&self, seed: u64, a: &str, b: &str) -> f64 {
        let key = format!("{}|{}", a.min(b), a.max(b));
        let seed = self.shadowing_seed.unwrap_or(seed);
        self.shadowing * Random::stream(seed, "shadowing", &key).normal()
    }

    /// The rules of stations that follow this channel.
    pub fn receivers(&self, standard: Standard) -> Receivers {
        let rungs = Rung::all(standard, self.margin, self.fer_target);
        Receivers {
            noise: UNIT as u64,
            busy_from: self.power(self.energy_detect),
            recognised_from: self.power(self.preamble_detect),
            preamble: rungs[0].threshold,
            capture: self.capture.map(ratio),
            rungs,
            modes: Vec::new(),
        }
    }

    /// The effect of a station's transmission on another, `None` where it drowns in the noise.
    pub fn link(&self, seed: u64, names: [&str; 2], to: u32, metres: f64) -> Option<Link> {
        let shadowing = self.shadowing(seed, names[0], names[1]);
        let received = self.received(metres, shadowing);
        let power = self.power(received);
        (received >= self.noise + FLOOR).then_some(Link {
            to,
            decodes: received >= self.preamble_detect,
            senses: power >= self.power(self.energy_detect),
            power,
        })
    }
}

#[cfg(test)]
pub(in crate::medium::wifi) mod tests {
    use super::super::errors::RATES;
    use super::*;

    pub(in crate::medium::wifi) fn plain() -> Physical {
        Physical {
            tx_power: 20.0,
            noise: -93.5,
            gain: -140.046,
            exponent: 4.0,
            shadowing: 0.0,
            shadowing_seed: None,
            energy_detect: -91.4,
            preamble_detect: -91.4,
            capture: Some(10.0),
            fading: None,
            fer_target: 0.01,
            margin: 0.0,
            propagation: Span::micros(1),
        }
    }

    /// K = free space over 10 m at a wavelength of 12.5 cm and 40 dB for each of two decades.
    #[test]
    fn power_and_snr_at_distances() {
        let channel = plain();
        let near = 20.0 * libm::log10(4.0 * std::f64::consts::PI * 10.0 / 0.125);
        assert!((channel.gain + near + 80.0).abs() < 0.001, "{near}");
        assert!((channel.received(100.0, 0.0) + 80.046).abs() < 1e-9);
        for (metres, snr) in [
            (20.0, 41.4),
            (60.0, 22.3),
            (100.0, 13.45),
            (140.0, 7.6),
            (177.0, 3.5),
            (200.0, 1.4),
        ] {
            let found = channel.received(metres, 0.0) - channel.noise;
            assert!((found - snr).abs() < 0.05, "{metres} m: {found}");
        }
    }

    /// Each rate reaches as far as its threshold does, 100 m × 10^((13.454 − threshold) / 40), and the
    /// catalogued range: ranges are rounded to 1 m and thresholds to 0.1 dB, which is up to 0.6 m.
    #[test]
    fn ranges_by_rate() {
        let channel = plain();
        let receivers = channel.receivers(Standard::Ofdm);
        let ranges = [192.0, 164.0, 162.0, 138.0, 111.0, 94.0, 71.0, 66.0];
        for ((rung, row), range) in receivers.rungs.iter().zip(RATES).zip(ranges) {
            let reaches = |metres: f64| {
                let power = channel.power(channel.received(metres, 0.0));
                receivers.rate(power, Some(rung.rate), rung.rate).is_some()
            };
            let exact = 100.0 * libm::pow(10.0, (13.454 - row.3) / 40.0);
            assert!(reaches(exact - 0.01) && !reaches(exact + 0.01), "{exact}");
            assert!((exact - range).abs() <= 1.1, "{exact}");
        }
    }

    #[test]
    fn shadowing_is_alike_both_ways_and_as_wide_as_told() {
        let channel = Physical {
            shadowing: 3.65,
            ..plain()
        };
        let draw = |i: u32| {
            let (a, b) = (format!("a{i}"), format!("b{i}"));
            let there = channel.shadowing(7, &a, &b);
            assert_eq!(there, channel.shadowing(7, &b, &a));
            there
        };
        let n = 20_000;
        let (mut sum, mut squares) = (0.0, 0.0);
        for x in (0..n).map(draw) {
            sum += x;
            squares += x * x;
        }
        // Four standard errors: σ/√n and σ²√(2/n).
        let n = f64::from(n);
        assert!((sum / n).abs() < 4.0 * 3.65 / libm::sqrt(n));
        let variance = 3.65 * 3.65;
        assert!((squares / n - variance).abs() < 4.0 * variance * libm::sqrt(2.0 / n));
        assert_ne!(
            channel.shadowing(7, "a", "b"),
            channel.shadowing(8, "a", "b")
        );
    }
}
