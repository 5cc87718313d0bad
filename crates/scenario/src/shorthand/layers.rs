//! Rows of `flows` over each other: what a flow itself says, then the patterns that match its name, the most specific
//! first, then `defaults.flows`. Tables are put together field by field. A table with a `kind` takes nothing from one of
//! another kind, whose options are not its own.

use std::cmp::{Ordering, Reverse};

use super::moved;
use crate::diagnostic::{Diagnostic, Fault};
use crate::names::{is_pattern, matches, rank};
use crate::tree::{Entry, Node, Value, join};

/// The text that stands for a flow in one row.
#[derive(Copy, Clone)]
struct Layer<'a> {
    /// Its name or pattern; none for the defaults.
    key: Option<&'a str>,
    node: &'a Node,
}

impl<'a> Layer<'a> {
    /// The text that stands for a field of the flow.
    fn at(&self, field: &str) -> Option<Layer<'a>> {
        let key = self.key;
        self.node.get(field).map(|node| Layer { key, node })
    }

    /// The most specific first.
    fn order(&self, other: &Self) -> Ordering {
        let key = |layer: &Self| Reverse(layer.key.map(rank));
        key(self).cmp(&key(other)).then(self.key.cmp(&other.key))
    }
}

/// Puts patterns and defaults into the flows that have names, and takes the patterns out.
pub fn write_out(flows: &mut Node, common: Option<Node>) -> Result<(), Diagnostic> {
    let Value::Table(entries) = &flows.value else {
        return Ok(());
    };
    let (patterns, named): (Vec<&Entry>, Vec<&Entry>) =
        entries.iter().partition(|e| is_pattern(&e.key));
    for pattern in &patterns {
        if !named.iter().any(|e| matches(&pattern.key, &e.key)) {
            let what = format!("no flow matches `{}`", pattern.key);
            let names = named.iter().map(|e| e.key.as_str());
            return Err(Fault::unknown(what, &pattern.key, names).at(&pattern.origin));
        }
        pattern.node.table()?;
    }
    if patterns.is_empty() && common.is_none() {
        return Ok(());
    }
    let mut rows = Vec::new();
    for entry in named {
        let of = |e: &&&Entry| matches(&e.key, &entry.key);
        let mut layers: Vec<Layer<'_>> = patterns.iter().filter(of).map(|e| layer(e)).collect();
        layers.push(layer(entry));
        let defaults = common.iter().map(|node| Layer { key: None, node });
        layers.extend(defaults);
        layers.sort_by(Layer::order);
        rows.push(Entry {
            key: entry.key.clone(),
            origin: entry.origin.clone(),
            node: together(&layers, &join(&flows.path, &entry.key))?,
        });
    }
    flows.value = Value::Table(rows);
    Ok(())
}

fn layer(entry: &Entry) -> Layer<'_> {
    Layer {
        key: Some(&entry.key),
        node: &entry.node,
    }
}

/// The value that layers give, the most specific first.
fn together(layers: &[Layer<'_>], path: &str) -> Result<Node, Diagnostic> {
    let first = &layers[0];
    if !matches!(first.node.value, Value::Table(_)) {
        no_rival(layers, path)?;
        return Ok(moved(first.node, path.to_owned(), &str::to_owned));
    }
    let layers = of_one_kind(layers);
    let mut entries: Vec<Entry> = Vec::new();
    for layer in &layers {
        for entry in layer.node.entries() {
            if entries.iter().any(|e| e.key == entry.key) {
                continue;
            }
            let inner: Vec<_> = layers.iter().filter_map(|l| l.at(&entry.key)).collect();
            entries.push(Entry {
                key: entry.key.clone(),
                origin: entry.origin.clone(),
                node: together(&inner, &join(path, &entry.key))?,
            });
        }
    }
    Ok(Node {
        path: path.to_owned(),
        origin: first.node.origin.clone(),
        value: Value::Table(entries),
    })
}

/// The tables of the kind that is named first, and those that name none.
fn of_one_kind<'a>(layers: &[Layer<'a>]) -> Vec<Layer<'a>> {
    let kind = layers.iter().find_map(|l| l.node.get("kind"));
    let fits = |layer: &&Layer<'a>| {
        let table = matches!(layer.node.value, Value::Table(_));
        let own = layer.node.get("kind");
        table && own.is_none_or(|own| kind.is_some_and(|kind| kind.same(own)))
    };
    layers.iter().filter(fits).copied().collect()
}

/// Refuses two patterns that are equally specific and set different values.
fn no_rival(layers: &[Layer<'_>], path: &str) -> Result<(), Diagnostic> {
    let first = &layers[0];
    let equal = |layer: &&Layer<'_>| layer.key.map(rank) == first.key.map(rank);
    let mut others = layers[1..].iter().take_while(equal);
    let Some(rival) = others.find(|other| !other.node.same(first.node)) else {
        return Ok(());
    };
    let (one, other) = (first.key.unwrap_or_default(), rival.key.unwrap_or_default());
    let what = format!("`{one}` and `{other}` both set `{path}`, and neither is more specific");
    let fix = format!("write `{path}`, or set it in one of the two rows only");
    Err(rival.node.refuse(Fault::new(what, fix)))
}
