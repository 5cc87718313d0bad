//! Switch models.

use backwater_sim::spec::{Discipline, SwitchModel};
use backwater_transport::units::Bytes;

use super::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::network::{INPUT_QUEUED, SHARED_MEMORY, SINGLE_QUEUE};

/// The size of a queue at an input where nothing is written.
const INPUT_BUFFER: Bytes = Bytes(500_000);
/// A cell where nothing is written.
const CELL: Bytes = Bytes(64);
/// The fields that go with one model only.
const OWN: [(&str, &[&str]); 2] = [
    (SHARED_MEMORY, &["memory", "reserve", "headroom", "shift"]),
    (
        INPUT_QUEUED,
        &["discipline", "input_buffer", "cell", "speedup"],
    ),
];

/// The model of a switch.
pub fn model(record: &Record<'_>) -> Result<SwitchModel, Diagnostic> {
    let chosen = record.args.choice("model");
    for (model, fields) in OWN.iter().filter(|(model, _)| *model != chosen) {
        if let Some(node) = fields.iter().find_map(|name| record.get(name)) {
            let what = format!("`{}` goes with the model \"{model}\" only", node.path);
            let fix = format!("remove it, or write model = \"{model}\"");
            return Err(node.refuse(Fault::new(what, fix)));
        }
    }
    match chosen {
        SHARED_MEMORY => shared_memory(record),
        INPUT_QUEUED => Ok(input_queued(record)),
        _ => Ok(SwitchModel::OutputQueued),
    }
}

fn shared_memory(record: &Record<'_>) -> Result<SwitchModel, Diagnostic> {
    let args = &record.args;
    let sizes = OWN[0].1;
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

fn input_queued(record: &Record<'_>) -> SwitchModel {
    let args = &record.args;
    let bytes = |name, other| {
        if args.has(name) {
            args.bytes(name)
        } else {
            other
        }
    };
    let single = args.has("discipline") && args.choice("discipline") == SINGLE_QUEUE;
    let speedup = if args.has("speedup") {
        args.count("speedup")
    } else {
        1
    };
    SwitchModel::InputQueued {
        discipline: match single {
            true => Discipline::SingleQueue,
            false => Discipline::VirtualOutputQueues,
        },
        input_buffer: bytes("input_buffer", INPUT_BUFFER),
        cell: bytes("cell", CELL),
        speedup: u32::try_from(speedup).expect("at most 64"),
    }
}
