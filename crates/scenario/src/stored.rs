//! The metrics of a run's document as a store keeps them: names of scope and metric in one list, values in another.
//! Cases with the same names share the list.

mod node;

use std::borrow::Cow;
use std::collections::BTreeMap;

use miniz_oxide::deflate::compress_to_vec_zlib;
use node::Node;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Sums over the flows of a class.
const SUMS: [&str; 5] = [
    "entered_pkts",
    "delivered_pkts",
    "dropped_pkts",
    "offered_bps",
    "goodput_bps",
];
/// Means over the delivered packets of a class, and those that only packets in A-MPDUs have.
const MEANS: [&str; 7] = [
    "delay_mean_s",
    "delay_serialisation_s",
    "delay_queue_s",
    "delay_gate_s",
    "delay_contention_s",
    "delay_retries_s",
    "delay_propagation_s",
];
const IN_AGGREGATES: [&str; 2] = ["delay_aggregate_s", "delay_reorder_s"];
/// Lists with a value for each class.
const BY_CLASS: [&str; 2] = ["paused", "aifsn_mean"];
/// Fast: stronger compression saves a tenth of the bytes and takes four times as long.
const LEVEL: u8 = 1;

/// What a store keeps of a case.
#[derive(Debug)]
pub struct Stored {
    /// (scope, metric) of each value, as JSON.
    pub layout: String,
    /// The values as doubles, all first bytes before all second ones, in a stream of zlib (RFC 1950). What has no value is
    /// NaN, which no metric is.
    pub blob: Vec<u8>,
    /// The parts of the document that say how the case went, as JSON.
    pub head: String,
}

/// The parts of a document that a store reads.
#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    metrics: Node<'a>,
    flows: Node<'a>,
    drops: Node<'a>,
    #[serde(default)]
    ports: Node<'a>,
    #[serde(default)]
    stations: Node<'a>,
    #[serde(default)]
    stamps: Node<'a>,
    #[serde(default)]
    collectives: Node<'a>,
    #[serde(default)]
    deadlock: Node<'a>,
    fingerprint: String,
    conservation: Value,
    sanity: Value,
    #[serde(default)]
    warnings: Vec<String>,
    cost: Option<Value>,
}

/// Those that say how the case went.
#[derive(Serialize)]
struct Head<'a> {
    fingerprint: &'a str,
    conservation: &'a Value,
    sanity: &'a Value,
    warnings: &'a [String],
    cost: &'a Option<Value>,
}

impl Stored {
    /// What a store keeps of a document.
    ///
    /// # Errors
    /// When the text is no document of a run; the text says what is missing.
    pub fn of(document: &str) -> Result<Stored, String> {
        let document: Document = serde_json::from_str(document).map_err(|e| e.to_string())?;
        let mut rows = Rows::default();
        rows.document(&document)?;
        let head = Head {
            fingerprint: &document.fingerprint,
            conservation: &document.conservation,
            sanity: &document.sanity,
            warnings: &document.warnings,
            cost: &document.cost,
        };
        Ok(Stored {
            blob: compress_to_vec_zlib(&planes(&rows.values), LEVEL),
            layout: rows.layout(),
            head: serde_json::to_string(&head).map_err(|e| e.to_string())?,
        })
    }
}

/// Doubles by the place of their bytes: neighbours share signs and exponents, so this compresses well.
fn planes(values: &[f64]) -> Vec<u8> {
    let mut found = vec![0; values.len() * 8];
    for (at, value) in values.iter().enumerate() {
        for (plane, byte) in value.to_le_bytes().into_iter().enumerate() {
            found[plane * values.len() + at] = byte;
        }
    }
    found
}

/// A scope, and where its names begin.
struct Scope {
    name: String,
    from: usize,
}

/// Values under their names, in the order in which a name first came.
#[derive(Default)]
struct Rows<'a> {
    scopes: Vec<Scope>,
    known: BTreeMap<String, usize>,
    names: Vec<(usize, Cow<'a, str>)>,
    values: Vec<f64>,
}

impl<'a> Rows<'a> {
    fn scope(&mut self, name: String) -> usize {
        if let Some(at) = self.known.get(&name) {
            return *at;
        }
        let from = self.names.len();
        self.known.insert(name.clone(), self.scopes.len());
        self.scopes.push(Scope { name, from });
        self.scopes.len() - 1
    }

    /// Where the value of a name is. Few names lie behind the beginning of a scope, so they are asked one by one.
    fn place(&self, scope: usize, name: &str) -> Option<usize> {
        let from = self.scopes[scope].from;
        let mut behind = self.names[from..].iter();
        behind
            .position(|(at, one)| *at == scope && one == name)
            .map(|at| from + at)
    }

    /// The last value of a name counts.
    fn put(&mut self, scope: usize, name: impl Into<Cow<'a, str>>, value: f64) {
        let name = name.into();
        if let Some(at) = self.place(scope, &name) {
            self.values[at] = value;
            return;
        }
        self.names.push((scope, name));
        self.values.push(value);
    }

    fn layout(&self) -> String {
        let quoted = |text: &str| Value::from(text).to_string();
        let scopes: Vec<String> = self.scopes.iter().map(|one| quoted(&one.name)).collect();
        let mut text = String::with_capacity(32 * self.names.len() + 2);
        text.push('[');
        for (at, (scope, name)) in self.names.iter().enumerate() {
            text.push_str(if at > 0 { ",[" } else { "[" });
            text.push_str(&scopes[*scope]);
            text.push(',');
            text.push_str(&quoted(name));
            text.push(']');
        }
        text.push(']');
        text
    }

