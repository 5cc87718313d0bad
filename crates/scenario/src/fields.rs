//! Every name of a scenario and what stands there.

use backwater_sim::medium::trace;
use backwater_transport::endpoint::{AfterIdle, Recovery};
use backwater_transport::part::{Default, Kind, Opt};

use crate::shape::{Field, Shape, Variant};
use crate::tables::PartKind;
use crate::topologies::{self, DELAY, MAX_FRAME, OBEYS, RATE};
use crate::wireless;

/// The value of `schema`.
pub const SCHEMA: &str = "backwater/scenario/1";

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
        "routing",
        Shape::Fields(ROUTING),
        "how destinations turn into ports",
    ),
    Field::free(
        "topology",
        Shape::OneOf(topologies::TOPOLOGIES),
        "a generated network, beside what nodes and links add",
    ),
    Field::free(
        "media",
        Shape::Things(&Shape::Fields(wireless::MEDIUM)),
        "802.11 media",
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
        "queue and buffer of the ports that a name or pattern matches; what says most of a port's name holds",
    ),
    Field::free(
        "mechanisms",
        Shape::Things(&Shape::Fields(MECHANISM)),
        "hop-by-hop congestion control",
    ),
    Field::needed(
        "flows",
        Shape::Things(&Shape::Fields(FLOW)),
        "who sends what to whom",
    ),
    Field::free(
        "routes",
        Shape::Settings(&Shape::Texts),
        "nodes in order, for the flow of that name",
    ),
];

