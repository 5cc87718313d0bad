//! A collective: the transfers by which ranks add up, or exchange, what each of them has. The row of `flows` with this source becomes one
//! flow for each pair of ranks and step; what each waits for is in `steps`.
//!
//! When: a transfer begins when the transfers that it depends on have been delivered, the first at the flow's start.
//! How much: `size` is what each rank has, S. With N ranks:
//! * `ring`: 2(N − 1) steps, each rank sends S/N to the next one;
//! * `recursive-doubling`: log₂ N steps, pairs at distance 2^s exchange S;
//! * `rabenseifner`: pairs exchange S/2, S/4 … S/N, then S/N … S/2;
//! * `all-to-all`: N − 1 steps, in step s each rank sends S/N to the rank s places on;
//! * `tree`: two binary trees, each for half of S. Pieces go up, are added, and go down again; who is a leaf of one tree is none of the other.
//!
//! Reference: Thakur, Rabenseifner and Gropp, Int. J. High Performance Computing Applications 19(1), 2005; for the trees Sanders, Speck and
//! Träff, Parallel Computing 35(12), 2009. Differences: adding takes no time.

use std::sync::Arc;

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Time};

use super::{AnySource, Build, Demand, Source};

/// The transfers of one flow, in order.
#[derive(Clone, Debug)]
pub struct Collective {
    sizes: Arc<[u64]>,
    next: usize,
}

/// A flow of a collective: from one rank to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Sending rank.
    pub from: usize,
    /// Receiving rank.
    pub to: usize,
    /// Number of the step, for its name.
    pub number: usize,
    /// Sizes of its transfers.
    pub sizes: Vec<u64>,
    /// Places of the flows on whose transfers it waits.
    pub after: Vec<usize>,
    /// Transfers that wait for nothing; each further one waits for one more of each of those.
    pub lead: u64,
}

const RING: &str = "ring";
const DOUBLING: &str = "recursive-doubling";
const RABENSEIFNER: &str = "rabenseifner";
const ALL_TO_ALL: &str = "all-to-all";
const TREE: &str = "tree";
/// Pieces of each half of what a tree adds up.
const PIECES: u64 = 32;

/// The options that `steps` reads.
pub const ALGORITHM: &str = "algorithm";

pub(super) const PART: Part<Build> = Part {
    id: "collective",
    aliases: &[],
    summary: "transfers that wait for one another: all-reduce and all-to-all",
    source: "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    options: &[
        Opt::new(
            ALGORITHM,
            Kind::Choice(&[RING, DOUBLING, RABENSEIFNER, ALL_TO_ALL, TREE]),
            Default::Is(RING),
            "all-reduce along a ring, between pairs that exchange all, or halves and then doubles, or along two binary trees; or all-to-all \
             between pairs",
        ),
        Opt::new(
            "pieces",
            Kind::Count,
            Default::Absent,
            "with the trees: pieces of each half, which follow one another; 32 where it is left out",
        )
        .at_least("1")
        .at_most("4096"),
        Opt::new(
            "size",
            Kind::Bytes,
            Default::Required,
            "what each rank has before it begins",
        )
        .at_least("1 B")
        .at_most("100000 MB"),
    ],
    build: |args| {
        if args.has("pieces") && args.choice(ALGORITHM) != TREE {
            return Err(Refusal {
                option: "pieces",
                what: format!("{} sends no pieces", args.choice(ALGORITHM)),
                fix: "remove it, or write algorithm = \"tree\"".into(),
            });
        }
        Ok(AnySource::Collective(Collective::of(Vec::new())))
    },
};

impl Collective {
    /// The source of a flow with these transfers.
    pub fn of(sizes: Vec<u64>) -> Collective {
        Collective {
            sizes: sizes.into(),
            next: 0,
        }
    }
}

impl Source for Collective {
    fn next(&mut self, now: Time, _random: &mut Random) -> Option<Demand> {
        let bytes = Bytes(*self.sizes.get(self.next)?);
        self.next += 1;
        Some(Demand { at: now, bytes })
    }

    fn needs_transport(&self) -> bool {
        true
    }

    fn waits(&self) -> bool {
        true
    }
}

/// The state of each rank before it begins.
pub fn size(args: &Args) -> u64 {
    args.bytes("size").0
}

/// Whether ranks add up what they have, so that each byte is sent, added and sent back.
pub fn reduces(args: &Args) -> bool {
    args.choice(ALGORITHM) != ALL_TO_ALL
}

