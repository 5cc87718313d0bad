//! Many runs on all cores. Each run is single-threaded and shares nothing, so results don't depend
//! on the number of threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use backwater_scenario as native;
use backwater_sim::world::World;
use pyo3::prelude::*;

use crate::fault::Fault;
use crate::outcome::{Budget, Finished, Stopped, timed_run};
use crate::scenario::Resolved;
use crate::script;

/// How often the caller's thread looks for signals while it waits.
const LOOK: Duration = Duration::from_millis(50);

/// Looks after which a person is told that a class of Python does not stop.
const PATIENCE: u32 = 40;

/// Threads of Python that have run classes, as `threading` numbers them.
type Threads = Mutex<Vec<u64>>;

/// Document or error of a finished run.
type Finding = Result<String, String>;

fn one(
    resolved: &native::Resolved,
    budget: Budget,
    stop: &AtomicBool,
    threads: &Threads,
) -> Option<Finding> {
    let fault = Fault::default();
    let go_on = || !stop.load(Ordering::Relaxed) && !fault.any();
    let run = || -> Result<Finished, Stopped> {
        let run = native::Run::of(
            world(resolved, &fault, threads)?,
            resolved,
            native::Keep::default(),
        );
        timed_run(run?, budget, go_on)
    };
    // A defect in one run must not take the others with it.
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(_) | Err(Stopped::Asked)) if fault.any() => {
            Python::attach(|py| fault.said(py)).map(Err)
        }
        Ok(Ok(finished)) => Some(Ok(finished.document.to_string())),
        Ok(Err(Stopped::Asked)) => None,
        Ok(Err(Stopped::Budget(why))) => Some(Err(why)),
        Ok(Err(Stopped::Failed(native::Failure::Refused(d)))) => Some(Err(d.to_string())),
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

/// The world of a run. The interpreter is asked for only where it has something to do.
fn world(
    resolved: &native::Resolved,
    fault: &Fault,
    threads: &Threads,
) -> Result<World, native::Failure> {
    let built = match resolved.hosted().next() {
        None => resolved.build(),
        Some(_) => Python::attach(|py| {
            let number = py
                .import("threading")
                .and_then(|threading| threading.call_method0("get_ident")?.extract())
                .expect("every thread has a number");
            let mut known = threads.lock().expect("no holder panics");
            if !known.contains(&number) {
                known.push(number);
            }
            drop(known);
            script::build(py, resolved, None, fault)
        }),
    };
    built.map_err(|d| native::Failure::Refused(Box::new(d)))
}

/// Runs `cases` on `workers` threads and calls `done(index, document, error)` on the caller's
/// thread as each finishes.
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
    let cases: Vec<native::Resolved> = cases.iter().map(|c| c.get().0.clone()).collect();
    // Workers want the interpreter for classes of Python, also when they are to stop.
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
    let threads = Threads::default();
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, cases.len().max(1)) {
            let (sender, next, stop, threads) = (sender.clone(), &next, &stop, &threads);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(finding) =
                        cases.get(index).and_then(|c| one(c, budget, stop, threads))
                    else {
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
            wait(&receiver, &threads);
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

/// Waits for the workers to stop. A class of Python may never return: it is interrupted, and where
/// that is no use the next signal ends the process, whose finished runs have been stored.
fn wait(receiver: &mpsc::Receiver<(usize, Finding)>, threads: &Threads) {
    for look in 0.. {
        if let Err(mpsc::RecvTimeoutError::Disconnected) = receiver.recv_timeout(LOOK) {
            return;
        }
        Python::attach(|py| {
            let known = threads.lock().expect("no holder panics").clone();
            let stopping = py.import("backwater.model.stopping").and_then(|stopping| {
                if look == PATIENCE && !known.is_empty() {
                    stopping.call_method0("warn")?;
                }
                stopping.call_method1("interrupt", (known,))
            });
            if let Err(signal) = stopping.and_then(|_| py.check_signals()) {
                signal_again(py, &signal);
            }
        });
    }
}

/// Ends the process.
fn signal_again(py: Python<'_>, signal: &PyErr) {
    let left = py
        .import("backwater.model.stopping")
        .and_then(|stopping| stopping.call_method1("leave", (signal.value(py),)));
    if let Err(error) = left {
        error.print(py);
    }
}
