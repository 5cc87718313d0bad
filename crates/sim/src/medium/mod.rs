//! Media: what it costs to move a frame from one node to the next. A medium is a file here and a
//! row of `MEDIA`.

pub mod boxes;
pub mod ethernet;
pub mod trace;
pub mod wifi;

use backwater_transport::part::Part;

/// Every medium. A link of the scenario says which; Ethernet needs no table of its own.
pub static MEDIA: &[Part<()>] = &[ethernet::PART, wifi::PART, trace::PART];
