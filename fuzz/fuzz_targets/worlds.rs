//! Bytes choose a scenario of every part of every table; it is built and run with its invariants whole, or refused with a
//! remedy.

#![no_main]

#[path = "../../crates/scenario/tests/worlds/check.rs"]
mod check;
#[path = "../../crates/scenario/tests/worlds/dice.rs"]
mod dice;
#[path = "../../crates/scenario/tests/worlds/generator.rs"]
mod generator;

use std::sync::LazyLock;

use check::{Tally, check};
use dice::Dice;
use generator::Tables;

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let scenario = TABLES.scenario(&mut Dice::of_bytes(data));
    if let Err(what) = check(&scenario, &mut Tally::default()) {
        panic!("{what}\n{scenario}");
    }
});
