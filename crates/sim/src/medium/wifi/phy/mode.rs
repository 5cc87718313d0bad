//! Modes of 802.11n to 802.11be: what a symbol carries, how long a PPDU lasts, how its answers are sent.
//!
//! A mode is a format, a width, an MCS, spatial streams, a guard interval and a code. One user, equal modulation on all streams.
//!
//! Reference: IEEE 802.11-2020 19.3 and 19.5 (HT), 21.3 and 21.5 (VHT), IEEE 802.11ax-2021 27.3 and 27.5 (HE),
//! IEEE 802.11be 36.3 and 36.5 (EHT), 10.6 (rates of answers).
//! Left out: the extra symbol of LDPC, packet extension, space-time block codes, dual carrier modulation, extended range.

use backwater_transport::units::{Rate, Span};

/// The format of a PPDU.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// 802.11n, mixed with a preamble for older stations.
    Ht,
    /// 802.11ac.
    Vht,
    /// 802.11ax.
    He,
    /// 802.11be.
    Eht,
}

/// Guard interval of a symbol.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// 0.4 µs.
    Short,
    /// 0.8 µs.
    Long,
    /// 1.6 µs.
    Double,
    /// 3.2 µs.
    Quadruple,
}

/// Code that corrects errors.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Coding {
    /// Binary convolutional code.
    Bcc,
    /// Low-density parity check.
    Ldpc,
}

/// How the frames of a station are modulated and coded. One that `checked` gave is legal.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Format.
    pub format: Format,
    /// Width of the channel, MHz.
    pub width: u16,
    /// Modulation and code rate, the same numbers in all formats. The index of HT is 8 × (streams − 1) more.
    pub mcs: u8,
    /// Spatial streams.
    pub streams: u8,
    /// Guard interval.
    pub guard: Guard,
    /// Code.
    pub coding: Coding,
}

/// Longest PPDU: aPPDUMaxTime.
pub const LONGEST: Span = Span(5_484_000_000);
/// With the short guard interval the data of a PPDU end on a multiple of this. (19-90), (21-109).
const BOUNDARY: Span = Span::micros(4);
/// Bits before the first bit of the frame.
const SERVICE: u64 = 16;
/// Tail bits of an encoder.
const TAIL: u64 = 6;
/// Bits of a constellation's point, and the rate of the code as a fraction, by MCS.
const POINTS: [(u64, u64, u64); 14] = [
    (1, 1, 2),
    (2, 1, 2),
    (2, 3, 4),
    (4, 1, 2),
    (4, 3, 4),
    (6, 2, 3),
    (6, 3, 4),
    (6, 5, 6),
    (8, 3, 4),
    (8, 5, 6),
    (10, 3, 4),
    (10, 5, 6),
    (12, 3, 4),
    (12, 5, 6),
];
/// The non-HT rate of an MCS in Mbit/s, by which its answers go; those from 6 on have the last. 10.6.5, Table 10-10.
const REFERENCE: [u64; 7] = [6, 12, 18, 24, 36, 48, 54];
/// Encoders of VHT where they are not one for each 2160 bits of a symbol: width, streams, MCS, encoders. 21.5.
const ENCODERS: [(u16, u8, u8, u64); 15] = [
    (80, 7, 2, 3),
    (80, 7, 7, 6),
    (80, 7, 8, 6),
    (80, 8, 7, 6),
    (160, 4, 7, 6),
    (160, 5, 8, 8),
    (160, 6, 7, 8),
    (160, 7, 3, 4),
    (160, 7, 4, 6),
    (160, 7, 5, 7),
    (160, 7, 7, 9),
    (160, 7, 8, 12),
    (160, 7, 9, 12),
    (160, 8, 5, 8),
    (160, 8, 8, 12),
];

impl Format {
    /// All, the oldest first.
    pub const ALL: [Format; 4] = [Format::Ht, Format::Vht, Format::He, Format::Eht];

