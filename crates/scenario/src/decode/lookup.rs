//! Nodes by their names.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Fault};
use crate::tree::Node;

/// The index of a node that a text names.
pub fn find(item: &Node, index: &BTreeMap<&str, usize>) -> Result<usize, Diagnostic> {
    let name = item.text()?;
    index.get(name).copied().ok_or_else(|| {
        item.refuse(Fault::unknown(
            format!("`{}`: there is no node `{name}`", item.path),
            name,
            index.keys().copied(),
        ))
    })
}
