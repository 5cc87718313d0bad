//! Explicit feedback: the laws by which egress ports write congestion headers and ECN codepoints. A law is a
//! file here and a row of `STAMPS`.

mod abc;
mod acp;
mod allocation;
mod hop_record;
mod iacp;
pub mod law;
mod measure;
mod rcp;
mod script;
pub mod statistics;
#[cfg(test)]
mod test_rules;
mod vcp;
mod wwm;
mod xcp;
mod xcp_wireless;
mod xcpb;

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{self, Part};
use backwater_transport::units::{Rate, Time};

use crate::ids::LawId;

pub use script::Writes;

pub use law::{Backlog, CustomStamp, LawPacket, LawQueue, Passing, Senders, Stamp};

/// A law that is shown the departures of an egress.
#[derive(Copy, Clone, Debug)]
pub struct Shown {
    /// Which.
    pub law: LawId,
    /// It watches this queue; another law only stamps what departs.
    pub own: bool,
    /// It is told of arrivals at its queue.
    pub observes: bool,
}

backwater_transport::parts! {
    /// Every law.
    pub enum AnyStamp: Stamp or Custom(Box<dyn CustomStamp>) {
        fn layout(&self) -> Option<Layout>;
        fn needs_rate(&self) -> bool;
        fn needs_packets(&self) -> bool;
        fn rates(&self) -> &'static [Rate];
        fn observes_arrivals(&self) -> bool;
        fn attach(&mut self, place: &LawQueue);
        fn update(&mut self, now: Time, backlog: Backlog);
        fn arrive(&mut self, seen: &LawPacket, header: Option<&CongestionHeader>);
        fn depart(&mut self, seen: &LawPacket, passing: &mut Passing);
        fn cross(&mut self, seen: &LawPacket, passing: &mut Passing);
        fn warnings(&self, now: Time, senders: &Senders) -> Vec<String>;
        fn values(&self) -> [(&'static str, f64); 4];
    }

    iacp::IacpLaw in Box,
    acp::AcpLaw in Box,
    xcp::XcpLaw in Box,
    xcp_wireless::XcpWireless in Box,
    xcpb::XcpBlind in Box,
    rcp::RcpLaw in Box,
    abc::AbcLaw in Box,
    vcp::VcpLaw in Box,
    wwm::WeightedWindow in Box,
    hop_record::HopRecord,
}

/// How a row builds its law.
pub type Build = part::Build<AnyStamp>;

/// Every law.
pub static STAMPS: &[Part<Build>] = &[
    iacp::PART,
    acp::PART,
    xcp::PART,
    xcpb::PART,
    rcp::PART,
    abc::PART,
    vcp::PART,
    wwm::PART,
    hop_record::PART,
];

/// Laws that a host language makes; `build` gives one that writes nothing.
pub static HOSTED: &[Part<Build>] = &[script::PART];
