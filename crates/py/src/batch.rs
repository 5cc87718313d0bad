//! Many runs on all cores. Each run is single-threaded and shares nothing, so results don't depend
//! on the number of threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use backwater_scenario as native;
use pyo3::prelude::*;

use crate::outcome::{Budget, Finished, Stopped, timed_run};
use crate::scenario::Resolved;

/// How often the caller's thread looks for signals while it waits.
const LOOK: Duration = Duration::from_millis(50);

/// Document or error of a finished run.
type Finding = Result<String, String>;

fn one(resolved: &native::Resolved, budget: Budget, stop: &AtomicBool) -> Option<Finding> {
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
/// thread as each finishes. Those with classes of Python are refused: they run in processes of their own.
#[pyfunction]
#[pyo3(signature = (cases, workers, done, max_wall_s = None, max_memory_B = None))]
pub fn run_batch(
    py: Python<'_>,
    cases: Vec<Py<Resolved>>,
    workers: usize,
    done: Py<PyAny>,
    max_wall_s: Option<f64>,
    #[allow(non_snake_case, reason = "names end in their unit")] max_memory_B: Option<u64>,
) -> PyResult<()> {
    let budget = Budget {
        wall_s: max_wall_s,
        memory: max_memory_B,
    };
    let cases: Vec<native::Resolved> = cases.iter().map(|c| c.get().scenario.clone()).collect();
    py.detach(|| work(&cases, workers, budget, &done))
}

fn work(
    cases: &[native::Resolved],
    workers: usize,
    budget: Budget,
    done: &Py<PyAny>,
) -> PyResult<()> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel::<(usize, Finding)>();
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, cases.len().max(1)) {
            let (sender, next, stop) = (sender.clone(), &next, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(finding) = cases.get(index).and_then(|c| one(c, budget, stop)) else {
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
