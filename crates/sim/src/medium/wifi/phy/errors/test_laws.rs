//! The laws of errors against textbooks, and what receivers read from their tables.

use super::*;

/// The tail of the normal distribution.
fn q(x: f64) -> f64 {
    libm::erfc(x / libm::sqrt(2.0)) / 2.0
}

/// Bit errors of a Gray-coded constellation, nearest neighbours alone (Proakis, Digital Communications, 4.3).
fn uncoded(points: u32, snr: f64) -> f64 {
    let m = f64::from(points);
    match points {
        2 => q(libm::sqrt(2.0 * snr)),
        4 => q(libm::sqrt(snr)),
        _ => {
            4.0 / libm::log2(m) * (1.0 - 1.0 / libm::sqrt(m)) * q(libm::sqrt(3.0 * snr / (m - 1.0)))
        }
    }
}

/// Distances and bit errors of the codes of 802.11 (Frenger, Orten and Ottosson 1999), by the bits into the encoder.
fn spectrum(inputs: u32) -> Vec<(i32, f64)> {
    let (first, step, weights): (i32, usize, &[f64]) = match inputs {
        1 => (
            10,
            2,
            &[
                36.0,
                211.0,
                1404.0,
                11633.0,
                77433.0,
                502690.0,
                3322763.0,
                21292910.0,
                134365911.0,
            ],
        ),
        2 => (
            6,
            1,
            &[
                3.0, 70.0, 285.0, 1276.0, 6160.0, 27128.0, 117019.0, 498860.0, 2103891.0, 8784123.0,
            ],
        ),
        _ => (
            5,
            1,
            &[
                42.0,
                201.0,
                1492.0,
                10469.0,
                62935.0,
                379644.0,
                2253373.0,
                13073811.0,
                75152755.0,
                428005675.0,
            ],
        ),
    };
    let distances = (first..).step_by(step);
    distances.zip(weights.iter().copied()).collect()
}

/// A bit fails with 1 / (2 k) of the sum of c_d (4 p (1 - p))^(d / 2): the bound of Pursley and Taipale (1987), by rate in Mbit/s.
#[test]
fn coded_bits_fail_by_the_union_bound() {
    let of = [
        (6, 2, 1),
        (9, 2, 3),
        (12, 4, 1),
        (18, 4, 3),
        (24, 16, 1),
        (36, 16, 3),
        (48, 64, 2),
        (54, 64, 3),
    ];
    let rungs = Rung::all(Standard::Ofdm, 0.0, 0.01);
    assert_eq!(rungs.len(), 8);
    for (rung, (mbits, points, inputs)) in rungs.iter().zip(of) {
        assert_eq!(rung.rate, Rate(1_000_000 * mbits));
        for db in 0..30 {
            let snr = libm::pow(10.0, f64::from(db) / 10.0);
            let p = uncoded(points, snr);
            let sum: f64 = spectrum(inputs)
                .iter()
                .map(|(d, weight)| weight * libm::pow(4.0 * p * (1.0 - p), f64::from(*d) / 2.0))
                .sum();
            let expected = (sum / (2.0 * f64::from(inputs))).min(1.0);
            let found = -libm::expm1(rung.law.log_right(snr));
            let off = (found - expected).abs();
            assert!(
                off <= 1e-9 * expected + 1e-300,
                "{mbits} {db}: {found} {expected}"
            );
        }
    }
}

/// Without any signal a bit of DQPSK is right by half, and each of the four bits of a CCK symbol fails where the bound of the
/// symbol says that it does.
#[test]
fn hopeless_bits_fail() {
    let half = Law::Dqpsk.log_right(1e-6);
    assert!((half - libm::log(0.5)).abs() < 1e-12, "{half}");
    assert_eq!(Law::Cck(1).log_right(1e-6), f64::NEG_INFINITY);
    assert!((Law::Dbpsk.log_right(0.0) - libm::log(0.5)).abs() < 1e-12);
    for rung in Rung::all(Standard::Ofdm, 0.0, 0.01) {
        assert_eq!(rung.fer(1e-6, 100.0), 1.0);
        assert_eq!(rung.log_right(0.0), HOPELESS);
    }
}

/// A link is strong enough from the SINR on at which the share of frames of 1500 B fails that was asked for. Power counts in
/// units of 2^-20 of the noise.
#[test]
fn a_link_is_strong_enough_where_it_keeps_the_target() {
    for standard in Standard::ALL {
        for (target, margin) in [(0.01, 0.0), (0.1, 3.0), (0.5, -2.0)] {
            for rung in Rung::all(standard, margin, target) {
                let share = rung.fer(rung.enough as f64 / 1_048_576.0, 12_000.0);
                assert!(
                    (share - target).abs() < 1e-3 * target,
                    "{:?}: {share}",
                    rung.rate
                );
                let share = rung.fer(rung.threshold, 12_000.0);
                assert!((share - 0.01).abs() < 1e-9, "{:?}: {share}", rung.rate);
            }
        }
    }
}

/// A frame of n bits, n rounded up to a power of two, expects no more than 1/32 errors from where it is calm on, and more 1 %
/// below, which is more than a point of the table.
#[test]
fn a_calm_frame_expects_few_errors() {
    for rung in Standard::ALL.iter().flat_map(|s| Rung::all(*s, 0.0, 0.01)) {
        for (bits, rounded) in [(64u64, 64.0), (65, 128.0), (112, 128.0), (12_000, 16_384.0)] {
            let from = 1.0 / rung.calm(bits);
            let expects = |snr: f64| -rounded * rung.log_right(snr);
            let (at, below) = (expects(from * (1.0 + 1e-9)), expects(from * 0.99));
            assert!(
                at <= 1.0 / 32.0 && below > 1.0 / 32.0,
                "{:?} {bits}: {at} {below}",
                rung.rate
            );
        }
    }
}

/// Between two points the table is straight, at a point it is the law; behind its end no bit fails, and there less than one in
/// 10^15 would.
#[test]
fn the_table_is_straight_between_points() {
    for rung in Standard::ALL.iter().flat_map(|s| Rung::all(*s, 0.0, 0.01)) {
        let next = |snr: f64| f64::from_bits(((snr.to_bits() >> 45) + 1) << 45);
        let mut at = f64::from_bits(rung.threshold.to_bits() >> 45 << 45);
        let first = rung.threshold / 20.0;
        while at > first {
            at = f64::from_bits(((at.to_bits() >> 45) - 1) << 45);
        }
        while next(at) < rung.clear {
            let (low, high) = (rung.log_right(at), rung.log_right(next(at)));
            let exact = rung.log_right_exactly(at).max(-40.0);
            assert_eq!(low, exact, "{:?} at {at}", rung.rate);
            let middle = rung.log_right((at + next(at)) / 2.0);
            assert!(
                (middle - (low + high) / 2.0).abs() <= 1e-12 * low.abs(),
                "{at}"
            );
            at = next(at);
        }
        assert_eq!(next(at), rung.clear);
        let last = -rung.log_right_exactly(rung.clear);
        assert!(last <= 1e-15, "{last}");
        assert!(-rung.log_right_exactly(at) > 1e-15);
        assert_eq!(rung.log_right(rung.clear), 0.0);
    }
}
