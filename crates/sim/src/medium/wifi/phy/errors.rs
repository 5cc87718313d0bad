//! Errors of a frame by the SINR at which its bits arrive.
//!
//! OFDM: union bound of the convolutional code under hard decisions (Pursley and Taipale, 1987; distance
//! spectra by Frenger, Orten and Ottosson, 1999), moved along the SINR so that a frame of 1500 B fails with
//! 1 % at the threshold of its rate.
//!
//! 802.11b: 22 MHz of noise, 11 Mchip/s. DBPSK at 1 Mbit/s fails by exp(-Eb/N0) / 2 (Proakis, Digital Communications,
//! 5.2), DQPSK at 2 Mbit/s by the approximation of Ferrari and Corazza (2004). CCK counts as biorthogonal signals (Proakis,
//! 5.2), 16 of them at 5.5 Mbit/s and twice 16 of half the energy at 11 Mbit/s, of which the detector gets half
//! the energy, as ns-3 has it after Fainberg (2001); their errors are bounded by the union bound, at 1 % lost frames
//! within 0.02 dB of the integral. Without shift: the thresholds follow.
//!
//! Receivers read a bit's chance from a table, 128 points to a doubling of the SINR and straight lines between
//! them: wherever one frame of 1500 B in 10,000 or more fails, the share that fails is within 1 % of itself. Where a bit
//! fails with less than 10^-15 it is right: a whole frame of 1500 B then hides less than 2 in 10^11.

use backwater_transport::units::Rate;

use crate::medium::wifi::phy::channel::{MOST, UNIT};
use crate::medium::wifi::phy::mode::Mode;
use crate::medium::wifi::phy::mode_errors;
use crate::medium::wifi::phy::standard::Standard;

/// Bits of the frame that thresholds are for.
const TEST_BITS: f64 = 12_000.0;
/// Its error rate at the threshold.
const TEST_FER: f64 = 0.01;

/// Convolutional code of a rate.
#[derive(Copy, Clone, Debug)]
pub(in crate::medium::wifi) struct Code {
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
pub(in crate::medium::wifi) const RATES: [(u64, u32, Code, f64); 8] = [
    (6, 2, HALF, 2.1),
    (9, 2, THREE_QUARTERS, 4.8),
    (12, 4, HALF, 5.1),
    (18, 4, THREE_QUARTERS, 7.8),
    (24, 16, HALF, 11.7),
    (36, 16, THREE_QUARTERS, 14.6),
    (48, 64, TWO_THIRDS, 19.4),
    (54, 64, THREE_QUARTERS, 20.7),
];

/// How bits fail.
#[derive(Copy, Clone, Debug)]
enum Law {
    /// OFDM: points of the constellation, code.
    Coded(u32, Code),
    /// 802.11b at 1 Mbit/s.
    Dbpsk,
    /// At 2 Mbit/s.
    Dqpsk,
    /// At 5.5 and 11 Mbit/s: sets of 16 codewords in a symbol.
    Cck(u32),
    /// A mode of 802.11n or later: its row in the tables of `mode_errors`.
    Mode([f64; 3]),
}

/// Rates of 802.11b, in kbit/s.
const DSSS: [(u64, Law); 4] = [
    (1000, Law::Dbpsk),
    (2000, Law::Dqpsk),
    (5500, Law::Cck(1)),
    (11_000, Law::Cck(2)),
];

/// Bandwidth of the noise of 802.11b over the rate of 1 Mbit/s, and over the rate of its CCK symbols.
const SPREADING: f64 = 22.0;
const SPREADING_OF_CCK: f64 = 16.0;

impl Law {
    /// Natural logarithm of a bit's chance to be right at this SINR.
    fn log_right(self, sinr: f64) -> f64 {
        let tail = |x: f64| libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2) / 2.0;
        match self {
            Law::Coded(points, code) => libm::log1p(-code.errors(raw(points, sinr))),
            Law::Dbpsk => libm::log1p(-libm::exp(-SPREADING * sinr) / 2.0),
            Law::Dqpsk => {
                let per_bit = SPREADING / 2.0 * sinr;
                let root = std::f64::consts::SQRT_2;
                let scale = (root + 1.0) / libm::sqrt(8.0 * std::f64::consts::PI * root * per_bit);
                let errors = scale * libm::exp(-(2.0 - root) * per_bit);
                libm::log1p(-errors.min(0.5))
            }
            Law::Cck(sets) => {
                let energy = SPREADING_OF_CCK * sinr / f64::from(sets);
                let others = 14.0 * tail(libm::sqrt(energy / 2.0));
                let errors = others + tail(libm::sqrt(energy));
                libm::log1p(-errors.min(1.0)) / 4.0
            }
            Law::Mode(row) => mode_errors::log_right(&row, sinr),
        }
    }
}

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
pub(in crate::medium::wifi) fn ratio(db: f64) -> f64 {
    libm::pow(10.0, db / 10.0)
}

