//! Why an emulation does not start or does not go on: what is wrong, and what helps.

use std::fmt;
use std::io;

use backwater_scenario::Diagnostic;

/// The reason why an emulation does not begin or go on.
#[derive(Debug)]
pub enum Fault {
    /// The request is refused; nothing ran.
    Refused {
        /// The error.
        what: String,
        /// Where: a word of the command line.
        place: String,
        /// The text to write instead.
        fix: String,
    },
    /// The scenario is refused.
    Scenario(Box<Diagnostic>),
    /// The system does not allow or have what is needed.
    System {
        /// The call that was tried, and the answer of the system.
        what: String,
        /// The remedy.
        fix: String,
    },
}

impl Fault {
    /// A word of the command line is wrong.
    pub fn refused(what: impl Into<String>, place: &str, fix: impl Into<String>) -> Fault {
        Fault::Refused {
            what: what.into(),
            place: place.to_owned(),
            fix: fix.into(),
        }
    }

    /// The system refused something.
    pub fn system(tried: &str, error: &io::Error, fix: &str) -> Fault {
        Fault::System {
            what: format!("{tried}: {error}"),
            fix: fix.to_owned(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Refused { what, place, fix } => write!(f, "{place}: {what}; {fix}"),
            Fault::Scenario(diagnostic) => write!(f, "{diagnostic}"),
            Fault::System { what, fix } => write!(f, "{what}; {fix}"),
        }
    }
}

impl std::error::Error for Fault {}
