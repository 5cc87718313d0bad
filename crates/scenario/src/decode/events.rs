//! Events of wires in the middle of a run.

use std::collections::BTreeSet;

use backwater_sim::spec::{Happening, LinkEvent};

use super::links::Link;
use super::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::events::{DOWN, EVENTS, STORM};
use crate::files::Files;
use crate::names;
use crate::tree::Node;

/// The events in the order of their names.
pub fn read(
    top: &Record<'_>,
    links: &[Link],
    files: &mut Files<'_>,
) -> Result<Vec<LinkEvent>, Diagnostic> {
    let Some(written) = top.get("events") else {
        return Ok(Vec::new());
    };
    let mut events = Vec::new();
    for entry in written.table()? {
        names::check("event", &entry.key).map_err(|f| f.at(&entry.origin))?;
        let (kind, record) = Record::variant(&entry.node, EVENTS, None, files)?;
        let args = &record.args;
        let span = |name| args.has(name).then(|| args.span(name));
        let what = match kind {
            DOWN => Happening::Down {
                converge: span("converge"),
            },
            STORM => Happening::Storm(args.has("class").then(|| args.count("class") as u8)),
            _ => Happening::Rate(args.rate("rate")),
        };
        events.push(LinkEvent {
            name: entry.key.clone(),
            links: wires(record.need("links"), links)?,
            at: args.span("at"),
            until: span("until"),
            what,
        });
    }
    events.sort_by(|a, b| names::order(&a.name, &b.name));
    Ok(events)
}

/// The links that names or patterns mean, each once.
fn wires(written: &Node, links: &[Link]) -> Result<Vec<usize>, Diagnostic> {
    let mut found = BTreeSet::new();
    for item in written.list()? {
        let pattern = item.text()?;
        let matching = links
            .iter()
            .enumerate()
            .filter(|(_, link)| names::matches(pattern, &link.spec.name));
        let before = found.len();
        found.extend(matching.map(|(number, _)| number));
        let named = links.iter().map(|link| link.spec.name.as_str());
        if found.len() == before && !named.clone().any(|name| names::matches(pattern, name)) {
            let what = format!("`{}`: no link matches `{pattern}`", item.path);
            return Err(item.refuse(Fault::unknown(what, pattern, named)));
        }
    }
    if found.is_empty() {
        let what = format!("`{}` names no link", written.path);
        return Err(written.refuse(Fault::new(what, "write links = [\"A-B\"]")));
    }
    Ok(found.into_iter().collect())
}
