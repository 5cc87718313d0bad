//! Random scenarios of every part of every table run with their invariants whole. `examples/worlds.rs` runs more of them.

mod check;
mod dice;
mod generator;

use check::{Tally, check};
use dice::Dice;
use generator::Tables;

/// A few seconds of them.
const WORLDS: u64 = 2_000;

#[test]
fn random_worlds_keep_every_invariant() {
    let tables = Tables::new();
    let mut tally = Tally::default();
    for seed in 0..WORLDS {
        let scenario = tables.scenario(&mut Dice::of_seed(seed));
        if let Err(what) = check(&scenario, &mut tally) {
            panic!("world {seed}: {what}\n{scenario}");
        }
    }
    // A refusal is a world as well, but too many of them would test the reader only.
    assert!(6 * tally.finished > WORLDS, "{tally:?}");
}
