//! Fields of nodes, links, ports and routing.

use backwater_sim::medium::{tdma, trace};
use backwater_sim::spec::{Action, Choose, Routing};
use backwater_transport::part::{Default, Kind, Opt};

use super::wire::{DELAY, MAX_FRAME, OBEYS, RATE};
use crate::kinds::PartKind;
use crate::shape::{Field, Shape, Variant};
use crate::wireless;

/// A routing rule.
#[derive(Copy, Clone, Debug)]
pub struct RoutingRow {
    /// Its name.
    pub name: &'static str,
    /// The rule.
    pub routing: Routing,
    /// Whether it has roots.
    pub roots: bool,
}

const fn rule(name: &'static str, routing: Routing) -> RoutingRow {
    RoutingRow {
        name,
        routing,
        roots: false,
    }
}

/// Every routing rule; the first is the default.
pub const ROUTINGS: [RoutingRow; 5] = [
    rule("tree", Routing::Tree),
    rule("shortest-path", Routing::ShortestPath),
    rule("ecmp", Routing::Ecmp),
    rule("airtime", Routing::Airtime),
    RoutingRow {
        roots: true,
        ..rule("airtime-tree", Routing::AirtimeTree)
    },
];

static ROUTING_NAMES: [&str; ROUTINGS.len()] = {
    let mut names = [""; ROUTINGS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = ROUTINGS[i].name;
        i += 1;
    }
    names
};

/// How a switch chooses among equal ways.
pub const CHOOSE: &str = "choose";
/// Each way of choosing by its name; the first is the default.
pub const CHOICES: [(&str, Choose); 5] = [
    ("hash", Choose::Hash),
    ("random", Choose::Random),
    ("round-robin", Choose::RoundRobin),
    ("least-queue", Choose::LeastQueue),
    ("power-of-two", Choose::PowerOfTwo),
];
static CHOOSE_NAMES: [&str; CHOICES.len()] = {
    let mut names = [""; CHOICES.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = CHOICES[i].0;
        i += 1;
    }
    names
};

/// `routing`.
pub static ROUTING: &[Field] = &[
    Field::option(Opt::new(
        "kind",
        Kind::Choice(&ROUTING_NAMES),
        Default::Required,
        "one path only, a shortest path, all shortest paths by a hash of flow, switch and seed; between stations the \
         least airtime, or that along trees",
    )),
    Field::option(Opt::new(
        CHOOSE,
        Kind::Choice(&CHOOSE_NAMES),
        Default::Absent,
        "how a switch chooses among equal ways under ecmp: by the hash; for each packet at random or round-robin; the shortest queue, or the \
         shorter of two that are drawn; hash where it is left out",
    )),
    Field::free(
        "roots",
        Shape::Texts,
        "stations at the roots of airtime-tree",
    ),
];

/// `nodes.NAME`.
pub static NODES: &[Variant] = &[
    Variant {
        kind: "host",
        summary: "an end station with one link",
        source: "IEEE 802.3",
        fields: &[OBEYS],
    },
    Variant {
        kind: "switch",
        summary: "a store-and-forward switch",
        source: "IEEE 802.1Q",
        fields: SWITCH,
    },
    Variant {
        kind: "station",
        summary: "an 802.11 station: source, sink and relay",
        source: "IEEE 802.11",
        fields: wireless::STATION,
    },
];

/// The value of `model` with a buffer for each egress class queue.
pub const OUTPUT_QUEUED: &str = "output-queued";
/// The value of `model` whose memory is shared.
pub const SHARED_MEMORY: &str = "shared-memory";
/// The value of `model` whose frames wait at the inputs.
pub const INPUT_QUEUED: &str = "input-queued";
/// The value of `discipline` with a queue for each output at each input.
pub const VIRTUAL_OUTPUT_QUEUES: &str = "virtual-output-queues";
/// The value of `discipline` with one queue at each input.
pub const SINGLE_QUEUE: &str = "single-queue";

