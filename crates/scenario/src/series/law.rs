//! The values of a law of explicit feedback over time.

use backwater_transport::units::{Span, Time};
use serde_json::{Map, Value, json};

use super::held;

/// Values as they stand at the end of each interval.
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

    /// By name.
    pub fn document(&self) -> Value {
        let named = self.names.iter().zip(&self.values);
        let named = named.filter(|(name, _)| !name.is_empty());
        let row = named.map(|(name, values)| ((*name).to_owned(), json!(held(values))));
        Value::Object(row.collect::<Map<String, Value>>())
    }
}
