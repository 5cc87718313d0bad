//! How far a connection had come at the end of each second, from which the time is told that flows
//! need to share a link evenly.

use backwater_transport::units::{Span, Time};

/// Between two looks: a second, as RFC 5166 section 2.3 has the longer of its scales.
pub const EVERY: Span = Span::millis(1000);

/// Bytes delivered in order by the end of each second that is over.
#[derive(Clone, Debug)]
pub struct Progress {
    next: Time,
    by: Vec<u64>,
}

impl Default for Progress {
    fn default() -> Self {
        Progress {
            next: Time::ZERO.after(EVERY),
            by: Vec::new(),
        }
    }
}

impl Progress {
    /// It is `now`, and up to now `delivered` bytes had been delivered.
    pub fn note(&mut self, now: Time, delivered: u64) {
        while self.next <= now {
            self.by.push(delivered);
            self.next = self.next.after(EVERY);
        }
    }

    /// Bytes delivered in each second, up to the last that was noted.
    pub fn each(&self) -> impl Iterator<Item = u64> {
        let before = std::iter::once(0).chain(self.by.iter().copied());
        self.by.iter().zip(before).map(|(by, before)| by - before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_second_has_what_came_in_it() {
        let mut progress = Progress::default();
        let at = |ms| Time::ZERO.after(Span::millis(ms));
        progress.note(at(400), 10);
        progress.note(at(1000), 30);
        progress.note(at(1500), 50);
        progress.note(at(4200), 90);
        assert_eq!(progress.each().collect::<Vec<_>>(), [30, 60, 0, 0]);
    }
}
