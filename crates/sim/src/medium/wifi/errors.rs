//! Errors of a frame by the SINR at which its bits arrive.
//!
//! OFDM: union bound of the convolutional code under hard decisions (Pursley and Taipale, 1987; distance
//! spectra by Frenger, Orten and Ottosson, 1999), moved along the SINR so that a frame of 1500 B fails with
//! 1 % at the threshold of its rate.
//!
//! Receivers read a bit's chance from a table, 128 points to a doubling of the SINR and straight lines between
//! them: wherever one frame of 1500 B in 10,000 or more fails, the share that fails is within 1 % of itself. Where a bit
//! fails with less than 10^-15 it is right: a whole frame of 1500 B then hides less than 2 in 10^11.

use backwater_transport::units::Rate;

use super::channel::{MOST, UNIT};

/// Bits of the frame that thresholds are for.
const TEST_BITS: f64 = 12_000.0;
/// Its error rate at the threshold.
const TEST_FER: f64 = 0.01;

/// Convolutional code of a rate.
#[derive(Copy, Clone, Debug)]
pub(super) struct Code {
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
pub(super) const RATES: [(u64, u32, Code, f64); 8] = [
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
pub(super) fn ratio(db: f64) -> f64 {
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

/// Points of the table to a doubling of the SINR, as a power of two.
const POINTS: u32 = 7;
/// Bits of a number's mantissa that lie between two points.
const BETWEEN: u32 = f64::MANTISSA_DIGITS - 1 - POINTS;
/// A bit that fails with less is right.
const NEVER: f64 = 1e-15;
/// Logarithm of the least chance of a bit to be right.
const HOPELESS: f64 = -40.0;

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
    pub(super) enough: u64,
    /// SINR at which 1 % of frames of 1500 B fail.
    pub(super) threshold: f64,
    /// SINR from which no bit fails.
    pub(super) clear: f64,
    /// The point at which the table begins.
    first: u64,
    /// Logarithm of a bit's chance to be right at the points; the last is that of `clear`.
    table: Vec<f64>,
}

impl Rung {
    /// The rates of OFDM, slowest first. `margin` is added to their thresholds, dB; a link keeps the target
    /// if it loses no greater share of frames of 1500 B.
    pub fn all(margin: f64, target: f64) -> Vec<Rung> {
        let new = |row| Rung::new(row, margin, target);
        RATES.iter().map(new).collect()
    }

    fn new(row: &(u64, u32, Code, f64), margin: f64, target: f64) -> Rung {
        let (mbits, points, code, threshold) = *row;
        let mut rung = Rung {
            rate: Rate(mbits * 1_000_000),
            points,
            code,
            shift: 1.0,
            enough: 0,
            threshold: ratio(threshold + margin),
            clear: 0.0,
            first: 0,
            table: Vec::new(),
        };
        let bound = sinr_for(TEST_FER, |s| rung.fer(s, TEST_BITS));
        rung.shift = bound / rung.threshold;
        let enough = sinr_for(target, |s| rung.fer(s, TEST_BITS));
        rung.enough = (enough * UNIT).clamp(1.0, MOST) as u64;
        rung.tabulate(enough);
        rung
    }

    /// Fills the table, from a SINR between its ends.
    fn tabulate(&mut self, inside: f64) {
        let exact = |at: u64| self.log_right_exactly(f64::from_bits(at << BETWEEN));
        let inside = inside.to_bits() >> BETWEEN;
        let mut first = inside;
        while exact(first) > HOPELESS && inside - first < 16 << POINTS {
            first -= 1;
        }
        let mut table: Vec<f64> = (first..inside).map(|at| exact(at).max(HOPELESS)).collect();
        let mut last = inside;
        while exact(last) < -NEVER {
            table.push(exact(last));
            last += 1;
        }
        table.push(0.0);
        (self.first, self.table) = (first, table);
        self.clear = f64::from_bits(last << BETWEEN);
    }

    /// Natural logarithm of a bit's chance to be right at this SINR (a plain ratio), from the table.
    pub fn log_right(&self, sinr: f64) -> f64 {
        let bits = sinr.to_bits();
        let Some(at) = (bits >> BETWEEN).checked_sub(self.first) else {
            return HOPELESS;
        };
        let Some([low, high]) = self.table.get(at as usize..at as usize + 2) else {
            return 0.0;
        };
        let between = (bits & ((1 << BETWEEN) - 1)) as f64 / (1u64 << BETWEEN) as f64;
        low + (high - low) * between
    }

    fn log_right_exactly(&self, sinr: f64) -> f64 {
        libm::log1p(-self.code.errors(raw(self.points, sinr * self.shift)))
    }

    /// Chance that a frame of so many bits is damaged at this SINR (a plain ratio).
    pub fn fer(&self, sinr: f64, bits: f64) -> f64 {
        -libm::expm1(bits * self.log_right_exactly(sinr))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The threshold is where 1 % of frames of 1500 B fail; shorter ones fail less, by the power law.
    #[test]
    fn errors_by_threshold_and_length() {
        for (row, rung) in RATES.iter().zip(Rung::all(0.0, 0.01)) {
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
        let rungs = Rung::all(0.0, 0.01);
        for rung in [0, 2, 4] {
            let gain = 10.0 * libm::log10(rungs[rung].shift);
            assert!((gain - 2.5).abs() < 0.02, "{gain}");
        }
    }

    /// Line by line between the points of the table: a share of frames of 1500 B that is worth telling is off
    /// by less than 1 %, one that is not stays so; at the ends of the table no frame fails, or all.
    #[test]
    fn the_table_keeps_to_the_bound() {
        for rung in Rung::all(0.0, 0.01) {
            let mut sinr = rung.clear;
            while sinr > rung.clear / 256.0 {
                let exact = rung.fer(sinr, TEST_BITS);
                let read = -libm::expm1(TEST_BITS * rung.log_right(sinr));
                let close = (read - exact).abs() < if exact > 1e-4 { 0.01 * exact } else { 1e-6 };
                assert!(close, "{:?} at {sinr}: {read}, not {exact}", rung.rate);
                sinr *= 0.9987;
            }
            assert_eq!(rung.log_right(rung.clear), 0.0);
            assert_eq!(rung.log_right(1e9), 0.0);
            assert_eq!(rung.log_right(1e-9), HOPELESS);
            assert!(rung.fer(rung.clear, TEST_BITS) < 2e-11);
        }
    }
}
