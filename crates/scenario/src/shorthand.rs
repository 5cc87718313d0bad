//! Shorthand of a scenario: ranges in names (`f{1..12}`), rows of `flows` for a pattern of names (`f*`), and
//! `defaults.flows`. Reading writes them out, so all that follows, overrides by path included, sees one row
//! for each name.

mod layers;
mod range;

use crate::diagnostic::Diagnostic;
use crate::fields::SCENARIO;
use crate::options::unknown;
use crate::shape::{Field, Shape};
use crate::tree::{Node, Value, join};

/// Key of what things have in common.
pub const DEFAULTS: &str = "defaults";
/// The table whose rows take defaults and patterns.
const FLOWS: &str = "flows";

/// Writes out ranges, patterns and defaults.
pub fn write_out(mut root: Node) -> Result<Node, Diagnostic> {
    let Value::Table(entries) = &mut root.value else {
        return Ok(root);
    };
    let mut made = 0;
    for entry in entries.iter_mut() {
        let by_name = |shape: &Shape| matches!(shape, Shape::Things(_) | Shape::Settings(_));
        let named = |f: &Field| f.name == entry.key && by_name(&f.shape);
        if SCENARIO.iter().any(named) {
            range::write_out(&mut entry.node, &mut made)?;
        }
    }
    let at = entries.iter().position(|e| e.key == DEFAULTS);
    let common = match at.map(|at| entries.remove(at).node) {
        Some(defaults) => of_flows(&defaults)?,
        None => None,
    };
    if let Some(flows) = entries.iter_mut().find(|e| e.key == FLOWS) {
        layers::write_out(&mut flows.node, common)?;
    }
    Ok(root)
}

/// `defaults.flows`, the only defaults there are.
fn of_flows(defaults: &Node) -> Result<Option<Node>, Diagnostic> {
    for entry in defaults.table()? {
        if entry.key != FLOWS {
            return Err(unknown(&entry.key, DEFAULTS, [FLOWS]).at(&entry.origin));
        }
        entry.node.table()?;
    }
    Ok(defaults.get(FLOWS).cloned())
}

/// The same value at another path, its texts changed by `text`.
fn moved(node: &Node, path: String, text: &dyn Fn(&str) -> String) -> Node {
    let value = match &node.value {
        Value::Table(entries) => {
            let mut entries = entries.clone();
            for entry in &mut entries {
                entry.node = moved(&entry.node, join(&path, &entry.key), text);
            }
            Value::Table(entries)
        }
        Value::List(items) => {
            let item = |(i, n): (usize, &Node)| moved(n, join(&path, &i.to_string()), text);
            Value::List(items.iter().enumerate().map(item).collect())
        }
        Value::Text(written) => Value::Text(text(written)),
        other => other.clone(),
    };
    Node {
        path,
        origin: node.origin.clone(),
        value,
    }
}
