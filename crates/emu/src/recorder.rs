//! A thread of its own writes the recording of an emulation, so that no packet waits for a file or for a reader of the page.
//!
//! The driver takes what happened out of the world and hands it over. It may be ahead of the thread by so many events at most; of
//! what comes while the thread is further behind nothing is kept, and it is counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use backwater_scenario::{LinkEntries, LinkLog, LogTap, Observers, Seen};
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};
use serde_json::{Value, json};

use crate::driver::Driver;
use crate::fault::Fault;
use crate::page::LivePage;
use crate::sent::{Sent, SentCapture};
use crate::shell::of_failure;
use crate::system;

/// Events and packets by which the driver may be ahead: five seconds of 50,000 packets/s, 100 MB.
const MOST: usize = 1_000_000;
/// How long the thread waits for the driver before it looks at the page.
const WAIT: Duration = Duration::from_millis(20);
/// How long after its end an interval is told: what happened in it has been handed over.
const SETTLED: Span = Span::millis(40);
/// Events of an interval that a page gets. A browser redraws them within a tenth of a second.
const SHOWN: u64 = 10_000;

/// The driver's side.
pub(crate) struct Recorder {
    to: Sender<Handed>,
    taps: Vec<LogTap>,
    thread: JoinHandle<Result<Writer, Fault>>,
    behind: Arc<AtomicUsize>,
    lost: usize,
    last: Time,
}

/// The events up to an instant.
struct Handed {
    now: Time,
    seen: Seen,
    sent: Sent,
    /// Of each log of a link.
    logged: Vec<LinkEntries>,
}

impl Handed {
    /// Events and packets.
    fn len(&self) -> usize {
        let logged: usize = self.logged.iter().map(Vec::len).sum();
        self.seen.events() + self.sent.packets() + logged
    }
}

/// The thread's side.
struct Writer {
    observers: Observers,
    logs: Vec<LinkLog>,
    capture: Option<SentCapture>,
    page: Option<LivePage>,
    /// A copy of the world as it began, for names.
    world: World,
    every: Option<Span>,
    cpu_s: f64,
}

/// The written recording, once the thread has ended.
pub(crate) struct Recorded {
    pub(crate) observers: Observers,
    /// Events and packets that are missing.
    pub(crate) lost: usize,
    /// CPU seconds of the thread.
    pub(crate) cpu_s: f64,
}

impl Recorder {
    /// Starts the thread. Call it after the signals are caught, and before the driver asks for real-time priority.
    pub(crate) fn start(
        world: &World,
        (observers, logs): (Observers, Vec<LinkLog>),
        capture: Option<SentCapture>,
        mut page: Option<LivePage>,
        every: Option<Span>,
    ) -> Recorder {
        let (to, from) = channel();
        let behind = Arc::new(AtomicUsize::new(0));
        if let Some(page) = &mut page {
            page.follow(world);
        }
        let taps = logs.iter().map(LinkLog::tap).collect();
        let writer = Writer {
            observers,
            logs,
            capture,
            page,
            world: world.clone(),
            every,
            cpu_s: 0.0,
        };
        let count = Arc::clone(&behind);
        Recorder {
            to,
            taps,
            thread: std::thread::spawn(move || writer.run(&from, &count)),
            behind,
            lost: 0,
            last: Time::ZERO,
        }
    }

    /// Hands over what happened since the last time; with `done` all of it.
    ///
    /// # Errors
    /// The thread has ended: a file could not be written.
    pub(crate) fn hand(&mut self, driver: &mut Driver, done: bool) -> Result<(), Fault> {
        let seen = Seen::take(&mut driver.world, done);
        let sent = driver.sent.as_mut().map(std::mem::take).unwrap_or_default();
        let taps = self.taps.iter();
        let logged = taps.map(|tap| tap.take(&mut driver.world, done)).collect();
        let now = driver.world.now();
        let handed = Handed {
            now,
            seen,
            sent,
            logged,
        };
        let many = handed.len();
        // A silent world is told of now and then, for the page.
        if many == 0 && !done && now < self.last.after(SETTLED) {
            return self.alive();
        }
        self.last = now;
        if self.behind.load(Ordering::Relaxed) + many > MOST && !done {
            self.lost += many;
            return self.alive();
        }
        self.behind.fetch_add(many, Ordering::Relaxed);
        // It fails where the thread has ended, which `alive` and `finish` tell.
        let _ = self.to.send(handed);
        self.alive()
    }

    fn alive(&self) -> Result<(), Fault> {
        match self.thread.is_finished() {
            false => Ok(()),
            true => Err(Fault::system(
                "the record",
                &std::io::Error::other("it could not be written"),
                "give another file",
            )),
        }
    }

    /// Waits until all is written.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn finish(self) -> Result<Recorded, Fault> {
        drop(self.to);
        let ended = self.thread.join();
        let writer = ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(Recorded {
            observers: writer.observers,
            lost: self.lost,
            cpu_s: writer.cpu_s,
        })
    }
}

impl Writer {
    fn run(mut self, from: &Receiver<Handed>, behind: &AtomicUsize) -> Result<Writer, Fault> {
        loop {
            match from.recv_timeout(WAIT) {
                Ok(handed) => {
                    let many = handed.len();
                    self.write(handed)?;
                    behind.fetch_sub(many, Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if let Some(page) = &mut self.page {
                page.serve();
            }
        }
        if let Some(capture) = self.capture.take() {
            capture.finish()?;
        }
        self.cpu_s = system::thread_cpu_s();
        Ok(self)
    }

    fn write(&mut self, handed: Handed) -> Result<(), Fault> {
        let Handed {
            now,
            seen,
            sent,
            logged,
        } = handed;
        let written = self.observers.write(&self.world, seen);
        written.map_err(of_failure)?;
        for (log, entries) in self.logs.iter_mut().zip(logged) {
            log.extend(entries).map_err(of_failure)?;
        }
        if let Some(capture) = &mut self.capture {
            capture.extend(&sent)?;
        }
        if let (Some(page), Some(every)) = (&mut self.page, self.every) {
            let end = Time((page.rows() as u64 + 1) * every.0);
            if now >= end.after(SETTLED)
                && let Some(row) = self.observers.row(&self.world, page.rows())
            {
                page.note(row, end, every.seconds());
                let about: Value = json!({"name": "live", "most": SHOWN});
                if let Some(piece) = self.observers.end_piece(&self.world, &about) {
                    page.add_piece(piece);
                }
                if page.is_watched() {
                    self.observers.begin_piece(SHOWN);
                }
            }
        }
        Ok(())
    }
}
