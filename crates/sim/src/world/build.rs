//! From a `Spec` to a world, or a refusal that names the field. After this nothing fails.

pub(super) mod graph;
pub(crate) mod mechanisms;
mod routes;
mod trace;

use std::collections::{BTreeMap, VecDeque};

use backwater_transport::random::Random;
use backwater_transport::units::{PS_PER_S, Rate, Span, Time};

use super::World;
use super::connect::{ack_flows, of_data};
use crate::calendar::Calendar;
use crate::connection::Headers;
use crate::event::Event;
use crate::forwarding::Forwarding;
use crate::ids::PortId;
use crate::limit::MAX_CLASSES;
use crate::medium::ethernet::HEADER_FCS;
use crate::medium::wifi::air::Air;
use crate::network::{Flow, Mail, Node, Part, Port, PortMore, Traits};
use crate::packet::Packets;
use crate::progress::Progress;
use crate::queue::Managed;
use crate::record::fingerprint::Fingerprint;
use crate::record::flow_stats::{Count, FlowStats};
use crate::source::{AnySource, Source};
use crate::spec::{NodeKind, NodeSpec, Refusal, Service, Spec, SwitchModel};
use crate::switch::Pool;
use crate::table::{Id, Table};
use crate::targets::Lists;

/// Ports that a packet's `entry` tells apart.
const MAX_ENTRIES: usize = 256;

pub(crate) fn refuse<T>(
    path: impl Into<String>,
    what: impl Into<String>,
    fix: impl Into<String>,
) -> Result<T, Refusal> {
    Err(Refusal {
        path: path.into(),
        what: what.into(),
        fix: fix.into(),
    })
}

/// What a hop touches of more ports than this does not stay in the fastest cache of a machine.
const CROWD: usize = 500;

impl World {
    /// Builds a world.
    ///
    /// # Errors
    /// Names the field of the scenario that cannot work.
    pub fn build(spec: &Spec) -> Result<World, Refusal> {
        check_times(spec)?;
        if spec.flows.iter().any(|f| f.to.is_open()) {
            return World::build(&World::with_nearest(spec)?);
        }
        let connections = spec.flows.iter().filter(|f| f.transport.is_some());
        match connections.count() {
            0 => World::build_all(spec),
            _ => {
                let mut whole = spec.clone();
                whole.flows.extend(ack_flows(&spec.flows)?);
                World::build_all(&whole).map_err(of_data)
            }
        }
    }

    fn build_all(spec: &Spec) -> Result<World, Refusal> {
        let mut world = World::empty(spec);
        world.add_nodes(spec)?;
        world.add_ports(spec)?;
        world.add_flows(spec)?;
        world.survey(spec)?;
        world.add_rows();
        world.add_routes(spec)?;
        world.add_groups(spec)?;
        world.trace_flows(spec)?;
        for flow in &mut world.flows.0 {
            let served = |p: &PortId| world.ports[*p].more.server.is_some();
            flow.stats.age = flow.path.iter().any(served).then(Box::default);
        }
        world.connect(spec);
        for (number, mechanism) in spec.mechanisms.iter().enumerate() {
            world.add_mechanism(spec, number, mechanism)?;
        }
        world.check_queues()?;
        world.add_refills(spec)?;
        for port in &mut world.ports.0 {
            let wire = port.more.server.is_none() && port.more.managed.is_none();
            let plain = port.watch.is_none() && !port.is(Traits::ACCOUNTED) && wire;
            port.set(Traits::WATCHED, !plain || port.is(Traits::AIR));
            port.set(Traits::DETECTED, port.watch.is_some());
            let ledger = world.nodes[port.node].ledger.is_some();
            port.set(Traits::LEDGER, port.is(Traits::ACCOUNTED) && ledger);
            if port.watch.is_some() && port.more.managed.is_some() {
                // Whether losses on departure bring relief cannot be foreseen.
                port.set(Traits::ATTENTIVE | Traits::WAKEFUL, true);
            }
        }
        world.add_boxes(spec);
        world.pack_forwarding();
        if world.ports.len() > CROWD {
            world.calendar.look_ahead();
        }
        for id in world.flows.ids() {
            world.ask(id, Time(spec.flows[id.index()].start.0));
        }
        if spec.warmup > Span::ZERO {
            world.calendar.push(world.warm, Event::Warm);
        }
        if let Some(every) = world.inspect {
            world.calendar.push(Time::ZERO + every, Event::Inspect);
        }
        Ok(world)
    }

