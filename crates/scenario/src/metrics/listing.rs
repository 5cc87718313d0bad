//! The table of metrics as rows for a reader.

use backwater_sim::cause::Cause;
use serde_json::{Value, json};

use super::{METRICS, Metric};

/// The table as rows of `list --json`.
pub fn rows() -> Value {
    let row = |m: &Metric| {
        json!({
            "id": m.id, "aliases": [], "summary": m.summary, "source": m.source, "options": [],
            "unit": m.unit(), "scopes": m.scopes,
        })
    };
    let cause = |c: &Cause| {
        json!({
            "id": c.name(), "aliases": [], "summary": format!("packets lost: {}", c.meaning()),
            "source": "", "options": [], "unit": "packets", "scopes": ["drops"],
        })
    };
    METRICS
        .iter()
        .map(row)
        .chain(Cause::ALL.iter().map(cause))
        .collect()
}
