//! The mean of the last round trips.

use crate::units::Span;

/// The mean of the last `n` round trips, or of all before there are `n`.
#[derive(Clone, Debug)]
pub struct MovingMean {
    spans: Vec<Span>,
    n: usize,
    at: usize,
    sum: u128,
}

impl MovingMean {
    pub fn new(n: usize) -> MovingMean {
        MovingMean {
            spans: Vec::with_capacity(n),
            n,
            at: 0,
            sum: 0,
        }
    }

    pub fn push(&mut self, span: Span) {
        self.sum += u128::from(span.0);
        if self.spans.len() < self.n {
            self.spans.push(span);
        } else {
            self.sum -= u128::from(self.spans[self.at].0);
            self.spans[self.at] = span;
            self.at = (self.at + 1) % self.n;
        }
    }

    pub fn mean(&self) -> Span {
        Span((self.sum / self.spans.len().max(1) as u128) as u64)
    }

    pub fn full(&self) -> bool {
        self.spans.len() == self.n
    }
}
