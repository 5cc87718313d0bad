//! The radiotap header of a captured frame: TSFT (the first bit of the MAC frame, microseconds), flags (FCS at the end, short
//! preamble, FCS bad), rate, channel 1 (802.11b) or 36 (OFDM). Frames of 802.11n, 802.11ac and 802.11ax have their fields MCS, VHT and HE
//! in place of the rate, frames of 802.11be none. Each frame of an A-MPDU stands for itself, with the A-MPDU status: a number that all
//! frames of the A-MPDU have, and which one is the last.

/// TSFT, flags and channel, which each frame has.
const PRESENT: u32 = 0b1011;
const RATE_PRESENT: u32 = 1 << 2;
const MCS_PRESENT: u32 = 1 << 19;
const A_MPDU_PRESENT: u32 = 1 << 20;
const VHT_PRESENT: u32 = 1 << 21;
const HE_PRESENT: u32 = 1 << 23;
const FCS_AT_END: u8 = 0x10;
const SHORT_PREAMBLE: u8 = 0x02;
const BAD_FCS: u8 = 0x40;
const CCK_2_GHZ: u16 = 0x00A0;
const OFDM_2_GHZ: u16 = 0x00C0;
const OFDM_5_GHZ: u16 = 0x0140;

/// A format of a PPDU that radiotap has a field for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// 802.11n.
    Ht,
    /// 802.11ac.
    Vht,
    /// 802.11ax.
    He,
}

/// How a frame was modulated and coded.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Format.
    pub format: Format,
    /// Width of the channel, MHz.
    pub width: u16,
    /// Modulation and code rate, the same numbers in all formats.
    pub mcs: u8,
    /// Spatial streams.
    pub streams: u8,
    /// Guard interval in ns.
    pub guard_ns: u16,
    /// Low-density parity check in place of a convolutional code.
    pub ldpc: bool,
}

/// A place in an A-MPDU.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Aggregate {
    /// A number that its frames share and the next ones don't.
    pub reference: u32,
    /// It is the last frame.
    pub last: bool,
}

/// A channel and the kind of its frames.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Channel {
    /// 802.11b on channel 1.
    Cck,
    /// OFDM on channel 1.
    OfdmBelow3Ghz,
    /// OFDM on channel 36.
    OfdmAt5Ghz,
    /// OFDM at 5955 MHz, channel 1 of 6 GHz; radiotap has no flag for that band.
    OfdmAt6Ghz,
}

/// How a frame was received.
#[derive(Copy, Clone, Debug)]
pub struct Radiotap {
    /// When its first bit behind the preamble left, in microseconds.
    pub first_bit_us: u64,
    /// Rate of what follows the PHY header, in units of 500 kbit/s; none for 802.11n and later, whose rates the field has not.
    pub rate: Option<u8>,
    /// Its mode, for 802.11n to 802.11ax.
    pub mode: Option<Mode>,
    /// Which A-MPDU it was part of.
    pub aggregate: Option<Aggregate>,
    /// Which channel it was on.
    pub channel: Channel,
    /// It has the short preamble of 802.11b.
    pub short_preamble: bool,
    /// None of its receivers has it whole.
    pub lost: bool,
}

/// Appends a header to `out`.
pub fn write(out: &mut Vec<u8>, frame: &Radiotap) {
    let (frequency, channel) = match frame.channel {
        Channel::Cck => (2412, CCK_2_GHZ),
        Channel::OfdmBelow3Ghz => (2412, OFDM_2_GHZ),
        Channel::OfdmAt5Ghz => (5180, OFDM_5_GHZ),
        Channel::OfdmAt6Ghz => (5955, OFDM_5_GHZ),
    };
    let start = out.len();
    let mode = |format| frame.mode.filter(|mode| mode.format == format);
    let mut present = PRESENT;
    for (has, bit) in [
        (frame.rate.is_some(), RATE_PRESENT),
        (mode(Format::Ht).is_some(), MCS_PRESENT),
        (frame.aggregate.is_some(), A_MPDU_PRESENT),
        (mode(Format::Vht).is_some(), VHT_PRESENT),
        (mode(Format::He).is_some(), HE_PRESENT),
    ] {
        present |= if has { bit } else { 0 };
    }
    put_le(out, 0); // version and padding
    put_le(out, 0); // length
    out.extend_from_slice(&present.to_le_bytes());
    out.extend_from_slice(&frame.first_bit_us.to_le_bytes());
    let short = if frame.short_preamble {
        SHORT_PREAMBLE
    } else {
        0
    };
    let bad = if frame.lost { BAD_FCS } else { 0 };
    out.push(FCS_AT_END | short | bad);
    // Without a rate the channel needs a byte of padding.
    out.push(frame.rate.unwrap_or(0));
    put_le(out, frequency);
    put_le(out, channel);
    if let Some(mode) = mode(Format::Ht) {
        out.extend_from_slice(&ht(&mode));
    }
    if let Some(aggregate) = frame.aggregate {
        align(out, start, 4);
        out.extend_from_slice(&aggregate.reference.to_le_bytes());
        // It is known which frame is the last one, and whether this is.
        put_le(out, if aggregate.last { 0x0C } else { 0x04 });
        put_le(out, 0); // delimiter's CRC, unknown
    }
    if let Some(mode) = mode(Format::Vht) {
        align(out, start, 2);
        out.extend_from_slice(&vht(&mode));
    }
    if let Some(mode) = mode(Format::He) {
        align(out, start, 2);
        he(&mode).into_iter().for_each(|word| put_le(out, word));
    }
    align(out, start, 8);
    let length = (out.len() - start) as u16;
    out[start + 2..start + 4].copy_from_slice(&length.to_le_bytes());
}

