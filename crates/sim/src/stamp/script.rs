//! A law written in another language. What a scenario says of it is checked here like any other law's; a host puts its
//! own in the place before the world is built. Until then it writes nothing.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{Args, Default, Kind, Opt, Part};
use backwater_transport::script::{FILE_OPTION, FURTHER_OPTION, class_option};

use super::law::{LawPacket, Passing, Stamp};
use super::{AnyStamp, Build};

/// The header that a law of a host writes into departing packets.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Writes {
    /// A change of throughput.
    Change,
    /// A rate.
    Rate,
    /// A target window.
    Window,
    /// A mark: congestion experienced.
    Mark,
}

impl Writes {
    /// From the arguments of the row.
    pub fn new(args: &Args) -> Writes {
        match args.choice(WRITES) {
            "change" => Writes::Change,
            "rate" => Writes::Rate,
            "window" => Writes::Window,
            _ => Writes::Mark,
        }
    }

    /// The congestion header that it needs.
    pub fn layout(self) -> Option<Layout> {
        match self {
            Writes::Change => Some(Layout::Change),
            Writes::Rate => Some(Layout::Rate),
            Writes::Window => Some(Layout::Window),
            Writes::Mark => None,
        }
    }
}

const WRITES: &str = "writes";

/// The row.
pub(super) const PART: Part<Build> = Part {
    id: "python",
    aliases: &[],
    summary: "a class of your own, written in Python",
    source: "docs/how-to.md",
    options: &[
        FILE_OPTION,
        class_option("class with a method depart, and arrive if it wants to hear of arrivals"),
        Opt::new(
            WRITES,
            Kind::Choice(&["change", "rate", "window", "mark"]),
            Default::Required,
            "what depart returns: what the congestion header of the senders has, or whether to mark",
        ),
        FURTHER_OPTION,
    ],
    build: |args| Ok(AnyStamp::Custom(Box::new(Script(Writes::new(args))))),
};

/// See the head of the file.
#[derive(Copy, Clone, Debug)]
struct Script(Writes);

impl Stamp for Script {
    fn layout(&self) -> Option<Layout> {
        self.0.layout()
    }

    fn arrive(&mut self, _: &LawPacket, _: Option<&CongestionHeader>) {}

    fn depart(&mut self, _: &LawPacket, _: &mut Passing) {}

    fn values(&self) -> [(&'static str, f64); 4] {
        [("", 0.0); 4]
    }
}