/// A switch, besides its `kind`.
pub static SWITCH: &[Field] = &[
    Field::option(Opt::new(
        "model",
        Kind::Choice(&[OUTPUT_QUEUED, SHARED_MEMORY, INPUT_QUEUED]),
        Default::Is(OUTPUT_QUEUED),
        "a buffer for each egress class queue, one memory with dynamic thresholds and headroom, or queues at the inputs in front of a fabric",
    )),
    Field::option(Opt::new(
        "memory",
        Kind::Bytes,
        Default::Absent,
        "all of the memory of a shared-memory switch",
    )),
    Field::option(Opt::new(
        "reserve",
        Kind::Bytes,
        Default::Absent,
        "memory guaranteed to each (ingress, class)",
    )),
    Field::option(Opt::new(
        "headroom",
        Kind::Bytes,
        Default::Absent,
        "memory for what arrives after XOFF, for each (ingress, class)",
    )),
    Field::option(
        Opt::new(
            "shift",
            Kind::Count,
            Default::Absent,
            "threshold = free shared memory / 2^shift",
        )
        .at_most("16"),
    ),
    Field::option(Opt::new(
        "discipline",
        Kind::Choice(&[VIRTUAL_OUTPUT_QUEUES, SINGLE_QUEUE]),
        Default::Absent,
        "how frames wait at an input of an input-queued switch; left out: \"virtual-output-queues\", matched by iSLIP. With \"single-queue\" the \
         head of a queue holds up what waits behind it",
    )),
    Field::option(
        Opt::new(
            "input_buffer",
            Kind::Bytes,
            Default::Absent,
            "what each queue at an input of an input-queued switch holds; left out: 500 kB",
        )
        .at_least("1518 B"),
    ),
    Field::option(
        Opt::new(
            "cell",
            Kind::Bytes,
            Default::Absent,
            "cells into which the fabric of an input-queued switch cuts frames; left out: 64 B",
        )
        .at_least("16 B")
        .at_most("64 kB"),
    ),
    Field::option(
        Opt::new(
            "speedup",
            Kind::Count,
            Default::Absent,
            "cells that cross the fabric of an input-queued switch from an input while its fastest line takes one; left out: 1",
        )
        .at_least("1")
        .at_most("64"),
    ),
];

/// The kind of medium that needs no name.
pub const WIFI: &str = "802.11";
/// The kind of a medium whose terminals send in slots, and of their links.
pub const TDMA: &str = "tdma";

/// `media.NAME`. Without a `kind` it is an 802.11 medium.
pub static MEDIA: &[Variant] = &[
    Variant {
        kind: WIFI,
        summary: "an 802.11 medium",
        source: "IEEE 802.11",
        fields: wireless::MEDIUM,
    },
    Variant {
        kind: TDMA,
        summary: "a frame of slots that terminals share on their way to a hub, as on a satellite's return link",
        source: "ETSI EN 301 790",
        fields: &[
            Field::option(tdma::FRAME),
            Field::option(tdma::SLOTS),
            Field::option(tdma::SLOT),
            Field::option(tdma::REQUEST_DELAY),
            Field::option(tdma::FREE),
        ],
    },
];

