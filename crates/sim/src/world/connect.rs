//! From a flow with a transport to its two ends and to the companion that carries its ACKs.

use backwater_transport::controller::{AnyController, Controller};
use backwater_transport::endpoint::{AnyReceiver, AnySender, Sender};
use backwater_transport::liar::Liar;
use backwater_transport::segment::SACK_BLOCKS;
use backwater_transport::spreading::Spreading;
use backwater_transport::units::{Bytes, Span, Time};

use super::World;
use super::build::refuse;
use crate::connection::{ACKS, Connection, ConnectionStats, Shown};
use crate::ids::ConnectionId;
use crate::network::Role;
use crate::source::{AnySource, Source};
use crate::spec::{After, FlowSpec, Refusal, Spec, TransportSpec};
use crate::table::Id;
use crate::targets::Destination;

/// The companions of all flows with a transport, in the order of those.
pub(super) fn ack_flows(flows: &[FlowSpec]) -> Result<Vec<FlowSpec>, Refusal> {
    let mut companions = Vec::new();
    for flow in flows {
        let Some(transport) = &flow.transport else {
            continue;
        };
        let path = format!("flows.{}", flow.name);
        let Destination::Node(to) = flow.to else {
            return refuse(
                format!("{path}.to"),
                "a flow with a transport talks to one host, not to several",
                "name one host, write pattern = \"permutation\", or transport = \"udp\"",
            );
        };
        let row = transport.sender.protocol.row();
        let congestion = transport.controller.congestion_header_bytes();
        let header = u64::from(header(transport));
        if flow.packet.0 <= header {
            return refuse(
                format!("{path}.packet"),
                format!(
                    "packets of {} B have no room for data behind {header} B of headers",
                    flow.packet.0
                ),
                "write larger packets, such as \"1500 B\"",
            );
        }
        if flow.source.is_of_caller() {
            return refuse(
                format!("{path}.source"),
                "packets from outside are datagrams with a transport of their own",
                "write transport = \"udp\", or take another source",
            );
        }
        if matches!(flow.source, AnySource::Saturated(_)) {
            return refuse(
                format!("{path}.source"),
                "\"saturated\" keeps the queue of a station or a host filled and has no transport",
                "write kind = \"bulk\", which never runs out of data, or transport = \"udp\"",
            );
        }
        if !row.reliable && flow.source.waits() {
            return refuse(
                format!("{path}.source"),
                "this source waits until all it wrote has arrived, and datagrams are lost for good",
                "write transport = \"tcp\", or take a source that doesn't wait",
            );
        }
        companions.push(FlowSpec {
            name: format!("{}{ACKS}", flow.name),
            from: to,
            to: Destination::Node(flow.from),
            packet: Bytes(transport.sender.protocol.ack_bytes(SACK_BLOCKS as u64) + congestion),
            source: AnySource::of_caller(),
            after: None,
            route: flow
                .route
                .as_ref()
                .map(|route| route.iter().rev().copied().collect()),
            class: transport.ack_class,
            transport: None,
            ..flow.clone()
        });
    }
    Ok(companions)
}

/// A refusal of a companion blames the flow that a person wrote.
pub(super) fn of_data(refusal: Refusal) -> Refusal {
    match refusal.path.contains(ACKS) {
        true => Refusal {
            path: refusal.path.replace(ACKS, ""),
            what: format!("on the way back of the ACKs: {}", refusal.what),
            ..refusal
        },
        false => refusal,
    }
}

/// IP bytes before the payload of a segment.
fn header(transport: &TransportSpec) -> u16 {
    let congestion = transport.controller.congestion_header_bytes();
    (transport.sender.protocol.row().header + congestion) as u16
}

impl World {
    /// Makes the two ends of each flow with a transport. Companions follow the flows in their order.
    pub(super) fn connect(&mut self, spec: &Spec) {
        self.ends.progress.warm_up(self.clock.warm);
        let with = |f: &&FlowSpec| f.transport.is_some();
        let first = spec.flows.len() - spec.flows.iter().filter(with).count();
        let mut companions = (first..).map(Id::new);
        for (data, flow) in self.shared.network.flows.ids().zip(&spec.flows) {
            let Some(transport) = &flow.transport else {
                continue;
            };
            let acks = companions.next().expect("numbers are unbounded");
            let sender = AnySender::new(&transport.sender, transport.controller.clone());
            let id = self.ends.connections.push(Connection {
                data,
                acks,
                protocol: transport.sender.protocol,
                header: header(transport),
                stop: Time(flow.stop.0),
                stats: ConnectionStats {
                    window: sender.window(),
                    ..ConnectionStats::default()
                },
                sender,
                receiver: AnyReceiver::new(&transport.receiver),
                liar: transport.receiver.lie.map(|lie| Box::new(Liar::new(lie))),
                alarms: Default::default(),
                card: Id::NONE,
                small_queue: None,
                place: 0,
                signal_class: transport.signal_class,
                notify_gate: {
                    let pair = &transport.receiver.pair;
                    pair.notify_per_port.then_some(pair.notify_interval)
                },
                pull_quantum: transport.sender.pair.pull.map_or(0, |pull| pull.quantum),
                spreading: transport
                    .spreader
                    .clone()
                    .map(|s| Box::new(Spreading::new(s))),
                waiting: false,
                written: 0,
                transfers: Default::default(),
                heard: Time::ZERO,
                shown: Shown::default(),
            });
            if flow.source.endless() && flow.stop.0 >= self.clock.end.0 {
                self.ends.progress.follow(id, flow.start);
            }
            self.shared.network.flows[data].role = Role::Data(id);
            self.shared.network.flows[acks].role = Role::Acks(id);
            self.shared.network.flows[acks].outside = false;
        }
        for (number, flow) in spec.flows.iter().enumerate() {
            if let Some(After {
                flows,
                lead,
                delays,
            }) = &flow.after
            {
                let connection = |flow: usize| match self.shared.network.flows[Id::new(flow)].role {
                    Role::Data(connection) => connection,
                    _ => unreachable!("a flow that waits, or is waited for, has a transport"),
                };
                let delays = delays.iter().copied().chain(std::iter::repeat(Span::ZERO));
                let after = flows.iter().map(|f| connection(*f)).zip(delays).collect();
                let (id, start) = (connection(number), Time(flow.start.0));
                self.ends.graph.add(id, after, *lead, start);
            }
        }
    }

    /// Gives a flow with a transport another controller than its scenario names.
    ///
    /// # Panics
    /// When the run has begun.
    pub fn set_controller(
        &mut self,
        id: ConnectionId,
        transport: &TransportSpec,
        controller: AnyController,
    ) {
        assert_eq!(
            self.clock.now,
            Time::ZERO,
            "controllers are settled before the run"
        );
        let receiver = transport.receiver.clone().serving(&controller);
        let c = &mut self.ends.connections[id];
        c.sender = AnySender::new(&transport.sender, controller);
        c.receiver = AnyReceiver::new(&receiver);
        c.stats.window = c.sender.window();
    }
}
