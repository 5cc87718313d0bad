//! Threads that stay: each has a share of some places and works on it when asked.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

type Job = Box<dyn FnOnce() + Send>;

/// Shares of places, and a thread for each but the first, which the caller's thread serves.
pub struct Pool<T> {
    shares: Vec<Arc<Mutex<T>>>,
    threads: Vec<Sender<Job>>,
    finished: Mutex<Receiver<()>>,
}

impl<T: Send + 'static> Pool<T> {
    /// One thread for each share.
    pub fn new(shares: Vec<T>) -> Pool<T> {
        let (finish, finished) = channel();
        let threads = (1..shares.len()).map(|_| {
            let (sender, jobs) = channel::<Job>();
            let finish = finish.clone();
            std::thread::spawn(move || {
                for job in jobs {
                    // A share reports its own faults. What is left must not leave the caller waiting.
                    let _ = catch_unwind(AssertUnwindSafe(job));
                    if finish.send(()).is_err() {
                        break;
                    }
                }
            });
            sender
        });
        Pool {
            threads: threads.collect(),
            shares: shares.into_iter().map(Mutex::new).map(Arc::new).collect(),
            finished: Mutex::new(finished),
        }
    }

    /// How many shares there are.
    pub fn shares(&self) -> usize {
        self.shares.len()
    }

    /// Does something to a share, in the caller's thread.
    pub fn with<R>(&self, share: usize, work: impl FnOnce(&mut T) -> R) -> R {
        work(
            &mut self.shares[share]
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Does something to all shares at once, and waits until it is done.
    pub fn all(&self, work: impl Fn(&mut T) + Send + Sync + 'static) {
        let work = Arc::new(work);
        for (thread, share) in self.threads.iter().zip(&self.shares[1..]) {
            let (work, share) = (work.clone(), share.clone());
            let job = move || work(&mut share.lock().unwrap_or_else(PoisonError::into_inner));
            thread
                .send(Box::new(job))
                .expect("a thread lives as long as its pool");
        }
        work(
            &mut self.shares[0]
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        let finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in &self.threads {
            finished.recv().expect("a thread lives as long as its pool");
        }
    }
}
