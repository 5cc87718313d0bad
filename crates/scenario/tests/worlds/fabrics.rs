//! Networks of generators, and what flows of a data centre wait for.

use backwater_sim::spec::NodeKind;
use serde_json::{Value, json};

use super::super::dice::Dice;
use super::{Network, Tables, usual, value};

impl Tables {
    /// A network of any generator, small enough for a test. Its nodes and ports are those that the reader makes of it.
    pub(super) fn generated(&self, dice: &mut Dice<'_>, net: &mut Network) {
        let row = dice.of(self.rows("topologies"));
        let mut topology = json!({"kind": row["id"]});
        for option in row["options"].as_array().into_iter().flatten() {
            let name = option["name"].as_str().unwrap_or_default();
            let kind = option["type"].as_str().unwrap_or_default();
            if option["required"] != true && !dice.once_in(4) {
                continue;
            }
            topology[name] = match (name, kind) {
                ("k", _) => json!(2 + 2 * dice.below(2)),
                ("medium", _) if row["id"] == "satellite" => json!("sat"),
                ("medium", _) => json!("air"),
                (_, "integer") => json!(1 + dice.below(3)),
                ("spacing" | "radius", _) => json!(format!("{} m", 10 + dice.below(90))),
                ("max_frame", _) => json!("9018 B"),
                (_, "rate") => json!(*dice.of(&["10 Mbit/s", "1 Gbit/s", "100 Gbit/s"])),
                (_, "time") => json!(*dice.of(&["0 s", "1 us", "100 us"])),
                (_, "table" | "list" | "name" | "file" | "size or packets") => continue,
                _ => value(dice, option),
            };
        }
        if topology.get("medium").is_some() {
            match topology["medium"] == "sat" {
                true => self.slots(dice, net),
                false => self.radio(dice, net),
            }
        } else if dice.once_in(2) {
            let mut routing = json!({"kind": "ecmp"});
            if dice.once_in(2) {
                let words = [
                    "hash",
                    "random",
                    "round-robin",
                    "least-queue",
                    "power-of-two",
                ];
                routing["choose"] = json!(*dice.of(&words));
            }
            net.scenario.insert("routing".into(), routing);
        }
        net.scenario.insert("topology".into(), topology);
        self.learn(net);
    }

    /// The names of nodes and ports, from a scenario that has one flow for each pair of them.
    fn learn(&self, net: &mut Network) {
        let mut trial = Network {
            scenario: net.scenario.clone(),
            ends: Vec::new(),
            ports: Vec::new(),
            watched: None,
            stations: false,
        };
        let flow = json!({"from": "*", "to": "*", "pattern": "all", "source": {"kind": "cbr", "rate": "1 kbit/s"}});
        trial.put("flows", "f", flow);
        let Some(resolved) = trial.resolved() else {
            // Flows between nodes that are not there: the network is refused, and another one is drawn.
            net.ends = vec!["A".into(), "B".into()];
            return;
        };
        let spec = resolved.spec();
        for node in &spec.nodes {
            match node.kind {
                NodeKind::Switch(_) => {
                    net.watched = node.name.get(..1).map(|first| format!("{first}*"));
                }
                _ => net.ends.push(node.name.clone()),
            }
        }
        if net.stations {
            net.watched = net.ends.first().cloned();
        }
        net.ports
            .extend(spec.ports.iter().map(|port| port.name.clone()));
    }

    /// An option of a source.
    fn option(&self, source: &str, name: &str) -> &Value {
        let mut rows = self.rows("sources").iter();
        let row = rows.find(|row| row["id"] == source).expect("a source");
        let options = row["options"].as_array().into_iter().flatten();
        let found = options.into_iter().find(|option| option["name"] == name);
        found.expect("an option")
    }

    /// A pattern among all ends: a permutation, the ranks of a collective, or a flow for each transfer.
    pub(super) fn pattern(&self, dice: &mut Dice<'_>, net: &Network, flow: &mut Value) {
        let hosts = match net.ends[0].get(..1) {
            Some(first) if dice.once_in(2) => format!("{first}*"),
            _ => "*".to_owned(),
        };
        (flow["from"], flow["to"]) = (json!(hosts), json!(hosts));
        let pattern = *dice.of(&["permutation", "all", "ranks", "transfers"]);
        flow["pattern"] = json!(pattern);
        match pattern {
            "ranks" => {
                flow["source"] = self.part(dice, "sources", |id| id == "collective");
                let option = self.option("collective", "algorithm");
                flow["source"]["algorithm"] = usual(dice, option);
            }
            "transfers" => {
                flow["source"] = self.part(dice, "sources", |id| id == "workload");
                if dice.once_in(2) {
                    flow["source"]["sizes"] = usual(dice, self.option("workload", "sizes"));
                }
                flow["source"]["rate"] = json!("30 Mbit/s");
            }
            _ => {}
        }
    }
}

/// A flow of one transfer waits for others of that kind, if there are any.
pub(super) fn after(dice: &mut Dice<'_>, net: &Network, flow: &mut Value) {
    let flows = net.scenario.get("flows").and_then(Value::as_object);
    let before: Vec<Value> = flows
        .into_iter()
        .flatten()
        .filter(|(_, row)| row["source"]["kind"] == "bulk" && row["source"].get("size").is_some())
        .map(|(name, _)| match dice.once_in(2) {
            true => json!(name),
            false => json!(format!("{name} + {} us", dice.below(500))),
        })
        .collect();
    if !before.is_empty() {
        flow["after"] = json!(before);
    }
}
