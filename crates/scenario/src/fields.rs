//! Every field of a scenario, with its type.

pub mod cnp;
pub mod events;
pub mod flow;
pub mod network;
pub mod pull;
pub mod wire;

use backwater_transport::part::{Default, Kind, Opt};

use crate::decode::topology::TOPOLOGIES;
use crate::kinds::PartKind;
use crate::limits::LIMITS;
use crate::shape::{Field, Shape};
use crate::shorthand::DEFAULTS;

use events::EVENTS;
use flow::FLOW;
use network::{LINKS, MEDIA, NODES, PORT, ROUTING};

/// The top level.
pub static SCENARIO: &[Field] = &[
    Field::needed(
        "schema",
        Shape::Text,
        "the format, \"backwater/scenario/1\"",
    ),
    Field::option(Opt::new(
        "seed",
        Kind::Count,
        Default::Is("1"),
        "seed of every random stream",
    )),
    Field::option(
        Opt::new("duration", Kind::Span, Default::Required, "simulated time").at_least("1 ns"),
    ),
    Field::option(Opt::new(
        "warmup",
        Kind::Span,
        Default::Is("0 s"),
        "time before which metrics are not counted",
    )),
    Field::free(
        "limits",
        Shape::Fields(LIMITS),
        "how large the scenario may be",
    ),
    Field::free(
        "run",
        Shape::Fields(RUN),
        "how the run is computed, which changes no result",
    ),
    Field::free(
        "routing",
        Shape::Fields(ROUTING),
        "how destinations turn into ports",
    ),
    Field::free(
        "topology",
        Shape::OneOf(TOPOLOGIES),
        "a generated network, beside what nodes and links add",
    ),
    Field::free(
        "media",
        Shape::Things(&Shape::Default(MEDIA)),
        "media that nodes share: 802.11 where no kind is written",
    ),
    Field::free(
        "nodes",
        Shape::Things(&Shape::OneOf(NODES)),
        "hosts, switches and stations",
    ),
    Field::free(
        "links",
        Shape::Things(&Shape::Default(LINKS)),
        "point-to-point links: wires both ways, or directions one by one",
    ),
    Field::free(
        "ports",
        Shape::Settings(&Shape::Fields(PORT)),
        "queue and buffer of the ports that a name or pattern matches; the most specific pattern holds",
    ),
    Field::free(
        "events",
        Shape::Things(&Shape::OneOf(EVENTS)),
        "what happens to wires in the middle of the run",
    ),
    Field::free(
        "mechanisms",
        Shape::Things(&Shape::Fields(MECHANISM)),
        "hop-by-hop congestion control",
    ),
    Field::needed(
        "flows",
        Shape::Things(&Shape::Partly(FLOW)),
        "who sends what to whom; the row of a pattern holds for all flows whose names match",
    ),
    Field::free(DEFAULTS, Shape::Fields(COMMON), "what flows have in common"),
    Field::free(
        "routes",
        Shape::Settings(&Shape::Texts),
        "nodes in order, for the flow of that name",
    ),
];

/// `run`.
pub static RUN: &[Field] = &[Field::option(Opt::new(
    SKIP,
    Kind::Choice(&["none", "exact"]),
    Default::Is("none"),
    "stretches that are added up and not served: none, or those that repeat what was before them, exact to the fingerprint",
))];

/// Key of what a run skips.
pub const SKIP: &str = "skip";

/// `defaults`.
static COMMON: &[Field] = &[Field::free(
    "flows",
    Shape::Partly(FLOW),
    "what holds for each flow that neither says it nor has it from a pattern",
)];

/// `mechanisms.NAME`.
pub static MECHANISM: &[Field] = &[
    Field::free(
        "recipe",
        Shape::Text,
        "detector, notifier and responder under one name, or \"none\"",
    ),
    Field::needed(
        "at",
        Shape::Texts,
        "watched ports, or stations: names or patterns",
    ),
    Field::free(DETECT, Shape::Section(PartKind::Detector), "detector"),
    Field::free("notify", Shape::Section(PartKind::Notifier), "notifier"),
    Field::free(RESPOND, Shape::Section(PartKind::Responder), "responder"),
];

/// Key of a mechanism's detector.
pub const DETECT: &str = "detect";
/// Key of a mechanism's responder.
pub const RESPOND: &str = "respond";
