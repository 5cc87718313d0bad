//! `after`: a transfer begins when those of other flows have been delivered.

use backwater_sim::source::AnySource;
use backwater_sim::spec::After;
use backwater_transport::units::Span;

use super::{Flow, unknown_flow};
use crate::decode::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::names;
use crate::tree::Node;
use crate::units;

/// Its name.
pub const AFTER: &str = "after";

/// The names of rows, each with the time that passes between its delivery and the begin.
pub fn read(record: &Record<'_>) -> Result<Vec<(String, Span)>, Diagnostic> {
    let Some(node) = record.get(AFTER) else {
        return Ok(Vec::new());
    };
    let one = |item: &Node| {
        let text = item.text()?;
        let (name, delay) = text.split_once('+').unwrap_or((text, "0 s"));
        let delay = units::span(delay.trim()).map_err(|fault| item.refuse(fault))?;
        Ok((name.trim().to_owned(), delay))
    };
    node.list()?.iter().map(one).collect()
}

/// Refuses rows that are not there, rows without an end, and rows that wait for each other.
pub fn check(flows: &[Flow], written: &Node) -> Result<(), Diagnostic> {
    let place = |flow: &Flow| {
        let node = written.get(&flow.name).and_then(|row| row.get(AFTER));
        node.unwrap_or(written)
    };
    let ends = |flow: &Flow| {
        let reliable = flow.transport.as_ref();
        let reliable = reliable.is_some_and(|t| t.sender.protocol.row().reliable);
        reliable && flow.source.only_transfer().is_some()
    };
    for flow in flows.iter().filter(|flow| !flow.after.is_empty()) {
        let node = place(flow);
        for (name, _) in &flow.after {
            let Some(before) = find(flows, name) else {
                let valid = flows.iter().map(|f| f.name.as_str());
                return Err(node.refuse(unknown_flow(name, valid)));
            };
            if !ends(&flows[before]) {
                let what = format!(
                    "`{}`: `{name}` has no single transfer with an end, so `{}` would wait for ever",
                    node.path, flow.name
                );
                let fix = format!(
                    "give flows.{name} a reliable transport and a source of one transfer with a `size`"
                );
                return Err(node.refuse(Fault::new(what, fix)));
            }
        }
        if !ends(flow) {
            let what = format!(
                "`{}`: what waits is one transfer of a known size",
                node.path
            );
            let fix = "write a reliable transport and a source of one transfer with a `size`";
            return Err(node.refuse(Fault::new(what, fix)));
        }
    }
    match cycle(flows) {
        None => Ok(()),
        Some(rows) => {
            let names: Vec<&str> = rows.iter().map(|row| flows[*row].name.as_str()).collect();
            let node = place(&flows[rows[0]]);
            let what = format!(
                "`{}`: {} wait for each other, so none of them ever begins",
                node.path,
                names.join(", ")
            );
            Err(node.refuse(Fault::new(
                what,
                "remove one of them from `after` of the next",
            )))
        }
    }
}

fn find(flows: &[Flow], name: &str) -> Option<usize> {
    let found = flows.binary_search_by(|flow| names::order(&flow.name, name));
    found.ok()
}

/// Rows of which each waits for the next, and the last for the first.
fn cycle(flows: &[Flow]) -> Option<Vec<usize>> {
    // Unseen, on the way from a root to the row at hand, or done.
    let mut seen = vec![0_u8; flows.len()];
    for root in 0..flows.len() {
        let mut way: Vec<(usize, usize)> = vec![(root, 0)];
        if std::mem::replace(&mut seen[root], 1) == 2 {
            seen[root] = 2;
            continue;
        }
        while let Some((row, next)) = way.last_mut() {
            let Some((name, _)) = flows[*row].after.get(*next) else {
                seen[*row] = 2;
                way.pop();
                continue;
            };
            *next += 1;
            let before = find(flows, name).expect("it was checked");
            match seen[before] {
                0 => {
                    seen[before] = 1;
                    way.push((before, 0));
                }
                1 => {
                    let rows = way.iter().map(|step| step.0);
                    return Some(rows.skip_while(|row| *row != before).collect());
                }
                _ => {}
            }
        }
    }
    None
}

/// Lets the flows of each row wait for all flows of the rows that it names. `ranges` has the flows of each row.
pub fn connect(
    rows: &[Flow],
    ranges: &[std::ops::Range<usize>],
    flows: &mut [backwater_sim::spec::FlowSpec],
) {
    for (row, range) in rows.iter().zip(ranges) {
        if row.after.is_empty() {
            continue;
        }
        let mut after = After::default();
        for (name, delay) in &row.after {
            let before = find(rows, name).expect("it was checked");
            after.flows.extend(ranges[before].clone());
            after.delays.resize(after.flows.len(), *delay);
        }
        for flow in &mut flows[range.clone()] {
            let size = row.source.only_transfer().expect("it was checked");
            flow.source = AnySource::that_waits(size);
            flow.after = Some(after.clone());
        }
    }
}
