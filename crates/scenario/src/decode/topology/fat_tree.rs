//! Fat tree: Al-Fares, Loukissas and Vahdat, SIGCOMM 2008. 2h pods of h edge and h aggregation switches, h² core
//! switches, h hosts at each edge switch, h = k/2; more hosts make the tiers above oversubscribed. Hosts h0…, edge eP-I,
//! aggregation aP-I, core c0….

use backwater_sim::spec::Routing;
use backwater_transport::part::{Default, Kind, Opt};

use super::fabric::{Fabric, fields};
use super::fields::{CORE_DELAY, CORE_RATE};
use super::row::{Generator, Network, Site};
use crate::diagnostic::{Diagnostic, Fault};
use crate::files::Files;
use crate::shape::{Field, Variant};

/// The row of the table.
pub const ROW: Generator = Generator {
    variant: Variant {
        kind: "fat-tree",
        summary: "k pods of edge and aggregation switches, k^2/4 core switches, k^3/4 hosts",
        source: "Al-Fares, Loukissas and Vahdat, SIGCOMM 2008",
        fields: fields!(
            [
            Field::option(
                Opt::new(
                    "k",
                    Kind::Count,
                    Default::Required,
                    "ports of each switch, an even number: k^3/4 hosts",
                )
                .at_least("2")
                .at_most("32"),
            ),
            Field::option(
                Opt::new(
                    "hosts",
                    Kind::Count,
                    Default::Absent,
                    "hosts at each edge switch; k/2 where it is left out, and with more the tiers above are oversubscribed",
                )
                .at_least("1")
                .at_most("256"),
            ),
            ],
            [CORE_RATE, CORE_DELAY]
        ),
    },
    routing: Routing::Ecmp,
    build,
};

fn build(site: &Site<'_>, files: &mut Files<'_>) -> Result<Network, Diagnostic> {
    let k = site.record.args.count("k");
    let mut fabric = Fabric::new(site, files)?;
    let core = site.cable_or("core_rate", "core_delay", fabric.up);
    if !k.is_multiple_of(2) {
        let node = site.record.need("k");
        let what = format!("`{}` is odd: half of a switch's ports go up", node.path);
        return Err(node.refuse(Fault::new(what, format!("write {} or {}", k - 1, k + 1))));
    }
    let half = k / 2;
    let hosts = match site.record.args.has("hosts") {
        true => site.record.args.count("hosts"),
        false => half,
    };
    for number in 0..half * half {
        fabric.switch(&format!("c{number}"), []);
    }
    for pod in 0..2 * half {
        for i in 0..half {
            let (edge, aggregation) = (format!("e{pod}-{i}"), format!("a{pod}-{i}"));
            let first = (pod * half + i) * hosts;
            fabric.switch(&edge, first..first + hosts);
            for j in 0..half {
                fabric.link(&edge, &format!("a{pod}-{j}"), fabric.up);
                fabric.link(&aggregation, &format!("c{}", i * half + j), core);
            }
            fabric.switch(&aggregation, []);
        }
    }
    Ok(fabric.done())
}
