//! Mechanisms on wires that can stop nobody, because no data passes where they watch. A detector of queues watches what
//! waits to leave by a port, and stops what came in through others. A detector of ingress watches what came in through a
//! port, and stops that. So the ports that are right for the one are wrong for the other.

use std::collections::BTreeMap;

use super::Mechanisms;
use super::place::Place;
use super::traffic::Traffic;
use crate::ids::PortId;
use crate::network::Network;

/// Ports that a warning names.
const SHOWN: usize = 4;

impl Mechanisms {
    /// Mechanisms of which no port sees data that could be stopped, each with the ports that do.
    pub(crate) fn blind_warnings(&self, network: &Network) -> Vec<String> {
        let traffic = Traffic::of_data(network);
        let mut places: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
        for control in self.controls.iter() {
            let of = places.entry(control.number()).or_default();
            of.extend(control.places().map(|(_, place)| place));
        }
        let blind = places.into_iter().filter_map(|(number, places)| {
            let sees = |place: &Place| network.sees(&traffic, number, *place);
            (!places.iter().any(sees)).then(|| network.blind(&traffic, number, &places))
        });
        blind.collect()
    }
}

impl Network {
    /// Whether data passes a place that a neighbour who obeys could hold back. At a radio that is not known before the run.
    fn sees(&self, traffic: &Traffic, number: u32, place: Place) -> bool {
        let obeys = |port: PortId| {
            let told = &self.ports[self.ports[port].peer].more.responders;
            told.iter().any(|(mechanism, _)| *mechanism == number)
        };
        match place {
            Place::Attachment(_) => true,
            Place::Ingress(id) => obeys(id) && traffic.passes(self.ports[id].peer),
            Place::Egress(id) => {
                let others = self.nodes[self.ports[id].node].ports.iter();
                let feeds = |port: &&PortId| traffic.crosses(self.ports[**port].peer, id);
                others
                    .filter(|port| **port != id)
                    .filter(feeds)
                    .any(|port| obeys(*port))
            }
        }
    }

    /// Says so, and which ports at the same nodes would see data.
    fn blind(&self, traffic: &Traffic, number: u32, places: &[Place]) -> String {
        let ingress = matches!(places.first(), Some(Place::Ingress(_)));
        let watched = places.iter().filter_map(|place| match place {
            Place::Egress(id) | Place::Ingress(id) => Some(*id),
            Place::Attachment(_) => None,
        });
        let watched: Vec<PortId> = watched.collect();
        let mut nodes: Vec<_> = watched.iter().map(|id| self.ports[*id].node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let all = nodes.iter().flat_map(|node| &self.nodes[*node].ports);
        let place = |id: PortId| match ingress {
            true => Place::Ingress(id),
            false => Place::Egress(id),
        };
        let right: Vec<PortId> = all
            .copied()
            .filter(|id| self.sees(traffic, number, place(*id)))
            .collect();
        let what = match ingress {
            true => "its detector counts what came in through a port",
            false => "its detector watches what waits to leave by a port",
        };
        let fix = match right.is_empty() {
            true => "no data comes to these switches from a neighbour that obeys".to_owned(),
            false => format!("write at = [{}]", self.names(&right, "\"")),
        };
        format!(
            "the mechanism at {} stops nobody: {what}, and no data of a neighbour that obeys passes there so; {fix}",
            self.names(&watched, ""),
        )
    }

    fn names(&self, ports: &[PortId], quote: &str) -> String {
        let name = |id: &PortId| format!("{quote}{}{quote}", self.ports[*id].more.name);
        let mut names: Vec<String> = ports.iter().take(SHOWN).map(name).collect();
        if ports.len() > SHOWN {
            names.push(format!("and {} more", ports.len() - SHOWN));
        }
        names.join(", ")
    }
}