    pub(super) fn empty(spec: &Spec) -> World {
        World {
            now: Time::ZERO,
            end: Time(spec.duration.0),
            warm: Time(spec.warmup.0),
            calendar: Calendar::default(),
            packets: Packets::default(),
            nodes: Table::default(),
            ports: Table::default(),
            flows: Table::default(),
            connections: Table::default(),
            headers: Headers::default(),
            progress: Progress::default(),
            air: Air::default(),
            controls: Table::default(),
            hosts: Vec::new(),
            forwarding: Forwarding::default(),
            boxes: BTreeMap::new(),
            mail: Mail::default(),
            outbox: VecDeque::new(),
            refills: Vec::new(),
            fingerprint: Fingerprint::default(),
            drops: BTreeMap::new(),
            drops_base: BTreeMap::new(),
            hops_base: Vec::new(),
            record: None,
            air_log: None,
            exits: Vec::new(),
            injections: BTreeMap::new(),
            injected: 0,
            inspect: None,
            deadlock: None,
            events: 0,
            packet_hops: 0,
            notices_sent: 0,
            notices_heard: 0,
        }
    }

    pub(super) fn add_nodes(&mut self, spec: &Spec) -> Result<(), Refusal> {
        for node in &spec.nodes {
            let host = match node.kind {
                NodeKind::Host { .. } | NodeKind::Station(_) => Some(self.hosts.len() as u32),
                NodeKind::Switch(_) => None,
            };
            let id = self.nodes.push(Node {
                name: node.name.clone(),
                host,
                ports: Vec::new(),
                row: u32::MAX,
                forwards: !matches!(node.kind, NodeKind::Host { .. }),
                stations: Vec::new(),
                alarms: 0,
                ledger: None,
                pool: None,
                watch: Vec::new(),
            });
            if host.is_some() {
                self.hosts.push(id);
            }
        }
        if self.hosts.len() >= 1 << 24 {
            return refuse("nodes", "more than 2^24 hosts", "use fewer hosts");
        }
        let mut wires = vec![0; spec.nodes.len()];
        spec.links
            .iter()
            .flat_map(|l| l.ends)
            .for_each(|n| wires[n] += 1);
        let has_table = |(n, wires): &(&NodeSpec, usize)| {
            *wires > 1 || !matches!(n.kind, NodeKind::Host { .. })
        };
        let tables = spec.nodes.iter().zip(wires).filter(has_table).count();
        if !Forwarding::fit(tables, self.hosts.len()) {
            let what = format!(
                "{tables} switches and stations with a way to each of {} hosts and stations: the tables have 2^31 entries or more",
                self.hosts.len()
            );
            return refuse("nodes", what, "use fewer of them");
        }
        Ok(())
    }

