//! Fields of what happens to wires.

use backwater_transport::part::{Default, Kind, Opt};

use crate::shape::{Field, Shape, Variant};

/// Wires that are down.
pub const DOWN: &str = "down";
/// Wires with another rate.
pub const RATE: &str = "rate";

/// Cards that pause for ever.
pub const STORM: &str = "storm";

/// `events.NAME`.
pub static EVENTS: &[Variant] = &[
    Variant {
        kind: DOWN,
        summary: "wires go down, and come back",
        source: "own",
        fields: &[
            WIRES,
            AT,
            UNTIL,
            Field::option(
                Opt::new(
                    "converge",
                    Kind::Span,
                    Default::Absent,
                    "how long after that switches forward around the wires, and after their return over them; left out: forwarding stays as it is, \
                     and what goes to the wires is lost",
                )
                .at_least("0 s"),
            ),
        ],
    },
    Variant {
        kind: RATE,
        summary: "wires have another line rate",
        source: "own",
        fields: &[
            WIRES,
            AT,
            UNTIL,
            Field::option(
                Opt::new(
                    "rate",
                    Kind::Rate,
                    Default::Required,
                    "their rate from then on, the same both ways",
                )
                .at_least("1 bit/s"),
            ),
        ],
    },
    Variant {
        kind: STORM,
        summary: "cards of hosts pause without reason",
        source: "Guo et al., SIGCOMM 2016, section 4.3 (NIC PFC pause frame storm)",
        fields: &[
            WIRES,
            AT,
            UNTIL,
            Field::option(
                Opt::new(
                    "class",
                    Kind::Count,
                    Default::Absent,
                    "class that the PFC frames of the card stop, for 65535 quanta every 32767; left out: PAUSE frames, which stop all",
                )
                .at_most("7"),
            ),
        ],
    },
];

const WIRES: Field = Field::needed(
    "links",
    Shape::Texts,
    "which: names of links or patterns, such as [\"l0-s*\"] in a generated network",
);
const AT: Field =
    Field::option(Opt::new("at", Kind::Span, Default::Required, "when it begins").at_least("0 s"));
const UNTIL: Field = Field::option(Opt::new(
    "until",
    Kind::Span,
    Default::Absent,
    "when it ends; left out: it lasts to the end of the run",
));
