//! Flows to the nearest of several stations. Routes decide which one is nearest, before anything else is built.

use std::collections::BTreeMap;

use super::World;
use super::build::graph::Distances;
use super::build::refuse;
use crate::ids::NodeId;
use crate::spec::{Refusal, Spec};
use crate::table::Id;
use crate::targets::Destination;

impl World {
    /// The same scenario, with a station in the place of every choice.
    pub(super) fn with_nearest(spec: &Spec) -> Result<Spec, Refusal> {
        let mut survey = World::empty(spec);
        survey.shared.network.add_nodes(spec)?;
        survey.media.survey(&mut survey.shared.network, spec)?;
        let graph = survey.radio_graph(spec);
        let mut known: BTreeMap<&[usize], Distances> = BTreeMap::new();
        let mut settled = spec.clone();
        for (flow, settled) in spec.flows.iter().zip(&mut settled.flows) {
            let (goals, back) = match &flow.to {
                Destination::Nearest(goals) => (goals, false),
                Destination::FromNearest(goals) => (goals, true),
                Destination::Node(_)
                | Destination::AnyOf(_)
                | Destination::Others(_)
                | Destination::Group(_) => continue,
            };
            let no_radio = |n: &&usize| {
                survey.shared.network.nodes[Id::new(**n)]
                    .stations
                    .is_empty()
            };
            let path = match back {
                false => format!("flows.{}.to", flow.name),
                true => format!("flows.{}.from", flow.name),
            };
            if let Some(node) = goals.iter().chain([&flow.from]).find(no_radio) {
                let what = format!(
                    "{} is no 802.11 station, and the nearest is meant by airtime",
                    spec.nodes[*node].name
                );
                return refuse(path, what, "name stations, or take another pattern");
            }
            let distances = known.entry(goals).or_insert_with(|| {
                let goals: Vec<NodeId> = goals.iter().map(|n| Id::new(*n)).collect();
                graph.toward(&goals, None)
            });
            let mut at: NodeId = Id::new(flow.from);
            while let Some((_, to)) = distances.over_medium(at) {
                at = survey.media.node(to);
            }
            let reached = at.index();
            if !goals.contains(&reached) {
                let what = format!(
                    "no route leads from {} to any station that `{}` means",
                    spec.nodes[flow.from].name,
                    if back { "from" } else { "to" }
                );
                return refuse(path, what, "move the stations closer");
            }
            settled.to = match back {
                false => Destination::Node(reached),
                true => Destination::Node(std::mem::replace(&mut settled.from, reached)),
            };
        }
        Ok(settled)
    }
}
