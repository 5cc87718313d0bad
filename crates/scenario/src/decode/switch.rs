//! Switch models.

use backwater_sim::spec::SwitchModel;

use super::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::network::SHARED_MEMORY;

/// The model of a switch. The sizes of a memory go with the shared-memory model only.
pub fn model(record: &Record<'_>) -> Result<SwitchModel, Diagnostic> {
    let args = &record.args;
    let sizes = ["memory", "reserve", "headroom", "shift"];
    if args.choice("model") != SHARED_MEMORY {
        return match sizes.iter().find_map(|name| record.get(name)) {
            None => Ok(SwitchModel::OutputQueued),
            Some(node) => {
                let what = format!(
                    "`{}` goes with the model \"{SHARED_MEMORY}\" only",
                    node.path
                );
                Err(node.refuse(Fault::new(
                    what,
                    format!("remove it, or write model = \"{SHARED_MEMORY}\""),
                )))
            }
        };
    }
    if let Some(name) = sizes.iter().find(|name| !args.has(name)) {
        let example = ["\"12 MB\"", "\"4 kB\"", "\"20 kB\"", "3"]
            [sizes.iter().position(|n| n == name).unwrap_or(0)];
        let what = format!(
            "`{}` is missing: a shared-memory switch needs it",
            crate::tree::join(&record.node.path, name)
        );
        return Err(record
            .node
            .refuse(Fault::new(what, format!("write {name} = {example}"))));
    }
    Ok(SwitchModel::SharedMemory {
        memory: args.bytes("memory"),
        reserve: args.bytes("reserve"),
        headroom: args.bytes("headroom"),
        shift: u32::try_from(args.count("shift")).expect("at most 16"),
    })
}