/// `links.NAME`. Without a `kind` it is a wire.
pub static LINKS: &[Variant] = &[
    Variant {
        kind: "ethernet",
        summary: "a full-duplex wire",
        source: "IEEE 802.3",
        fields: &[
            Field::free("ends", Shape::Texts, "the two nodes it joins, both ways"),
            FROM,
            TO,
            RATE,
            DELAY,
            MAX_FRAME,
            PATH_BOXES,
        ],
    },
    Variant {
        kind: "trace",
        summary: "a link served at the opportunities of a trace",
        source: "cellsim, mahimahi",
        fields: &[
            FROM,
            TO,
            Field::needed(
                "trace",
                Shape::FileOr(PartKind::Trace),
                "when it may send: the path of a trace file, or a trace by its kind",
            ),
            Field::option(trace::EMULATOR),
            Field::option(trace::OPPORTUNITY),
            Field::option(trace::OVERHEAD),
            Field::option(trace::FIRST),
            Field::option(trace::CLOCK),
            Field::option(trace::REPEAT),
            Field::option(trace::PHASE),
            Field::option(trace::DELAY),
            Field::option(trace::DELAY_AT),
            Field::option(trace::MAX_FRAME),
            Field::free(
                "queue",
                Shape::Part(PartKind::Queue),
                "its port's queue; without a limit where it is left out",
            ),
            Field::free("buffer", Shape::Capacity, "what its queue holds"),
            PATH_BOXES,
        ],
    },
    Variant {
        kind: TDMA,
        summary: "one direction, from a terminal to its hub, in slots of a medium",
        source: "ETSI EN 301 790",
        fields: &[
            FROM,
            TO,
            Field::needed("medium", Shape::Text, "its medium, one of kind \"tdma\""),
            Field::option(tdma::CONSTANT),
            Field::option(tdma::DEMAND),
            Field::option(tdma::MOST),
            Field::option(tdma::OVERHEAD),
            Field::option(tdma::DELAY),
            Field::option(tdma::MAX_FRAME),
            PATH_BOXES,
        ],
    },
];

const FROM: Field = Field::free("from", Shape::Text, "where one direction begins");
const TO: Field = Field::free("to", Shape::Text, "where it ends");
const PATH_BOXES: Field = Field::free(
    "boxes",
    Shape::Parts(PartKind::Box),
    "what packets pass before the queue, in order",
);

/// The class of headers of frames that find their queue full.
pub const TRIM: &str = "trim";

/// Name of the watchdog's table. A watchdog frees a class that has been paused for too long.
pub const WATCHDOG: &str = "watchdog";

/// `ports."PATTERN".watchdog`.
pub static WATCHDOG_FIELDS: &[Field] = &[
    Field::option(
        Opt::new(
            "detection",
            Kind::Span,
            Default::Is("200 ms"),
            "a class that has been paused for so long without a break is stormed: its gate opens, and notices about it are ignored",
        )
        .at_least("1 us")
        .at_most("60 s"),
    ),
    Field::option(
        Opt::new(
            "restoration",
            Kind::Span,
            Default::Is("200 ms"),
            "when no notice has asked to stop it for so long, notices count again",
        )
        .at_least("1 us")
        .at_most("60 s"),
    ),
    Field::option(Opt::new(
        "action",
        Kind::Choice(&[Action::ALL[0].0, Action::ALL[1].0]),
        Default::Is(Action::ALL[0].0),
        "what becomes of frames of a stormed class: they are lost, those that wait and those that come, or sent",
    )),
];

/// `ports."PATTERN"`.
pub static PORT: &[Field] = &[
    Field::free(
        "queue",
        Shape::Part(PartKind::Queue),
        "classes and who goes first",
    ),
    Field::free(
        "buffer",
        Shape::Capacity,
        "what each class queue holds; left out: 500 kB at an output-queued switch, no limit at a host, a shared-memory switch and a trace link",
    ),
    Field::free(
        "stamp",
        Shape::Part(PartKind::Stamp),
        "law by which congestion headers are written as packets leave",
    ),
    Field::option(
        Opt::new(
            TRIM,
            Kind::Count,
            Default::Absent,
            "class of headers: a segment of a queue pair (roce, irn) that finds its class queue full goes on as its header of 64 B in the \
             queue of this class, and its receiver asks for the rest; where it is left out, such a segment is lost",
        )
        .at_least("1")
        .at_most("7"),
    ),
    Field::free(
        WATCHDOG,
        Shape::Fields(WATCHDOG_FIELDS),
        "PFC watchdog, which frees a class that PAUSE or PFC has stopped for too long; a pattern means ports of switches; none where it is left out",
    ),
    Field::free(
        "stamped_by",
        Shape::Texts,
        "ports and radios whose laws also stamp what leaves here, such as [\"AP>cell\"] for uplink data at the \
         access point's wire",
    ),
];
