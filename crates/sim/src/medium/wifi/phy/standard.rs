//! Timing of the radio: 802.11b (DSSS and HR-DSSS, clause 16) and OFDM (clause 17; ERP-OFDM of 802.11g,
//! clause 18, in a cell without 802.11b stations, its signal extension counted with the SIFS).

use backwater_transport::product;
use backwater_transport::units::{Rate, Span};

/// Which radio.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Standard {
    /// 802.11b: 1, 2, 5.5 and 11 Mbit/s.
    HrDsss,
    /// 802.11a, and 802.11g among its own kind: 6 to 54 Mbit/s.
    Ofdm,
}

/// The band of a radio.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Band {
    /// 2.4 GHz: 802.11b and 802.11g.
    Ghz2,
    /// 5 GHz: 802.11a.
    Ghz5,
    /// 6 GHz: 802.11ax and 802.11be.
    Ghz6,
}

impl Band {
    /// Name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Band::Ghz2 => "2.4 GHz",
            Band::Ghz5 => "5 GHz",
            Band::Ghz6 => "6 GHz",
        }
    }
}

/// At which rate a station answers with a CTS or an ACK.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The rate of control frames.
    Control,
    /// The fastest mandatory rate that is no faster than the frame answered, as where nobody announces
    /// basic rates. 10.7.6.5.2.
    Mandatory,
}

/// A radio and its rates.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Phy {
    /// Which.
    pub standard: Standard,
    /// Rate of data frames, unless a station or link has its own.
    pub data: Rate,
    /// Rate of RTS and management frames, and of answers unless `answer` says otherwise.
    pub control: Rate,
    /// Rate of CTS and ACK.
    pub answer: Answer,
    /// Short preamble of 802.11b: 96 µs instead of 192 µs.
    pub short_preamble: bool,
    /// Shown in captures; nothing else depends on it.
    pub band: Band,
}

/// Rates of 802.11b.
const HR_DSSS: &[u64] = &[1_000_000, 2_000_000, 5_500_000, 11_000_000];
/// Rates of OFDM at 20 MHz.
const OFDM: &[u64] = &[
    6_000_000, 9_000_000, 12_000_000, 18_000_000, 24_000_000, 36_000_000, 48_000_000, 54_000_000,
];

/// Length of an RTS frame, FCS included. 9.3.1.2.
pub const RTS: u64 = 20;
/// Length of a CTS frame. 9.3.1.3.
pub const CTS: u64 = 14;
/// Length of an ACK frame. 9.3.1.4.
pub const ACK: u64 = 14;
/// Length of a CF-End frame. 9.3.1.6.
pub const CF_END: u64 = 20;
/// LLC and SNAP of a packet.
pub const LLC: u64 = 8;
/// MAC header of a data frame (24), FCS (4), LLC and SNAP.
pub const OVERHEAD: u64 = 28 + LLC;
/// The QoS control field that an EDCA data frame has besides.
pub const QOS: u64 = 2;

impl Standard {
    /// All of them.
    pub const ALL: [Standard; 2] = [Standard::HrDsss, Standard::Ofdm];

    /// How a sentence names it.
    pub fn named(self) -> &'static str {
        match self {
            Standard::HrDsss => "802.11b",
            Standard::Ofdm => "OFDM (802.11a and later)",
        }
    }

    /// Rates in bit/s, the slowest first.
    pub fn rates(self) -> &'static [u64] {
        match self {
            Standard::HrDsss => HR_DSSS,
            Standard::Ofdm => OFDM,
        }
    }

    /// Rates that every station can receive, the slowest first. 16.1.1, 17.1.1.
    fn mandatory(self) -> &'static [u64] {
        match self {
            Standard::HrDsss => HR_DSSS,
            Standard::Ofdm => &[6_000_000, 12_000_000, 24_000_000],
        }
    }

    /// aSlotTime.
    pub fn slot(self) -> Span {
        match self {
            Standard::HrDsss => Span::micros(20),
            Standard::Ofdm => Span::micros(9),
        }
    }

    /// aSIFSTime.
    pub fn sifs(self) -> Span {
        match self {
            Standard::HrDsss => Span::micros(10),
            Standard::Ofdm => Span::micros(16),
        }
    }

    /// aCWmin and aCWmax.
    pub fn window(self) -> (u32, u32) {
        match self {
            Standard::HrDsss => (31, 1023),
            Standard::Ofdm => (15, 1023),
        }
    }
}

