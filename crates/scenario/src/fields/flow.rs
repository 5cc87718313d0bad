//! Fields of flows.

use backwater_transport::endpoint::{AfterIdle, Recovery};
use backwater_transport::liar::Lie;
use backwater_transport::part::{Default, Kind, Opt};

use crate::kinds::PartKind;
use crate::shape::{Field, Shape};

/// Datagrams that nobody answers.
pub const UDP: &str = "udp";
/// A reliable byte stream.
pub const TCP: &str = "tcp";
/// The datagram protocol of the 6.829 contest.
pub const DATAGRAM: &str = "datagram";
/// The controller of a flow.
pub const CONTROLLER: &str = "controller";
/// Loss recovery.
pub const RECOVERIES: &[&str] = &[Recovery::ALL[0].0, Recovery::ALL[1].0, Recovery::ALL[2].0];
/// What a pause does to a window.
pub const AFTER_IDLE: &[&str] = &[
    AfterIdle::ALL[0].0,
    AfterIdle::ALL[1].0,
    AfterIdle::ALL[2].0,
];
/// Receivers of a stream.
pub const RECEIVERS: &[&str] = &["honest", Lie::ALL[0].0, Lie::ALL[1].0, Lie::ALL[2].0];
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
    ("receiver", &[TCP]),
    ("rto_min", &[TCP]),
    ("after_idle", &[TCP]),
    ("silence", &[DATAGRAM]),
    ("ecn", &[UDP]),
    ("budget", &[UDP]),
    ("hurst", &[UDP]),
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
        Kind::Choice(&[
            "random",
            "permutation",
            "pairs",
            "nearest",
            "from-nearest",
            "group",
        ]),
        Default::Absent,
        "a destination drawn for each packet, one for each sender by a seeded permutation, the \
         first sender to the first receiver, the second to the second…, for each 802.11 station that of the \
         receivers which the routing finds nearest, to each receiver from that of the senders, or all 802.11 stations among them that hear the sender: one \
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
        Kind::Choice(&backwater_sim::medium::access::CATEGORIES),
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
    Field::option(Opt::new(
        "receiver",
        Kind::Choice(RECEIVERS),
        Default::Is("honest"),
        "a receiver that lies to get more: eight acknowledgements for the bytes of one, eight copies of each, or acknowledgements \
         that conceal losses and run ahead of the data; it delays none",
    )),
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
        "hurst",
        Kind::Flag,
        Default::Is("false"),
        "measure the Hurst parameter of what the source puts on its host's wire, in runs of 2622 s and more",
    )),
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