/// `routing`.
pub static ROUTING: &[Field] = &[
    Field::option(Opt::new(
        "kind",
        Kind::Choice(&["tree", "shortest-path", "ecmp", "airtime", "airtime-tree"]),
        Default::Required,
        "one path only, a shortest path, all shortest paths by a hash of the flow; between stations the \
         least airtime, or that along trees",
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

/// The value of `model` whose memory is shared.
pub const SHARED_MEMORY: &str = "shared-memory";

/// A switch, besides its `kind`.
pub static SWITCH: &[Field] = &[
    Field::option(Opt::new(
        "model",
        Kind::Choice(&["output-queued", SHARED_MEMORY]),
        Default::Is("output-queued"),
        "a buffer for each egress class queue, or one memory with dynamic thresholds and headroom",
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
            Field::option(trace::DELAY),
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
];

const FROM: Field = Field::free("from", Shape::Text, "where one direction begins");
const TO: Field = Field::free("to", Shape::Text, "where it ends");
const PATH_BOXES: Field = Field::free(
    "boxes",
    Shape::Parts(PartKind::Box),
    "what packets pass before the queue, in order",
);

/// `ports."PATTERN"`.
pub static PORT: &[Field] = &[
    Field::free(
        "queue",
        Shape::Part(PartKind::Queue),
        "classes and who goes first",
    ),
    Field::free("buffer", Shape::Capacity, "what each class queue holds"),
];

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

/// Datagrams that nobody answers.
pub const UDP: &str = "udp";
/// A reliable byte stream.
pub const TCP: &str = "tcp";
/// The datagram protocol of the 6.829 contest.
pub const DATAGRAM: &str = "datagram";
/// The controller of a flow.
pub const CONTROLLER: &str = "controller";
/// Key of a mechanism's detector.
pub const DETECT: &str = "detect";
/// Key of a mechanism's responder.
pub const RESPOND: &str = "respond";
/// Loss recovery.
pub const RECOVERIES: &[&str] = &[Recovery::ALL[0].0, Recovery::ALL[1].0, Recovery::ALL[2].0];
/// What a pause does to a window.
pub const AFTER_IDLE: &[&str] = &[
    AfterIdle::ALL[0].0,
    AfterIdle::ALL[1].0,
    AfterIdle::ALL[2].0,
];
/// Ways in which marks come back.
pub const MARKS: &[&str] = &["off", "classic", "dctcp", "accurate", "ace"];

/// Options of a flow that go with some transports only.
pub static TRANSPORT_OPTIONS: &[(&str, &[&str])] = &[
    (CONTROLLER, &[TCP, DATAGRAM]),
    ("frame", &[TCP, DATAGRAM]),
    ("initial_window", &[TCP, DATAGRAM]),
    ("pacing", &[TCP, DATAGRAM]),
    ("marks", &[TCP, DATAGRAM]),
    ("recovery", &[TCP]),
    ("delayed_ack", &[TCP]),
    ("rto_min", &[TCP]),
    ("after_idle", &[TCP]),
    ("silence", &[DATAGRAM]),
    ("ecn", &[UDP]),
    ("budget", &[UDP]),
];

/// `flows.NAME`.
pub static FLOW: &[Field] = &[
    Field::needed(
        "from",
        Shape::Text,
        "sending host or station, or a pattern: a flow for each that matches",
    ),
    Field::needed(
        "to",
        Shape::Text,
        "receiving host, or a pattern with `pattern`",
    ),
    Field::option(Opt::new(
        "pattern",
        Kind::Choice(&["random", "permutation", "pairs", "nearest", "group"]),
        Default::Absent,
        "a destination drawn for each packet, one for each sender by a seeded permutation, the \
         first sender to the first receiver, the second to the second…, for each 802.11 station that of the \
         receivers which the routing finds nearest, or all 802.11 stations among them that hear the sender: one \
         frame at the control rate, without ACK and repetition",
    )),
    Field::option(
        Opt::new(
            "class",
            Kind::Count,
            Default::Is("0"),
            "class, the highest goes first",
        )
        .at_most("7"),
    ),
    Field::option(Opt::new(
        "ecn",
        Kind::Choice(&["not-ect", "ect0", "ect1"]),
        Default::Is("not-ect"),
        "codepoint of its packets: whether queues may mark them instead of dropping them",
    )),
    Field::option(Opt::new(
        "ac",
        Kind::Choice(&backwater_sim::medium::wifi::mac::CATEGORIES),
        Default::Absent,
        "access category of a station's flow; BE where it is left out",
    )),
    Field::option(Opt::new(
        "transport",
        Kind::Choice(&[UDP, TCP, DATAGRAM]),
        Default::Is(UDP),
        "datagrams that nobody answers, a reliable byte stream, or acknowledged datagrams sent once",
    )),
    Field::free(
        CONTROLLER,
        Shape::Part(PartKind::Controller),
        "congestion controller of a flow with a transport",
    ),
    Field::option(Opt::new(
        "recovery",
        Kind::Choice(RECOVERIES),
        Default::Absent,
        "how a stream finds and repairs losses; rack where it is left out",
    )),
    Field::option(
        Opt::new(
            "initial_window",
            Kind::Packets,
            Default::Absent,
            "initial window; that of RFC 6928 where it is left out, ten full segments of Ethernet",
        )
        .at_least("1 packets")
        .at_most("1000000 packets"),
    ),
    Field::option(
        Opt::new(
            "delayed_ack",
            Kind::Span,
            Default::Absent,
            "longest delay of an acknowledgement, which every second segment ends; 0 s for none, \
             40 ms where it is left out",
        )
        .at_most("500 ms"),
    ),
    Field::option(
        Opt::new(
            "rto_min",
            Kind::Span,
            Default::Absent,
            "least retransmission timeout; 1 s where it is left out",
        )
        .at_least("1 us")
        .at_most("60 s"),
    ),
    Field::option(Opt::new(
        "after_idle",
        Kind::Choice(AFTER_IDLE),
        Default::Absent,
        "the window of a stream that sent nothing for longer than its retransmission timeout: back to the initial \
         one (RFC 5681 section 4.1), half for each timeout (RFC 2861, Linux), or as it was; restart where it is left \
         out; for reno, newreno, cubic, dctcp, westwood, vegas and fast, others restart by laws of their own",
    )),
    Field::option(Opt::new(
        "pacing",
        Kind::Flag,
        Default::Absent,
        "whether the controller's pacing rate is kept; true where it is left out",
    )),
    Field::option(Opt::new(
        "marks",
        Kind::Choice(MARKS),
        Default::Absent,
        "how congestion marks come back: echoed until the window is reduced (RFC 3168), for each change (RFC 8257), \
         as exact counts of bytes (AccECN's option, RFC 9768), or as three bits of a count of packets (its ACE field); \
         off where it is left out, and exact if the controller wants marks",
    )),
    Field::option(
        Opt::new(
            "silence",
            Kind::Span,
            Default::Absent,
            "a datagram sender that hears nothing for so long sends one packet; 1 s where it is left out",
        )
        .at_least("1 ms"),
    ),
    Field::option(
        Opt::new(
            "frame",
            Kind::Bytes,
            Default::Absent,
            "largest Ethernet frame of a flow with a transport, without FCS: 14 B more than its packet",
        )
        .at_least("60 B")
        .at_most("65531 B"),
    ),
    Field::option(
        Opt::new(
            "packet",
            Kind::Bytes,
            Default::Is("1500 B"),
            "largest IP packet",
        )
        .at_least("1 B")
        .at_most("65517 B"),
    ),
    Field::option(
        Opt::new(
            "budget",
            Kind::Span,
            Default::Absent,
            "a packet that comes to an 802.11 station, on its way or at its end, later than this after its creation \
             is lost; none where it is left out",
        )
        .at_least("1 us"),
    ),
    Field::option(Opt::new(
        "start",
        Kind::Span,
        Default::Is("0 s"),
        "when the source begins",
    )),
    Field::option(Opt::new(
        "stop",
        Kind::Span,
        Default::Absent,
        "when the source ends; the end of the run where it is left out",
    )),
    Field::needed(
        "source",
        Shape::Part(PartKind::Source),
        "what it sends, and when",
    ),
];
