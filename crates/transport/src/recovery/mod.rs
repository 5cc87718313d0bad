//! How a stream finds losses and brings its window down: one of three detectors, proportional rate
//! reduction, and the search for losses that were none.

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

    /// Bytes that left the network although no acknowledgement names them.
    pub fn gone(&self) -> u64 {
        match self {
            Detector::NewReno(n) => n.gone(),
            Detector::Sack(_) | Detector::Rack(_) => 0,
        }
    }
}
