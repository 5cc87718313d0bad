//! How evenly nodes use ways that are equally short: of each group of such ports the bytes that each sent.
//!
//! The unevenness of a group is its greatest sum of bytes over the mean: 1 where all ways carry the same, their number where one way
//! carries all. A switch may have several groups, toward several destinations. Bytes of a port that belongs to two of
//! them do not say for which it sent them, so such groups are left out.

use std::collections::BTreeMap;

use backwater_sim::ids::PortId;
use backwater_sim::world::{Report, World};
use serde_json::{Map, Value, json};

/// A group of equal ways, and the bytes of data frames that each sent after the warm-up.
pub struct EqualWays {
    ways: Vec<(PortId, u64)>,
}

/// The groups of a run whose ways belong to no other group.
pub fn rows(world: &World, report: &Report) -> Vec<EqualWays> {
    let groups = world.network().equal_ways();
    if groups.is_empty() {
        return Vec::new();
    }
    let mut times: BTreeMap<PortId, u32> = BTreeMap::new();
    for port in groups.iter().flatten() {
        *times.entry(*port).or_default() += 1;
    }
    let sent: BTreeMap<PortId, u64> = report
        .ports
        .iter()
        .map(|p| (p.port, p.count.bytes))
        .collect();
    let group = |group: &Vec<PortId>| {
        if group.iter().any(|port| times[port] > 1) {
            return None;
        }
        let way = |port: &PortId| Some((*port, *sent.get(port)?));
        let ways: Option<Vec<_>> = group.iter().map(way).collect();
        Some(EqualWays { ways: ways? })
    };
    groups.iter().filter_map(group).collect()
}

impl EqualWays {
    fn bytes(&self) -> u64 {
        self.ways.iter().map(|way| way.1).sum()
    }

    /// The greatest over the mean; none where no way sent anything.
    fn unevenness(&self) -> Option<f64> {
        let greatest = self.ways.iter().map(|way| way.1).max()?;
        let sum = self.bytes();
        (sum > 0).then(|| greatest as f64 * self.ways.len() as f64 / sum as f64)
    }

    /// Its row in the document.
    pub fn document(&self, world: &World) -> Value {
        let network = world.network();
        let name = |port: PortId| network.ports[port].more.name.as_str();
        let at = network.ports[self.ways[0].0].node;
        let ways: Map<String, Value> = self
            .ways
            .iter()
            .map(|(port, bytes)| (name(*port).to_owned(), json!(bytes)))
            .collect();
        json!({
            "at": network.nodes[at].name,
            "sent_B": ways,
            "unevenness": self.unevenness(),
        })
    }
}

/// What the groups of a run have in common.
pub fn metrics(rows: &[EqualWays]) -> [(String, Value); 2] {
    let used: Vec<(f64, f64)> = rows
        .iter()
        .filter_map(|row| Some((row.unevenness()?, row.bytes() as f64)))
        .collect();
    let bytes: f64 = used.iter().map(|row| row.1).sum();
    let weighted: f64 = used.iter().map(|(uneven, bytes)| uneven * bytes).sum();
    let worst = used.iter().map(|row| row.0).max_by(f64::total_cmp);
    [
        (
            "ways_uneven_mean".to_owned(),
            json!((bytes > 0.0).then(|| weighted / bytes)),
        ),
        ("ways_uneven_max".to_owned(), json!(worst)),
    ]
}
