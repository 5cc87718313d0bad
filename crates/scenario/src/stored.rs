//! The metrics of a run's document as a store keeps them: names of scope and metric in one list, values in another.
//! Cases with the same names share the list.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

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
/// What a store asks of a document besides its metrics.
const HEAD: [&str; 5] = ["fingerprint", "conservation", "sanity", "warnings", "cost"];

/// What a store keeps of a case.
#[derive(Debug)]
pub struct Stored {
    /// (scope, metric) of each value, as JSON.
    pub layout: String,
    /// The values as doubles, all first bytes before all second ones. What has no value is NaN, which no metric is.
    pub planes: Vec<u8>,
    /// The parts of the document that say how the case went, as JSON.
    pub head: String,
}

impl Stored {
    /// What a store keeps of a document.
    ///
    /// # Errors
    /// When the text is no document of a run; the text says what is missing.
    pub fn of(document: &str) -> Result<Stored, String> {
        let document: Value = serde_json::from_str(document).map_err(|e| e.to_string())?;
        let mut rows = Rows::default();
        rows.document(&document)?;
        let mut head = Map::new();
        for name in HEAD {
            if let Some(value) = document.get(name) {
                head.insert(name.to_owned(), value.clone());
            }
        }
        Ok(Stored {
            planes: planes(&rows.values),
            layout: rows.layout(),
            head: Value::Object(head).to_string(),
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

/// Values under their names, in the order in which a name first came.
#[derive(Default)]
struct Rows {
    /// The names of a scope lie together, so a name that comes twice is looked for in its scope alone.
    scopes: Vec<String>,
    names: Vec<(usize, String)>,
    values: Vec<f64>,
    known: HashMap<String, usize>,
    within: Vec<HashMap<String, usize>>,
}

impl Rows {
    fn scope(&mut self, scope: String) -> usize {
        if let Some(at) = self.known.get(&scope) {
            return *at;
        }
        self.known.insert(scope.clone(), self.scopes.len());
        self.scopes.push(scope);
        self.within.push(HashMap::new());
        self.scopes.len() - 1
    }

    /// The last value of a name counts.
    fn put(&mut self, scope: usize, name: &str, value: f64) {
        if let Some(at) = self.within[scope].get(name) {
            self.values[*at] = value;
            return;
        }
        self.within[scope].insert(name.to_owned(), self.values.len());
        self.names.push((scope, name.to_owned()));
        self.values.push(value);
    }

    fn layout(&self) -> String {
        let names: Vec<Value> = self
            .names
            .iter()
            .map(|(scope, name)| json!([self.scopes[*scope], name]))
            .collect();
        Value::Array(names).to_string()
    }

    fn document(&mut self, document: &Value) -> Result<(), String> {
        let run = self.scope("run".to_owned());
        for (name, value) in object(document, "metrics")? {
            if let Some(value) = metric(value) {
                self.put(run, name, value);
            }
        }
        let held = &document["conservation"]["held_pkts"];
        self.put(run, "held_pkts", number(held, "held_pkts")?);
        let deadlock = !document["deadlock"].is_null();
        self.put(run, "deadlocks", f64::from(u8::from(deadlock)));
        for (kind, table) in [
            ("flow", "flows"),
            ("port", "ports"),
            ("station", "stations"),
        ] {
            for row in list(&document[table]) {
                self.row(format!("{kind}:{}", word(&row["id"])), row)?;
            }
        }
        for row in list(&document["stamps"]) {
            let scope = self.scope(format!("law:{}", word(&row["place"])));
            for name in ["queue_mean_pkts", "queue_deviation_pkts"] {
                self.put(scope, name, real(&row[name], name)?);
            }
        }
        for row in list(&document["collectives"]) {
            let scope = self.scope(format!("ranks:{}", word(&row["id"])));
            for name in ["collective_s", "algbw_bps", "busbw_bps"] {
                self.put(scope, name, real(&row[name], name)?);
            }
        }
        let flows = list(&document["flows"]);
        for flow in flows {
            self.places(flow)?;
        }
        self.classes(flows)?;
        self.drops(list(&document["drops"]))
    }

    fn row(&mut self, scope: String, row: &Value) -> Result<(), String> {
        let Value::Object(row) = row else {
            return Err(format!("{scope} is no object"));
        };
        let scope = self.scope(scope);
        for (name, value) in row {
            if BY_CLASS.contains(&name.as_str()) {
                for (class, one) in list(value).iter().enumerate() {
                    self.put(scope, &format!("{name}_class{class}"), real(one, name)?);
                }
            } else if !matches!(name.as_str(), "id" | "class")
                && let Some(value) = metric(value)
            {
                self.put(scope, name, value);
            }
        }
        Ok(())
    }

    /// The hops and the receivers of a flow.
    fn places(&mut self, flow: &Value) -> Result<(), String> {
        let id = word(&flow["id"]);
        for hop in list(&flow["hops"]) {
            let (from, to) = (word(&hop["from"]), word(&hop["to"]));
            let scope = self.scope(format!("hop:{id}/{from}>{to}"));
            let value = real(&hop["throughput_bps"], "throughput_bps")?;
            self.put(scope, "throughput_bps", value);
        }
        for receiver in list(&flow["receivers"]) {
            let station = word(&receiver["station"]);
            self.row(format!("receiver:{id}/{station}"), receiver)?;
        }
        Ok(())
    }

    /// Sums and means over the flows of each class; quantiles cannot be added.
    fn classes(&mut self, flows: &[Value]) -> Result<(), String> {
        let mut grouped: Vec<(&Value, Vec<&Value>)> = Vec::new();
        for flow in flows {
            let class = &flow["class"];
            match grouped.iter_mut().find(|(one, _)| *one == class) {
                Some((_, members)) => members.push(flow),
                None => grouped.push((class, vec![flow])),
            }
        }
        for (class, members) in grouped {
            let scope = self.scope(format!("class:{}", word(class)));
            for name in SUMS {
                let total = sum(&members, |flow| number(&flow[name], name))?;
                self.put(scope, name, total);
            }
            let entered = sum(&members, |flow| {
                number(&flow["entered_pkts"], "entered_pkts")
            })?;
            let lost = sum(&members, |flow| {
                Ok(number(&flow["loss"], "loss")? * number(&flow["entered_pkts"], "entered_pkts")?)
            })?;
            self.put(
                scope,
                "loss",
                if entered > 0.0 { lost / entered } else { 0.0 },
            );
            self.means(scope, &members)?;
        }
        Ok(())
    }

    fn means(&mut self, scope: usize, members: &[&Value]) -> Result<(), String> {
        let pkts = |flow: &Value| number(&flow["delivered_pkts"], "delivered_pkts");
        let mut delivered = Vec::new();
        for flow in members {
            if pkts(flow)? > 0.0 {
                delivered.push(*flow);
            }
        }
        let total = sum(&delivered, pkts)?;
        let also = IN_AGGREGATES
            .into_iter()
            .filter(|name| delivered.iter().any(|flow| flow.get(name).is_some()));
        for name in MEANS.into_iter().chain(also) {
            let waited = sum(&delivered, |flow| {
                let mean = flow.get(name).map_or(Ok(0.0), |one| number(one, name))?;
                Ok(mean * pkts(flow)?)
            })?;
            self.put(
                scope,
                name,
                if total > 0.0 {
                    waited / total
                } else {
                    f64::NAN
                },
            );
        }
        Ok(())
    }

    /// Packets lost at each place, by cause.
    fn drops(&mut self, drops: &[Value]) -> Result<(), String> {
        for drop in drops {
            let scope = self.scope(format!("drops:{}", word(&drop["place"])));
            let cause = word(&drop["cause"]);
            let before = self.within[scope]
                .get(&cause)
                .map_or(0.0, |at| self.values[*at]);
            self.put(scope, &cause, before + number(&drop["pkts"], "pkts")?);
        }
        Ok(())
    }
}

fn sum<'a>(
    flows: &[&'a Value],
    of: impl Fn(&'a Value) -> Result<f64, String>,
) -> Result<f64, String> {
    flows
        .iter()
        .try_fold(0.0, |total, flow| Ok(total + of(flow)?))
}

fn object<'a>(value: &'a Value, name: &str) -> Result<&'a Map<String, Value>, String> {
    let found = value.get(name).and_then(Value::as_object);
    found.ok_or_else(|| format!("the document has no {name}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn word(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// A number, or NaN for a metric without a value; nothing for what is no metric.
fn metric(value: &Value) -> Option<f64> {
    if value.is_null() {
        return Some(f64::NAN);
    }
    value.as_f64()
}

fn real(value: &Value, name: &str) -> Result<f64, String> {
    metric(value).ok_or_else(|| format!("{name} is no number"))
}

fn number(value: &Value, name: &str) -> Result<f64, String> {
    value.as_f64().ok_or_else(|| format!("{name} is no number"))
}
