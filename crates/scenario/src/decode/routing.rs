//! The routing rule.

use std::collections::BTreeMap;

use backwater_sim::spec::{Choose, NodeSpec, Routing};

use super::Flow;
use super::lookup::find;
use super::record::Record;
use super::topology::GENERATORS;
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::flow::SPREAD;
use crate::fields::network::{CHOICES, CHOOSE, ROUTING, ROUTINGS};
use crate::files::Files;

/// The routing rule, how switches choose among equal ways, and the roots of its trees. A scenario that writes none has that of its generator, or the
/// first rule of the table.
pub fn read(
    top: &Record<'_>,
    nodes: &[NodeSpec],
    files: &mut Files<'_>,
) -> Result<(Routing, Choose, Vec<usize>), Diagnostic> {
    let Some(node) = top.get("routing") else {
        let kind = top.get("topology").and_then(|t| t.get("kind"));
        let kind = kind.map_or(Ok(""), |k| k.text())?;
        let row = GENERATORS.iter().find(|row| row.variant.kind == kind);
        let routing = row.map_or(ROUTINGS[0].routing, |row| row.routing);
        return Ok((routing, Choose::Hash, Vec::new()));
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
    Ok((row.routing, choose(&record, row.routing)?, roots))
}

/// How switches choose among equal ways, which one rule alone knows.
fn choose(record: &Record<'_>, routing: Routing) -> Result<Choose, Diagnostic> {
    let Some(written) = record.get(CHOOSE) else {
        return Ok(Choose::Hash);
    };
    if routing != Routing::Ecmp {
        let what = format!("`{}` goes with kind = \"ecmp\" only", written.path);
        return Err(written.refuse(Fault::new(what, "remove it, or write kind = \"ecmp\"")));
    }
    let name = record.args.choice(CHOOSE);
    let found = CHOICES.iter().find(|choice| choice.0 == name);
    Ok(found.expect("a choice among them").1)
}

/// Refuses spreaders where no switch looks at what they write.
pub fn check_spreaders(
    top: &Record<'_>,
    flows: &[Flow],
    (routing, choose): (Routing, Choose),
) -> Result<(), Diagnostic> {
    if routing == Routing::Ecmp && choose == Choose::Hash {
        return Ok(());
    }
    let spreads = |f: &&Flow| f.transport.as_ref().is_some_and(|t| t.spreader.is_some());
    let Some(flow) = flows.iter().find(spreads) else {
        return Ok(());
    };
    let written = top.need("flows").get(&flow.name);
    let node = written.and_then(|f| f.get(SPREAD)).unwrap_or(top.node);
    let what = format!(
        "`{}`: no switch looks at the entropy values of this flow",
        node.path
    );
    let fix = "write routing = { kind = \"ecmp\" } without `choose`, or remove the spreader";
    Err(node.refuse(Fault::new(what, fix)))
}
