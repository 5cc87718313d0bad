//! Random scenarios of every part of every table run with their invariants whole. `examples/worlds.rs` runs more of them.

mod check;
mod dice;
mod drawn;
mod forks;
mod generator;
mod webassembly;

use check::{Tally, check};
use dice::Dice;
use generator::Tables;
use webassembly::native_and_file;

/// A few seconds of them.
const WORLDS: u64 = 400;

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
    assert!(2 * tally.finished > WORLDS, "{tally:?}");
}

/// Each part comes in one of some thousand worlds.
#[test]
fn random_worlds_have_every_part_of_a_fabric() {
    const MOST: u64 = 4000;
    let tables = Tables::new();
    let mut missing = drawn::wanted();
    assert!(missing.len() > 120, "{missing:?}");
    for seed in 0..MOST {
        let scenario = tables.scenario(&mut Dice::of_seed(seed));
        let parts = drawn::of(&scenario);
        if !missing.is_disjoint(&parts) && drawn::is_accepted(&scenario) {
            missing.retain(|part| !parts.contains(part));
        }
        if missing.is_empty() {
            return;
        }
    }
    panic!("in none of {MOST} worlds: {missing:?}");
}

/// The tables' worlds have no controllers in files, which their draws cannot name. Here all streams of a world have one.
#[test]
fn a_file_of_webassembly_runs_in_random_worlds_as_what_it_computes() {
    let tables = Tables::new();
    let mut ran = 0;
    for seed in 0..WORLDS / 2 {
        let scenario = tables.scenario(&mut Dice::of_seed(seed));
        if let Some([native, file]) = native_and_file(&scenario) {
            assert_eq!(native, file, "world {seed}: {scenario}");
            ran += 1;
        }
    }
    assert!(ran >= 10, "only {ran} worlds have streams");
}

/// A wire went down with a PAUSE frame on it: the frame was neither received nor counted as lost (found by a random world).
#[test]
fn a_notice_that_is_lost_with_its_wire_is_counted() {
    let scenario = serde_json::from_str(include_str!("notice_on_dead_wire.json")).expect("JSON");
    let mut tally = Tally::default();
    assert_eq!(check(&scenario, &mut tally), Ok(()));
    assert_eq!(tally.refused, 0);
}

/// A drop by queue management at the attempt shut the gate of the hop that was to send (a panic in a random world).
#[test]
fn a_gate_that_a_drop_shuts_at_the_attempt_ends_the_attempt() {
    let scenario = serde_json::from_str(include_str!("gate_after_drop.json")).expect("JSON");
    let mut tally = Tally::default();
    assert_eq!(check(&scenario, &mut tally), Ok(()));
    assert_eq!(tally.refused, 0);
}
