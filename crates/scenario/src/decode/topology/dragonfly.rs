//! Dragonfly: groups of routers gG-R. The routers of a group are joined to each other, and each pair of groups by one global link.
//! Hosts h0… at the routers.

use backwater_sim::spec::Routing;
use backwater_transport::part::{Default, Kind, Opt};

use super::fabric::{Fabric, fields};
use super::fields::{count, tier_delay, tier_rate};
use super::row::{Generator, Network, Site};
use crate::diagnostic::{Diagnostic, Fault};
use crate::files::Files;
use crate::shape::{Field, Variant};

/// The row of the table.
pub const ROW: Generator = Generator {
    variant: Variant {
        kind: "dragonfly",
        summary: "groups of routers, all joined within a group, and each pair of groups by one link",
        source: "Kim, Dally, Scott and Abts, ISCA 2008",
        fields: fields!(
            [
            count("routers", "routers of each group g0-0, g0-1…"),
            count("hosts", "hosts at each router; h0, h1… in all"),
            count("global", "links of each router to other groups"),
            Field::option(
                Opt::new(
                    "groups",
                    Kind::Count,
                    Default::Absent,
                    "groups; routers times global, plus 1, where it is left out, which is the most",
                )
                .at_least("2")
                .at_most("1024"),
            ),
            ],
            [
                tier_delay("global_delay", "propagation delay of the links between groups; `up_delay` where it is left out"),
                tier_rate("global_rate", "line rate of the links between groups; `up_rate` where it is left out"),
            ]
        ),
    },
    routing: Routing::Ecmp,
    build,
};

fn build(site: &Site<'_>, files: &mut Files<'_>) -> Result<Network, Diagnostic> {
    let args = &site.record.args;
    let (routers, hosts, global) = (
        args.count("routers"),
        args.count("hosts"),
        args.count("global"),
    );
    let most = routers * global + 1;
    let groups = match site.record.get("groups") {
        None => most,
        Some(node) if args.count("groups") > most => {
            let what = format!(
                "`{}`: {routers} routers with {global} global links each reach {} other groups",
                node.path,
                most - 1
            );
            let fix = format!("write at most {most}, or more routers or global links");
            return Err(node.refuse(Fault::new(what, fix)));
        }
        Some(_) => args.count("groups"),
    };
    let mut fabric = Fabric::new(site, files)?;
    let local = fabric.up;
    let between = site.cable_or("global_rate", "global_delay", local);
    for group in 0..groups {
        for router in 0..routers {
            let name = format!("g{group}-{router}");
            let first = (group * routers + router) * hosts;
            fabric.switch(&name, first..first + hosts);
            for other in router + 1..routers {
                fabric.link(&name, &format!("g{group}-{other}"), local);
            }
        }
        // The link to the group d further on leaves from port d - 1, counted through the routers of the group.
        for other in group + 1..groups {
            let (there, back) = (other - group - 1, groups - (other - group) - 1);
            let (a, b) = (
                format!("g{group}-{}", there / global),
                format!("g{other}-{}", back / global),
            );
            fabric.link(&a, &b, between);
        }
    }
    Ok(fabric.done())
}
