//! Deficit round robin (Shreedhar and Varghese, SIGCOMM'95): at its turn a class earns its quantum
//! and sends while its deficit covers the head frame. A class that holds nothing loses its deficit;
//! one that only waits for a gate keeps it.

use backwater_transport::part::{Args, Default, Kind, Opt, Part};
use backwater_transport::walk::Walk;

use super::row::{Build, SCHEDULED_CLASSES};
use crate::limit::MAX_CLASSES;

/// The class whose turn it is, and the deficits.
#[derive(Clone, Debug)]
pub struct Drr {
    classes: usize,
    quantum: [u64; MAX_CLASSES],
    deficit: [u64; MAX_CLASSES],
    current: usize,
}

impl Drr {
    pub(super) fn walk(&self, walk: &mut Walk) {
        walk.same(self.current as u64);
        self.deficit.iter().for_each(|left| walk.same(*left));
    }

    fn new(classes: usize, quantum: [u64; MAX_CLASSES]) -> Drr {
        let mut deficit = [0; MAX_CLASSES];
        deficit[0] = quantum[0];
        Drr {
            classes,
            quantum,
            deficit,
            current: 0,
        }
    }

    pub(super) fn classes(&self) -> usize {
        self.classes
    }

    pub(super) fn pick(&mut self, ready: u8, held: u8, size: impl Fn(usize) -> u64) -> usize {
        loop {
            let current = self.current;
            if ready >> current & 1 == 1 && self.deficit[current] >= size(current) {
                self.deficit[current] -= size(current);
                return current;
            }
            if held >> current & 1 == 0 {
                self.deficit[current] = 0;
            }
            self.current = (current + 1) % self.classes;
            if ready >> self.current & 1 == 1 {
                self.deficit[self.current] += self.quantum[self.current];
            }
        }
    }
}

const fn weight(name: &'static str) -> Opt {
    Opt::new(
        name,
        Kind::Count,
        Default::Is("1"),
        "share of this class in a round, relative to the others",
    )
    .at_least("1")
    .at_most("1000")
}

/// The weights' options, one for each class.
pub(super) const WEIGHTS: [Opt; MAX_CLASSES] = [
    weight("weight0"),
    weight("weight1"),
    weight("weight2"),
    weight("weight3"),
    weight("weight4"),
    weight("weight5"),
    weight("weight6"),
    weight("weight7"),
];

/// Number of classes and their weights.
pub(super) fn weights(args: &Args) -> (usize, [u64; MAX_CLASSES]) {
    (
        args.count("classes") as usize,
        std::array::from_fn(|i| args.count(WEIGHTS[i].name)),
    )
}

/// The row.
pub const PART: Part<Build<Drr>> = Part {
    id: "drr",
    aliases: &[],
    summary: "deficit round robin among class queues, counted in bytes",
    source: "Shreedhar and Varghese, SIGCOMM 1995",
    options: &[
        SCHEDULED_CLASSES,
        Opt::new(
            "quantum",
            Kind::Bytes,
            Default::Is("1518 B"),
            "bytes that a weight of 1 earns in a round",
        )
        .at_least("64 B")
        .at_most("1 MB"),
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
        let quantum = args.bytes("quantum").0;
        Ok(Drr::new(classes, weight.map(|w| w * quantum)).into())
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    /// A quantum covers a frame of just as many bytes, and leaves nothing: the next frame of the class waits for its turn. A class that waits
    /// for a gate keeps what it has, one that holds nothing loses it.
    #[test]
    fn a_quantum_covers_a_frame_of_its_size() {
        let mut quantum = [0; MAX_CLASSES];
        (quantum[0], quantum[1]) = (1500, 1000);
        let mut drr = Drr::new(2, quantum);
        assert_eq!(drr.pick(0b11, 0b11, |_| 1500), 0);
        assert_eq!(drr.deficit[0], 0);
        assert_eq!(drr.pick(0b11, 0b11, |_| 1000), 1);
        assert_eq!((drr.deficit[0], drr.deficit[1], drr.current), (0, 0, 1));
        for (held, left) in [(0b11, 700), (0b10, 0)] {
            let mut drr = Drr::new(2, quantum);
            drr.deficit[0] = 700;
            assert_eq!(drr.pick(0b10, held, |_| 1000), 1);
            assert_eq!(drr.deficit[0], left);
        }
    }

    #[test]
    fn bytes_are_shared_by_weight_whatever_the_frame_sizes() {
        let mut quantum = [0; MAX_CLASSES];
        quantum[0] = 1500;
        quantum[1] = 3000;
        let mut drr = Drr::new(2, quantum);
        let mut sent = [0u64; 2];
        for _ in 0..10_000 {
            let size = |class: usize| [1500, 100][class];
            let class = drr.pick(0b11, 0b11, size);
            sent[class] += size(class);
        }
        // The deficit counters bound the error by one quantum.
        assert!(sent[1].abs_diff(2 * sent[0]) <= 3000, "{sent:?}");
    }

    #[test]
    fn an_empty_class_loses_its_deficit() {
        let mut quantum = [0; MAX_CLASSES];
        quantum[0] = 1000;
        quantum[1] = 1000;
        let mut drr = Drr::new(2, quantum);
        assert_eq!(drr.pick(0b01, 0b01, |_| 100), 0);
        for _ in 0..20 {
            drr.pick(0b10, 0b10, |_| 1000);
        }
        assert_eq!(drr.deficit[0], 0);
    }
}