    /// Name in scenarios and tables.
    pub fn name(self) -> &'static str {
        match self {
            Format::Ht => "802.11n",
            Format::Vht => "802.11ac",
            Format::He => "802.11ax",
            Format::Eht => "802.11be",
        }
    }

    /// Channels in MHz, each with its data subcarriers.
    pub fn widths(self) -> &'static [(u16, u64)] {
        match self {
            Format::Ht => &[(20, 52), (40, 108)],
            Format::Vht => &[(20, 52), (40, 108), (80, 234), (160, 468)],
            Format::He => &[(20, 234), (40, 468), (80, 980), (160, 1960)],
            Format::Eht => &[(20, 234), (40, 468), (80, 980), (160, 1960), (320, 3920)],
        }
    }

    /// The highest MCS.
    pub fn highest(self) -> u8 {
        match self {
            Format::Ht => 7,
            Format::Vht => 9,
            Format::He => 11,
            Format::Eht => 13,
        }
    }

    /// Most spatial streams.
    pub fn streams(self) -> u8 {
        match self {
            Format::Ht => 4,
            Format::Vht | Format::He | Format::Eht => 8,
        }
    }

    /// Guard intervals, the shortest first.
    pub fn guards(self) -> &'static [Guard] {
        match self {
            Format::Ht | Format::Vht => &[Guard::Short, Guard::Long],
            Format::He | Format::Eht => &[Guard::Long, Guard::Double, Guard::Quadruple],
        }
    }

    /// Codes that the engine has for it. HE and EHT demand LDPC of whatever is wide or fast, and have it everywhere here.
    pub fn codings(self) -> &'static [Coding] {
        match self {
            Format::Ht | Format::Vht => &[Coding::Bcc, Coding::Ldpc],
            Format::He | Format::Eht => &[Coding::Ldpc],
        }
    }

    /// Most bytes of an A-MPDU. 9.7.1 and the capabilities of each format.
    pub fn longest_aggregate(self) -> u64 {
        match self {
            Format::Ht => 65_535,
            Format::Vht => 1_048_575,
            Format::He => 6_500_631,
            Format::Eht => 15_523_200,
        }
    }

    /// Most frames that a block acknowledgement can cover.
    pub fn longest_window(self) -> u16 {
        match self {
            Format::Ht | Format::Vht => 64,
            Format::He => 256,
            Format::Eht => 1024,
        }
    }

    /// Most bytes of the body of an A-MSDU, `alone` or in an A-MPDU: 7935 B of an MSDU up to 802.11n, of which 4095 B fit an MPDU of an
    /// A-MPDU; 11,454 B of an MPDU later, 30 B of them header and FCS. 9.2.4.8, Table 9-34.
    pub fn longest_msdu(self, alone: bool) -> u64 {
        match (self, alone) {
            (Format::Ht, true) => 7935,
            (Format::Ht, false) => 3839,
            (Format::Vht | Format::He | Format::Eht, _) => 11_454 - 30,
        }
    }

    /// Whether an MPDU that goes alone has a delimiter, as in an A-MPDU of one.
    pub fn delimits_all(self) -> bool {
        self > Format::Ht
    }
}

impl Guard {
    /// All, the shortest first.
    pub const ALL: [Guard; 4] = [Guard::Short, Guard::Long, Guard::Double, Guard::Quadruple];

    /// Its length.
    pub fn span(self) -> Span {
        Span::nanos(match self {
            Guard::Short => 400,
            Guard::Long => 800,
            Guard::Double => 1600,
            Guard::Quadruple => 3200,
        })
    }

    /// Name in scenarios and tables.
    pub fn name(self) -> &'static str {
        match self {
            Guard::Short => "0.4 us",
            Guard::Long => "0.8 us",
            Guard::Double => "1.6 us",
            Guard::Quadruple => "3.2 us",
        }
    }
}

impl Coding {
    /// Name in scenarios and tables.
    pub fn name(self) -> &'static str {
        match self {
            Coding::Bcc => "BCC",
            Coding::Ldpc => "LDPC",
        }
    }
}

impl Mode {
    /// Modes of VHT whose bits cannot be shared out evenly. 21.5.
    pub(super) fn is_excluded(&self) -> bool {
        self.format == Format::Vht
            && match (self.width, self.mcs) {
                (20, 9) => !matches!(self.streams, 3 | 6),
                (80, 6) => matches!(self.streams, 3 | 7),
                (80, 9) => self.streams == 6,
                (160, 9) => self.streams == 3,
                _ => false,
            }
    }