/// Points of the table to a doubling of the SINR, as a power of two.
const POINTS: u32 = 7;
/// Bits of a number's mantissa that lie between two points.
const BETWEEN: u32 = f64::MANTISSA_DIGITS - 1 - POINTS;
/// A bit that fails with less is right.
const NEVER: f64 = 1e-15;
/// A frame that expects no more errors than this is calm.
pub(in crate::medium::wifi) const CALM: f64 = 1.0 / 32.0;
/// Logarithm of the least chance of a bit to be right.
const HOPELESS: f64 = -40.0;

/// A rate and its errors.
#[derive(Clone, Debug)]
pub struct Rung {
    /// Rate.
    pub rate: Rate,
    law: Law,
    /// The law is taken at so many times the SINR.
    shift: f64,
    /// Power from which the rate keeps the target.
    pub(in crate::medium::wifi) enough: u64,
    /// SINR at which 1 % of frames of 1500 B fail.
    pub(in crate::medium::wifi) threshold: f64,
    /// SINR from which no bit fails.
    pub(in crate::medium::wifi) clear: f64,
    /// The point at which the table begins.
    first: u64,
    /// Logarithm of a bit's chance to be right at the points; the last is that of `clear`.
    table: Vec<f64>,
    /// The inverse of the SINR from which a frame of 2^k bits is calm.
    calm: Vec<f64>,
}

impl Rung {
    /// The rates of a radio, slowest first. `margin` is added to their thresholds, dB; a link keeps the
    /// target if it loses no greater share of frames of 1500 B.
    pub fn all(standard: Standard, margin: f64, target: f64) -> Vec<Rung> {
        let ofdm = |row: &(u64, u32, Code, f64)| {
            let (mbits, points, code, threshold) = *row;
            let mut rung = Rung::unshifted(Rate(1_000_000 * mbits), Law::Coded(points, code));
            rung.shift = rung.sinr_for(TEST_FER) / ratio(threshold + margin);
            rung.settled(target)
        };
        let dsss = |(kbits, law): &(u64, Law)| {
            let mut rung = Rung::unshifted(Rate(1000 * kbits), *law);
            rung.shift = ratio(-margin);
            rung.settled(target)
        };
        match standard {
            Standard::Ofdm => RATES.iter().map(ofdm).collect(),
            Standard::HrDsss => DSSS.iter().map(dsss).collect(),
        }
    }

    /// The mode of a medium; none where there is no table of its errors.
    pub fn of_mode(mode: &Mode, margin: f64, target: f64) -> Option<Rung> {
        let law = Law::Mode(mode_errors::row(mode)?);
        let mut rung = Rung::unshifted(mode.rate(), law);
        rung.shift = ratio(-margin) / f64::from(mode.streams);
        Some(rung.settled(target))
    }

    fn unshifted(rate: Rate, law: Law) -> Rung {
        Rung {
            rate,
            law,
            shift: 1.0,
            enough: 0,
            threshold: 0.0,
            clear: 0.0,
            first: 0,
            table: Vec::new(),
            calm: Vec::new(),
        }
    }

    /// The values that follow from the law and its shift.
    fn settled(mut self, target: f64) -> Rung {
        self.threshold = self.sinr_for(TEST_FER);
        let enough = self.sinr_for(target);
        self.enough = (enough * UNIT).clamp(1.0, MOST) as u64;
        self.tabulate(enough);
        self
    }