fn align(out: &mut Vec<u8>, start: usize, to: usize) {
    out.resize(start + (out.len() - start).next_multiple_of(to), 0);
}

/// Field 19, MCS: what is known (bandwidth, MCS, guard interval, format, code), flags, index.
fn ht(mode: &Mode) -> [u8; 3] {
    let width = u8::from(mode.width == 40);
    let short = u8::from(mode.guard_ns == 400) << 2;
    let ldpc = u8::from(mode.ldpc) << 4;
    [
        0x1F,
        width | short | ldpc,
        mode.mcs + 8 * (mode.streams - 1),
    ]
}

/// Field 21, VHT: what is known (guard interval, bandwidth), flags, bandwidth, MCS and streams of four users, code, group, AID.
fn vht(mode: &Mode) -> [u8; 12] {
    let width = match mode.width {
        20 => 0,
        40 => 1,
        80 => 4,
        _ => 11,
    };
    let mut field = [0; 12];
    field[0] = 0x44;
    field[2] = u8::from(mode.guard_ns == 400) << 2;
    field[3] = width;
    field[4] = mode.mcs << 4 | mode.streams;
    field[8] = u8::from(mode.ldpc);
    field
}

/// Field 23, HE, of one user: what is known (MCS, code, bandwidth; guard interval), then these and the streams.
fn he(mode: &Mode) -> [u16; 6] {
    let width = match mode.width {
        20 => 0,
        40 => 1,
        80 => 2,
        _ => 3,
    };
    let guard = match mode.guard_ns {
        1600 => 1,
        3200 => 2,
        _ => 0,
    };
    let data = u16::from(mode.mcs) << 8 | u16::from(mode.ldpc) << 13;
    [
        0x40A0,
        0x0002,
        data,
        0,
        width | guard << 4,
        mode.streams.into(),
    ]
}

pub(crate) fn put_le(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(mode: Option<Mode>, aggregate: Option<Aggregate>) -> Vec<u8> {
        let mut out = vec![0xEE; 3];
        let frame = Radiotap {
            first_bit_us: 0x0102_0304,
            rate: None,
            mode,
            aggregate,
            channel: Channel::OfdmAt5Ghz,
            short_preamble: false,
            lost: false,
        };
        write(&mut out, &frame);
        out.split_off(3)
    }

    /// Fields stand in the order of their bits, each at a multiple of its alignment from the beginning of the header, whose length is
    /// a multiple of eight. radiotap.org: MCS, A-MPDU status, VHT, HE.
    #[test]
    fn the_fields_of_modes_and_aggregates_are_those_of_radiotap() {
        let mode = |format| Mode {
            format,
            width: 40,
            mcs: 5,
            streams: 2,
            guard_ns: 400,
            ldpc: true,
        };
        let last = Some(Aggregate {
            reference: 0x0A0B_0C0D,
            last: true,
        });
        let start = |length: u8, present: [u8; 2]| {
            let mut bytes = vec![0, 0, length, 0, 0x0B, 0, present[0], present[1]];
            bytes.extend([4, 3, 2, 1, 0, 0, 0, 0, 0x10, 0, 0x3C, 0x14, 0x40, 0x01]);
            bytes
        };
        let aggregate = [0x0D, 0x0C, 0x0B, 0x0A, 0x0C, 0, 0, 0];
        let mut expected = start(40, [0x18, 0]);
        expected.extend([0x1F, 0x15, 13, 0, 0, 0]);
        expected.extend(aggregate);
        expected.extend([0; 4]);
        assert_eq!(header(Some(mode(Format::Ht)), last), expected);
        let mut expected = start(48, [0x30, 0]);
        expected.extend([0, 0]);
        expected.extend(aggregate);
        expected.extend([0x44, 0, 4, 1, 0x52, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(header(Some(mode(Format::Vht)), last), expected);
        let he = Mode {
            guard_ns: 1600,
            ..mode(Format::He)
        };
        let mut expected = start(40, [0x80, 0]);
        expected.extend([0xA0, 0x40, 2, 0, 0, 0x25, 0, 0, 0x11, 0, 2, 0]);
        expected.extend([0; 6]);
        assert_eq!(header(Some(he), None), expected);
        assert_eq!(header(None, None).len(), 24);
    }
}
