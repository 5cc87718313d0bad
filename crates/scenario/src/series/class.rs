//! The deliveries of the flows of a class together over time, and how even they are.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::document::jain;

/// The series of each class, from the class of each flow and the bits that it delivered in each interval.
pub fn document(flows: impl Iterator<Item = (u8, Vec<u64>)>, widths: &[f64]) -> Map<String, Value> {
    let mut classes: BTreeMap<u8, Vec<Vec<u64>>> = BTreeMap::new();
    for (class, bits) in flows {
        classes.entry(class).or_default().push(bits);
    }
    let document = |(class, flows): (u8, Vec<Vec<u64>>)| {
        let of = |i: usize| flows.iter().map(move |bits| bits[i] as f64);
        let sums: Value = widths
            .iter()
            .enumerate()
            .map(|(i, width)| of(i).sum::<f64>() / width)
            .collect();
        let even: Value = (0..widths.len())
            .map(|i| jain(&of(i).collect::<Vec<_>>()))
            .collect();
        (
            class.to_string(),
            json!({"goodput_bps": sums, "jain": even}),
        )
    };
    classes.into_iter().map(document).collect()
}
