//! Any part of any table: its row by name, its options, and the part itself.

use backwater_transport::part::{Args, Opt, Part, Refusal};

use crate::diagnostic::{Diagnostic, Fault};
use crate::files::Files;
use crate::options::{self, missing};
use crate::tree::{Node, Value};

/// How a part was made: the name of its row and its checked options.
#[derive(Clone, Debug)]
pub struct Made {
    /// Name of the row.
    pub id: &'static str,
    /// Options, defaults filled in.
    pub args: Args,
}

pub use backwater_transport::part::Build;

/// The row of a name or alias.
pub fn find<B>(table: &'static [Part<B>], name: &str) -> Option<&'static Part<B>> {
    table
        .iter()
        .find(|p| p.id == name || p.aliases.contains(&name))
}

/// The row of one of these tables that the `kind` of a table names.
pub fn kind<B>(
    tables: &[&'static [Part<B>]],
    noun: &str,
    node: &Node,
) -> Result<Option<&'static Part<B>>, Diagnostic> {
    node.table()?;
    let Some(kind) = node.get("kind") else {
        return Ok(None);
    };
    let name = kind.text()?;
    let valid = tables
        .iter()
        .flat_map(|table| table.iter())
        .flat_map(|p| p.aliases.iter().copied().chain([p.id]));
    match tables.iter().find_map(|table| find(table, name)) {
        Some(part) => Ok(Some(part)),
        None => Err(kind.refuse(Fault::unknown(
            format!("unknown {noun} `{name}` in `{}`", node.path),
            name,
            valid,
        ))),
    }
}

/// Reads a table that must name its kind.
pub fn read<T>(
    table: &'static [Part<Build<T>>],
    noun: &str,
    node: &Node,
    files: &mut Files<'_>,
) -> Result<(T, Made), Diagnostic> {
    make(named(table, noun, node)?, node, &[], files)
}

/// The row of a table that must name its kind.
pub fn named<B>(
    table: &'static [Part<B>],
    noun: &str,
    node: &Node,
) -> Result<&'static Part<B>, Diagnostic> {
    named_among(&[table], noun, node)
}

/// The same for a part that stands in one of several tables.
pub fn named_among<B>(
    tables: &[&'static [Part<B>]],
    noun: &str,
    node: &Node,
) -> Result<&'static Part<B>, Diagnostic> {
    kind(tables, noun, node)?.ok_or_else(|| {
        let example = format!("\"{}\"", tables[0][0].id);
        node.refuse(missing(
            "kind",
            &format!("which {noun}"),
            &example,
            &node.path,
        ))
    })
}

/// Builds a part from a table, with `preset` instead of some of its defaults.
pub fn make<T>(
    part: &'static Part<Build<T>>,
    node: &Node,
    preset: &[(&str, &str)],
    files: &mut Files<'_>,
) -> Result<(T, Made), Diagnostic> {
    make_with(part, node, preset, files, |args| (part.build)(args))
}

/// The same for a row whose constructor needs more than arguments.
pub fn make_with<B, T>(
    part: &'static Part<B>,
    node: &Node,
    preset: &[(&str, &str)],
    files: &mut Files<'_>,
    build: impl FnOnce(&Args) -> Result<T, Refusal>,
) -> Result<(T, Made), Diagnostic> {
    let args = options::decode(node, part.options, preset, &["kind"], files)?;
    let made = build(&args).map_err(|refusal| {
        let at = node.get(refusal.option).unwrap_or(node);
        let what = format!(
            "`{}`: {}",
            crate::tree::join(&node.path, refusal.option),
            refusal.what
        );
        at.refuse(Fault::new(what, refusal.fix))
    })?;
    Ok((made, Made { id: part.id, args }))
}

/// An empty table in place of one that was not written; refusals point at its owner.
pub fn unwritten(owner: &Node, name: &str) -> Node {
    Node {
        path: crate::tree::join(&owner.path, name),
        origin: owner.origin.clone(),
        value: Value::Table(Vec::new()),
    }
}

/// Refuses what no part of a table could accept: for options that wait until a recipe is chosen.
pub fn plausible(
    rows: &[&'static [Opt]],
    noun: &str,
    node: &Node,
    files: &mut Files<'_>,
) -> Result<(), Diagnostic> {
    for entry in node.table()?.iter().filter(|e| e.key != "kind") {
        let named = || {
            rows.iter()
                .flat_map(|r| r.iter())
                .filter(|o| o.name == entry.key)
        };
        if named().next().is_none() {
            let what = format!("no {noun} has the option `{}`", entry.key);
            let valid = rows.iter().flat_map(|r| r.iter()).map(|o| o.name);
            return Err(Fault::unknown(what, &entry.key, valid).at(&entry.origin));
        }
        let mut refusal = None;
        for option in named() {
            match options::value(&entry.node, option, files) {
                Ok(_) => {
                    refusal = None;
                    break;
                }
                Err(found) => refusal = refusal.or(Some(found)),
            }
        }
        if let Some(found) = refusal {
            return Err(found);
        }
    }
    Ok(())
}
