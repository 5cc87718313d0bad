//! Bytes of aggregates and of their answers, and how many frames a PPDU may carry.
//!
//! Reference: IEEE 802.11-2020 9.7 (A-MPDU), 9.3.2.2 (A-MSDU), 9.3.1.7 and 9.3.1.8 (block acknowledgements and BARs), 10.12.2 (least distance of MPDUs).

use backwater_transport::units::{Rate, Span};

use super::mode::{Format, LONGEST, Mode};

/// Delimiter in front of each MPDU of an A-MPDU.
pub const DELIMITER: u64 = 4;
/// Header of a packet in an A-MSDU: addresses and length (14), LLC and SNAP (8).
pub const SUBFRAME: u64 = 22;
/// Length of a BAR, which asks for a block acknowledgement.
pub const BAR: u64 = 24;

/// Length of a block acknowledgement for a window of so many frames: header, control, start and FCS, and a bit each.
pub fn block_ack(window: u16) -> u64 {
    let bits = match window {
        0..=64 => 64,
        65..=256 => 256,
        257..=512 => 512,
        _ => 1024,
    };
    24 + bits / 8
}

/// Least bytes of an A-MPDU's part that another follows, where the beginnings of two MPDUs are at least `apart`. Empty
/// delimiters fill what an MPDU does not.
pub fn least_part(apart: Span, rate: Rate) -> u64 {
    let bits = u128::from(apart.0) * u128::from(rate.0);
    let least = bits.div_ceil(8 * 1_000_000_000_000) as u64;
    least.next_multiple_of(4)
}

/// Bytes of an A-MPDU's part that another follows: delimiter and MPDU, filled up.
#[inline]
pub fn padded(mpdu: u64, least: u64) -> u64 {
    (DELIMITER + mpdu).next_multiple_of(4).max(least)
}

/// An A-MPDU as it grows: bytes of all parts that another follows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Growing {
    /// Bytes of all parts but the last, padding included.
    before: u64,
    /// Bytes of the last part, without padding.
    last: u64,
    /// Bytes of the last part where another follows.
    padded: u64,
    /// MPDUs.
    pub count: u16,
}

impl Growing {
    /// The same with one more MPDU, whose part takes at least so many bytes where another follows.
    #[must_use]
    #[inline]
    pub fn with(self, mpdu: u64, least: u64) -> Growing {
        Growing {
            before: self.before + self.padded,
            last: DELIMITER + mpdu,
            padded: padded(mpdu, least),
            count: self.count + 1,
        }
    }

    /// Bytes of the PPDU.
    pub fn bytes(&self) -> u64 {
        self.before + self.last
    }
}

/// The bounds of an A-MPDU.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Most bytes.
    pub bytes: u64,
    /// Longest PPDU.
    pub time: Span,
    /// Most MPDUs.
    pub frames: u16,
    /// Least distance of the beginnings of two MPDUs.
    pub apart: Span,
}

impl Bounds {
    /// Those of a standard, with a window of so many frames.
    pub fn of(format: Format, frames: u16) -> Bounds {
        Bounds {
            bytes: format.longest_aggregate(),
            time: LONGEST,
            frames,
            apart: Span::ZERO,
        }
    }

    /// The same as bytes and MPDUs alone, for PPDUs of a mode that last no longer than `room` either.
    pub fn most(&self, mode: &Mode, room: Span) -> Most {
        Most {
            bytes: self.bytes.min(mode.most_bytes(self.time.min(room))),
            frames: self.frames,
        }
    }
}

/// The largest A-MPDU of a mode. It is found once for a PPDU, and then asked for each MPDU.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Most {
    bytes: u64,
    frames: u16,
}

impl Most {
    /// Whether an A-MPDU is no larger.
    #[inline]
    pub fn holds(&self, aggregate: &Growing) -> bool {
        aggregate.count <= self.frames && aggregate.bytes() <= self.bytes
    }
}

/// Bytes of the body of an A-MSDU of packets of these IP lengths: all but the last padded to four.
pub fn a_msdu(packets: impl IntoIterator<Item = u64>) -> u64 {
    let add = |body: u64, packet: u64| body.next_multiple_of(4) + SUBFRAME + packet;
    packets.into_iter().fold(0, add)
}

#[cfg(test)]
mod tests {
    use super::super::mode::{Coding, Guard};
    use super::*;
    use crate::medium::wifi::phy::standard::{ACK, OVERHEAD, QOS};

    fn mode(format: Format, width: u16, mcs: u8, streams: u8) -> Mode {
        let coding = format.codings()[0];
        let mode = Mode {
            format,
            width,
            mcs,
            streams,
            guard: Guard::Long,
            coding,
        };
        mode.checked().expect("a mode of the standard")
    }

    fn of_equal(count: u16, mpdu: u64) -> Growing {
        (0..count).fold(Growing::default(), |all, _| all.with(mpdu, 0))
    }

    /// A packet of 1500 B makes an MPDU of 1538 B; n of them an A-MPDU of 1544 (n − 1) + 1542 B.
    #[test]
    fn an_a_mpdu_pads_all_but_its_last_part() {
        assert_eq!(1500 + OVERHEAD + QOS, 1538);
        for (count, bytes) in [
            (1, 1542),
            (2, 3086),
            (16, 24_702),
            (28, 43_230),
            (32, 49_406),
            (64, 98_814),
            (256, 395_262),
            (1024, 1_581_054),
        ] {
            assert_eq!(of_equal(count, 1538).bytes(), bytes);
        }
    }

