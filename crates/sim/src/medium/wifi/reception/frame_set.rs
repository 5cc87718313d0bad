//! A set of the frames of a burst.

/// Frames of a burst by their places in it.
#[derive(Clone, Debug, Default)]
pub struct FrameSet {
    words: Vec<u64>,
}

impl FrameSet {
    /// Whether a frame belongs to it.
    #[inline]
    pub fn contains(&self, frame: u16) -> bool {
        let word = self.words.get(usize::from(frame) / 64);
        word.is_some_and(|word| word >> (frame % 64) & 1 == 1)
    }

    /// Adds a frame.
    pub fn insert(&mut self, frame: u16) {
        let word = usize::from(frame) / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (frame % 64);
    }

    /// Empties it.
    #[inline]
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// How many frames belong to it.
    pub fn len(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether no frame does.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_in() {
        let mut set = FrameSet::default();
        for frame in [0, 63, 64, 1023] {
            assert!(!set.contains(frame));
            set.insert(frame);
            assert!(set.contains(frame));
        }
        assert!(!set.contains(1) && !set.contains(62) && !set.contains(1022));
        assert_eq!((set.len(), set.is_empty()), (4, false));
        set.clear();
        assert_eq!(
            (set.len(), set.is_empty(), set.contains(0)),
            (0, true, false)
        );
    }
}
