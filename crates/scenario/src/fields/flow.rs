//! Fields of flows.

use backwater_transport::endpoint::{AfterIdle, Protocol, Recovery};
use backwater_transport::liar::Lie;
use backwater_transport::part::{Default, Kind, Opt};

use crate::kinds::PartKind;
use crate::shape::{Field, Shape};

/// Datagrams that nobody answers.
pub const UDP: &str = "udp";
/// A reliable byte stream.
pub const TCP: &str = Protocol::Stream.row().id;
/// The datagram protocol of the 6.829 contest.
pub const DATAGRAM: &str = Protocol::Datagram.row().id;
/// The controller of a flow.
pub const CONTROLLER: &str = "controller";
/// The spreader of a flow.
pub const SPREAD: &str = "spread";
/// A queue pair of RDMA, in order.
pub const ROCE: &str = Protocol::Roce.row().id;
/// A queue pair of RDMA, out of order.
pub const IRN: &str = Protocol::Irn.row().id;
/// Loss recovery of a queue pair in order, from the lost packet on.
pub const GO_BACK_N: &str = "go-back-n";
/// The same from the beginning of the message on.
pub const GO_BACK_0: &str = "go-back-0";
/// Loss recovery.
pub const RECOVERIES: &[&str] = &[
    Recovery::ALL[0].0,
    Recovery::ALL[1].0,
    Recovery::ALL[2].0,
    GO_BACK_N,
    GO_BACK_0,
];
/// The effect of a pause on a window.
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
    (CONTROLLER, &[TCP, DATAGRAM, ROCE, IRN]),
    ("frame", &[TCP, DATAGRAM, ROCE, IRN]),
    ("initial_window", &[TCP, DATAGRAM, ROCE, IRN]),
    ("pacing", &[TCP, DATAGRAM, ROCE, IRN]),
    ("nic", &[TCP, DATAGRAM, ROCE, IRN]),
    ("small_queue", &[TCP, DATAGRAM]),
    ("ack_class", &[TCP, DATAGRAM, ROCE, IRN]),
    (SPREAD, &[TCP, DATAGRAM, ROCE, IRN]),
    ("marks", &[TCP, DATAGRAM]),
    ("recovery", &[TCP, ROCE]),
    ("delayed_ack", &[TCP]),
    ("receiver", &[TCP]),
    ("rto_min", &[TCP]),
    ("after_idle", &[TCP]),
    ("silence", &[DATAGRAM]),
    ("message", &[ROCE]),
    ("nack_interval", &[ROCE]),
    ("cnp", &[ROCE, IRN]),
    ("cnp_interval", &[ROCE, IRN]),
    ("cnp_gate", &[ROCE, IRN]),
    ("cnp_class", &[ROCE, IRN]),
    ("timeout", &[ROCE, IRN]),
    ("timeout_low", &[IRN]),
    ("cap", &[IRN]),
    ("sacked", &[IRN]),
    ("gaps", &[IRN]),
    ("pull", &[IRN]),
    ("speculate", &[IRN]),
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
            "all",
            "nearest",
            "from-nearest",
            "group",
            "ranks",
            "transfers",
        ]),
        Default::Absent,
        "a destination drawn for each packet, one for each sender by a seeded permutation, the \
         first sender to the first receiver, the second to the second…, every sender to every receiver, for each 802.11 station that of the \
         receivers which the routing finds nearest, to each receiver from that of the senders, or all 802.11 stations among them that hear the sender: one \
         frame at the control rate, without ACK and repetition; the ranks of a collective; or a flow for each transfer of the source workload, and a receiver drawn for it",
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
        Kind::Choice(&[UDP, TCP, DATAGRAM, ROCE, IRN]),
        Default::Is(UDP),
        "datagrams that nobody answers, a reliable byte stream, acknowledged datagrams sent once, or a queue pair of RDMA: in \
         order (roce) or out of order (irn)",
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
        "how losses are found and repaired: rack, sack or newreno for a stream, rack where it is left out; go-back-n, which sends \
         again from the lost packet on, or go-back-0, from the beginning of the message on, for roce, go-back-n where it is left out",
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
    Field::simple(Opt::new(
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
        "nic",
        Kind::Choice(&["push", "pull"]),
        Default::Absent,
        "how segments get from a sender into the queue of its host: pushed as soon as window and pace allow, or pulled by \
         the card one by one as the port becomes free, round-robin over its flows; where it is left out, pull for roce and irn, push for others",
    )),
    Field::simple(
        Opt::new(
            "small_queue",
            Kind::Count,
            Default::Absent,
            "TCP small queues over 802.11: the flow keeps at its station at most what its rate brings in 1 s / 2^small_queue, and two \
             segments in any case (Linux: 10, which is 1 ms; drivers of 802.11 set 7 or 8); left out: no limit",
        )
        .at_most("20"),
    ),
    Field::option(
        Opt::new(
            "ack_class",
            Kind::Count,
            Default::Absent,
            "class of acknowledgements; that of the data where it is left out",
        )
        .at_most("7"),
    ),
    Field::free(
        SPREAD,
        Shape::Part(PartKind::Spreader),
        "what chooses among equal ways (routing kind ecmp): an entropy value in each segment, which switches hash beside the flow; \
         where it is left out, a flow keeps its way",
    ),
    super::pull::AFTER,
    Field::option(
        Opt::new(
            "message",
            Kind::Packets,
            Default::Absent,
            "full packets of a message, which go-back-0 sends again after a loss; 4000 where it is left out",
        )
        .at_least("1 packets")
        .at_most("1000000 packets"),
    ),
    Field::option(
        Opt::new(
            "nack_interval",
            Kind::Span,
            Default::Absent,
            "least time between two NACKs for one packet, 500 us in HPCC's simulator; where it is left out, one NACK each time \
             that the sender has gone back",
        )
        .at_least("1 us")
        .at_most("1 s"),
    ),
    super::cnp::CNP,
    super::cnp::INTERVAL,
    super::cnp::GATE,
    super::cnp::CLASS,
    Field::option(
        Opt::new(
            "timeout",
            Kind::Span,
            Default::Absent,
            "retransmission timeout of a queue pair; 0 s for none; where it is left out, 67.108864 ms for roce (4.096 us x 2^14) and 320 us for irn",
        )
        .at_most("60 s"),
    ),
    Field::option(
        Opt::new(
            "timeout_low",
            Kind::Span,
            Default::Absent,
            "the same while at most three packets are in flight; 100 us where it is left out",
        )
        .at_least("1 us")
        .at_most("60 s"),
    ),
    Field::option(
        Opt::new(
            "cap",
            Kind::Bytes,
            Default::Absent,
            "most payload bytes in flight of an irn queue pair, one bandwidth-delay product in its paper; where it is left out, 120 kB, \
             or no limit with pull",
        )
        .at_least("1 kB"),
    ),
    Field::option(Opt::new(
        "sacked",
        Kind::Choice(&["counted", "left-out"]),
        Default::Absent,
        "whether bytes acknowledged selectively count as in flight; where it is left out, counted, but left-out with gaps = other-ways",
    )),
    Field::option(Opt::new(
        "gaps",
        Kind::Choice(&["losses", "other-ways"]),
        Default::Absent,
        "what a packet out of order says of those before it: they are lost and are sent again at once, or they may come yet by another \
         way, and only a timeout or a trimmed packet tells of a loss; losses where it is left out",
    )),
    super::pull::PULL,
    super::pull::SPECULATE,
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
    Field::simple(
        Opt::new(
            "budget",
            Kind::Span,
            Default::Absent,
            "a packet that comes to an 802.11 station, on its way or at its end, later than this after its creation \
             is lost; none where it is left out",
        )
        .at_least("1 us"),
    ),
    Field::simple(Opt::new(
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
