//! The values of a law of explicit feedback over time.

use std::collections::BTreeMap;

use backwater_sim::ids::LawId;
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};
use serde_json::{Map, Value, json};

/// Values as they stand at the end of each interval.
#[derive(Clone)]
pub struct OfLaw {
    names: [&'static str; 4],
    values: [Vec<Option<f64>>; 4],
}

impl OfLaw {
    /// Nothing known of these intervals.
    pub fn new(intervals: usize) -> OfLaw {
        OfLaw {
            names: [""; 4],
            values: std::array::from_fn(|_| vec![None; intervals]),
        }
    }

    /// Values at an instant.
    pub fn note(&mut self, every: Span, now: Time, values: [(&'static str, f64); 4]) {
        let at = ((now.0 / every.0) as usize).min(self.values[0].len() - 1);
        for (i, (name, value)) in values.into_iter().enumerate() {
            self.names[i] = name;
            self.values[i][at] = Some(value);
        }
    }

    /// By name, of the first `intervals`.
    pub fn document(&self, intervals: usize) -> Value {
        let named = self.names.iter().zip(&self.values);
        let named = named.filter(|(name, _)| !name.is_empty());
        let row =
            named.map(|(name, values)| ((*name).to_owned(), json!(held(&values[..intervals]))));
        Value::Object(row.collect::<Map<String, Value>>())
    }
}

/// The last value known at each place.
pub fn held(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut last = None;
    let each = values.iter().map(|value| {
        last = value.or(last);
        last
    });
    each.collect()
}

/// The series of all laws, by place.
pub fn document(
    world: &World,
    laws: &BTreeMap<LawId, OfLaw>,
    intervals: usize,
) -> Map<String, Value> {
    let named = laws.iter().map(|(id, of)| {
        let name = world.network().laws[*id].name.clone();
        (name, of.document(intervals))
    });
    named.collect()
}
