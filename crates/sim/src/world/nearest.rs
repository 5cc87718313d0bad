//! Flows to the nearest of several stations: which that is follows from the ways, before anything else is built.

use std::collections::BTreeMap;

use super::World;
use super::build::refuse;
use crate::medium::wifi::air::NOBODY;
use crate::spec::{Refusal, Spec};
use crate::table::Id;
use crate::targets::Destination;

impl World {
    /// The same scenario, with a station in the place of every choice.
    pub(super) fn with_nearest(spec: &Spec) -> Result<Spec, Refusal> {
        let mut survey = World::empty(spec);
        survey.add_nodes(spec)?;
        survey.survey(spec)?;
        let all_ways = survey.ways(spec);
        let all: Vec<u32> = (0..survey.air.radios.len() as u32).collect();
        let mut ways: BTreeMap<&[usize], Vec<u32>> = BTreeMap::new();
        let mut settled = spec.clone();
        for (flow, settled) in spec.flows.iter().zip(&mut settled.flows) {
            let Destination::Nearest(goals) = &flow.to else {
                continue;
            };
            let station = |node: usize| survey.nodes[Id::new(node)].station;
            let path = format!("flows.{}.to", flow.name);
            let wired = goals
                .iter()
                .chain([&flow.from])
                .find(|n| station(**n) == NOBODY);
            if let Some(node) = wired {
                let what = format!(
                    "{} is no 802.11 station, and the nearest is meant by airtime",
                    spec.nodes[*node].name
                );
                return refuse(path, what, "name stations, or take another pattern");
            }
            let next = ways.entry(goals).or_insert_with(|| {
                let stations: Vec<u32> = goals.iter().map(|n| station(*n)).collect();
                all_ways.nearest(&stations, &all)
            });
            let mut at = station(flow.from);
            while next[at as usize] != NOBODY {
                at = next[at as usize];
            }
            let reached = survey.air.radios[at as usize].node.index();
            if !goals.contains(&reached) {
                let what = format!(
                    "no way leads from {} to any station that `to` means",
                    spec.nodes[flow.from].name
                );
                return refuse(path, what, "move the stations closer");
            }
            settled.to = Destination::Node(reached);
        }
        Ok(settled)
    }
}
