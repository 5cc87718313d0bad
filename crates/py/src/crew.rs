//! Threads that stay and take runs in the order in which batches of them came, so that the last runs of a batch and the first
//! of the next one share the cores.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often a caller's thread looks for signals while it waits.
const LOOK: Duration = Duration::from_millis(50);

type Job = Box<dyn FnOnce() + Send>;

/// See the head of the file. The threads end with what they have begun when nobody has the crew any more.
pub struct Crew(Sender<Job>);

impl Crew {
    /// So many threads.
    pub fn new(threads: usize) -> Crew {
        let (sender, jobs) = channel::<Job>();
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..threads.max(1) {
            let jobs = jobs.clone();
            std::thread::spawn(move || {
                while let Some(job) = next(&jobs) {
                    job();
                }
            });
        }
        Crew(sender)
    }

    /// Lets the threads make so many findings.
    pub fn begin<Found: Send + 'static>(
        &self,
        count: usize,
        run: impl Fn(usize) -> Found + Send + Sync + 'static,
    ) -> Batch<Found> {
        let batch = Batch(Arc::new(Findings {
            open: Mutex::new(Open {
                left: count,
                found: (0..count).map(|_| None).collect(),
            }),
            all: Condvar::new(),
            stop: AtomicBool::new(false),
        }));
        let run = Arc::new(run);
        for index in 0..count {
            let (findings, run) = (batch.0.clone(), run.clone());
            let job = move || {
                if !findings.stop.load(Ordering::Relaxed) {
                    // A thread outlives a defect in one run, and the batch says that it lacks the finding.
                    let found = catch_unwind(AssertUnwindSafe(|| run(index))).ok();
                    findings.put(index, found);
                }
            };
            self.0
                .send(Box::new(job))
                .expect("threads live as long as their crew");
        }
        batch
    }
}

fn next(jobs: &Mutex<Receiver<Job>>) -> Option<Job> {
    let jobs = jobs.lock().unwrap_or_else(PoisonError::into_inner);
    jobs.recv().ok()
}

struct Open<Found> {
    left: usize,
    found: Vec<Option<Found>>,
}

struct Findings<Found> {
    open: Mutex<Open<Found>>,
    all: Condvar,
    stop: AtomicBool,
}

impl<Found> Findings<Found> {
    fn put(&self, index: usize, found: Option<Found>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.found[index] = found;
        open.left -= 1;
        if open.left == 0 {
            self.all.notify_all();
        }
    }
}

/// Runs that a crew makes. What has not begun is left out when nobody has the batch any more.
pub struct Batch<Found>(Arc<Findings<Found>>);

impl<Found> Batch<Found> {
    /// The findings in their order, however many threads there are, when all have come. The second time there are none.
    ///
    /// # Errors
    /// A signal, or a defect.
    pub fn wait(&self) -> PyResult<Vec<Found>> {
        let mut open = self.0.open.lock().unwrap_or_else(PoisonError::into_inner);
        while open.left > 0 {
            let waited = self.0.all.wait_timeout(open, LOOK);
            let timeout;
            (open, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            if timeout.timed_out() {
                drop(open);
                Python::attach(|py| py.check_signals())?;
                open = self.0.open.lock().unwrap_or_else(PoisonError::into_inner);
            }
        }
        let found: Option<Vec<Found>> = std::mem::take(&mut open.found).into_iter().collect();
        found.ok_or_else(|| PyRuntimeError::new_err("defect of the engine: a run gave nothing"))
    }
}

impl<Found> Drop for Batch<Found> {
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }
}
