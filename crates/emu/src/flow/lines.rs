//! Lines of JSON on stdout, written by a thread of their own: a flow does not wait for their reader.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::Value;

use crate::fault::Fault;

/// Samples that wait for a reader at most; further ones are left out, and counted.
const MOST: usize = 1000;
/// Beginnings and ends of flows that wait at most: strangers begin flows, too.
const KEPT: usize = 100_000;
/// At the end a reader who takes nothing for so long isn't waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// The state that the flow and the thread that writes share.
#[derive(Debug, Default)]
struct Waiting {
    lines: VecDeque<String>,
    /// A line is being written.
    writing: bool,
    /// Lines that were written.
    written: u64,
    /// Lines that were left out.
    lost: u64,
    /// The reader has closed the pipe.
    unread: bool,
    error: Option<io::Error>,
    /// No more lines will come.
    over: bool,
}

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        let locked = self.waiting.lock();
        locked.unwrap_or_else(|broken| broken.into_inner())
    }
}

/// Lines of JSON on stdout.
#[derive(Debug)]
pub struct Lines {
    shared: Arc<Shared>,
}

impl Default for Lines {
    fn default() -> Lines {
        Lines::into(io::stdout())
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.changed.notify_all();
    }
}

impl Lines {
    /// Writes them there. Each is written at once, so that a reader sees it while the flow goes on.
    fn into(mut out: impl Write + Send + 'static) -> Lines {
        let shared = Arc::new(Shared::default());
        let theirs = shared.clone();
        std::thread::spawn(move || write(&theirs, &mut out));
        Lines { shared }
    }

    /// Whether the reader has closed the pipe.
    pub fn unread(&self) -> bool {
        self.shared.lock().unread
    }

    /// A line that may be left out where nobody has read those before.
    ///
    /// # Errors
    /// A full disk. A closed pipe is none: `unread` says so.
    pub fn sample(&mut self, line: &Value) -> Result<(), Fault> {
        self.keep(line, MOST)
    }

    /// A line that is kept until it is read.
    ///
    /// # Errors
    /// The same.
    pub fn put(&mut self, line: &Value) -> Result<(), Fault> {
        self.keep(line, KEPT)
    }

    fn keep(&mut self, line: &Value, most: usize) -> Result<(), Fault> {
        let mut waiting = self.check()?;
        match waiting.lines.len() < most {
            true => waiting.lines.push_back(line.to_string()),
            false => waiting.lost += 1,
        }
        self.shared.changed.notify_all();
        Ok(())
    }

    /// Waits until all is written, as long as somebody reads; says how many lines nobody has read.
    ///
    /// # Errors
    /// The same.
    pub fn finish(&mut self) -> Result<(), Fault> {
        let mut waiting = self.check()?;
        let read = |w: &Waiting| !w.unread && w.error.is_none();
        while read(&waiting) && (waiting.writing || !waiting.lines.is_empty()) {
            let before = waiting.written;
            let waited = self.shared.changed.wait_timeout(waiting, PATIENCE);
            let (after, late) = waited.unwrap_or_else(|broken| broken.into_inner());
            waiting = after;
            if late.timed_out() && waiting.written == before {
                break;
            }
        }
        let left = waiting.lines.len() + usize::from(waiting.writing);
        let lost = waiting.lost + left as u64;
        drop(waiting);
        drop(self.check()?);
        if lost > 0 && !self.unread() {
            eprintln!("backwater: nobody read {lost} lines in time, which are left out");
        }
        Ok(())
    }

    fn check(&self) -> Result<MutexGuard<'_, Waiting>, Fault> {
        let mut waiting = self.shared.lock();
        match waiting.error.take() {
            Some(error) => {
                let fix = "give stdout a place with room";
                Err(Fault::system("the lines on stdout", &error, fix))
            }
            None => Ok(waiting),
        }
    }
}

fn write(shared: &Shared, out: &mut impl Write) {
    let mut waiting = shared.lock();
    loop {
        let Some(line) = waiting.lines.pop_front() else {
            if waiting.over {
                return;
            }
            let waited = shared.changed.wait(waiting);
            waiting = waited.unwrap_or_else(|broken| broken.into_inner());
            continue;
        };
        waiting.writing = true;
        drop(waiting);
        let written = writeln!(out, "{line}").and_then(|()| out.flush());
        waiting = shared.lock();
        waiting.writing = false;
        waiting.written += 1;
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => waiting.unread = true,
            Err(error) => waiting.error = Some(error),
            Ok(()) => {}
        }
        shared.changed.notify_all();
        if waiting.unread || waiting.error.is_some() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read};
    use std::os::unix::net::UnixStream;

    use serde_json::json;

    use super::*;

    #[test]
    fn nobody_waits_for_a_reader_and_what_must_be_read_is_kept() {
        let (ours, theirs) = UnixStream::pair().expect("a pair");
        let mut lines = Lines::into(ours);
        // Far more than a socket takes.
        let long = "x".repeat(10_000);
        for _ in 0..10 * MOST {
            lines.sample(&json!(long)).expect("no error");
        }
        lines.put(&json!("the summary")).expect("no error");
        let reader = std::thread::spawn(move || {
            let found: Vec<String> = BufReader::new(theirs)
                .lines()
                .map_while(Result::ok)
                .collect();
            found
        });
        lines.finish().expect("no error");
        drop(lines);
        let found = reader.join().expect("the reader");
        assert_eq!(found.last().expect("a line"), "\"the summary\"");
        assert!(
            found.len() > MOST && found.len() < 10 * MOST,
            "{}",
            found.len()
        );
    }

    #[test]
    fn a_reader_that_takes_nothing_is_left_and_one_that_goes_is_seen() {
        let (ours, mut theirs) = UnixStream::pair().expect("a pair");
        let mut lines = Lines::into(ours);
        lines.put(&json!("x".repeat(10_000_000))).expect("no error");
        lines.finish().expect("no error");
        assert!(!lines.unread());
        theirs.read_exact(&mut [0; 10]).expect("ten bytes");
        drop(theirs);
        lines.finish().expect("no error");
        assert!(lines.unread());
    }
}