/// The flows of a collective of so many ranks, made from the options of its source.
///
/// # Errors
/// The algorithm needs another number of ranks.
pub fn steps(args: &Args, ranks: usize) -> Result<Vec<Step>, Refusal> {
    let (algorithm, size) = (args.choice(ALGORITHM), size(args));
    let pairs = algorithm == DOUBLING || algorithm == RABENSEIFNER;
    if ranks < 2 || (pairs && !ranks.is_power_of_two()) {
        return Err(Refusal {
            option: ALGORITHM,
            what: format!("{algorithm} among {ranks} ranks"),
            fix: match pairs {
                true => format!(
                    "match {} or {} hosts, or write \"ring\"",
                    ranks.next_power_of_two() / 2,
                    ranks.next_power_of_two()
                ),
                false => "match two hosts at least".to_owned(),
            },
        });
    }
    let part = |of: usize| size.div_ceil(of as u64).max(1);
    let rounds = ranks.ilog2() as usize;
    Ok(match algorithm {
        RING => (0..ranks)
            .map(|rank| Step {
                from: rank,
                to: (rank + 1) % ranks,
                number: 0,
                sizes: vec![part(ranks); 2 * (ranks - 1)],
                after: vec![(rank + ranks - 1) % ranks],
                lead: 1,
            })
            .collect(),
        DOUBLING => exchanges(
            ranks,
            &(0..rounds).map(|s| (1 << s, size)).collect::<Vec<_>>(),
        ),
        RABENSEIFNER => {
            let halving = (1..=rounds).map(|s| (ranks >> s, part(1 << s)));
            let doubling = (1..=rounds).rev().map(|s| (ranks >> s, part(1 << s)));
            exchanges(ranks, &halving.chain(doubling).collect::<Vec<_>>())
        }
        TREE => {
            let pieces = match args.has("pieces") {
                true => args.count("pieces"),
                false => PIECES,
            };
            trees(ranks, &vec![part(2 * pieces as usize); pieces as usize])
        }
        _ => all_to_all(ranks, part(ranks)),
    })
}

/// The parent of each rank of a binary tree in the order of its ranks: rank 0 is the root, and odd ranks are leaves.
fn parent(rank: usize, ranks: usize) -> Option<usize> {
    if rank == 0 {
        return None;
    }
    let bit = rank & rank.wrapping_neg();
    let upper = (rank ^ bit) | bit << 1;
    Some(if upper < ranks { upper } else { rank ^ bit })
}

/// Two trees, for each of them flows up and down every edge. The second is the first from the other end, or by one place further where
/// the ranks are odd in number.
fn trees(ranks: usize, pieces: &[u64]) -> Vec<Step> {
    let placed = |tree: usize, rank: usize| match (tree, ranks % 2) {
        (0, _) => rank,
        (_, 0) => ranks - 1 - rank,
        _ => (rank + 1) % ranks,
    };
    // Up from rank r stands at r − 1 of its tree, down to it behind all those.
    let edges = ranks - 1;
    let place =
        |tree: usize, down: bool, rank: usize| (2 * tree + usize::from(down)) * edges + rank - 1;
    let mut steps = Vec::new();
    for (tree, down) in [(0, false), (0, true), (1, false), (1, true)] {
        for rank in 1..ranks {
            let above = parent(rank, ranks).expect("not the root");
            let children = |of: usize| (1..ranks).filter(move |r| parent(*r, ranks) == Some(of));
            let after: Vec<usize> = match (down, above) {
                (false, _) => children(rank).map(|r| place(tree, false, r)).collect(),
                (true, 0) => children(0).map(|r| place(tree, false, r)).collect(),
                (true, above) => vec![place(tree, true, above)],
            };
            let [rank_there, above_there] = [rank, above].map(|r| placed(tree, r));
            let (from, to) = match down {
                false => (rank_there, above_there),
                true => (above_there, rank_there),
            };
            steps.push(Step {
                from,
                to,
                number: place(tree, down, rank),
                sizes: pieces.to_vec(),
                lead: if after.is_empty() {
                    pieces.len() as u64
                } else {
                    0
                },
                after,
            });
        }
    }
    steps
}

/// Rounds in which pairs at a distance exchange so many bytes. A rank begins a round when it has received in the round before.
fn exchanges(ranks: usize, rounds: &[(usize, u64)]) -> Vec<Step> {
    let round = |(number, (distance, bytes)): (usize, &(usize, u64))| {
        let (distance, bytes) = (*distance, *bytes);
        let before = number.checked_sub(1).map(|n| rounds[n].0);
        let step = move |rank: usize| Step {
            from: rank,
            to: rank ^ distance,
            number,
            sizes: vec![bytes],
            after: before
                .iter()
                .map(|d| (number - 1) * ranks + (rank ^ d))
                .collect(),
            lead: u64::from(number == 0),
        };
        (0..ranks).map(step).collect::<Vec<_>>()
    };
    rounds.iter().enumerate().flat_map(round).collect()
}

