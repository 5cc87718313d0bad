//! Sums over the bytes of a frame: the Internet checksum and the frame check sequence.

/// The complement of the one's complement sum of 16-bit words (RFC 1071), beginning with `sum`.
pub fn internet_checksum(sum: u64, bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2).map(|word| match *word {
        [high, low] => u64::from(u16::from_be_bytes([high, low])),
        [high] => u64::from(high) << 8,
        _ => 0,
    });
    let mut sum = words.fold(sum, |sum, word| sum + word);
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

/// `CRC[k][b]`: what byte `b` contributes when `k` more bytes of its group follow, so that four
/// bytes cost four lookups that don't wait for each other.
const CRC: [[u32; 256]; 4] = crc_tables();

const fn crc_tables() -> [[u32; 256]; 4] {
    let mut tables = [[0; 256]; 4];
    let mut b = 0;
    while b < 256 {
        let mut crc = b as u32;
        let mut bit = 0;
        while bit < 8 {
            // The polynomial of IEEE 802.3 clause 3.2.9, reflected.
            crc = (crc >> 1) ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 };
            bit += 1;
        }
        tables[0][b] = crc;
        b += 1;
    }
    let mut k = 1;
    while k < 4 {
        let mut b = 0;
        while b < 256 {
            let before = tables[k - 1][b];
            tables[k][b] = (before >> 8) ^ tables[0][(before & 0xFF) as usize];
            b += 1;
        }
        k += 1;
    }
    tables
}

/// The frame check sequence of IEEE 802.3 clause 3.2.9 (CRC-32).
pub fn crc32(bytes: &[u8]) -> u32 {
    let (groups, rest) = bytes.as_chunks::<4>();
    let mut crc = u32::MAX;
    for group in groups {
        let [a, b, c, d] = (crc ^ u32::from_le_bytes(*group)).to_le_bytes();
        crc = CRC[3][usize::from(a)]
            ^ CRC[2][usize::from(b)]
            ^ CRC[1][usize::from(c)]
            ^ CRC[0][usize::from(d)];
    }
    for &byte in rest {
        let [low, ..] = crc.to_le_bytes();
        crc = (crc >> 8) ^ CRC[0][usize::from(low ^ byte)];
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_check_value() {
        // The check value every catalogue of CRCs lists for CRC-32.
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn internet_checksum_of_a_published_header() {
        // 192.168.0.1 to 192.168.0.199, UDP, 115 bytes: the usual textbook example, 0xB861.
        let header = [
            0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x00, 0x00, 0xC0, 0xA8,
            0x00, 0x01, 0xC0, 0xA8, 0x00, 0xC7,
        ];
        assert_eq!(internet_checksum(0, &header), 0xB861);
        // An odd byte counts as the high half of a word: ~(0x0102 + 0x0300).
        assert_eq!(internet_checksum(0, &[1, 2, 3]), 0xFBFD);
    }
}
