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
mod vcp;
mod wwm;
mod xcp;
mod xcp_wireless;
mod xcpb;

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{self, Part};
use backwater_transport::units::Time;

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
}

macro_rules! stamps {
    ($($module:ident :: $type:ident),* $(,)?) => {
        /// Every law.
        #[derive(Clone, Debug)]
        pub enum AnyStamp {
            $(#[doc = "See its file."] $type(Box<$module::$type>),)*
            /// From outside this crate.
            Custom(Box<dyn CustomStamp>),
        }

        $(impl From<$module::$type> for AnyStamp {
            fn from(law: $module::$type) -> AnyStamp {
                AnyStamp::$type(Box::new(law))
            }
        })*

        impl Stamp for AnyStamp {
            fn layout(&self) -> Option<Layout> {
                match self {
                    $(AnyStamp::$type(s) => s.layout(),)*
                    AnyStamp::Custom(s) => s.layout(),
                }
            }
            fn needs_rate(&self) -> bool {
                match self {
                    $(AnyStamp::$type(s) => s.needs_rate(),)*
                    AnyStamp::Custom(s) => s.needs_rate(),
                }
            }
            fn needs_packets(&self) -> bool {
                match self {
                    $(AnyStamp::$type(s) => s.needs_packets(),)*
                    AnyStamp::Custom(s) => s.needs_packets(),
                }
            }
            fn attach(&mut self, place: &LawQueue) {
                match self {
                    $(AnyStamp::$type(s) => s.attach(place),)*
                    AnyStamp::Custom(s) => s.attach(place),
                }
            }
            fn update(&mut self, now: Time, backlog: Backlog) {
                match self {
                    $(AnyStamp::$type(s) => s.update(now, backlog),)*
                    AnyStamp::Custom(s) => s.update(now, backlog),
                }
            }
            fn arrive(&mut self, seen: &LawPacket, header: Option<&CongestionHeader>) {
                match self {
                    $(AnyStamp::$type(s) => s.arrive(seen, header),)*
                    AnyStamp::Custom(s) => s.arrive(seen, header),
                }
            }
            fn depart(&mut self, seen: &LawPacket, passing: &mut Passing) {
                match self {
                    $(AnyStamp::$type(s) => s.depart(seen, passing),)*
                    AnyStamp::Custom(s) => s.depart(seen, passing),
                }
            }
            fn cross(&mut self, seen: &LawPacket, passing: &mut Passing) {
                match self {
                    $(AnyStamp::$type(s) => s.cross(seen, passing),)*
                    AnyStamp::Custom(s) => s.cross(seen, passing),
                }
            }
            fn warnings(&self, now: Time, senders: &Senders) -> Vec<String> {
                match self {
                    $(AnyStamp::$type(s) => s.warnings(now, senders),)*
                    AnyStamp::Custom(s) => s.warnings(now, senders),
                }
            }
            fn values(&self) -> [(&'static str, f64); 4] {
                match self {
                    $(AnyStamp::$type(s) => s.values(),)*
                    AnyStamp::Custom(s) => s.values(),
                }
            }
        }
    };
}

stamps!(
    iacp::IacpLaw,
    acp::AcpLaw,
    xcp::XcpLaw,
    xcp_wireless::XcpWireless,
    xcpb::XcpBlind,
    rcp::RcpLaw,
    abc::AbcLaw,
    vcp::VcpLaw,
    wwm::WeightedWindow,
    hop_record::HopRecord,
);

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
