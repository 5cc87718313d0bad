//! Fields of flows whose sending waits: for credit of the receiver, or for transfers of others.

use backwater_transport::part::{Default, Kind, Opt};

use crate::shape::{Field, Shape};

/// Credit that a pull packet brings.
pub const PULL: Field = Field::option(
        Opt::new(
            "pull",
            Kind::Bytes,
            Default::Absent,
            "the receiving host paces its senders: credit on the link that each pull packet brings (one packet in NDP, 16,384 bytes in \
             Ultra Ethernet's RCCC); where it is left out, senders need no credit",
        )
        .at_least("64 B")
        .at_most("1 MB"),
    );

/// The bytes that go ahead of credit.
pub const SPECULATE: Field = Field::option(
        Opt::new(
            "speculate",
            Kind::Bytes,
            Default::Absent,
            "with pull: bytes on the link that a sender may send before the first answer, and the most that it asks for at a time; \
             1.5 bandwidth-delay products in Ultra Ethernet",
        )
        .at_least("1 kB")
        .at_most("1000 MB"),
    );

/// The transfers that a transfer waits for.
pub const AFTER: Field = Field::free(
    "after",
    Shape::Texts,
    "flows whose transfers must have been delivered before this flow's one begins, each with the time between, such as \"a\" or \"a + 3 us\"",
);
