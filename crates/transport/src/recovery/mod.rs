//! Loss recovery of a stream: one of three loss detectors, proportional rate reduction, tail loss
//! probes, and the detection of spurious losses.

pub mod newreno;
pub mod prr;
pub mod rack;
pub mod sack;
pub mod tlp;
pub mod undo;

use crate::setup::Recovery;

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

    /// Bytes that left the network according to duplicate acknowledgements.
    pub fn departed(&self) -> u64 {
        match self {
            Detector::NewReno(n) => n.departed(),
            Detector::Sack(_) | Detector::Rack(_) => 0,
        }
    }
}
