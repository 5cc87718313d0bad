//! Traces and logs as documents.

use std::path::PathBuf;

use backwater_scenario::traces;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::scenario::{folders, refuse};

/// A generator fitted to a trace file, as JSON.
#[pyfunction]
pub fn trace_fit(
    py: Python<'_>,
    file: &str,
    kind: &str,
    opportunity: &str,
    folder: Option<PathBuf>,
) -> PyResult<String> {
    let folders = folders(folder);
    py.detach(|| traces::fit(file, kind, opportunity, &folders))
        .map(|found| found.to_string())
        .map_err(|d| refuse(&d))
}

/// A trace file of what the generator of a TOML text gives.
#[pyfunction]
#[pyo3(signature = (toml, name, sets, seed, duration, opportunity, folder))]
#[expect(clippy::too_many_arguments, reason = "as Python passes them, by name")]
pub fn trace_make(
    py: Python<'_>,
    toml: &str,
    name: &str,
    sets: Vec<(String, String)>,
    seed: u64,
    duration: &str,
    opportunity: &str,
    folder: Option<PathBuf>,
) -> PyResult<String> {
    let read = |(option, value): (String, String)| {
        serde_json::from_str(&value)
            .map(|value| (option, value))
            .map_err(|e| PyValueError::new_err(e.to_string()))
    };
    let sets = sets.into_iter().map(read).collect::<PyResult<Vec<_>>>()?;
    let request = traces::Request {
        seed,
        duration,
        opportunity,
    };
    let folders = folders(folder);
    py.detach(|| traces::make(toml, name, &sets, &request, &folders))
        .map_err(|d| refuse(&d))
}

/// The content of a log of mahimahi, as JSON.
#[pyfunction]
pub fn trace_log(py: Python<'_>, file: &str, folder: Option<PathBuf>) -> PyResult<String> {
    let folders = folders(folder);
    py.detach(|| traces::log(file, &folders))
        .map(|found| found.to_string())
        .map_err(|d| refuse(&d))
}
