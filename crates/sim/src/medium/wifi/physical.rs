//! Physical channel: power received over a distance with shadowing, and the errors of a frame.
//!
//! Path loss: Pr = Pt + K − 10 n log10(d / 1 km) − ψ (Goldsmith, Wireless Communications, 2.6); the
//! default K joins free space at 2.4 GHz up to 10 m to the fourth power of the distance beyond. ψ is
//! normal in decibels, one draw for each pair of stations, alike both ways.
//!
//! Frame errors: union bound of the convolutional code under hard decisions (Pursley and Taipale, 1987;
//! distance spectra by Frenger, Orten and Ottosson, 1999), moved along the SINR so that a frame of 1500 B
//! fails with 1 % at the threshold of its rate. The bits of a frame lie evenly over all its time on the
//! air, preamble included; each bit meets the SINR of its instant.
//!
//! Left out: stations that arrive 20 dB below the noise; errors of OFDM by multipath.

use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span};

use super::channel::{Link, MOST, UNIT};

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
    /// Power of all frames together from which the medium is busy, dBm.
    pub energy_detect: f64,
    /// Power from which a receiver recognises a preamble, dBm.
    pub preamble_detect: f64,
    /// A receiver leaves its frame for one that is stronger than all else by so many decibels; without
    /// it a preamble that it would recognise damages the frame that it receives.
    pub capture: Option<f64>,
    /// Share of frames of 1500 B that a link may lose at the rate chosen for it.
    pub fer_target: f64,
    /// Added to the thresholds of all rates, dB.
    pub margin: f64,
    /// From every station to every other.
    pub propagation: Span,
}

/// Weakest link that counts, against the noise: dB.
pub const FLOOR: f64 = -20.0;
/// Bits of the frame that thresholds are for.
const TEST_BITS: f64 = 12_000.0;
/// Its error rate at the threshold.
const TEST_FER: f64 = 0.01;

/// Convolutional code of a rate.
#[derive(Copy, Clone, Debug)]
struct Code {
    /// Bits into the encoder per puncturing period.
    period: f64,
    /// Free distance.
    free: i32,
    /// From a distance of the spectrum to the next.
    step: i32,
    /// Bit errors by distance, from the free distance.
    spectrum: &'static [f64],
}

const HALF: Code = Code {
    period: 1.0,
    free: 10,
    step: 2,
    spectrum: &[
        36.0,
        211.0,
        1404.0,
        11_633.0,
        77_433.0,
        502_690.0,
        3_322_763.0,
        21_292_910.0,
        134_365_911.0,
    ],
};
const TWO_THIRDS: Code = Code {
    period: 2.0,
    free: 6,
    step: 1,
    spectrum: &[
        3.0,
        70.0,
        285.0,
        1276.0,
        6160.0,
        27_128.0,
        117_019.0,
        498_860.0,
        2_103_891.0,
        8_784_123.0,
    ],
};
const THREE_QUARTERS: Code = Code {
    period: 3.0,
    free: 5,
    step: 1,
    spectrum: &[
        42.0,
        201.0,
        1492.0,
        10_469.0,
        62_935.0,
        379_644.0,
        2_253_373.0,
        13_073_811.0,
        75_152_755.0,
        428_005_675.0,
    ],
};

/// A rate of OFDM: Mbit/s, points of its constellation, code, threshold in dB.
const RATES: [(u64, u32, Code, f64); 8] = [
    (6, 2, HALF, 2.1),
    (9, 2, THREE_QUARTERS, 4.8),
    (12, 4, HALF, 5.1),
    (18, 4, THREE_QUARTERS, 7.8),
    (24, 16, HALF, 11.7),
    (36, 16, THREE_QUARTERS, 14.6),
    (48, 64, TWO_THIRDS, 19.4),
    (54, 64, THREE_QUARTERS, 20.7),
];

/// Bit errors before decoding, Gray coding, nearest neighbours.
fn raw(points: u32, sinr: f64) -> f64 {
    let (share, scale) = match points {
        2 => (0.5, 1.0),
        4 => (0.5, 2.0),
        16 => (3.0 / 8.0, 10.0),
        _ => (7.0 / 24.0, 42.0),
    };
    share * libm::erfc(libm::sqrt(sinr / scale))
}

impl Code {
    /// Bound of the bit errors after decoding.
    fn errors(&self, raw: f64) -> f64 {
        let d = libm::sqrt(4.0 * raw * (1.0 - raw));
        let mut power = libm::pow(d, f64::from(self.free));
        let step = libm::pow(d, f64::from(self.step));
        let mut sum = 0.0;
        for weight in self.spectrum {
            sum += weight * power;
            power *= step;
        }
        (sum / (2.0 * self.period)).min(1.0)
    }
}

/// A ratio written in decibels.
fn ratio(db: f64) -> f64 {
    libm::pow(10.0, db / 10.0)
}

