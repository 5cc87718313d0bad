//! Generators of networks: the values of `topology`. Those of wires make nodes and links; those of
//! 802.11 stations make stations, which need no links.

use backwater_transport::part::{Default, Kind, Opt};

use crate::fields::SWITCH;
use crate::shape::{Field, Shape, Variant};
use crate::wireless::of_station;

/// Of a wire.
pub const RATE: Field = Field::option(
    Opt::new(
        "rate",
        Kind::Rate,
        Default::Required,
        "line rate, the same both ways",
    )
    .at_least("1 bit/s"),
);
/// Of a wire.
pub const DELAY: Field = Field::option(
    Opt::new("delay", Kind::Span, Default::Required, "propagation delay").at_most("1000 s"),
);
/// Of a wire.
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

/// Every generator.
pub static TOPOLOGIES: &[Variant] = &[
    Variant {
        kind: "fat-tree",
        summary: "k pods of edge and aggregation switches, k^2/4 core switches, k^3/4 hosts",
        source: "Al-Fares, Loukissas and Vahdat, SIGCOMM 2008",
        fields: &[
            Field::option(
                Opt::new(
                    "k",
                    Kind::Count,
                    Default::Required,
                    "ports of each switch, an even number: k^3/4 hosts",
                )
                .at_least("2")
                .at_most("32"),
            ),
            RATE,
            DELAY,
            MAX_FRAME,
            OBEYS,
            GENERATED_SWITCH,
        ],
    },
    Variant {
        kind: "dumbbell",
        summary: "senders at a switch L, receivers at a switch R, a bottleneck between the two",
        source: "the field's standard bottleneck",
        fields: &[
            Field::option(
                Opt::new(
                    "pairs",
                    Kind::Count,
                    Default::Required,
                    "senders s1, s2… at switch L and as many receivers d1, d2… at switch R",
                )
                .at_least("1")
                .at_most("4096"),
            ),
            RATE,
            DELAY,
            Field::option(
                Opt::new(
                    "bottleneck",
                    Kind::Rate,
                    Default::Required,
                    "line rate of the link between the switches",
                )
                .at_least("1 bit/s"),
            ),
            Field::option(
                Opt::new(
                    "bottleneck_delay",
                    Kind::Span,
                    Default::Required,
                    "its propagation delay",
                )
                .at_most("1000 s"),
            ),
            MAX_FRAME,
            OBEYS,
            GENERATED_SWITCH,
        ],
    },
    Variant {
        kind: "ring",
        summary: "switches in a ring, hosts at each",
        source: "the smallest network whose back-pressure can deadlock",
        fields: &[
            Field::option(
                Opt::new(
                    "switches",
                    Kind::Count,
                    Default::Required,
                    "switches in the ring",
                )
                .at_least("3")
                .at_most("1024"),
            ),
            Field::option(
                Opt::new(
                    "hosts",
                    Kind::Count,
                    Default::Is("1"),
                    "hosts at each switch",
                )
                .at_least("1")
                .at_most("16"),
            ),
            RATE,
            DELAY,
            MAX_FRAME,
            OBEYS,
            GENERATED_SWITCH,
        ],
    },
    Variant {
        kind: "wlan",
        summary: "802.11 stations s1, s2… on a circle round an access point AP, wired to a router R with fixed nodes d1, d2…",
        source: "iACP: a WLAN with a wired back-haul",
        fields: of_station![
            STATIONS,
            Field::option(
                Opt::new(
                    "radius",
                    Kind::Metres,
                    Default::Is("10 m"),
                    "distance of the stations from the access point",
                )
                .at_least("0.01 m"),
            ),
            Field::option(
                Opt::new("fixed", Kind::Count, Default::Is("1"), "how many fixed nodes")
                    .at_least("1")
                    .at_most("4096"),
            ),
            ORIGIN,
            Field::option(
                Opt::new(
                    "wire_rate",
                    Kind::Rate,
                    Default::Required,
                    "line rate of the links AP-R and R-d1, R-d2…",
                )
                .at_least("1 bit/s"),
            ),
            Field::option(
                Opt::new(
                    "wire_delay",
                    Kind::Span,
                    Default::Required,
                    "propagation delay of these links",
                )
                .at_most("1000 s"),
            ),
            Field::free(
                "delays",
                Shape::Texts,
                "propagation delays of R-d1, R-d2… one after the other, again from the first where there are fewer; `wire_delay` where it is left out",
            ),
            MAX_FRAME,
            OBEYS,
            GENERATED_SWITCH,
        ],
    },
    Variant {
        kind: "chain",
        summary: "802.11 stations s0, s1… in a row",
        source: "S0 Fig. 6",
        fields: of_station![
            STATIONS,
            SPACING,
            ORIGIN,
        ],
    },
    Variant {
        kind: "grid",
        summary: "802.11 stations s0-0, s0-1…, one at each point of a grid: row, then column",
        source: "S0: two-dimensional scenarios",
        fields: of_station![
            ROWS,
            COLUMNS,
            SPACING,
            ORIGIN,
        ],
    },
    Variant {
        kind: "random-grid",
        summary: "802.11 stations s0, s1… at points of a grid drawn without replacement, none where a written station lies",
        source: "S4; S0: two-dimensional scenarios",
        fields: of_station![
            STATIONS,
            ROWS,
            COLUMNS,
            SPACING,
            ORIGIN,
            Field::option(
                Opt::new(
                    "reach",
                    Kind::Metres,
                    Default::Absent,
                    "draw again until all stations are joined by hops no longer than this; the first draw where it is left out",
                )
                .at_least("1 m"),
            ),
            Field::option(Opt::new(
                "seed",
                Kind::Count,
                Default::Absent,
                "seed of the places; the scenario's where it is left out",
            )),
        ],
    },
];

/// Of a host.
pub const OBEYS: Field = Field::option(Opt::new(
    "obeys",
    Kind::Flag,
    Default::Is("true"),
    "whether hosts act on control frames",
));
const GENERATED_SWITCH: Field = Field::free(
    "switch",
    Shape::Fields(SWITCH),
    "model of the generated switches",
);

const STATIONS: Field = Field::option(
    Opt::new("stations", Kind::Count, Default::Required, "how many")
        .at_least("1")
        .at_most("4096"),
);
const ROWS: Field = Field::option(
    Opt::new("rows", Kind::Count, Default::Required, "rows of the grid")
        .at_least("1")
        .at_most("1024"),
);
const COLUMNS: Field = Field::option(
    Opt::new(
        "columns",
        Kind::Count,
        Default::Required,
        "columns of the grid",
    )
    .at_least("1")
    .at_most("1024"),
);
const SPACING: Field = Field::option(
    Opt::new(
        "spacing",
        Kind::Metres,
        Default::Required,
        "between neighbours in a row or a column",
    )
    .at_least("0.01 m"),
);
const ORIGIN: Field = Field::free(
    "at",
    Shape::Texts,
    "place of the first point; [\"0 m\", \"0 m\"] where it is left out",
);
