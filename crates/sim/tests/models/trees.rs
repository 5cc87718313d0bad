//! The two binary trees of a collective.

use backwater_sim::source::{ALGORITHM, steps};
use backwater_transport::part::{Args, Value};
use backwater_transport::units::Bytes;

/// Who is a leaf of one tree is none of the other, for every number of ranks. A leaf sends nothing
/// down. The flows down the first tree stand second, and those down the second tree last.
#[test]
fn a_leaf_of_one_tree_is_no_leaf_of_the_other() {
    let given = Args(vec![
        (ALGORITHM, Value::Choice("tree")),
        ("size", Value::Bytes(Bytes(64_000))),
    ]);
    for ranks in 3..40 {
        let steps = steps(&given, ranks).expect("two ranks at least");
        let edges = ranks - 1;
        for rank in 0..ranks {
            let leaf = |from: usize| steps[from..from + edges].iter().all(|s| s.from != rank);
            let leaves = [edges, 3 * edges].map(leaf);
            assert_ne!(leaves, [true, true], "rank {rank} of {ranks}");
        }
    }
}
