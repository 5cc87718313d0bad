//! `backwater flow`: a flow of a scenario over real UDP. Both ends are those of simulated flows; this module gives them a
//! clock, a socket and a format for what they exchange.
//!
//! * `wire` is the format, `setup` what the sending end tells the listening one of itself.
//! * `send` is the sending end; `greet` finds the other one and takes leave of it.
//! * `listen` is the listening end, which serves any number of flows; `cookie` says who may ask for one, `tally` counts what comes there.
//! * `lines` writes what both have to say.

mod cookie;
mod greet;
mod lines;
pub mod listen;
pub mod send;
pub mod setup;
mod tally;

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

/// `bytes` over a time as bit/s; none for no time.
fn rate_bps(bytes: u64, seconds: f64) -> Option<f64> {
    (seconds > 0.0).then(|| bytes as f64 * 8.0 / seconds)
}
