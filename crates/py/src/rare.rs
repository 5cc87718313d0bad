//! Rare events by splitting: levels from a pilot, and replicates on several threads.

use backwater_scenario::{Effort, Example, Rare, Replicate, Restarted, Term};
use backwater_transport::units::Time;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::crew::Crew;
use crate::scenario::{Resolved, refuse};

/// Kind and port of a term.
type Written = (String, String);
/// Hits and events of each stage, events before runs counted, and an example: seed, copies, instant, fingerprint.
type Found = (Vec<u64>, Vec<u64>, u64, Option<WrittenExample>);
type WrittenExample = (u64, Vec<(u64, u64)>, u64, String);
/// Hits beyond so many levels, passes of each level, events, events before, squares, and an example.
type FoundByRestart = (
    Vec<u64>,
    Vec<u64>,
    Vec<u64>,
    u64,
    f64,
    Option<WrittenExample>,
);

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

/// The levels of the score, those of a pilot where none are given, and what each replicate gave: by stages, or by RESTART where
/// `restart` has as how many runs a run goes on, at all levels or at each.
#[pyfunction]
#[pyo3(signature = (resolved, event, level, score, empty, span_ps, levels, restart, seed, runs, replicates, workers))]
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
    restart: Option<Vec<u32>>,
    seed: u64,
    runs: u32,
    replicates: usize,
    workers: usize,
) -> PyResult<(Vec<u64>, Vec<Found>, Vec<FoundByRestart>)> {
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
    let effort = move |index: usize| Effort {
        seed,
        replicate: index as u64,
        runs,
    };
    let crew = Crew::new(workers.min(replicates));
    if let Some(each) = restart {
        let each = if each.len() == 1 {
            vec![each[0]; levels.len()]
        } else {
            each
        };
        let run = move |index: usize| {
            let scenario = &resolved.get().scenario;
            scenario.restart_replicate(&rare, &given, &each, effort(index))
        };
        let found = py.detach(|| crew.begin(replicates, run).wait())?;
        let found = found.into_iter().collect::<Result<Vec<_>, _>>();
        let found = found.map_err(|d| refuse(&d))?;
        return Ok((
            levels,
            Vec::new(),
            found.into_iter().map(restarted).collect(),
        ));
    }
    let run = move |index: usize| {
        let scenario = &resolved.get().scenario;
        scenario.rare_replicate(&rare, &given, effort(index))
    };
    let found = py.detach(|| crew.begin(replicates, run).wait())?;
    let found = found.into_iter().collect::<Result<Vec<_>, _>>();
    let found = found.map_err(|d| refuse(&d))?;
    Ok((levels, found.into_iter().map(written).collect(), Vec::new()))
}

fn written(one: Replicate) -> Found {
    (
        one.hits,
        one.events,
        one.events_before,
        one.example.map(example),
    )
}

fn restarted(one: Restarted) -> FoundByRestart {
    let example = one.example.map(example);
    (
        one.hits,
        one.passed,
        one.events,
        one.events_before,
        one.squares,
        example,
    )
}

fn example((seed, steps, at, fingerprint): Example) -> WrittenExample {
    let steps = steps.iter().map(|step| (step.at.0, step.reseed)).collect();
    (seed, steps, at.0, format!("{fingerprint:016x}"))
}