    /// Every legal mode of a format, slowest MCS first, then by streams, width, guard interval and code.
    pub fn all(format: Format) -> impl Iterator<Item = Mode> {
        let of = move |mcs| {
            let rows = (1..=format.streams())
                .flat_map(move |s| format.widths().iter().map(move |w| (s, w.0)));
            let rows = rows.flat_map(move |row| format.guards().iter().map(move |g| (row, *g)));
            rows.flat_map(move |((streams, width), guard)| {
                format.codings().iter().map(move |coding| Mode {
                    format,
                    width,
                    mcs,
                    streams,
                    guard,
                    coding: *coding,
                })
            })
        };
        let all = (0..=format.highest()).flat_map(of);
        all.filter(|mode| !mode.is_excluded())
    }

    /// Data bits of a symbol: N_DBPS.
    pub fn bits(&self) -> u64 {
        let widths = self.format.widths().iter();
        let carriers = widths.filter(|(width, _)| *width == self.width);
        let carriers: u64 = carriers.map(|(_, carriers)| carriers).sum();
        let (point, over, under) = POINTS[usize::from(self.mcs)];
        carriers * u64::from(self.streams) * point * over / under
    }

    /// Duration of a symbol of data.
    pub fn symbol(&self) -> Span {
        let useful = match self.format {
            Format::Ht | Format::Vht => 3200,
            Format::He | Format::Eht => 12_800,
        };
        Span::nanos(useful) + self.guard.span()
    }

    /// Data rate, in whole bit/s.
    pub fn rate(&self) -> Rate {
        Rate((u128::from(self.bits()) * 1_000_000_000_000 / u128::from(self.symbol().0)) as u64)
    }

    /// Encoders of the data: N_ES.
    pub fn encoders(&self) -> u64 {
        if self.coding == Coding::Ldpc {
            return 1;
        }
        if self.format == Format::Ht {
            return self.bits().div_ceil(1200);
        }
        let here = |row: &&(u16, u8, u8, u64)| {
            (row.0, row.1, row.2) == (self.width, self.streams, self.mcs)
        };
        let exception = ENCODERS.iter().find(here).map(|row| row.3);
        exception.unwrap_or_else(|| self.bits().div_ceil(2160))
    }

    /// Preamble and signal fields, before the first symbol of data.
    pub fn preamble(&self) -> Span {
        let fields = u64::from(match self.streams {
            1 => 1u8,
            2 => 2,
            3 | 4 => 4,
            5 | 6 => 6,
            _ => 8,
        });
        // L-STF and L-LTF, L-SIG, fields of the format, training of the streams.
        let legacy = Span::micros(16 + 4);
        let training = match self.guard {
            Guard::Short | Guard::Long => Span::nanos(7200),
            Guard::Double => Span::nanos(8000),
            Guard::Quadruple => Span::nanos(16_000),
        };
        legacy
            + match self.format {
                Format::Ht => Span::micros(8 + 4 + 4 * fields),
                Format::Vht => Span::micros(8 + 4 + 4 * fields + 4),
                Format::He => Span::micros(4 + 8 + 4) + training.times(fields),
                Format::Eht => Span::micros(4 + 8 + 8 + 4) + training.times(fields),
            }
    }

    /// Bits of a PPDU that are none of its bytes: service and tail.
    fn frame_bits(&self) -> u64 {
        let tail = match self.coding {
            Coding::Bcc => TAIL * self.encoders(),
            Coding::Ldpc => 0,
        };
        SERVICE + tail
    }

    /// Symbols of data of a PPDU that carries so many bytes.
    pub fn symbols(&self, bytes: u64) -> u64 {
        (self.frame_bits() + 8 * bytes).div_ceil(self.bits())
    }

    /// Time on the air of a PPDU that carries so many bytes.
    pub fn airtime(&self, bytes: u64) -> Span {
        let data = self.symbol().times(self.symbols(bytes));
        self.preamble()
            + match self.guard {
                Guard::Short => BOUNDARY.times(data.0.div_ceil(BOUNDARY.0)),
                Guard::Long | Guard::Double | Guard::Quadruple => data,
            }
    }

    /// Most bytes of a PPDU that lasts no longer than `span`; zero where not one fits.
    pub fn most_bytes(&self, span: Span) -> u64 {
        let left = span.0.saturating_sub(self.preamble().0);
        let data = match self.guard {
            Guard::Short => left - left % BOUNDARY.0,
            Guard::Long | Guard::Double | Guard::Quadruple => left,
        };
        let bits = data / self.symbol().0 * self.bits();
        bits.saturating_sub(self.frame_bits()) / 8
    }

