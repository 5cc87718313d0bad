//! Many runs on all cores. Each run is single-threaded and shares nothing, so results don't depend
//! on the number of threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use backwater_scenario as native;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::outcome::{Budget, Finished, Stopped, timed_run};
use crate::scenario::Resolved;

/// How often the caller's thread looks for signals while it waits.
const LOOK: Duration = Duration::from_millis(50);

/// What a store keeps of a run.
#[pyclass(module = "backwater._native", frozen)]
pub struct Stored(native::Stored);

#[pymethods]
impl Stored {
    /// (scope, metric) of each value, as JSON.
    #[getter]
    fn layout(&self) -> &str {
        &self.0.layout
    }

    /// The compressed values.
    #[getter]
    fn blob<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.blob)
    }

    /// What says how the case went, as JSON.
    #[getter]
    fn head(&self) -> &str {
        &self.0.head
    }
}

/// What a store keeps of a run, of its document.
///
/// # Errors
/// ValueError when the text is no document of a run.
#[pyfunction]
pub fn stored(py: Python<'_>, document: &str) -> PyResult<Stored> {
    py.detach(|| native::Stored::of(document))
        .map(Stored)
        .map_err(PyValueError::new_err)
}

/// The document of a run, or the error.
fn one(
    resolved: &native::Resolved,
    budget: Budget,
    stop: &AtomicBool,
) -> Option<Result<String, String>> {
    let run = || -> Result<Finished, Stopped> {
        let world = resolved
            .build()
            .map_err(|d| native::Failure::Refused(Box::new(d)))?;
        let run = native::Run::of(world, resolved, native::Keep::default())?;
        timed_run(run, budget, || !stop.load(Ordering::Relaxed))
    };
    // A defect in one run must not take the others with it.
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(finished)) => {
            Some(serde_json::to_string(&finished.document).map_err(|e| e.to_string()))
        }
        Ok(Err(Stopped::Asked)) => None,
        Ok(Err(Stopped::Budget(why))) => Some(Err(why)),
        Ok(Err(Stopped::Failed(native::Failure::Refused(d) | native::Failure::Part(d)))) => {
            Some(Err(d.to_string()))
        }
        Ok(Err(Stopped::Failed(native::Failure::Io(path, e)))) => Some(Err(format!("{path}: {e}"))),
        Err(panic) => {
            let text = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            Some(Err(format!(
                "defect of the engine: {}",
                text.unwrap_or_default()
            )))
        }
    }
}

/// Runs `cases` on `workers` threads and calls `done(index, document, error)` on the caller's
/// thread as each finishes. With `store` it receives what a store keeps in the document's place: flattened and compressed
/// on the worker's thread, while the caller's thread writes others. `budget` is that of each case: seconds of wall time,
/// bytes. Those with classes of Python are refused: they run in processes of their own.
#[pyfunction]
#[pyo3(signature = (cases, workers, done, *, store = false, budget = (None, None)))]
pub fn run_batch(
    py: Python<'_>,
    cases: Vec<Py<Resolved>>,
    workers: usize,
    done: Py<PyAny>,
    store: bool,
    budget: (Option<f64>, Option<u64>),
) -> PyResult<()> {
    let (wall_s, memory) = budget;
    let budget = Budget { wall_s, memory };
    let cases: Vec<native::Resolved> = cases.iter().map(|c| c.get().scenario.clone()).collect();
    let kept = |document: String| native::Stored::of(&document).map(Stored);
    py.detach(|| match store {
        true => work(&cases, workers, budget, &done, kept),
        false => work(&cases, workers, budget, &done, Ok),
    })
}

fn work<T: Send + for<'py> IntoPyObject<'py>>(
    cases: &[native::Resolved],
    workers: usize,
    budget: Budget,
    done: &Py<PyAny>,
    kept: impl Fn(String) -> Result<T, String> + Sync,
) -> PyResult<()> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, cases.len().max(1)) {
            let (sender, next, stop, kept) = (sender.clone(), &next, &stop, &kept);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(finding) = cases.get(index).and_then(|c| one(c, budget, stop)) else {
                        break;
                    };
                    if sender.send((index, finding.and_then(kept))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let outcome = collect(&receiver, done);
        if outcome.is_err() {
            stop.store(true, Ordering::Relaxed);
        }
        outcome
    })
}

fn collect<T: for<'py> IntoPyObject<'py>>(
    receiver: &mpsc::Receiver<(usize, Result<T, String>)>,
    done: &Py<PyAny>,
) -> PyResult<()> {
    loop {
        let message = receiver.recv_timeout(LOOK);
        if let Err(mpsc::RecvTimeoutError::Disconnected) = message {
            return Ok(());
        }
        Python::attach(|py| {
            match message {
                Ok((index, Ok(found))) => done.call1(py, (index, found, py.None()))?,
                Ok((index, Err(error))) => done.call1(py, (index, py.None(), error))?,
                Err(_) => py.None(),
            };
            py.check_signals()
        })?;
    }
}