impl Phy {
    /// Preamble and PHY header, before the first bit of the frame.
    pub fn preamble(&self) -> Span {
        match self.standard {
            Standard::HrDsss if self.short_preamble => Span::micros(96),
            Standard::HrDsss => Span::micros(192),
            Standard::Ofdm => Span::micros(20),
        }
    }

    /// The rate of the answer to a frame of this rate.
    pub fn answer_to(&self, rate: Rate) -> Rate {
        match self.answer {
            Answer::Control => self.control,
            Answer::Mandatory => {
                let mut legal = self.standard.mandatory().iter().rev();
                Rate(
                    *legal
                        .find(|r| **r <= rate.0)
                        .expect("the lowest rate is mandatory"),
                )
            }
        }
    }

    /// Time on the air of a frame of so many bytes, in whole microseconds as LENGTH counts them
    /// (16.2.3.5), or in whole symbols of 4 µs with 16 bits of service and 6 of tail (17.3.2).
    pub fn airtime(&self, bytes: u64, rate: Rate) -> Span {
        let body = match self.standard {
            Standard::HrDsss => product::of(bytes, 8_000_000).div_ceil(rate.0),
            Standard::Ofdm => {
                let bits_per_symbol = rate.0 * 4 / 1_000_000;
                4 * (16 + 8 * bytes + 6).div_ceil(bits_per_symbol)
            }
        };
        self.preamble() + Span::micros(body)
    }

    /// EIFS less DIFS: a SIFS and an ACK at the lowest mandatory rate. 10.3.7.
    pub fn eifs_extra(&self) -> Span {
        let lowest = Phy {
            short_preamble: false,
            ..*self
        };
        self.standard.sifs() + lowest.airtime(ACK, Rate(self.standard.rates()[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn b(short_preamble: bool) -> Phy {
        Phy {
            standard: Standard::HrDsss,
            data: Rate(11_000_000),
            control: Rate(1_000_000),
            answer: Answer::Control,
            short_preamble,
            band: Band::Ghz2,
        }
    }

    /// Reference airtimes: an RTS 352 µs, a CTS or ACK 304 µs, 1500 B of IP in 1310 µs at 11 Mbit/s.
    #[test]
    fn airtimes_of_802_11b() {
        let phy = b(false);
        assert_eq!(phy.airtime(RTS, phy.control), Span::micros(352));
        assert_eq!(phy.airtime(CTS, phy.control), Span::micros(304));
        assert_eq!(phy.airtime(ACK, phy.control), Span::micros(304));
        assert_eq!(phy.airtime(1500 + OVERHEAD, phy.data), Span::micros(1310));
        assert_eq!(phy.airtime(1300 + OVERHEAD, phy.data), Span::micros(1164));
        assert_eq!(b(true).airtime(ACK, phy.control), Span::micros(208));
        // EIFS = 364 µs = SIFS 10 + ACK 304 + DIFS 50.
        assert_eq!(phy.eifs_extra(), Span::micros(314));
    }

    /// 57 symbols at 54 Mbit/s for 1500 B; control frames 28 µs at 24 Mbit/s.
    #[test]
    fn airtimes_of_ofdm() {
        let phy = Phy {
            standard: Standard::Ofdm,
            data: Rate(54_000_000),
            control: Rate(24_000_000),
            answer: Answer::Control,
            short_preamble: false,
            band: Band::Ghz5,
        };
        assert_eq!(phy.airtime(1500 + OVERHEAD, phy.data), Span::micros(248));
        for bytes in [RTS, CTS, ACK] {
            assert_eq!(phy.airtime(bytes, phy.control), Span::micros(28));
        }
        assert_eq!(phy.airtime(ACK, Rate(6_000_000)), Span::micros(44));
    }

    /// 802.11b has four mandatory rates, OFDM 6, 12 and 24 Mbit/s.
    #[test]
    fn answers_go_at_the_control_rate_or_at_the_fastest_mandatory_one() {
        let phy = |standard, control: u64| Phy {
            standard,
            control: Rate(control * 1_000_000),
            answer: Answer::Mandatory,
            ..b(false)
        };
        assert_eq!(b(false).answer_to(Rate(11_000_000)), Rate(1_000_000));
        for rate in HR_DSSS {
            assert_eq!(phy(Standard::HrDsss, 1).answer_to(Rate(*rate)).0, *rate);
        }
        let answers = [6, 6, 12, 12, 24, 24, 24, 24].map(|r| r * 1_000_000);
        for (rate, answer) in OFDM.iter().zip(answers) {
            assert_eq!(phy(Standard::Ofdm, 6).answer_to(Rate(*rate)).0, answer);
        }
    }
}
