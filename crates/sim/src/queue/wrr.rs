//! Weighted round robin: class c may send `weight_c` frames in each round. Fair in frames, not in
//! bytes; `drr` is fair in bytes.

use backwater_transport::part::Part;
use backwater_transport::walk::Walk;

use super::drr::{WEIGHTS, weights};
use super::row::{Build, SCHEDULED_CLASSES};
use crate::limit::MAX_CLASSES;

/// The class whose turn it is, and how many frames it may still send.
#[derive(Clone, Debug)]
pub struct Wrr {
    classes: usize,
    weight: [u64; MAX_CLASSES],
    current: usize,
    left: u64,
}

impl Wrr {
    pub(super) fn walk(&self, walk: &mut Walk) {
        walk.same(self.current as u64);
        walk.same(self.left);
    }

    pub(super) fn classes(&self) -> usize {
        self.classes
    }

    pub(super) fn pick(&mut self, ready: u8, _held: u8, _size: impl Fn(usize) -> u64) -> usize {
        loop {
            if self.left > 0 && ready >> self.current & 1 == 1 {
                self.left -= 1;
                return self.current;
            }
            self.current = (self.current + 1) % self.classes;
            self.left = self.weight[self.current];
        }
    }
}

/// The row.
pub const PART: Part<Build<Wrr>> = Part {
    id: "wrr",
    aliases: &[],
    summary: "weighted round robin among class queues, counted in frames",
    source: "Katevenis et al., JSAC 9(8), 1991",
    options: &[
        SCHEDULED_CLASSES,
        WEIGHTS[0],
        WEIGHTS[1],
        WEIGHTS[2],
        WEIGHTS[3],
        WEIGHTS[4],
        WEIGHTS[5],
        WEIGHTS[6],
        WEIGHTS[7],
    ],
    build: |args| {
        let (classes, weight) = weights(args);
        Ok(Wrr {
            classes,
            weight,
            current: 0,
            left: weight[0],
        }
        .into())
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_shared_by_weight_and_an_absent_class_is_skipped() {
        let mut weight = [1; MAX_CLASSES];
        weight[1] = 3;
        let mut wrr = Wrr {
            classes: 2,
            weight,
            current: 0,
            left: 1,
        };
        let picks: Vec<usize> = (0..8).map(|_| wrr.pick(0b11, 0b11, |_| 1)).collect();
        assert_eq!(picks, [0, 1, 1, 1, 0, 1, 1, 1]);
        assert_eq!(wrr.pick(0b10, 0b10, |_| 1), 1);
    }

    /// A class that may send three frames in a round has sent one or two.
    #[test]
    fn how_many_frames_are_left_is_seen() {
        let mut weight = [1; MAX_CLASSES];
        weight[0] = 3;
        let mut wrr = Wrr {
            classes: 2,
            weight,
            current: 0,
            left: 3,
        };
        let mut state = || {
            wrr.pick(0b11, 0b11, |_| 1);
            let mut walk = Walk::look(backwater_transport::units::Time::ZERO);
            wrr.walk(&mut walk);
            walk.seen().expect("no part that is not visited").state
        };
        assert_ne!(state(), state());
    }
}
