//! Options of a station that serves several neighbours: whose turn it is, and what waits where.

use backwater_transport::part::{Default, Kind, Opt};

use crate::shape::Field;

/// By the age of the first packets.
pub const OLDEST: &str = "oldest";
/// One exchange to each neighbour.
pub const IN_TURNS: &str = "turns";
/// The same airtime for each neighbour.
pub const AIRTIME: &str = "airtime";

/// Whom an access category serves next.
pub const SERVE: Field = Field::option(Opt::new(
    "serve",
    Kind::Choice(&[OLDEST, IN_TURNS, AIRTIME]),
    Default::Absent,
    "which neighbour an access category sends to next: the one whose first packet is the oldest; round-robin, one exchange each; or each for \
     the same airtime, by deficits that exchanges and received data frames are charged to, one that had nothing to send first. Left out: \
     oldest, and turns where queue management is each neighbour's",
));
/// The airtime of a turn.
pub const AIRTIME_QUANTUM: Field = Field::option(
    Opt::new(
        "airtime_quantum",
        Kind::Span,
        Default::Is("300 us"),
        "airtime that a neighbour gets at its turn under serve = \"airtime\"",
    )
    .at_least("1 us")
    .at_most("1 s"),
);
/// Each neighbour's.
pub const NEIGHBOUR: &str = "neighbour";
/// Whose queue management is.
pub const MANAGED: Field = Field::option(Opt::new(
    "managed",
    Kind::Choice(&["category", NEIGHBOUR]),
    Default::Is("category"),
    "queue management of an access category is one for all neighbours; or there is one for each neighbour, its packets leave it when their \
     frame is sent, and a full buffer loses packets of the longest queue of all",
));
/// Between queue management and the medium.
pub const DRIVER_QUEUE: Field = Field::option(
    Opt::new(
        "driver_queue",
        Kind::Count,
        Default::Absent,
        "packets of an access category, for all neighbours together, that have left its queue and wait to be sent; the others wait in one \
         queue, first in, first out or managed (Linux, ath9k: 123). Left out: with A-MPDUs none where the queue is not managed, 123 where it is",
    )
    .at_least("1")
    .at_most("65535"),
);
/// Between the queues of each neighbour and the medium.
pub const AIRTIME_LIMIT: Field = Field::option(
    Opt::new(
        "airtime_limit",
        Kind::Span,
        Default::Absent,
        "under managed = \"neighbour\", packets leave the queue of a neighbour and access category while those that have left it last less than this \
         on the air (Linux: 5 ms). Left out: they leave it when their frame is sent",
    )
    .at_least("1 us")
    .at_most("1 s"),
);
/// The same while little waits for all.
pub const AIRTIME_HIGH: Field = Field::option(
    Opt::new(
        "airtime_limit_high",
        Kind::Span,
        Default::Absent,
        "the same limit as long as what has left the queues of all neighbours lasts less than airtime_total (Linux: 12 ms); left out: airtime_limit, \
         and 12 ms if that is shorter",
    )
    .at_least("1 us")
    .at_most("1 s"),
);
/// The airtime that counts as little for all.
pub const AIRTIME_TOTAL: Field = Field::option(
    Opt::new(
        "airtime_total",
        Kind::Span,
        Default::Absent,
        "airtime of all packets of a station that have left the queues of neighbours, of all access categories, from which on airtime_limit counts \
         and not airtime_limit_high (Linux: 24 ms, which counts where it is left out)",
    )
    .at_least("1 us")
    .at_most("10 s"),
);
