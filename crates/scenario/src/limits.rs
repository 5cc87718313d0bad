//! How large a scenario may be. Sizes are counted or estimated before anything of that size is built; a person may lift
//! each limit in `limits`.

use backwater_transport::part::{Args, Default, Kind, Opt};
use backwater_transport::units::Bytes;

use crate::diagnostic::{Diagnostic, Fault};
use crate::shape::Field;
use crate::tree::Node;

const fn limit(name: &'static str, default: &'static str, help: &'static str) -> Field {
    Field::option(Opt::new(name, Kind::Count, Default::Is(default), help).at_least("1"))
}

/// `limits`.
pub static LIMITS: &[Field] = &[
    limit("nodes", "10000", "nodes, generated ones included"),
    limit("flows", "10000", "flows, one for each sender of a pattern"),
    limit(
        "packets",
        "1000000000",
        "packets that sources with a rate hand over, and opportunities of traces",
    ),
    Field::option(
        Opt::new(
            "memory",
            Kind::Bytes,
            Default::Is("4000 MB"),
            "memory for packets and requests that wait at hosts whose sources are faster than their lines and radios, 128 B each",
        )
        .at_least("1 B"),
    ),
];

/// Memory of a packet that waits: its place in a table, which grows by doubling.
const WAITING_PACKET: f64 = 128.0;

/// The limits of a scenario.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    nodes: u64,
    flows: u64,
    packets: u64,
    memory: Bytes,
}

impl Limits {
    /// As they were written.
    pub fn of(args: &Args) -> Limits {
        Limits {
            nodes: args.count("nodes"),
            flows: args.count("flows"),
            packets: args.count("packets"),
            memory: args.bytes("memory"),
        }
    }

    /// Refuses more nodes than the limit.
    pub fn nodes(&self, count: u64, place: &Node) -> Result<(), Diagnostic> {
        within(count, self.nodes, "nodes", place)
    }

    /// Refuses more flows than the limit.
    pub fn flows(&self, count: u64, place: &Node) -> Result<(), Diagnostic> {
        within(count, self.flows, "flows", place)
    }

    /// Refuses more packets or opportunities than the limit.
    pub fn packets(&self, count: f64, place: &Node) -> Result<(), Diagnostic> {
        within(count as u64, self.packets, "packets", place)
    }

    /// Refuses more waiting packets than the memory has room for.
    pub fn memory(&self, waiting: f64, place: &Node) -> Result<(), Diagnostic> {
        let bytes = waiting * WAITING_PACKET;
        if bytes <= self.memory.0 as f64 {
            return Ok(());
        }
        let megabytes = (bytes / 1e6).ceil();
        let what = format!(
            "{waiting:.0} packets or requests would wait at hosts whose sources are faster than their lines, about {megabytes} MB of memory; at most {} B are allowed",
            self.memory.0
        );
        let fix = format!(
            "write slower sources or a `buffer` for the hosts' ports, or limits = {{ memory = \"{megabytes} MB\" }}"
        );
        Err(place.refuse(Fault::new(what, fix)))
    }
}

fn within(count: u64, most: u64, name: &str, place: &Node) -> Result<(), Diagnostic> {
    if count <= most {
        return Ok(());
    }
    let what = format!("the scenario would have {count} {name}; at most {most} are allowed");
    let fix = format!("make it smaller, or write limits = {{ {name} = {count} }}");
    Err(place.refuse(Fault::new(what, fix)))
}
