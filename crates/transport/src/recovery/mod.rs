//! Loss recovery of a stream: one of three loss detectors, proportional rate reduction, tail loss
//! probes, and the detection of spurious losses.

pub mod newreno;
pub mod prr;
pub mod rack;
pub mod sack;
pub mod tlp;
pub mod undo;

use crate::setup::Recovery;
use crate::walk::{Base, Walk};

/// The detector in use.
#[derive(Clone, Debug)]
pub enum Detector {
    /// Duplicate acknowledgements.
    NewReno(newreno::NewReno),
    /// Counting selective acknowledgements.
    Sack(sack::Sack),
    /// Time.
    Rack(rack::Rack),
}

impl Detector {
    pub fn new(recovery: Recovery, mss: u64) -> Detector {
        match recovery {
            Recovery::NewReno => Detector::NewReno(newreno::NewReno::new(mss)),
            Recovery::Sack => Detector::Sack(sack::Sack::default()),
            Recovery::Rack => Detector::Rack(rack::Rack::default()),
        }
    }

    /// `first` is the identity of the first segment on the scoreboard.
    pub(crate) fn walk(&mut self, walk: &mut Walk, base: &Base, first: u64) {
        match self {
            Detector::NewReno(newreno) => newreno.walk(walk),
            Detector::Sack(sack) => sack.walk(walk, first),
            Detector::Rack(rack) => rack.walk(walk, base),
        }
    }

    /// Bytes that left the network according to duplicate acknowledgements.
    pub fn departed(&self) -> u64 {
        match self {
            Detector::NewReno(n) => n.departed(),
            Detector::Sack(_) | Detector::Rack(_) => 0,
        }
    }
}