    /// Block acknowledgements and other answers at 6, 12 and 24 Mbit/s, in µs.
    #[test]
    fn answers_of_all_lengths() {
        let lengths = [64, 256, 512, 1024].map(block_ack);
        assert_eq!(lengths, [32, 56, 88, 152]);
        let phy = crate::medium::wifi::test_line::PHY;
        for (bytes, spans) in [
            (ACK, [44, 32, 28]),
            (BAR, [56, 40, 32]),
            (32, [68, 44, 32]),
            (56, [100, 60, 40]),
            (88, [144, 84, 52]),
            (152, [228, 124, 72]),
        ] {
            let of = |mbits: u64| phy.airtime(bytes, Rate(mbits * 1_000_000));
            assert_eq!([6, 12, 24].map(of), spans.map(Span::micros), "{bytes} B");
        }
    }

    /// The A-MPDUs of packets of 1500 B that fit: by time at 20 MHz (28, 34 and 37), by window where a symbol carries much.
    #[test]
    fn the_least_bound_decides() {
        for (mode, window, most) in [
            (mode(Format::Ht, 20, 7, 1), 64, 28),
            (mode(Format::Ht, 20, 0, 1), 64, 2),
            (mode(Format::Vht, 20, 8, 1), 64, 34),
            (mode(Format::He, 20, 7, 1), 256, 37),
            (mode(Format::Vht, 80, 9, 2), 64, 64),
            (mode(Format::Eht, 320, 13, 2), 1024, 1024),
        ] {
            let most_of = Bounds::of(mode.format, window).most(&mode, LONGEST);
            let fits = |n: &u16| most_of.holds(&of_equal(*n, 1538));
            let found = (1..=1100).take_while(fits).last();
            assert_eq!(found, Some(most), "{mode:?}");
        }
        // 65,535 B end an A-MPDU of HT at 42 MPDUs, where time does not.
        let wide = mode(Format::Ht, 40, 7, 4);
        let most = Bounds::of(Format::Ht, 64).most(&wide, LONGEST);
        assert!(most.holds(&of_equal(42, 1538)));
        assert!(!most.holds(&of_equal(43, 1538)));
    }

    /// 64 acknowledgements of TCP (40 B of IP) at 780 Mbit/s, their MPDUs 8 µs apart: 780 B each.
    #[test]
    fn small_frames_are_kept_apart() {
        let mpdu = 40 + OVERHEAD + QOS;
        assert_eq!(mpdu, 78);
        let of = |apart| {
            let least = least_part(apart, Rate(780_000_000));
            (0..64).fold(Growing::default(), |all, _| all.with(mpdu, least))
        };
        assert_eq!(of(Span::ZERO).bytes(), 5374);
        assert_eq!(of(Span::micros(8)).bytes(), 49_222);
    }

    /// k packets of 1500 B take 1524 (k − 1) + 1522 B of an A-MSDU: two fit 3839 B, five 7935 B.
    #[test]
    fn an_a_msdu_pads_all_but_its_last_packet() {
        let of = |k| a_msdu(std::iter::repeat_n(1500, k));
        for k in 1..=7u64 {
            assert_eq!(of(k as usize), 1524 * (k - 1) + 1522);
        }
        let most = |limit| (1..).take_while(|k| of(*k) <= limit).last();
        assert_eq!((most(3839), most(7935)), (Some(2), Some(5)));
    }

    /// IP throughput in Mbit/s of one saturated sender of packets of 1500 B without errors: AIFS 43 µs, 7.5 slots of 9 µs on
    /// average, PPDU, SIFS 16 µs, answer at 24 Mbit/s (HT MCS 0: 6 Mbit/s).
    #[test]
    fn throughput_of_one_sender_in_closed_form() {
        let rows: [(Mode, u16, u64, f64); 17] = [
            (mode(Format::Ht, 20, 7, 1), 1, 28, 31.37),
            (mode(Format::Ht, 20, 7, 1), 16, 32, 59.29),
            (mode(Format::Ht, 20, 7, 1), 28, 32, 60.89),
            (mode(Format::Ht, 20, 0, 1), 1, 44, 5.70),
            (mode(Format::Ht, 20, 0, 1), 2, 68, 5.95),
            (mode(Format::Vht, 20, 8, 1), 16, 32, 70.21),
            (mode(Format::Vht, 80, 9, 2), 16, 32, 418.8),
            (mode(Format::Vht, 80, 9, 2), 32, 32, 540.5),
            (mode(Format::Vht, 80, 9, 2), 64, 32, 630.3),
            (mode(Format::He, 20, 7, 1), 16, 40, 76.55),
            (mode(Format::He, 20, 7, 1), 32, 40, 79.89),
            (mode(Format::He, 20, 7, 1), 37, 40, 80.33),
            (mode(Format::He, 80, 11, 1), 16, 40, 349.3),
            (mode(Format::He, 80, 11, 1), 32, 40, 438.3),
            (mode(Format::He, 80, 11, 1), 64, 40, 502.3),
            (mode(Format::He, 80, 11, 1), 256, 40, 559.9),
            (mode(Format::Eht, 320, 13, 2), 1024, 72, 4995.0),
        ];
        for (mode, count, answer, expected) in rows {
            let bytes = match (count, mode.format.delimits_all()) {
                (1, false) => 1538,
                _ => of_equal(count, 1538).bytes(),
            };
            let micros = mode.airtime(bytes).0 as f64 / 1e6;
            let cycle = 43.0 + 67.5 + micros + 16.0 + answer as f64;
            let found = 12_000.0 * f64::from(count) / cycle;
            // The table is rounded to four figures.
            assert!(
                (found / expected - 1.0).abs() < 6e-4,
                "{mode:?} {count}: {found}"
            );
        }
        assert_eq!(mode(Format::Ht, 20, 7, 1).coding, Coding::Bcc);
    }
}
