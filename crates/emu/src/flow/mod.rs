//! `backwater flow`: a flow of a scenario over real UDP. Both ends are those of simulated flows; this module gives them a
//! clock, a socket and a format for what they exchange.
//!
//! * `wire` is the format, `setup` what the sending end tells the listening one of itself.
//! * `send` is the sending end, `listen` the listening one, which serves any number of flows; `tally` counts what comes there.

pub mod listen;
pub mod send;
pub mod setup;
mod tally;
pub mod wire;

use std::io::{self, Write};

use serde_json::Value;

use crate::fault::Fault;

/// Why a flow ended, as its summary says it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All that was asked for.
    Done,
    /// A signal.
    Signal(libc::c_int),
    /// Nobody reads the lines any more.
    Unread,
    /// A class of Python raised something.
    Class,
    /// The sender fell silent.
    Silent,
}

impl Ending {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Ending::Done => "done",
            Ending::Signal(_) => "signal",
            Ending::Unread => "unread",
            Ending::Class => "class",
            Ending::Silent => "silent",
        }
    }
}

/// Lines of JSON on stdout.
#[derive(Debug, Default)]
pub struct Lines {
    /// The reader has closed the pipe.
    pub unread: bool,
}

impl Lines {
    /// Writes a line at once, so that a reader sees it while the flow goes on.
    ///
    /// # Errors
    /// A full disk. A closed pipe is none: `unread` says so.
    pub fn put(&mut self, line: &Value) -> Result<(), Fault> {
        let mut out = io::stdout().lock();
        let written = writeln!(out, "{line}").and_then(|()| out.flush());
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.unread = true,
            Err(error) => {
                let fix = "give stdout a place with room";
                return Err(Fault::system("the lines on stdout", &error, fix));
            }
            Ok(()) => {}
        }
        Ok(())
    }
}

/// `bytes` over a time as bit/s; none for no time.
fn rate_bps(bytes: u64, seconds: f64) -> Option<f64> {
    (seconds > 0.0).then(|| bytes as f64 * 8.0 / seconds)
}
