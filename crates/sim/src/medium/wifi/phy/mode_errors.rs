//! Errors of the modes of 802.11n to 802.11ax by the SINR.
//!
//! The share of MPDUs of 1458 B that fail, from link simulations without fading (MATLAB WLAN toolbox, as ns-3's default tables have
//! them), at the SINR where 50, 10 and 1 % do; the logarithm of the share is linear in decibels between and beyond. An MPDU of another
//! length fails as its bits do, each alone.
//!
//! A mode of n streams needs 10 log10(n) dB more: a rule, not a channel of several antennas. The noise is that of the whole width.
//! The tables end at MCS 9 (BCC) and 11 (LDPC).

use super::mode::{Coding, Mode};

/// Bits of the MPDUs of the tables.
const BITS: f64 = 8.0 * 1458.0;
/// Shares that fail, to which the columns belong.
const SHARES: [f64; 3] = [0.5, 0.1, 0.01];

/// dB at which these shares fail, by MCS.
const BCC: [[f64; 3]; 10] = [
    [0.24, 0.86, 1.53],
    [3.24, 3.89, 4.54],
    [5.73, 6.37, 7.06],
    [8.89, 9.63, 10.45],
    [12.01, 12.72, 13.53],
    [16.18, 17.02, 17.96],
    [17.52, 18.31, 19.22],
    [18.75, 19.58, 20.50],
    [22.73, 23.65, 24.70],
    [24.21, 25.10, 26.10],
];
const LDPC: [[f64; 3]; 12] = [
    [-0.96, -0.67, -0.34],
    [2.05, 2.34, 2.67],
    [4.54, 4.81, 5.09],
    [7.54, 7.87, 8.24],
    [10.58, 10.89, 11.19],
    [14.77, 15.08, 15.44],
    [16.12, 16.46, 16.82],
    [17.62, 17.99, 18.38],
    [21.28, 21.64, 22.03],
    [23.07, 23.47, 23.88],
    [26.36, 26.78, 27.23],
    [28.41, 28.86, 29.30],
];

/// The row of a mode; none where there is no table.
pub(in crate::medium::wifi) fn row(mode: &Mode) -> Option<[f64; 3]> {
    let mcs = usize::from(mode.mcs);
    match mode.coding {
        Coding::Bcc => BCC.get(mcs).copied(),
        Coding::Ldpc => LDPC.get(mcs).copied(),
    }
}

/// Natural logarithm of a bit's chance to be right at a SINR (a plain ratio) for one stream.
pub(super) fn log_right(row: &[f64; 3], sinr: f64) -> f64 {
    let db = 10.0 * libm::log10(sinr);
    let from = usize::from(db > row[1]);
    let (low, high) = (libm::log(SHARES[from]), libm::log(SHARES[from + 1]));
    let slope = (high - low) / (row[from + 1] - row[from]);
    let share = libm::exp((low + slope * (db - row[from])).min(0.0));
    libm::log1p(-share) / BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At the points of the tables these shares of MPDUs fail, half as long ones by the power law, and no share grows with the SINR.
    #[test]
    fn shares_at_the_points_of_the_tables() {
        for row in BCC.iter().chain(&LDPC) {
            for (db, share) in row.iter().zip(SHARES) {
                let right = log_right(row, libm::pow(10.0, db / 10.0));
                let failed = -libm::expm1(BITS * right);
                assert!((failed - share).abs() < 1e-9, "{db}: {failed}");
                let half = -libm::expm1(BITS / 2.0 * right);
                assert!((half - (1.0 - libm::sqrt(1.0 - share))).abs() < 1e-9);
            }
            let mut last = f64::NEG_INFINITY;
            for step in 0..400 {
                let right = log_right(
                    row,
                    libm::pow(10.0, (row[0] - 2.0 + f64::from(step) / 50.0) / 10.0),
                );
                assert!(right >= last);
                last = right;
            }
        }
    }
}
