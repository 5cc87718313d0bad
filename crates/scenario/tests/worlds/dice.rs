//! Choices from a seed, or from bytes that a fuzzer changes.

/// Where choices come from.
pub struct Dice<'a> {
    bytes: &'a [u8],
    state: u64,
}

impl<'a> Dice<'a> {
    /// Choices that a seed determines.
    pub fn of_seed(seed: u64) -> Dice<'a> {
        Dice {
            bytes: &[],
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d,
        }
    }

    /// Choices from bytes: two for each. After the last the first bytes determine the rest.
    #[allow(dead_code, reason = "the fuzzer's form; the example has seeds")]
    pub fn of_bytes(bytes: &'a [u8]) -> Dice<'a> {
        let head = bytes.iter().take(8);
        let state = head.fold(1, |state: u64, byte| state << 8 | u64::from(*byte));
        Dice { bytes, state }
    }

    fn draw(&mut self) -> u64 {
        if let Some((two, rest)) = self.bytes.split_at_checked(2) {
            self.bytes = rest;
            return u64::from(u16::from_le_bytes([two[0], two[1]]));
        }
        // SplitMix64 (Steele, Lea, Flood 2014).
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) >> 16
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.draw() % n as u64) as usize
    }

    /// True once in `n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of these.
    pub fn of<'b, T>(&mut self, all: &'b [T]) -> &'b T {
        &all[self.below(all.len())]
    }
}