    /// The non-HT rate by which the rate of its answers is found.
    pub fn reference(&self) -> Rate {
        let last = REFERENCE.len() - 1;
        Rate(1_000_000 * REFERENCE[usize::from(self.mcs).min(last)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(format: Format, width: u16, mcs: u8, streams: u8, guard: Guard) -> Mode {
        let coding = format.codings()[0];
        let mode = Mode {
            format,
            width,
            mcs,
            streams,
            guard,
            coding,
        };
        mode.checked().expect("a mode of the standard")
    }

    fn nanos(mode: Mode, bytes: u64) -> u64 {
        assert_eq!(mode.airtime(bytes).0 % 1000, 0);
        mode.airtime(bytes).0 / 1000
    }

    /// Durations of PPDUs by the standard, in ns: HT (19.4.3), VHT (21.4.3), HE (27.4.3).
    #[test]
    fn durations_of_ppdus() {
        use Format::{Eht, He, Ht, Vht};
        use Guard::{Double, Long, Quadruple, Short};
        for (mode, bytes, expected) in [
            (mode(Ht, 20, 7, 1, Long), 1536, 228_000),
            (mode(Ht, 20, 7, 1, Long), 76, 48_000),
            (mode(Ht, 20, 7, 1, Long), 14, 40_000),
            // 474 and 53 symbols of 3.6 µs, up to 1708 and 192 µs.
            (mode(Ht, 20, 0, 1, Short), 1536, 1_744_000),
            (mode(Ht, 20, 6, 1, Short), 1536, 228_000),
            (mode(Ht, 40, 7, 1, Long), 1536, 128_000),
            (mode(Ht, 40, 7, 1, Short), 1536, 120_000),
            (mode(Vht, 20, 8, 1, Long), 1536, 200_000),
            (mode(Vht, 40, 9, 1, Long), 1536, 112_000),
            (mode(Vht, 80, 0, 1, Long), 1536, 464_000),
            (mode(Vht, 80, 9, 1, Long), 1536, 72_000),
            (mode(Vht, 160, 8, 1, Long), 1536, 60_000),
            (mode(He, 20, 0, 1, Long), 1536, 1_484_800),
            (mode(He, 20, 0, 1, Long), 76, 124_800),
            (mode(He, 20, 0, 1, Long), 14, 70_400),
            (mode(He, 40, 0, 1, Long), 1536, 764_000),
            (mode(He, 80, 0, 1, Long), 1536, 396_800),
            (mode(He, 160, 0, 1, Long), 1536, 220_000),
            (mode(He, 20, 0, 1, Double), 1536, 1_570_400),
            (mode(He, 20, 0, 1, Quadruple), 1536, 1_748_000),
            // Aggregates of packets of 1500 B.
            (mode(Ht, 20, 7, 1, Long), 24_702, 3_080_000),
            (mode(Ht, 20, 7, 1, Long), 43_230, 5_360_000),
            (mode(Ht, 20, 7, 1, Long), 49_406, 6_120_000),
            (mode(Ht, 20, 7, 1, Long), 98_814, 12_200_000),
            (mode(Ht, 20, 0, 1, Long), 1538, 1_936_000),
            (mode(Ht, 20, 0, 1, Long), 3086, 3_840_000),
            (mode(Vht, 20, 8, 1, Long), 24_702, 2_576_000),
            (mode(Vht, 80, 9, 2, Long), 24_702, 300_000),
            (mode(Vht, 80, 9, 2, Long), 49_406, 552_000),
            (mode(Vht, 80, 9, 2, Long), 98_814, 1_060_000),
            (mode(Vht, 80, 9, 2, Short), 98_814, 960_000),
            (mode(He, 20, 7, 1, Long), 24_702, 2_341_600),
            (mode(He, 20, 7, 1, Long), 49_406, 4_640_000),
            (mode(He, 80, 11, 1, Long), 24_702, 383_200),
            (mode(He, 80, 11, 1, Long), 49_406, 709_600),
            (mode(He, 80, 11, 1, Long), 98_814, 1_362_400),
            (mode(He, 80, 11, 1, Long), 395_262, 5_320_000),
            (mode(Eht, 320, 13, 2, Long), 1_581_054, 2_261_600),
            (mode(Eht, 320, 13, 2, Long), 1542, 72_000),
        ] {
            assert_eq!(nanos(mode, bytes), expected, "{mode:?}, {bytes} B");
        }
    }

    /// The most bytes that a time allows are those of which one more takes longer.
    #[test]
    fn one_byte_more_than_the_most_lasts_longer() {
        for mode in Format::ALL.into_iter().flat_map(Mode::all) {
            for micros in [0, 30, 48, 52, 53, 100, 400, 1000, 5484] {
                let span = Span::micros(micros);
                let most = mode.most_bytes(span);
                assert!(most == 0 || mode.airtime(most) <= span, "{mode:?} {micros}");
                assert!(mode.airtime(most + 1) > span, "{mode:?} {micros}");
            }
        }
    }

    /// Preambles by format, streams and guard interval, in ns.
    #[test]
    fn preambles() {
        use Format::{Eht, He, Ht, Vht};
        use Guard::{Double, Long, Quadruple};
        for (format, guard, streams, expected) in [
            (Ht, Long, 1, 36_000),
            (Ht, Long, 2, 40_000),
            (Ht, Long, 3, 48_000),
            (Ht, Long, 4, 48_000),
            (Vht, Long, 1, 40_000),
            (Vht, Long, 2, 44_000),
            (Vht, Long, 5, 60_000),
            (Vht, Long, 8, 68_000),
            (He, Long, 1, 43_200),
            (He, Double, 1, 44_000),
            (He, Quadruple, 1, 52_000),
            (Eht, Long, 1, 51_200),
            (Eht, Double, 1, 52_000),
            (Eht, Quadruple, 1, 60_000),
            (Eht, Long, 2, 58_400),
            (Eht, Double, 2, 60_000),
            (Eht, Quadruple, 2, 76_000),
        ] {
            let mode = mode(format, 20, 0, streams, guard);
            assert_eq!(mode.preamble(), Span::nanos(expected), "{mode:?}");
        }
    }

    /// Bits of a symbol and rates of Tables 19-27 to 19-38, 21-29 to 21-60, 27-55 to 27-114.
    #[test]
    fn bits_and_rates() {
        use Format::{Eht, He, Ht, Vht};
        use Guard::{Long, Short};
        for (mode, bits, kbits) in [
            (mode(Ht, 20, 0, 1, Long), 26, 6500),
            (mode(Ht, 20, 7, 1, Long), 260, 65_000),
            (mode(Ht, 20, 7, 1, Short), 260, 72_222),
            (mode(Ht, 20, 7, 2, Short), 520, 144_444),
            (mode(Ht, 40, 7, 4, Short), 2160, 600_000),
            (mode(Vht, 20, 8, 1, Long), 312, 78_000),
            (mode(Vht, 80, 0, 1, Long), 117, 29_250),
            (mode(Vht, 80, 9, 2, Long), 3120, 780_000),
            (mode(Vht, 160, 9, 8, Short), 24_960, 6_933_333),
            (mode(He, 20, 7, 1, Long), 1170, 86_029),
            (mode(He, 80, 11, 1, Long), 8166, 600_441),
            (mode(Eht, 320, 13, 2, Long), 78_400, 5_764_705),
        ] {
            assert_eq!(mode.bits(), bits, "{mode:?}");
            assert_eq!(mode.rate().0 / 1000, kbits, "{mode:?}");
        }
    }

    /// Bits of a symbol are shared out evenly among the encoders, and the excluded modes are those for which 21.5 has no row.
    #[test]
    fn encoders_share_the_bits_of_a_symbol() {
        let encoders = |width, streams, mcs| {
            let mode = mode(Format::Vht, width, mcs, streams, Guard::Long);
            mode.encoders()
        };
        assert_eq!(encoders(80, 2, 9), 2);
        assert_eq!((encoders(80, 7, 2), encoders(80, 7, 7)), (3, 6));
        assert_eq!((encoders(160, 8, 5), encoders(160, 8, 8)), (8, 12));
        for mode in Mode::all(Format::Vht).filter(|m| m.coding == Coding::Bcc) {
            let (point, over, under) = POINTS[usize::from(mode.mcs)];
            let coded = mode.bits() * under / over;
            // N_CBPS and N_DBPS divide by N_ES: 21.3.10.5.4.
            assert_eq!(coded % mode.encoders(), 0, "{mode:?}");
            assert_eq!(mode.bits() % mode.encoders(), 0, "{mode:?}");
            assert!(point > 0);
        }
    }

    /// A mode that its standard lacks is refused with the option that is wrong, and what there is instead.
    #[test]
    fn modes_that_the_standards_lack_are_refused() {
        let base = mode(Format::Vht, 80, 4, 1, Guard::Long);
        let refused = |mode: Mode| mode.checked().expect_err("no mode");
        let ht = Mode {
            format: Format::Ht,
            width: 40,
            ..base
        };
        for (mode, option, what, fix) in [
            (
                Mode { width: 320, ..base },
                "width",
                "802.11ac has no channel of 320 MHz",
                "write one of 20, 40, 80, 160 MHz",
            ),
            (
                Mode { mcs: 10, ..base },
                "mcs",
                "802.11ac has no MCS 10",
                "write an MCS from 0 to 9",
            ),
            (
                Mode { streams: 9, ..base },
                "streams",
                "802.11ac has no 9 spatial streams",
                "write from 1 to 8 streams",
            ),
            (
                Mode { streams: 5, ..ht },
                "streams",
                "802.11n has no 5 spatial streams",
                "write from 1 to 4 streams",
            ),
            (
                Mode {
                    guard: Guard::Double,
                    ..base
                },
                "guard",
                "802.11ac has no guard interval of 1.6 us",
                "write one of 0.4 us, 0.8 us",
            ),
            (
                Mode {
                    format: Format::He,
                    coding: Coding::Bcc,
                    ..base
                },
                "coding",
                "802.11ax is computed with LDPC only",
                "write coding = \"LDPC\"",
            ),
            (
                Mode {
                    mcs: 6,
                    streams: 3,
                    ..base
                },
                "mcs",
                "802.11ac excludes MCS 6 with 3 spatial streams at 80 MHz",
                "write MCS 5",
            ),
            (
                Mode {
                    width: 20,
                    mcs: 9,
                    ..base
                },
                "mcs",
                "802.11ac excludes MCS 9 with 1 spatial streams at 20 MHz",
                "write MCS 8",
            ),
        ] {
            let found = refused(mode);
            assert_eq!(
                (found.option, &*found.what, &*found.fix),
                (option, what, fix)
            );
        }
        let excluded = |width, streams, mcs| {
            Mode {
                width,
                streams,
                mcs,
                ..base
            }
            .checked()
            .is_err()
        };
        for streams in 1..=8 {
            assert_eq!(excluded(20, streams, 9), !matches!(streams, 3 | 6));
            assert_eq!(excluded(80, streams, 6), matches!(streams, 3 | 7));
            assert_eq!(excluded(80, streams, 9), streams == 6);
            assert_eq!(excluded(160, streams, 9), streams == 3);
            assert!(!excluded(40, streams, 9));
        }
    }

    /// Answers go by the non-HT reference rate of the MCS, not by Mbit/s: HT at 40 MHz has 13.5 Mbit/s at MCS 0, and is answered at 6.
    #[test]
    fn answers_follow_the_mcs() {
        let references = [6, 12, 18, 24, 36, 48, 54, 54, 54, 54];
        for (mcs, mbits) in references.iter().enumerate() {
            let mode = mode(Format::Vht, 40, mcs as u8, 1, Guard::Long);
            assert_eq!(mode.reference(), Rate(mbits * 1_000_000));
        }
    }

    /// 32 modes of HT at each width and guard interval, and so on: what the tables of the standards list, by code.
    #[test]
    fn every_mode_is_listed_once() {
        let count = |format, coding| Mode::all(format).filter(|m| m.coding == coding).count();
        assert_eq!(count(Format::Ht, Coding::Bcc), 8 * 4 * 2 * 2);
        assert_eq!(
            count(Format::Vht, Coding::Ldpc),
            (10 * 8 * 4 - 6 - 2 - 1 - 1) * 2
        );
        assert_eq!(count(Format::He, Coding::Ldpc), 12 * 8 * 4 * 3);
        assert_eq!(count(Format::Eht, Coding::Ldpc), 14 * 8 * 5 * 3);
        assert_eq!(count(Format::He, Coding::Bcc), 0);
    }
}
