//! Many runs on all cores. Each run is single-threaded and shares nothing, so results don't depend
//! on the number of threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use backwater_scenario as native;
use pyo3::prelude::*;

use crate::outcome::timed_run;
use crate::scenario::Resolved;

/// How often the caller's thread looks for signals while it waits.
const LOOK: Duration = Duration::from_millis(50);

/// Document or error of a finished run.
type Finding = Result<String, String>;

fn one(resolved: &native::Resolved, stop: &AtomicBool) -> Option<Finding> {
    let run = || {
        let world = resolved
            .build()
            .map_err(|d| native::Failure::Refused(Box::new(d)))?;
        let run = native::Run::of(world, resolved, native::Keep::default());
        timed_run(run?, || !stop.load(Ordering::Relaxed))
    };
    // A defect in one run must not take the others with it.
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(finished)) => finished.map(|f| Ok(f.document.to_string())),
        Ok(Err(native::Failure::Refused(d))) => Some(Err(d.to_string())),
        Ok(Err(native::Failure::Io(path, e))) => Some(Err(format!("{path}: {e}"))),
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
/// thread as each finishes. Those with classes of Python are refused: they run in processes of their own.
#[pyfunction]
pub fn run_batch(
    py: Python<'_>,
    cases: Vec<Py<Resolved>>,
    workers: usize,
    done: Py<PyAny>,
) -> PyResult<()> {
    let cases: Vec<native::Resolved> = cases.iter().map(|c| c.get().scenario.clone()).collect();
    py.detach(|| work(&cases, workers, &done))
}

fn work(cases: &[native::Resolved], workers: usize, done: &Py<PyAny>) -> PyResult<()> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel::<(usize, Finding)>();
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, cases.len().max(1)) {
            let (sender, next, stop) = (sender.clone(), &next, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(finding) = cases.get(index).and_then(|c| one(c, stop)) else {
                        break;
                    };
                    if sender.send((index, finding)).is_err() {
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

fn collect(receiver: &mpsc::Receiver<(usize, Finding)>, done: &Py<PyAny>) -> PyResult<()> {
    loop {
        let message = receiver.recv_timeout(LOOK);
        if let Err(mpsc::RecvTimeoutError::Disconnected) = message {
            return Ok(());
        }
        Python::attach(|py| {
            match message {
                Ok((index, Ok(document))) => done.call1(py, (index, document, py.None()))?,
                Ok((index, Err(error))) => done.call1(py, (index, py.None(), error))?,
                Err(_) => py.None(),
            };
            py.check_signals()
        })?;
    }
}
