//! A random scenario runs with its invariants whole, or is refused with a remedy.

use std::collections::BTreeMap;

use backwater_scenario::{Folders, Keep, Run, Scenario};
use serde_json::Value;

/// Events of a world at most.
pub const EVENTS: u64 = 20_000;

/// The fates of worlds.
#[derive(Debug, Default)]
pub struct Tally {
    /// Ran to their end.
    pub finished: u64,
    /// Had more events than there was patience for.
    pub cut: u64,
    /// Were refused.
    pub refused: u64,
    /// How often for each remedy, without names and numbers.
    pub remedies: BTreeMap<String, u64>,
}

/// Runs a scenario for a bounded number of events.
///
/// # Errors
/// An invariant that does not hold, or a refusal without a remedy.
pub fn check(scenario: &Value, tally: &mut Tally) -> Result<(), String> {
    let read = Scenario::from_json(scenario.to_string(), "world.json", Folders::default());
    let resolved = match read.and_then(|s| s.resolve(None)) {
        Ok(resolved) => resolved,
        Err(refusal) => {
            tally.refused += 1;
            *tally
                .remedies
                .entry(kind_of(&refusal.what, &refusal.fix))
                .or_default() += 1;
            let remedy = !refusal.what.is_empty() && !refusal.fix.is_empty();
            return remedy
                .then_some(())
                .ok_or(format!("refused without a remedy: {refusal}"));
        }
    };
    let mut world = match resolved.build() {
        Ok(world) => world,
        Err(refusal) => {
            tally.refused += 1;
            *tally
                .remedies
                .entry(kind_of(&refusal.what, &refusal.fix))
                .or_default() += 1;
            return Ok(());
        }
    };
    if !world.advance_some(EVENTS) {
        tally.cut += 1;
        let kept = world.report().conserved;
        return kept.then_some(()).ok_or("not conserved".into());
    }
    tally.finished += 1;
    let run = Run::of(world, &resolved, Keep::default());
    let document = run
        .and_then(Run::finish)
        .map_err(|_| "a run that writes nothing failed")?
        .0;
    if document["conservation"]["ok"] != true {
        return Err(format!("not conserved: {}", document["conservation"]));
    }
    match document["sanity"]["ok"] == true {
        true => Ok(()),
        false => Err(document["sanity"]["faults"].to_string()),
    }
}

/// A refusal without names and numbers.
fn kind_of(what: &str, fix: &str) -> String {
    let plain = |text: &str| -> String {
        let parts = text.split('`').enumerate();
        let words = parts.map(|(at, part)| if at % 2 == 0 { part } else { "_" });
        let words: String = words.collect();
        words
            .chars()
            .filter(|c| !c.is_ascii_digit())
            .take(90)
            .collect()
    };
    format!("{} / {}", plain(what), plain(fix))
}
