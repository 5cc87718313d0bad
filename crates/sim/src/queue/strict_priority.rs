//! A queue for each class; the highest class with a frame that may leave goes first, without
//! interrupting the frame in transmission (non-preemptive).

use backwater_transport::part::{Default, Kind, Opt, Part};

use super::{AnyScheduler, Build};

/// The row.
pub const PART: Part<Build> = Part {
    id: "strict-priority",
    aliases: &[],
    summary: "a queue for each class, the highest class first",
    source: "S2 simulation model; IEEE 802.1Q clause 8.6.8.1",
    options: &[Opt::new(
        "classes",
        Kind::Count,
        Default::Is("2"),
        "number of classes",
    )
    .at_least("1")
    .at_most("8")],
    build: |args| Ok(AnyScheduler::StrictPriority(args.count("classes") as usize).into()),
};
