//! One transfer as fast as the transport lets it: a file, or data without end.
//!
//! When: at the flow's start.
//! How much: `size`, or without one as much as the transport takes until the flow stops.
//! Reference: the greedy source of every study of congestion control; ns-3's BulkSendApplication.
//! Differences: none known.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Time};

use super::{AnySource, Build, Demand, Source};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Bulk {
    /// Taken by the first demand.
    left: Option<Bytes>,
}

pub(super) const PART: Part<Build> = Part {
    id: "bulk",
    aliases: &[],
    summary: "one transfer as fast as the transport lets it",
    source: "Greedy source",
    options: &[Opt::new(
        "size",
        Kind::Bytes,
        Default::Absent,
        "bytes to transfer; without end where it is left out",
    )
    .at_least("1 B")
    .at_most("1000000000 MB")],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let size = if args.has("size") {
        args.bytes("size")
    } else {
        Bytes(u64::MAX)
    };
    Ok(AnySource::Bulk(Bulk { left: Some(size) }))
}

impl Source for Bulk {
    fn next(&mut self, now: Time, _random: &mut Random) -> Option<Demand> {
        let bytes = self.left.take()?;
        Some(Demand { at: now, bytes })
    }

    fn needs_transport(&self) -> bool {
        true
    }
}
