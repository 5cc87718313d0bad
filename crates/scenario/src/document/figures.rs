//! Single figures of a run without its document: what a search wants of each of its runs.

use std::collections::BTreeMap;

use backwater_sim::world::{Report, World};
use backwater_transport::units::{Span, Time};
use serde_json::{Map, Value};

use super::{Groups, TICKS, document_until, flow_row, is_own, port};
use crate::cell;
use crate::path;
use crate::resolved::Resolved;

/// Takes a look at each packet again, and is left out of a row of a port.
const SIGNAL: &str = cell::OF_PORT[2];

/// Figures of the document by their paths, such as `flows.f.goodput_bps`; rows of lists are named by their `id`. Not a number
/// where one has no value, none where no document has it. Only the rows that are asked for are made.
pub fn figures_until(
    resolved: &Resolved,
    world: &World,
    report: &Report,
    duration: Span,
    names: &[String],
) -> Vec<Option<f64>> {
    let mut rows = Rows {
        resolved,
        world,
        report,
        duration,
        groups: Groups::of(resolved),
        made: BTreeMap::new(),
        whole: None,
    };
    names.iter().map(|name| rows.figure(name)).collect()
}

struct Rows<'a> {
    resolved: &'a Resolved,
    world: &'a World,
    report: &'a Report,
    duration: Span,
    groups: Groups,
    /// Rows by section and name.
    made: BTreeMap<(String, String), Value>,
    whole: Option<Value>,
}

impl Rows<'_> {
    fn figure(&mut self, name: &str) -> Option<f64> {
        let names = path::names(name).ok()?;
        let keys: Vec<&str> = names.iter().map(|(key, _)| key.as_str()).collect();
        if let [section, id, key] = keys[..] {
            let place = (section.to_owned(), id.to_owned());
            if !self.made.contains_key(&place) {
                let made = self.row(section, id).unwrap_or(Value::Null);
                self.made.insert(place.clone(), made);
            }
            let found = self.made[&place].get(key);
            if let Some(found) = found.filter(|_| key != SIGNAL) {
                return number(found);
            }
        }
        let (resolved, world, report) = (self.resolved, self.world, self.report);
        let make = || document_until(resolved, world, report, self.duration);
        let mut found = &*self.whole.get_or_insert_with(make);
        for key in keys {
            found = inside(found, key)?;
        }
        number(found)
    }

    /// A row without figures that need the whole trace again.
    fn row(&self, section: &str, id: &str) -> Option<Value> {
        let network = self.world.network();
        let from = Time(self.resolved.warmup().0);
        let window = (self.duration.0 - from.0) as f64 / TICKS;
        match section {
            "flows" => {
                let mut flows = self.report.flows.iter();
                let flow = flows.find(|f| network.flows[f.flow].name == *id)?;
                is_own(self.world, &self.groups, flow)
                    .then(|| flow_row(self.world, self.report, flow, window, Map::new()))
            }
            "ports" => {
                let mut ports = self.report.ports.iter();
                let found = ports.find(|p| network.ports[p.port].more.name == *id)?;
                let cell = cell::of_port(self.world, found.port, from, false);
                Some(port::row(self.world, found, window, cell))
            }
            _ => None,
        }
    }
}

/// What a value has under a name; rows of lists are named by their `id`.
fn inside<'a>(at: &'a Value, key: &str) -> Option<&'a Value> {
    match at {
        Value::Array(rows) => rows.iter().find(|row| row["id"] == key),
        _ => at.get(key),
    }
}

/// A value as a number.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Null => Some(f64::NAN),
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        _ => value.as_f64(),
    }
}
