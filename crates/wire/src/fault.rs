//! Errors in a file that is read, and their places.

use std::fmt;

/// An error in a file, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    place: Place,
    what: String,
}

/// Where in a file. Lines, packets and blocks are counted from one, bytes from zero.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file.
    Whole,
    /// A line of text.
    Line(usize),
    /// A packet of a pcap file and where its record begins.
    Packet(u64, usize),
    /// A block of a pcapng file and where it begins.
    Block(u64, usize),
}

impl Place {
    /// A fault here.
    pub fn fault(self, what: impl Into<String>) -> Fault {
        Fault {
            place: self,
            what: what.into(),
        }
    }
}

impl Fault {
    /// The error, without its place.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// Where it is.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The line of text, counted from one.
    pub fn line(&self) -> Option<usize> {
        match self.place {
            Place::Line(line) => Some(line),
            Place::Whole | Place::Packet(..) | Place::Block(..) => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Whole => f.write_str(&self.what),
            place => write!(f, "{}: {}", &place.to_string()[2..], self.what),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Whole => Ok(()),
            Place::Line(n) => write!(f, ", line {n}"),
            Place::Packet(n, byte) => write!(f, ", packet {n} at byte {byte}"),
            Place::Block(n, byte) => write!(f, ", block {n} at byte {byte}"),
        }
    }
}
