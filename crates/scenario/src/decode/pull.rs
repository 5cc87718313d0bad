//! `pull` and `speculate`: a receiving host that paces its senders.

use backwater_transport::controller::{AnyController, Controller};
use backwater_transport::part::Args;
use backwater_transport::queue_pair::Pull;

use super::record::Record;
use crate::diagnostic::{Diagnostic, Fault};

/// The values of the two; none where one is missing.
pub fn read(args: &Args) -> Option<Pull> {
    (args.has("pull") && args.has("speculate")).then(|| Pull {
        quantum: args.bytes("pull").0,
        speculate: args.bytes("speculate").0,
    })
}

/// Refuses `pull` without `speculate` and the reverse, and with a controller that reads congestion headers.
pub fn check(record: &Record<'_>, controller: &AnyController) -> Result<(), Diagnostic> {
    let (pull, speculate) = (record.get("pull"), record.get("speculate"));
    let (node, what, fix) = match (pull, speculate) {
        (None, None) => return Ok(()),
        (None, Some(node)) => (
            node,
            "nothing gives credit, so nothing can be sent ahead of it",
            "remove it, or write pull = \"16384 B\"",
        ),
        (Some(node), None) => (
            node,
            "a sender must know how much it may send before the first credit comes",
            "write speculate too: 1.5 times rate x base round trip, such as \"262926 B\"",
        ),
        (Some(node), Some(_)) if controller.congestion_header().is_some() => (
            node,
            "the packets of this controller carry a congestion header where they would say what credit is wanted",
            "write a controller that reads no congestion header, or remove pull",
        ),
        _ => return Ok(()),
    };
    Err(node.refuse(Fault::new(format!("`{}`: {what}", node.path), fix)))
}
