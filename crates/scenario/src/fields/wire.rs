//! Fields of wires and hosts, of links as of generators.

use backwater_transport::part::{Default, Kind, Opt};

use crate::shape::Field;

/// A wire's.
pub const RATE: Field = Field::option(
    Opt::new(
        "rate",
        Kind::Rate,
        Default::Required,
        "line rate, the same both ways",
    )
    .at_least("1 bit/s"),
);
/// A wire's.
pub const DELAY: Field = Field::option(
    Opt::new("delay", Kind::Span, Default::Required, "propagation delay").at_most("1000 s"),
);
/// A wire's.
pub const MAX_FRAME: Field = Field::option(
    Opt::new(
        "max_frame",
        Kind::Bytes,
        Default::Is("1518 B"),
        "largest frame, header and FCS included",
    )
    .at_least("64 B")
    .at_most("65535 B"),
);

/// A host's.
pub const OBEYS: Field = Field::option(Opt::new(
    "obeys",
    Kind::Flag,
    Default::Is("true"),
    "whether hosts act on control frames",
));
