//! Fields that several generators share.

use backwater_transport::part::{Default, Kind, Opt};

use crate::fields::network::SWITCH;
use crate::shape::{Field, Shape};

/// The model of generated switches.
pub const SWITCH_MODEL: Field = Field::free(
    "switch",
    Shape::Fields(SWITCH),
    "model of the generated switches",
);

/// A number of things that a topology must name.
pub const fn count(name: &'static str, help: &'static str) -> Field {
    Field::option(
        Opt::new(name, Kind::Count, Default::Required, help)
            .at_least("1")
            .at_most("256"),
    )
}

/// How many stations.
pub const STATIONS: Field = Field::option(
    Opt::new("stations", Kind::Count, Default::Required, "how many")
        .at_least("1")
        .at_most("4096"),
);
/// Rows of a grid.
pub const ROWS: Field = Field::option(
    Opt::new("rows", Kind::Count, Default::Required, "rows of the grid")
        .at_least("1")
        .at_most("1024"),
);
/// Columns of a grid.
pub const COLUMNS: Field = Field::option(
    Opt::new(
        "columns",
        Kind::Count,
        Default::Required,
        "columns of the grid",
    )
    .at_least("1")
    .at_most("1024"),
);
/// Distance of neighbours.
pub const SPACING: Field = Field::option(
    Opt::new(
        "spacing",
        Kind::Metres,
        Default::Required,
        "between neighbours in a row or a column",
    )
    .at_least("0.01 m"),
);
/// Place of the first station.
pub const ORIGIN: Field = Field::free(
    "at",
    Shape::Texts,
    "place of the first point; [\"0 m\", \"0 m\"] where it is left out",
);

/// Line rate of a tier.
pub const fn tier_rate(name: &'static str, help: &'static str) -> Field {
    Field::option(Opt::new(name, Kind::Rate, Default::Absent, help).at_least("1 bit/s"))
}
/// Propagation delay of a tier.
pub const fn tier_delay(name: &'static str, help: &'static str) -> Field {
    Field::option(Opt::new(name, Kind::Span, Default::Absent, help).at_most("1000 s"))
}
/// Line rate above the switches of hosts.
pub const UP_RATE: Field = tier_rate(
    "up_rate",
    "line rate of the links above the switches of hosts; `rate` where it is left out",
);
/// Delay above the switches of hosts.
pub const UP_DELAY: Field = tier_delay(
    "up_delay",
    "their propagation delay; `delay` where it is left out",
);
/// Line rate below the core.
pub const CORE_RATE: Field = tier_rate(
    "core_rate",
    "line rate of the links to core switches; `up_rate` where it is left out",
);
/// Delay below the core.
pub const CORE_DELAY: Field = tier_delay(
    "core_delay",
    "their propagation delay; `up_delay` where it is left out",
);
