//! Slowdown: the time a transfer took over that of the transfer alone on its path.

use backwater_sim::connection::DECADES;
use backwater_sim::record::delays::Delays;
use backwater_sim::world::Report;
use serde_json::{Map, Value, json};

/// Quantiles of slowdown, by name.
pub const SLOWDOWN: [(&str, f64); 3] = [
    ("slowdown_p50", 0.5),
    ("slowdown_p95", 0.95),
    ("slowdown_p99", 0.99),
];

/// A quantile of slowdowns counted in thousandths.
pub fn slowdown(all: &Delays, q: f64) -> Value {
    json!((!all.is_empty()).then(|| all.quantile(q) as f64 / 1e3))
}

/// The mean of slowdowns counted in thousandths.
pub fn mean(all: &Delays) -> Value {
    json!((!all.is_empty()).then(|| all.mean() / 1e3))
}

/// Slowdown of the transfers of all flows, together and by decade of their size.
pub fn slowdowns(report: &Report) -> Map<String, Value> {
    let mut rows = Map::new();
    let mut all = Delays::default();
    for decade in 0..DECADES {
        let mut some = Delays::default();
        for flow in &report.connections {
            if let Some(one) = flow.stats.slowdown.get(decade) {
                some.add(one);
            }
        }
        if some.is_empty() {
            continue;
        }
        let transfers = format!("slowdown_transfers_decade{decade}");
        rows.insert(transfers, json!(some.len()));
        for (name, q) in SLOWDOWN {
            rows.insert(format!("{name}_decade{decade}"), slowdown(&some, q));
        }
        all.add(&some);
    }
    rows.insert("slowdown_mean".to_owned(), mean(&all));
    rows.extend(SLOWDOWN.map(|(name, q)| (name.to_owned(), slowdown(&all, q))));
    rows
}
