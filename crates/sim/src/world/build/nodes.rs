//! Nodes of a world.

use crate::forwarding::Forwarding;
use crate::network::{Network, Node};
use crate::spec::{NodeKind, NodeSpec, Refusal, Spec};
use crate::world::build::refuse;

impl Network {
    pub(crate) fn add_nodes(&mut self, spec: &Spec) -> Result<(), Refusal> {
        if spec.nodes.iter().any(|n| n.kind.shares_media()) {
            self.spent.keep();
        }
        for node in &spec.nodes {
            let host = match node.kind {
                NodeKind::Switch(_) => None,
                _ => Some(self.hosts.len() as u32),
            };
            let id = self.nodes.push(Node {
                name: node.name.clone(),
                host,
                ports: Vec::new(),
                row: u32::MAX,
                forwards: !matches!(node.kind, NodeKind::Host { .. }),
                stations: Vec::new(),
                alarms: 0,
                ledger: None,
                pool: None,
                fabric: None,
                watch: Vec::new(),
            });
            if host.is_some() {
                self.hosts.push(id);
            }
        }
        if self.hosts.len() >= 1 << 24 {
            return refuse("nodes", "2^24 hosts or more", "use fewer hosts");
        }
        let mut wires = vec![0; spec.nodes.len()];
        spec.links
            .iter()
            .flat_map(|l| l.ends)
            .for_each(|n| wires[n] += 1);
        let has_table = |(n, wires): &(&NodeSpec, usize)| {
            *wires > 1 || !matches!(n.kind, NodeKind::Host { .. })
        };
        let tables = spec.nodes.iter().zip(wires).filter(has_table).count();
        if !Forwarding::fit(tables, self.hosts.len()) {
            let what = format!(
                "{tables} switches and stations with a way to each of {} hosts and stations: the tables have 2^31 entries or more",
                self.hosts.len()
            );
            return refuse("nodes", what, "use fewer of them");
        }
        Ok(())
    }
}