    fn add_ports(&mut self, spec: &Spec) -> Result<(), Refusal> {
        for (i, link) in spec.links.iter().enumerate() {
            let path = format!("links.{}", link.name);
            if link.ends[0] == link.ends[1] {
                return refuse(
                    format!("{path}.ends"),
                    "a link joins a node to itself",
                    "name two different nodes",
                );
            }
            if link.rate.0 == 0 && link.ways.iter().any(Option::is_none) {
                return refuse(
                    format!("{path}.rate"),
                    "a link has no rate",
                    "write a rate such as \"10 Mbit/s\"",
                );
            }
            for side in 0..2 {
                let port = &spec.ports[2 * i + side];
                let (rate, delay) = match link.ways[side].as_ref().map(|way| &way.service) {
                    Some(Service::Line(rate, delay)) => (*rate, *delay),
                    Some(Service::Trace(_)) => (Rate(0), Span::ZERO),
                    None => (link.rate, link.delay),
                };
                let (node, far) = (Id::new(link.ends[side]), Id::new(link.ends[1 - side]));
                let id = Id::new(self.ports.len());
                let local = self.nodes[node].ports.len() as u32;
                let managed = port.aqm.as_ref().map(|aqm| {
                    let random = Random::stream(spec.seed, "queue", &port.name);
                    let rate = super::path::long_term(spec, id.index()).unwrap_or(rate);
                    Box::new(Managed::new(aqm, rate, random))
                });
                self.nodes[node].ports.push(id);
                self.nodes[node].watch.push(None);
                let shut_until = match managed {
                    Some(_) => Time::NEVER,
                    None => Time::ZERO,
                };
                let more = PortMore {
                    name: port.name.clone(),
                    rate,
                    managed,
                    ..PortMore::default()
                };
                let mut made = Port::idle(node, far, port.scheduler.clone(), port.buffer, more);
                made.ps_per_byte = match rate.0 {
                    0 => 0,
                    bps => (8 * PS_PER_S).div_ceil(bps),
                };
                made.delay = delay;
                made.peer = Id::new(2 * i + 1 - side);
                made.local = local;
                made.shut_until = shut_until;
                self.ports.push(made);
            }
        }
        self.add_servers(spec);
        for id in self.ports.ids() {
            self.ports[id].far_entry = self.ports[self.ports[id].peer].local as u8;
        }
        for (id, node) in self.nodes.ids().zip(&spec.nodes) {
            let ports = self.nodes[id].ports.clone();
            let path = format!("nodes.{}", node.name);
            match &node.kind {
                NodeKind::Host { .. } if ports.is_empty() => {
                    let what = format!("host {} has no link", node.name);
                    return refuse(path, what, "join it to another node by a link");
                }
                NodeKind::Switch(SwitchModel::SharedMemory { .. }) if ports.len() > MAX_ENTRIES => {
                    let what =
                        format!("a switch with shared memory has at most {MAX_ENTRIES} ports");
                    return refuse(
                        path,
                        what,
                        "use smaller switches, or model = \"output-queued\"",
                    );
                }
                NodeKind::Switch(SwitchModel::SharedMemory {
                    memory,
                    reserve,
                    headroom,
                    shift,
                }) => {
                    let classes =
                        usize::from(spec.flows.iter().map(|f| f.class).max().unwrap_or(0)) + 1;
                    let pool = Pool::new(
                        memory.0,
                        reserve.0,
                        headroom.0,
                        *shift,
                        ports.len(),
                        classes,
                    );
                    let Some(pool) = pool else {
                        let what = format!(
                            "reserve and headroom of {} ports × {classes} classes exceed the memory",
                            ports.len()
                        );
                        return refuse(
                            format!("{path}.memory"),
                            what,
                            "give it more memory, or less reserve and headroom",
                        );
                    };
                    self.nodes[id].pool = Some(pool);
                    self.account(&ports);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Has what comes and goes at these ports of a node booked.
    fn account(&mut self, ports: &[PortId]) {
        for id in ports {
            let port = &mut self.ports[*id];
            port.set(Traits::ACCOUNTED, true);
        }
    }

    fn add_flows(&mut self, spec: &Spec) -> Result<(), Refusal> {
        let host = |node: usize| self.nodes[Id::new(node)].host;
        for flow in &spec.flows {
            let path = format!("flows.{}", flow.name);
            let not_host = |n: usize| format!("{} is a switch", spec.nodes[n].name);
            if host(flow.from).is_none() {
                return refuse(
                    format!("{path}.from"),
                    not_host(flow.from),
                    "flows begin at hosts",
                );
            }
            let to = flow.to.nodes();
            if to.is_empty() {
                return refuse(
                    format!("{path}.to"),
                    "no host to send to",
                    "name at least one other host",
                );
            }
            if let Some(n) = to.iter().find(|n| host(**n).is_none()) {
                return refuse(format!("{path}.to"), not_host(*n), "flows end at hosts");
            }
            if to.contains(&flow.from) {
                return refuse(
                    format!("{path}.to"),
                    "a flow would send to its own host",
                    "name another host",
                );
            }
            if flow.packet.0 == 0 || flow.packet.0 > u64::from(u16::MAX) - HEADER_FCS {
                return refuse(
                    format!("{path}.packet"),
                    "a packet has 1 to 65517 bytes",
                    "write a size such as \"1500 B\"",
                );
            }
            if usize::from(flow.class) >= MAX_CLASSES {
                return refuse(
                    format!("{path}.class"),
                    format!("there is no class {}", flow.class),
                    "write a class from 0 to 7",
                );
            }
            if flow.source.needs_transport() && flow.transport.is_none() {
                return refuse(
                    format!("{path}.source"),
                    "this source sends as fast as a transport lets it, and the flow has none",
                    "write transport = \"tcp\", or take a source with a rate",
                );
            }
            if let AnySource::Saturated(source) = &flow.source
                && source.packet() > flow.packet
            {
                return refuse(
                    format!("{path}.source.packet"),
                    format!(
                        "packets of {} B exceed the flow's packets of {} B",
                        source.packet().0,
                        flow.packet.0
                    ),
                    "write smaller packets, or `packet` on the flow",
                );
            }
            if flow.start >= flow.stop {
                return refuse(
                    format!("{path}.start"),
                    "the flow starts when it has already stopped",
                    "write a start before its stop",
                );
            }
        }
        let mut lists = Lists::default();
        for flow in &spec.flows {
            let number = |n: usize| host(n).expect("checked above");
            let to = lists.targets(&flow.to, number(flow.from), number);
            self.flows.push(Flow {
                name: flow.name.clone(),
                from: Id::new(flow.from),
                port: Id::NONE,
                to,
                class: flow.class,
                ecn: flow.ecn,
                packet: flow.packet.0,
                stop: Time(flow.stop.0),
                seq: 0,
                source: flow.source.clone(),
                due: 0,
                random: Random::stream(spec.seed, "source", &flow.name),
                compass: Random::stream(spec.seed, "destination", &flow.name),
                path: Vec::new(),
                part: Part::None,
                outside: matches!(flow.source, AnySource::Outside(_)),
                entered: Count::default(),
                stats: FlowStats::default(),
            });
        }
        Ok(())
    }

    /// A node that keeps accounts by class needs class queues.
    fn check_queues(&self) -> Result<(), Refusal> {
        for port in self.ports.iter().filter(|p| p.is(Traits::ACCOUNTED)) {
            if port.chooses_itself() {
                let what = format!(
                    "{} keeps accounts of what came in by class, and the queue at {} chooses among flows itself",
                    self.nodes[port.node].name, port.more.name
                );
                return refuse(
                    format!("ports.{}.queue", port.more.name),
                    what,
                    "take a queue such as strict-priority, codel or red, or an output-queued switch",
                );
            }
        }
        Ok(())
    }
}

fn check_times(spec: &Spec) -> Result<(), Refusal> {
    if spec.duration == Span::ZERO {
        return refuse(
            "duration",
            "a run of no duration",
            "write a duration such as \"60 s\"",
        );
    }
    if spec.duration.0 > u64::MAX / 4 {
        return refuse(
            "duration",
            "a run lasts at most 53 days",
            "write a shorter duration",
        );
    }
    if spec.warmup >= spec.duration {
        return refuse(
            "warmup",
            "the warm-up takes the whole run",
            "write a warm-up shorter than the duration",
        );
    }
    Ok(())
}
