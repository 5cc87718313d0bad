//! The routing rule.

use std::collections::BTreeMap;

use backwater_sim::spec::{NodeSpec, Routing};

use super::lookup::find;
use super::record::Record;
use super::topology::GENERATORS;
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::network::{ROUTING, ROUTINGS};
use crate::files::Files;

/// The routing rule and the roots of its trees. A scenario that writes none has that of its generator, or the
/// first rule of the table.
pub fn read(
    top: &Record<'_>,
    nodes: &[NodeSpec],
    files: &mut Files<'_>,
) -> Result<(Routing, Vec<usize>), Diagnostic> {
    let Some(node) = top.get("routing") else {
        let kind = top.get("topology").and_then(|t| t.get("kind"));
        let kind = kind.map_or(Ok(""), |k| k.text())?;
        let row = GENERATORS.iter().find(|row| row.variant.kind == kind);
        let routing = row.map_or(ROUTINGS[0].routing, |row| row.routing);
        return Ok((routing, Vec::new()));
    };
    let record = Record::read(node, ROUTING, &[], files)?;
    let kind = record.args.choice("kind");
    let row = ROUTINGS.iter().find(|row| row.name == kind);
    let row = row.expect("every choice is a rule of the table");
    let mut roots = Vec::new();
    if let Some(written) = record.get("roots") {
        if !row.roots {
            let with: Vec<&str> = ROUTINGS
                .iter()
                .filter(|r| r.roots)
                .map(|r| r.name)
                .collect();
            let what = format!("`{}` goes with {} only", written.path, with.join(", "));
            return Err(written.refuse(Fault::new(what, "remove it")));
        }
        let names = nodes.iter().enumerate().map(|(i, n)| (n.name.as_str(), i));
        let index: BTreeMap<&str, usize> = names.collect();
        for item in written.list()? {
            roots.push(find(item, &index)?);
        }
    }
    Ok((row.routing, roots))
}
