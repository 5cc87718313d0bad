//! Rare events by splitting: levels from a pilot, and replicates on several threads.

use backwater_scenario::{Effort, Rare, Replicate, Term};
use backwater_transport::units::Time;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::crew::Crew;
use crate::scenario::{Resolved, refuse};

/// Kind and port of a term.
type Written = (String, String);
/// Hits and events of each stage, events before runs counted, and an example: seed, copies, instant, fingerprint.
type Found = (Vec<u64>, Vec<u64>, u64, Option<Example>);
type Example = (u64, Vec<(u64, u64)>, u64, String);

fn terms(written: Vec<Written>) -> PyResult<Vec<Term>> {
    let term = |(kind, port): Written| match kind.as_str() {
        "waiting" => Ok(Term::Waiting(port)),
        "bytes" => Ok(Term::Bytes(port)),
        "lost" => Ok(Term::Lost),
        _ => {
            let what = format!("{kind:?} is no term; name waiting, bytes or lost");
            Err(PyValueError::new_err(what))
        }
    };
    written.into_iter().map(term).collect()
}

/// The levels of the score, those of a pilot where none are given, and what each replicate gave.
#[pyfunction]
#[pyo3(signature = (resolved, event, level, score, empty, span_ps, levels, seed, runs, replicates, workers))]
#[expect(clippy::too_many_arguments, reason = "as Python passes them")]
pub fn rare(
    py: Python<'_>,
    resolved: Py<Resolved>,
    event: Vec<Written>,
    level: u64,
    score: Vec<Written>,
    empty: Vec<Written>,
    span_ps: (u64, u64),
    levels: Option<Vec<u64>>,
    seed: u64,
    runs: u32,
    replicates: usize,
    workers: usize,
) -> PyResult<(Vec<u64>, Vec<Found>)> {
    let rare = Rare {
        event: terms(event)?,
        level,
        score: terms(score)?,
        empty: terms(empty)?,
        after: Time(span_ps.0),
        to: Time(span_ps.1),
    };
    let scenario = &resolved.get().scenario;
    let levels = match levels {
        Some(levels) => levels,
        None => {
            let pilot = py.detach(|| scenario.rare_levels(&rare, seed, runs));
            pilot.map_err(|d| refuse(&d))?
        }
    };
    let given = levels.clone();
    let run = move |index: usize| {
        let effort = Effort {
            seed,
            replicate: index as u64,
            runs,
        };
        let scenario = &resolved.get().scenario;
        scenario.rare_replicate(&rare, &given, effort)
    };
    let crew = Crew::new(workers.min(replicates));
    let found = py.detach(|| crew.begin(replicates, run).wait())?;
    let found = found.into_iter().collect::<Result<Vec<_>, _>>();
    let found = found.map_err(|d| refuse(&d))?;
    Ok((levels, found.into_iter().map(written).collect()))
}

fn written(one: Replicate) -> Found {
    let example = one.example.map(|(seed, steps, at, fingerprint)| {
        let steps = steps.iter().map(|step| (step.at.0, step.reseed)).collect();
        (seed, steps, at.0, format!("{fingerprint:016x}"))
    });
    (one.hits, one.events, one.events_before, example)
}