/// The SINR at which `fer` falls to `wanted`: by halving an interval of decibels.
fn sinr_for(wanted: f64, fer: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-40.0, 80.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if fer(ratio(middle)) > wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    ratio(high)
}

/// A rate and its errors.
#[derive(Clone, Debug)]
pub struct Rung {
    /// Rate.
    pub rate: Rate,
    points: u32,
    code: Code,
    /// The bound is taken at so many times the SINR.
    shift: f64,
    /// Power from which the rate keeps the target.
    enough: u64,
}

impl Rung {
    fn new(row: &(u64, u32, Code, f64), channel: &Physical) -> Rung {
        let (mbits, points, code, threshold) = *row;
        let mut rung = Rung {
            rate: Rate(mbits * 1_000_000),
            points,
            code,
            shift: 1.0,
            enough: 0,
        };
        let bound = sinr_for(TEST_FER, |s| rung.fer(s, TEST_BITS));
        rung.shift = bound / ratio(threshold + channel.margin);
        let enough = sinr_for(channel.fer_target, |s| rung.fer(s, TEST_BITS));
        rung.enough = (enough * UNIT).clamp(1.0, MOST) as u64;
        rung
    }

    /// Natural logarithm of a bit's chance to be right at this SINR (a plain ratio).
    pub fn log_right(&self, sinr: f64) -> f64 {
        libm::log1p(-self.code.errors(raw(self.points, sinr * self.shift)))
    }

    /// Chance that a frame of so many bits is damaged at this SINR (a plain ratio).
    pub fn fer(&self, sinr: f64, bits: f64) -> f64 {
        -libm::expm1(bits * self.log_right(sinr))
    }
}

/// What receivers do, made from the parameters.
#[derive(Clone, Debug)]
pub struct Receivers {
    /// Rates, slowest first.
    pub rungs: Vec<Rung>,
    /// Noise, in the units of `Link::power`.
    pub noise: u64,
    /// A preamble is recognised if it is so many times all else.
    pub preamble: f64,
    /// See `Physical::capture`: a plain ratio.
    pub capture: Option<f64>,
}

impl Receivers {
    /// Number of a rate.
    pub fn rung(&self, rate: Rate) -> usize {
        let found = self.rungs.iter().position(|r| r.rate == rate);
        found.expect("rates were checked")
    }

    /// The rate of a link of this power: `fixed`, or the fastest up to `most`, if it keeps the target.
    pub fn rate(&self, power: u64, fixed: Option<Rate>, most: Rate) -> Option<Rate> {
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
        self.shadowing * Random::stream(seed, "shadowing", &key).normal()
    }

    /// What stations that follow this channel do.
    pub fn receivers(&self) -> Receivers {
        Receivers {
            rungs: RATES.iter().map(|row| Rung::new(row, self)).collect(),
            noise: UNIT as u64,
            preamble: ratio(RATES[0].3 + self.margin),
            capture: self.capture.map(ratio),
        }
    }

    /// What a station's transmission is to another, `None` where it drowns in the noise.
    pub fn link(&self, seed: u64, names: [&str; 2], to: u32, metres: f64) -> Option<Link> {
        let shadowing = self.shadowing(seed, names[0], names[1]);
        let received = self.received(metres, shadowing);
        let power = self.power(received);
        (received >= self.noise + FLOOR).then_some(Link {
            to,
            decodes: received >= self.preamble_detect,
            energy: power,
            power,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn plain() -> Physical {
        Physical {
            tx_power: 20.0,
            noise: -93.5,
            gain: -140.046,
            exponent: 4.0,
            shadowing: 0.0,
            energy_detect: -91.4,
            preamble_detect: -91.4,
            capture: Some(10.0),
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
        let receivers = channel.receivers();
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

    /// The threshold is where 1 % of frames of 1500 B fail; shorter ones fail less, by the power law.
    #[test]
    fn errors_by_threshold_and_length() {
        for (row, rung) in RATES.iter().zip(plain().receivers().rungs) {
            let at = ratio(row.3);
            assert!((rung.fer(at, 12_000.0) - 0.01).abs() < 1e-9);
            let half = 1.0 - libm::sqrt(0.99);
            assert!((rung.fer(at, 6_000.0) - half).abs() < 1e-9);
            assert!(rung.fer(2.0 * at, 12_000.0) < 1e-4);
            assert!(rung.fer(at / 2.0, 12_000.0) > 0.99);
        }
    }

    /// BPSK at rate 1/2 needs 4.6 dB for the bound alone (an independent calculation: 4.587); the
    /// threshold of 2.1 dB is 2.5 dB of soft decisions better.
    #[test]
    fn soft_decisions_gain_two_and_a_half_decibels() {
        let receivers = plain().receivers();
        for rung in [0, 2, 4] {
            let gain = 10.0 * libm::log10(receivers.rungs[rung].shift);
            assert!((gain - 2.5).abs() < 0.02, "{gain}");
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
