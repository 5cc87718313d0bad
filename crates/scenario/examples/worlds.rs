//! Builds and runs random scenarios of all tables, and says which break an invariant.
//! `cargo run --release -p backwater-scenario --example worlds -- [FIRST] [COUNT]`

#[path = "../tests/worlds/check.rs"]
mod check;
#[path = "../tests/worlds/dice.rs"]
mod dice;
#[path = "../tests/worlds/generator.rs"]
mod generator;

use check::{Tally, check};
use dice::Dice;
use generator::Tables;

fn main() {
    let mut numbers = std::env::args().skip(1).map(|a| a.parse::<u64>());
    let mut number = |other| numbers.next().and_then(Result::ok).unwrap_or(other);
    let (first, count) = (number(0), number(1_000_000));
    let tables = Tables::new();
    let (mut tally, mut broken) = (Tally::default(), 0);
    for seed in first..first + count {
        let scenario = tables.scenario(&mut Dice::of_seed(seed));
        let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            check(&scenario, &mut tally)
        }));
        if let Err(what) = ran.unwrap_or_else(|_| Err("a panic".into())) {
            println!("world {seed}: {what}\n{scenario}");
            broken += 1;
        }
    }
    let mut remedies: Vec<_> = std::mem::take(&mut tally.remedies).into_iter().collect();
    remedies.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (remedy, count) in remedies.iter().take(40) {
        println!("{count:8} refused: {remedy}");
    }
    println!("{tally:?}, {broken} broken");
    std::process::exit(i32::from(broken > 0));
}