    fn document(&mut self, document: &'a Document<'_>) -> Result<(), String> {
        let run = self.scope("run".to_owned());
        for (name, value) in document.metrics.fields() {
            if let Some(value) = value.metric() {
                self.put(run, &**name, value);
            }
        }
        let held = document.conservation["held_pkts"].as_f64();
        self.put(run, "held_pkts", held.ok_or("held_pkts is no number")?);
        let deadlock = !matches!(document.deadlock, Node::Null);
        self.put(run, "deadlocks", f64::from(u8::from(deadlock)));
        for (kind, table) in [
            ("flow", &document.flows),
            ("port", &document.ports),
            ("station", &document.stations),
        ] {
            for row in table.members() {
                self.row(format!("{kind}:{}", row.at("id").word()), row)?;
            }
        }
        for row in document.stamps.members() {
            let scope = self.scope(format!("law:{}", row.at("place").word()));
            for name in ["queue_mean_pkts", "queue_deviation_pkts"] {
                self.put(scope, name, row.real(name)?);
            }
        }
        for row in document.collectives.members() {
            let scope = self.scope(format!("ranks:{}", row.at("id").word()));
            for name in ["collective_s", "algbw_bps", "busbw_bps"] {
                self.put(scope, name, row.real(name)?);
            }
        }
        let flows = document.flows.members();
        for flow in flows {
            self.places(flow)?;
        }
        self.classes(flows)?;
        self.drops(document.drops.members())
    }

    fn row(&mut self, scope: String, row: &'a Node<'_>) -> Result<(), String> {
        let scope = self.scope(scope);
        for (name, value) in row.fields() {
            if BY_CLASS.contains(&&**name) {
                for (class, one) in value.members().iter().enumerate() {
                    let value = one.metric();
                    let value = value.ok_or_else(|| format!("{name} is no number"))?;
                    self.put(scope, format!("{name}_class{class}"), value);
                }
            } else if !matches!(&**name, "id" | "class")
                && let Some(value) = value.metric()
            {
                self.put(scope, &**name, value);
            }
        }
        Ok(())
    }

    /// The hops and the receivers of a flow.
    fn places(&mut self, flow: &'a Node<'_>) -> Result<(), String> {
        let id = flow.at("id").word();
        for hop in flow.at("hops").members() {
            let (from, to) = (hop.at("from").word(), hop.at("to").word());
            let scope = self.scope(format!("hop:{id}/{from}>{to}"));
            self.put(scope, "throughput_bps", hop.real("throughput_bps")?);
        }
        for receiver in flow.at("receivers").members() {
            let station = receiver.at("station").word();
            self.row(format!("receiver:{id}/{station}"), receiver)?;
        }
        Ok(())
    }

    /// Sums and means over the flows of each class; quantiles cannot be added.
    fn classes(&mut self, flows: &[Node<'_>]) -> Result<(), String> {
        let mut grouped: Vec<(f64, Vec<&Node<'_>>)> = Vec::new();
        for flow in flows {
            let class = flow.number("class")?;
            match grouped.iter_mut().find(|(one, _)| *one == class) {
                Some((_, members)) => members.push(flow),
                None => grouped.push((class, vec![flow])),
            }
        }
        for (class, members) in grouped {
            let scope = self.scope(format!("class:{class}"));
            for name in SUMS {
                self.put(scope, name, sum(&members, |flow| flow.number(name))?);
            }
            let entered = sum(&members, |flow| flow.number("entered_pkts"))?;
            let lost = sum(&members, |flow| {
                Ok(flow.number("loss")? * flow.number("entered_pkts")?)
            })?;
            let loss = if entered > 0.0 { lost / entered } else { 0.0 };
            self.put(scope, "loss", loss);
            self.means(scope, &members)?;
        }
        Ok(())
    }

    fn means(&mut self, scope: usize, members: &[&Node<'_>]) -> Result<(), String> {
        let mut delivered = Vec::new();
        for flow in members {
            if flow.number("delivered_pkts")? > 0.0 {
                delivered.push(*flow);
            }
        }
        let total = sum(&delivered, |flow| flow.number("delivered_pkts"))?;
        let also = IN_AGGREGATES
            .into_iter()
            .filter(|name| delivered.iter().any(|flow| flow.field(name).is_some()));
        for name in MEANS.into_iter().chain(also) {
            let waited = sum(&delivered, |flow| {
                let known = flow.field(name).is_some();
                let mean = if known { flow.number(name)? } else { 0.0 };
                Ok(mean * flow.number("delivered_pkts")?)
            })?;
            let mean = if total > 0.0 {
                waited / total
            } else {
                f64::NAN
            };
            self.put(scope, name, mean);
        }
        Ok(())
    }

    /// Packets lost at each place, by cause.
    fn drops(&mut self, drops: &'a [Node<'_>]) -> Result<(), String> {
        for drop in drops {
            let scope = self.scope(format!("drops:{}", drop.at("place").word()));
            let cause = drop.at("cause").word();
            let before = self.place(scope, &cause).map_or(0.0, |at| self.values[at]);
            self.put(scope, cause, before + drop.number("pkts")?);
        }
        Ok(())
    }
}

fn sum(flows: &[&Node<'_>], of: impl Fn(&Node<'_>) -> Result<f64, String>) -> Result<f64, String> {
    flows
        .iter()
        .try_fold(0.0, |total, flow| Ok(total + of(flow)?))
}