    /// The SINR at which a frame of 1500 B fails with this chance: by halving an interval of decibels.
    fn sinr_for(&self, wanted: f64) -> f64 {
        let (mut low, mut high) = (-40.0, 80.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if self.fer(ratio(middle), TEST_BITS) > wanted {
                low = middle;
            } else {
                high = middle;
            }
        }
        ratio(high)
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
        let calm = |k: i32| {
            let most = -CALM / libm::ldexp(1.0, k);
            let from = self.table.partition_point(|right| *right < most) as u64;
            1.0 / f64::from_bits((self.first + from) << BETWEEN)
        };
        self.calm = (0..u64::BITS as i32).map(calm).collect();
    }

    /// Noise and others up to so many times its power leave a frame of so many bits calm.
    pub(in crate::medium::wifi) fn calm(&self, bits: u64) -> f64 {
        self.calm[bits.next_power_of_two().trailing_zeros() as usize]
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
        self.law.log_right(sinr * self.shift)
    }

    /// Chance that a frame of so many bits is damaged at this SINR (a plain ratio).
    pub fn fer(&self, sinr: f64, bits: f64) -> f64 {
        -libm::expm1(bits * self.log_right_exactly(sinr))
    }
}

#[cfg(test)]
mod test_laws;
#[cfg(test)]
mod tests {
    use super::*;

    /// The threshold is where 1 % of frames of 1500 B fail; shorter ones fail less, by the power law.
    #[test]
    fn errors_by_threshold_and_length() {
        for (row, rung) in RATES.iter().zip(Rung::all(Standard::Ofdm, 0.0, 0.01)) {
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
        let rungs = Rung::all(Standard::Ofdm, 0.0, 0.01);
        for rung in [0, 2, 4] {
            let gain = 10.0 * libm::log10(rungs[rung].shift);
            assert!((gain - 2.5).abs() < 0.02, "{gain}");
        }
    }

    /// Line by line between the points of the table: a share of frames of 1500 B that is worth telling is off
    /// by less than 1 %, one that is not stays so; at the ends of the table no frame fails, or all.
    #[test]
    fn the_table_keeps_to_the_bound() {
        let both = [Standard::Ofdm, Standard::HrDsss].map(|s| Rung::all(s, 0.0, 0.01));
        for rung in both.iter().flatten() {
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

    /// Shares of frames of 1500 B that fail as ns-3 3.37 has them (`DsssErrorRateModel`, which integrates the
    /// errors of CCK numerically). The bound is above the integral, less so the rarer the errors.
    #[test]
    fn errors_of_802_11b_are_those_of_an_independent_calculation() {
        let rungs = Rung::all(Standard::HrDsss, 0.0, 0.01);
        for (rung, sinr, share, above) in [
            (0, 0.5, 0.0953531416146, 0.0),
            (0, 0.6, 0.0110421947486, 0.0),
            (0, 0.8, 0.000136313468996, 0.0),
            (1, 1.2, 0.443657612956, 0.0),
            (1, 1.5, 0.0730804391481, 0.0),
            (1, 2.0, 0.00261767174308, 0.0),
            (2, 2.5, 0.144978736902, 0.04),
            (2, 3.0, 0.0196600210214, 0.02),
            (2, 4.0, 0.00032222371728, 0.005),
            (3, 4.0, 0.708745794236, 0.04),
            (3, 5.0, 0.144978736902, 0.04),
        ] {
            // A power of 12,000 of a number near 1 is known to 10^-11.
            let more = rungs[rung].fer(sinr, 12_000.0) - share;
            assert!(
                (-1e-11..1e-11 + above * share).contains(&more),
                "{rung} at {sinr}: {more}"
            );
        }
        // A decibel of margin is a decibel.
        let worse = Rung::all(Standard::HrDsss, 1.0, 0.01);
        for (plain, worse) in rungs.iter().zip(worse) {
            let moved = 10.0 * libm::log10(worse.threshold / plain.threshold);
            assert!((moved - 1.0).abs() < 1e-9, "{moved}");
        }
    }
}
