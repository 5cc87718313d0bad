//! The result of a run, and the one place that reads a clock: the cost of the event loop.

use std::path::PathBuf;
use std::time::Instant;

use backwater_scenario as native;
use backwater_sim::record::What;
use cpu_time::ThreadTime;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::scenario::fail;

/// A finished run.
pub struct Finished {
    /// The run's document, cost included.
    pub document: Value,
    columns: Option<native::Columns>,
    names: native::Names,
}

/// The most that a run may cost; no limit where there is none.
#[derive(Copy, Clone, Debug, Default)]
pub struct Budget {
    /// Seconds of wall time.
    pub wall_s: Option<f64>,
    /// Resident bytes of the process.
    pub memory: Option<u64>,
}

/// Seconds of wall time between two looks at the memory: a look takes some microseconds.
const LOOK_S: f64 = 0.02;

impl Budget {
    /// Why a run that has taken so long must end; none if it may go on. `looked_s` is when it last looked at the memory.
    fn exceeded(&self, wall_s: f64, looked_s: &mut f64) -> Option<String> {
        if let Some(most) = self.wall_s.filter(|most| wall_s > *most) {
            return Some(format!("the run took more than --max-wall, {most} s"));
        }
        let most = self.memory?;
        if wall_s - *looked_s < LOOK_S {
            return None;
        }
        *looked_s = wall_s;
        match resident("VmRSS:") {
            Some(bytes) if bytes <= most => None,
            Some(_) => Some(format!("the process took more than --max-memory, {most} B")),
            None => Some("this system does not tell how much memory a process has".into()),
        }
    }
}

/// Why a run has no result.
pub enum Stopped {
    /// Somebody asked for it.
    Asked,
    /// It cost more than its budget.
    Budget(String),
    /// It failed.
    Failed(native::Failure),
}

impl From<native::Failure> for Stopped {
    fn from(failure: native::Failure) -> Stopped {
        Stopped::Failed(failure)
    }
}

/// Runs to the end, and asks `go_on` and the budget every few thousand events.
#[expect(clippy::disallowed_methods, reason = "the one clock: what a run costs")]
pub fn timed_run(
    mut run: native::Run,
    budget: Budget,
    mut go_on: impl FnMut() -> bool,
) -> Result<Finished, Stopped> {
    let (wall, cpu) = (Instant::now(), ThreadTime::now());
    let mut looked_s = 0.0;
    while !run.step()? {
        if !go_on() {
            return Err(Stopped::Asked);
        }
        if let Some(why) = budget.exceeded(wall.elapsed().as_secs_f64(), &mut looked_s) {
            return Err(Stopped::Budget(why));
        }
    }
    // A class may have forked: the clock of the new process began again.
    let cpu = ThreadTime::now()
        .as_duration()
        .saturating_sub(cpu.as_duration());
    let (cpu_s, wall_s) = (cpu.as_secs_f64(), wall.elapsed().as_secs_f64());
    let (events, packet_hops) = run.counts();
    let (mut document, columns, names) = run.finish()?;
    document["cost"] = json!({"cpu_s": cpu_s, "wall_s": wall_s, "events": events, "packet_hops": packet_hops, "rss_peak_B": resident("VmHWM:")});
    Ok(Finished {
        document,
        columns,
        names,
    })
}

/// Resident memory of the process in bytes, now (`VmRSS:`) or at most (`VmHWM:`), where the system tells.
fn resident(which: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with(which))?;
    line.split_whitespace()
        .nth(1)?
        .parse::<u64>()
        .ok()
        .map(|kib| kib * 1024)
}

/// A run's results.
#[pyclass(module = "backwater._native", frozen)]
pub struct Outcome {
    #[pyo3(get)]
    document: String,
    #[pyo3(get)]
    columns: Py<PyDict>,
    #[pyo3(get)]
    whats: Vec<String>,
    #[pyo3(get)]
    places: Vec<String>,
    #[pyo3(get)]
    flows: Vec<String>,
}

impl Outcome {
    /// As Python sees it.
    pub fn new(finished: Finished) -> PyResult<Outcome> {
        let Finished {
            document,
            columns,
            names,
        } = finished;
        let columns = Python::attach(|py| -> PyResult<Py<PyDict>> {
            let dict = PyDict::new(py);
            if let Some(c) = columns {
                dict.set_item("time_s", c.time_s.into_pyarray(py))?;
                dict.set_item("what", c.what.into_pyarray(py))?;
                dict.set_item("place", c.place.into_pyarray(py))?;
                dict.set_item("flow", c.flow.into_pyarray(py))?;
                dict.set_item("seq", c.seq.into_pyarray(py))?;
                dict.set_item("size_B", c.size_b.into_pyarray(py))?;
                dict.set_item("value", c.value.into_pyarray(py))?;
            }
            Ok(dict.unbind())
        })?;
        let whats = What::ALL.iter().map(|w| w.name().to_owned()).collect();
        Ok(Outcome {
            document: document.to_string(),
            columns,
            whats,
            places: names.places,
            flows: names.flows,
        })
    }
}

/// The first record in which two record files differ, as JSON; None if they are equal.
#[pyfunction]
pub fn diff(py: Python<'_>, a: PathBuf, b: PathBuf) -> PyResult<Option<String>> {
    let found = py.detach(|| native::diff(&a, &b)).map_err(fail)?;
    Ok(found.map(|v| v.to_string()))
}