/// A rank begins a step when it has sent and received in the step before.
fn all_to_all(ranks: usize, bytes: u64) -> Vec<Step> {
    let place = |number: usize, rank: usize| number * ranks + rank;
    let step = |number: usize, rank: usize| Step {
        from: rank,
        to: (rank + number + 1) % ranks,
        number,
        sizes: vec![bytes],
        after: match number.checked_sub(1) {
            None => Vec::new(),
            Some(before) => vec![
                place(before, rank),
                place(before, (rank + ranks - number) % ranks),
            ],
        },
        lead: u64::from(number == 0),
    };
    let steps = (0..ranks - 1).flat_map(|number| (0..ranks).map(move |rank| (number, rank)));
    steps.map(|(number, rank)| step(number, rank)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwater_transport::part::Value;

    fn of(algorithm: &'static str, ranks: usize, size: u64) -> Result<Vec<Step>, Refusal> {
        let args = Args(vec![
            (ALGORITHM, Value::Choice(algorithm)),
            ("size", Value::Bytes(Bytes(size))),
        ]);
        steps(&args, ranks)
    }

    /// Bytes that a rank sends: 2 (N − 1) S / N along a ring and by halving and doubling, S log₂ N when all is exchanged, (N − 1) S / N from
    /// all to all. Each waits only for what its sender sent or received before.
    #[test]
    fn each_rank_sends_what_the_algorithm_says() {
        for (algorithm, bytes, flows) in [
            (RING, 2 * 7 * 1000, 8),
            (DOUBLING, 3 * 8000, 24),
            (RABENSEIFNER, 2 * (4000 + 2000 + 1000), 48),
            (ALL_TO_ALL, 7 * 1000, 56),
        ] {
            let steps = of(algorithm, 8, 8000).unwrap();
            assert_eq!(steps.len(), flows, "{algorithm}");
            for rank in 0..8 {
                let mine = steps.iter().filter(|s| s.from == rank);
                let sent: u64 = mine.flat_map(|s| &s.sizes).sum();
                assert_eq!(sent, bytes, "{algorithm} {rank}");
            }
            for step in &steps {
                assert_ne!(step.from, step.to);
                for before in &step.after {
                    let before = &steps[*before];
                    assert!(before.to == step.from || before.from == step.from);
                }
            }
        }
    }

    /// Of any number of ranks: each tree has one edge less than ranks, up and down; every rank but the root sends half of S up each tree; a rank
    /// has children in one tree only, two at most, so it sends at most 2 S; and the way to a root has at most ⌈log₂ N⌉ edges.
    #[test]
    fn two_trees_share_the_work() {
        for ranks in 2..40 {
            let steps = of(TREE, ranks, 64_000).unwrap();
            assert_eq!(steps.len(), 4 * (ranks - 1));
            let edges = ranks - 1;
            for rank in 0..ranks {
                let mine =
                    |from: usize| steps[from..from + edges].iter().filter(|s| s.from == rank);
                let below = [edges, 3 * edges].map(|tree| mine(tree).count());
                assert!(below.iter().all(|n| *n <= 2), "{ranks} {rank} {below:?}");
                let inner = below.iter().filter(|n| **n > 0).count();
                // With an odd number of ranks one of them may be inside both trees.
                assert!(inner <= 1 + ranks % 2, "{ranks} {rank} {below:?}");
                let sent: u64 = steps
                    .iter()
                    .filter(|s| s.from == rank)
                    .flat_map(|s| &s.sizes)
                    .sum();
                assert!(
                    ranks % 2 == 1 || sent <= 2 * 64_000,
                    "{ranks} {rank} {sent}"
                );
            }
            let mut depth = vec![0; steps.len()];
            for up in [0, 2 * edges] {
                for rank in 1..ranks {
                    let mut at = rank;
                    while let Some(above) = parent(at, ranks) {
                        (at, depth[up + rank - 1]) = (above, depth[up + rank - 1] + 1);
                    }
                }
            }
            let most = depth.iter().max().expect("steps");
            assert!(1 << most < 2 * ranks, "{ranks} {most}");
            for step in &steps {
                assert_ne!(step.from, step.to);
                assert!(
                    step.after
                        .iter()
                        .all(|before| steps[*before].to == step.from)
                );
                assert_eq!(step.lead, if step.after.is_empty() { 32 } else { 0 });
            }
        }
    }

    #[test]
    fn pairs_need_a_power_of_two() {
        let refusal = of(DOUBLING, 6, 8000).unwrap_err();
        assert_eq!(refusal.fix, "match 4 or 8 hosts, or write \"ring\"");
        assert!(of(RING, 6, 8000).is_ok());
        assert!(of(RING, 1, 8000).is_err());
    }
}
