//! Draws that are keyed by a text: uniform numbers on [0, 1) as Python's `random.Random` gives them for the SHA-256 of the text
//! as a seed. A search's archive depends on them.
//!
//! Reference: Matsumoto and Nishimura, mt19937ar.c: `init_by_array` and `genrand_res53`. No deviations.

use sha2::{Digest, Sha256};

const WORDS: usize = 624;
/// Words between the one that is made anew and the one that is added to it.
const AHEAD: usize = 397;
const UPPER: u32 = 0x8000_0000;
const MATRIX: u32 = 0x9908_b0df;

/// The state before a key is added.
const PLAIN: [u32; WORDS] = {
    let mut words = [19_650_218; WORDS];
    let mut i = 1;
    while i < WORDS {
        words[i] = mixed(words[i - 1], 1_812_433_253).wrapping_add(i as u32);
        i += 1;
    }
    words
};

const fn mixed(word: u32, factor: u32) -> u32 {
    (word ^ (word >> 30)).wrapping_mul(factor)
}

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Draws {
    words: [u32; WORDS],
    /// The word that comes next; one beyond the last where all are used.
    next: usize,
}

impl Draws {
    /// The stream of a text.
    pub fn keyed(text: &str) -> Draws {
        let digest = Sha256::digest(text);
        let words = digest.rchunks(4);
        let words = words.map(|four| {
            four.iter()
                .fold(0, |word, byte| word << 8 | u32::from(*byte))
        });
        let mut key: Vec<u32> = words.collect();
        // The seed is a number: it has no zeros in front.
        while key.len() > 1 && key.last() == Some(&0) {
            key.pop();
        }
        Draws::of_key(&key)
    }

    fn of_key(key: &[u32]) -> Draws {
        let mut words = PLAIN;
        let mut i = 1;
        for step in 0..WORDS.max(key.len()) {
            let at = step % key.len();
            let added = key[at].wrapping_add(at as u32);
            words[i] = (words[i] ^ mixed(words[i - 1], 1_664_525)).wrapping_add(added);
            i = after(i, &mut words);
        }
        for _ in 1..WORDS {
            words[i] = (words[i] ^ mixed(words[i - 1], 1_566_083_941)).wrapping_sub(i as u32);
            i = after(i, &mut words);
        }
        words[0] = UPPER;
        Draws { words, next: WORDS }
    }

    /// Uniform on [0, 1), with 53 bits.
    pub fn unit(&mut self) -> f64 {
        let (high, low) = (self.word() >> 5, self.word() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) * (1.0 / 9_007_199_254_740_992.0)
    }

    fn word(&mut self) -> u32 {
        if self.next == WORDS {
            self.twist();
        }
        let mut word = self.words[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= word << 7 & 0x9d2c_5680;
        word ^= word << 15 & 0xefc6_0000;
        word ^ word >> 18
    }

    /// Makes all words anew.
    fn twist(&mut self) {
        for i in 0..WORDS {
            let joined = self.words[i] & UPPER | self.words[(i + 1) % WORDS] & !UPPER;
            let odd = if joined & 1 == 1 { MATRIX } else { 0 };
            self.words[i] = self.words[(i + AHEAD) % WORDS] ^ joined >> 1 ^ odd;
        }
        self.next = 0;
    }
}

/// The place after `i`. Behind the last one comes the second, and the first takes over the last one's word.
fn after(i: usize, words: &mut [u32; WORDS]) -> usize {
    if i + 1 < WORDS {
        return i + 1;
    }
    words[0] = words[WORDS - 1];
    1
}

#[cfg(test)]
mod tests {
    use super::Draws;

    /// The first words of mt19937ar.out, which the authors publish with the program.
    #[test]
    fn words_are_those_that_are_published() {
        let mut draws = Draws::of_key(&[0x123, 0x234, 0x345, 0x456]);
        let found: Vec<u32> = (0..5).map(|_| draws.word()).collect();
        let published = [
            1_067_595_299,
            955_945_823,
            477_289_528,
            4_107_218_783,
            4_228_976_476,
        ];
        assert_eq!(found, published);
    }
}
