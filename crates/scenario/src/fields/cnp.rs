//! Fields of flows about what tells a sender of marks, or of a queue, besides acknowledgements.

use backwater_transport::part::{Default, Kind, Opt};
use backwater_transport::queue_pair::Notify;

use crate::shape::Field;

/// When a receiver tells of marks.
pub const CNP: Field = Field::option(Opt::new(
    "cnp",
    Kind::Choice(&[Notify::ALL[0].0, Notify::ALL[1].0, Notify::ALL[2].0]),
    Default::Absent,
    "when a receiver sends a notification packet (CNP): at once and then at most one an interval, at the end of each \
     interval with a mark, or never; at-once where it is left out",
));

/// How often.
pub const INTERVAL: Field = Field::option(
    Opt::new(
        "cnp_interval",
        Kind::Span,
        Default::Absent,
        "least time between two notification packets; 50 us where it is left out",
    )
    .at_least("1 us")
    .at_most("1 s"),
);

/// What has an interval of its own.
pub const GATE: Field = Field::option(Opt::new(
    "cnp_gate",
    Kind::Choice(&["queue-pair", "port"]),
    Default::Absent,
    "where cnp_interval counts: for each queue pair, or at the receiving host's port for all that end there, as in ConnectX cards; \
     queue-pair where it is left out",
));

/// Their class.
pub const CLASS: Field = Field::option(
    Opt::new(
        "cnp_class",
        Kind::Count,
        Default::Absent,
        "class of notification packets, and of notices that a queue sends to the source (qcn); that of the acknowledgements where it \
         is left out",
    )
    .at_most("7"),
);
