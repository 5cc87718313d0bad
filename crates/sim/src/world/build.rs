//! From a `Spec` to a world, or a refusal that names the field. After this nothing fails.

use std::collections::{BTreeMap, VecDeque};

use backwater_transport::random::Random;
use backwater_transport::units::{PS_PER_S, Rate, Span, Time};

use super::World;
use super::connect::{ack_flows, of_data};
use crate::calendar::Calendar;
use crate::connection::Headers;
use crate::event::Event;
use crate::forwarding::Forwarding;
use crate::mechanism::control::{Control, MAX_NEIGHBOURS, NeighbourSpec, PlaceSpec};
use crate::mechanism::detector::Watch;
use crate::mechanism::gates::Gates;
use crate::mechanism::notice::{Form, Hosts};
use crate::mechanism::responder::AnyResponder;
use crate::medium::ethernet::{HEADER_FCS, MIN_FRAME};
use crate::medium::wifi::air::{Air, NOBODY};
use crate::network::{Flow, Mail, Node, Part, Port, PortMore, Traits};
use crate::packet::Packets;
use crate::queue::MAX_CLASSES;
use crate::queue::aqm::Managed;
use crate::record::fingerprint::Fingerprint;
use crate::record::flow_stats::FlowStats;
use crate::source::{AnySource, Source};
use crate::spec::{
    Destination, Limit, MechanismSpec, NodeKind, Refusal, Routing, Service, Spec, SwitchModel,
};
use crate::switch::{Ledger, Pool};
use crate::table::{Id, Table};
use crate::targets::{Lists, Targets};

/// How often gates are looked at for a deadlock.
const INSPECT: Span = Span::millis(10);
/// Ports that a packet's `entry` tells apart.
const MAX_ENTRIES: usize = 256;
/// Addresses an extension frame has room for.
const MAX_ADDRESSES: usize = 246;

pub(super) fn refuse<T>(
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

/// More ports than this don't stay in the fast caches of the machine.
const CROWD: usize = 2000;

impl World {
    /// Builds a world.
    ///
    /// # Errors
    /// Names the field of the scenario that cannot work.
    pub fn build(spec: &Spec) -> Result<World, Refusal> {
        check_times(spec)?;
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
        let paths = world.add_routes(spec)?;
        for (flow, path) in world.flows.0.iter_mut().zip(paths) {
            let traced = path.iter().any(|p| world.ports[*p].more.server.is_some());
            flow.stats.age = traced.then(Box::default);
            flow.path = path;
        }
        world.add_air(spec)?;
        world.check_frames(spec)?;
        world.connect(spec);
        for (number, mechanism) in spec.mechanisms.iter().enumerate() {
            if !world.add_relays(mechanism)? {
                world.add_mechanism(spec, number, mechanism)?;
            }
        }
        world.check_queues()?;
        for port in &mut world.ports.0 {
            let wire = port.more.server.is_none() && port.more.managed.is_none();
            let plain = port.watch.is_none() && !port.is(Traits::ACCOUNTED) && wire;
            port.set(Traits::WATCHED, !plain);
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

    fn empty(spec: &Spec) -> World {
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
            air: Air::default(),
            controls: Table::default(),
            hosts: Vec::new(),
            forwarding: Forwarding::default(),
            boxes: BTreeMap::new(),
            mail: Mail::default(),
            outbox: VecDeque::new(),
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

    fn add_nodes(&mut self, spec: &Spec) -> Result<(), Refusal> {
        for node in &spec.nodes {
            let host = match node.kind {
                NodeKind::Host { .. } | NodeKind::Station(_) => Some(self.hosts.len() as u32),
                NodeKind::Switch(_) => None,
            };
            let id = self.nodes.push(Node {
                name: node.name.clone(),
                host,
                ports: Vec::new(),
                station: NOBODY,
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
                NodeKind::Host { .. } if ports.len() != 1 => {
                    let what = format!("host {} has {} links", node.name, ports.len());
                    return refuse(
                        path,
                        what,
                        "give a host exactly one link, or make the node a switch",
                    );
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
    fn account(&mut self, ports: &[Id<Port>]) {
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
            let to = match &flow.to {
                Destination::Node(n) => vec![*n],
                Destination::AnyOf(list) => list.clone(),
            };
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
                port: self.nodes[Id::new(flow.from)]
                    .ports
                    .first()
                    .copied()
                    .unwrap_or(Id::NONE),
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
                stats: FlowStats::default(),
            });
        }
        Ok(())
    }

    /// Every frame must fit every link on its way, and every class must have a queue.
    fn check_frames(&self, spec: &Spec) -> Result<(), Refusal> {
        for (flow, spec_flow) in self.flows.iter().zip(&spec.flows) {
            let frame = (flow.packet + HEADER_FCS).max(MIN_FRAME);
            if self.is_station(flow.from) {
                continue;
            }
            let wired = 2 * spec.links.len();
            let on_path = |id: &Id<Port>| {
                id.index() < wired && (flow.path.is_empty() || flow.path.contains(id))
            };
            for id in self.ports.ids().filter(on_path) {
                let (port, link) = (&self.ports[id], &spec.links[id.index() / 2]);
                if frame > link.max_frame.0 {
                    let what = format!(
                        "frames of {frame} B do not fit link {} ({} B at most)",
                        link.name, link.max_frame.0
                    );
                    return refuse(
                        format!("flows.{}.packet", spec_flow.name),
                        what,
                        "write smaller packets, or raise the link's max_frame",
                    );
                }
                if let Some(server) = port.more.server.as_ref().filter(|s| s.spec.whole) {
                    let (size, most) = (server.size(flow.packet as u16), server.spec.opportunity);
                    if size > most {
                        let what = format!(
                            "packets of {} B take {size} B on {}, whose opportunities carry {most} B",
                            flow.packet, port.more.name
                        );
                        return refuse(
                            format!("flows.{}.packet", spec_flow.name),
                            what,
                            "write smaller packets, or emulator = \"cellsim-2013\", which sends them in parts",
                        );
                    }
                }
                let classes = port.queues().len();
                if classes > 1 && usize::from(flow.class) >= classes {
                    let what = format!(
                        "class {} has no queue at {}, which has {classes} classes",
                        flow.class, port.more.name
                    );
                    return refuse(
                        format!("flows.{}.class", spec_flow.name),
                        what,
                        "write a lower class, or give the port's queue more classes",
                    );
                }
                if matches!(port.buffer, Limit::Bytes(b) if b.0 < frame)
                    || port.buffer == Limit::Packets(0)
                {
                    let what = format!(
                        "the buffer at {} cannot hold one frame of {frame} B",
                        port.more.name
                    );
                    return refuse(
                        format!("ports.{}.buffer", port.more.name),
                        what,
                        "write a larger buffer",
                    );
                }
            }
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

    /// Fills the forwarding tables; gives each flow's path, empty where it has many destinations.
    fn add_routes(&mut self, spec: &Spec) -> Result<Vec<Vec<Id<Port>>>, Refusal> {
        let hosts = self.hosts.len();
        let mut rows = vec![u32::MAX; self.nodes.len()];
        for node in self.nodes.ids().filter(|n| self.nodes[*n].host.is_none()) {
            let Some(row) = self.forwarding.add_row(hosts) else {
                return refuse(
                    "nodes",
                    "the forwarding tables have more than 2^31 entries",
                    "use fewer hosts or switches",
                );
            };
            rows[node.index()] = row;
        }
        for port in &mut self.ports.0 {
            port.far_row = rows[port.far.index()];
        }
        let wanted: Vec<bool> = {
            let mut wanted = vec![false; hosts];
            for flow in self
                .flows
                .iter()
                .zip(&spec.flows)
                .filter(|(f, s)| s.route.is_none() && !self.is_station(f.from))
                .map(|(f, _)| f)
            {
                flow.to.iter().for_each(|h| wanted[h as usize] = true);
            }
            wanted
        };
        if spec.routing == Routing::Tree && wanted.contains(&true) && self.has_loop() {
            return refuse(
                "links",
                "the links form a loop, and no rule says which way frames go",
                "write routing = { kind = \"shortest-path\" } or { kind = \"ecmp\" }, or a route for every flow",
            );
        }
        for host in (0..hosts).filter(|h| wanted[*h]) {
            self.route_to(host, spec.routing, &rows);
        }
        self.written_routes(spec, &rows)?;
        let mut paths = Vec::new();
        for (flow, spec_flow) in self.flows.ids().zip(&spec.flows) {
            paths.push(match self.is_station(self.flows[flow].from) {
                true => Vec::new(),
                false => self.trace(flow, spec, &format!("flows.{}.to", spec_flow.name))?,
            });
        }
        Ok(paths)
    }

    /// Ends the writing of forwarding tables.
    fn pack_forwarding(&mut self) {
        let last = |host: &Id<Node>| match self.nodes[*host].ports[..] {
            [port] => self.ports[port].peer,
            _ => Id::NONE,
        };
        let last: Vec<Id<Port>> = self.hosts.iter().map(last).collect();
        self.forwarding.pack(&last);
    }

    /// Whether a node talks over the air; `add_air` gives its flows their ways.
    fn is_station(&self, node: Id<Node>) -> bool {
        self.nodes[node].host.is_some() && self.nodes[node].ports.is_empty()
    }

    fn has_loop(&self) -> bool {
        let mut root: Vec<usize> = (0..self.nodes.len()).collect();
        fn find(root: &mut [usize], mut n: usize) -> usize {
            while root[n] != n {
                root[n] = root[root[n]];
                n = root[n];
            }
            n
        }
        for port in self.ports.0.iter().step_by(2) {
            let (a, b) = (
                find(&mut root, port.node.index()),
                find(&mut root, port.far.index()),
            );
            if a == b {
                return true;
            }
            root[a] = b;
        }
        false
    }

    /// Shortest paths from everywhere to a host, by breadth-first search from it.
    fn route_to(&mut self, host: usize, routing: Routing, rows: &[u32]) {
        let goal = self.hosts[host];
        let mut distance = vec![u32::MAX; self.nodes.len()];
        distance[goal.index()] = 0;
        let mut queue = VecDeque::from([goal]);
        while let Some(at) = queue.pop_front() {
            for port in &self.nodes[at].ports {
                let near = self.ports[*port].far;
                let through_host = self.nodes[near].host.is_some();
                if distance[near.index()] == u32::MAX && !through_host {
                    distance[near.index()] = distance[at.index()] + 1;
                    queue.push_back(near);
                }
            }
        }
        for node in self
            .nodes
            .ids()
            .filter(|n| self.nodes[*n].host.is_none() && distance[n.index()] != u32::MAX)
        {
            let nearer =
                |p: &Id<Port>| distance[self.ports[*p].far.index()] == distance[node.index()] - 1;
            let ways: Vec<Id<Port>> = self.nodes[node]
                .ports
                .iter()
                .copied()
                .filter(nearer)
                .collect();
            let number = match routing {
                Routing::Ecmp => ways.len(),
                _ => 1,
            };
            self.forwarding
                .write(rows[node.index()], host, &ways[..number]);
        }
    }

    /// Installs the routes that a person wrote. Forwarding is by destination, as in a filtering
    /// table, so two routes to one host may not part.
    fn written_routes(&mut self, spec: &Spec, rows: &[u32]) -> Result<(), Refusal> {
        let mut written: BTreeMap<(u32, usize), &str> = BTreeMap::new();
        for (id, flow) in self.flows.ids().zip(&spec.flows) {
            let Some(route) = &flow.route else { continue };
            if self.is_station(self.flows[id].from) {
                continue;
            }
            let path = format!("routes.{}", flow.name);
            let (first, last) = (route.first(), route.last());
            let Targets::One(host) = self.flows[id].to else {
                return refuse(
                    path,
                    "a route needs a flow with one destination",
                    "name one host in the flow's `to`",
                );
            };
            let host = host as usize;
            if first != Some(&flow.from) || last != Some(&self.hosts[host].index()) {
                return refuse(
                    path,
                    "a route leads from the flow's `from` to its `to`",
                    "write the nodes from the first to the last",
                );
            }
            for pair in route.windows(2) {
                let (at, next): (Id<Node>, Id<Node>) = (Id::new(pair[0]), Id::new(pair[1]));
                let name = |n: Id<Node>| self.nodes[n].name.clone();
                let Some(port) = self.nodes[at]
                    .ports
                    .iter()
                    .copied()
                    .find(|p| self.ports[*p].far == next)
                else {
                    return refuse(
                        path,
                        format!("no link joins {} and {}", name(at), name(next)),
                        "name neighbours in order",
                    );
                };
                if self.nodes[at].host.is_some() {
                    continue;
                }
                let entry = (rows[at.index()], host);
                let same = self.forwarding.write(entry.0, entry.1, &[port]);
                if let Some(other) = written.get(&entry).filter(|_| !same) {
                    let what = format!(
                        "at {} the route to {} parts from the route of flow {other}",
                        name(at),
                        self.nodes[self.hosts[host]].name
                    );
                    return refuse(
                        path,
                        what,
                        "forwarding goes by destination: let both routes agree, or use two destinations",
                    );
                }
                written.insert(entry, &flow.name);
            }
        }
        Ok(())
    }

    /// Follows a flow's packets to its destinations; the path where there is only one.
    fn trace(&self, id: Id<Flow>, spec: &Spec, path: &str) -> Result<Vec<Id<Port>>, Refusal> {
        let flow = &self.flows[id];
        let mut ways = Vec::new();
        for host in flow.to.iter() {
            ways.clear();
            let name = |n: Id<Node>| &spec.nodes[n.index()].name;
            let goal = self.hosts[host as usize];
            let mut port = self.nodes[flow.from].ports[0];
            loop {
                ways.push(port);
                let far = &self.ports[port];
                if far.far == goal {
                    break;
                }
                // Written routes to a host agree where they meet and end there; computed ones come nearer.
                assert!(ways.len() <= self.nodes.len(), "a way in a circle");
                port = match far.far_row {
                    u32::MAX => Id::NONE,
                    row => self.forwarding.written(row, id, host),
                };
                if port.is_none() {
                    return refuse(
                        path,
                        format!("no way leads from {} to {}", name(flow.from), name(goal)),
                        "join them by links, or name another host",
                    );
                }
            }
        }
        Ok(if matches!(flow.to, Targets::One(_)) {
            ways
        } else {
            Vec::new()
        })
    }

    fn add_mechanism(
        &mut self,
        spec: &Spec,
        number: usize,
        mechanism: &MechanismSpec,
    ) -> Result<(), Refusal> {
        let path = format!("mechanisms.{}", mechanism.name);
        let names = mechanism.notify.addresses.is_some();
        let watch = mechanism.detect.watch();
        if names && watch != Watch::Egress {
            return refuse(
                format!("{path}.notify"),
                "addresses are those behind an output queue, and this detector watches what comes in",
                "take a detector of output queues, such as watermark",
            );
        }
        if !matches!(mechanism.respond, AnyResponder::Gate) && watch != Watch::Egress {
            return refuse(
                format!("{path}.respond"),
                "a rate is a share of what an output queue drains, and this detector watches what comes in",
                "take the responder gate, or a detector of output queues, such as watermark",
            );
        }
        if names && self.hosts.len() > MAX_ADDRESSES {
            let what = format!(
                "a notice has room for {MAX_ADDRESSES} addresses, and there are {} hosts",
                self.hosts.len()
            );
            return refuse(
                format!("{path}.notify"),
                what,
                "take a notifier that names classes",
            );
        }
        if matches!(mechanism.respond, AnyResponder::Gate)
            && mechanism.notify.form != Form::Extension
        {
            self.inspect = Some(INSPECT);
        }
        for port in &mechanism.at {
            let id: Id<Port> = Id::new(*port);
            let node = self.ports[id].node;
            let at = |what: String, fix: &str| refuse(format!("{path}.at"), what, fix);
            let name = self.ports[id].more.name.clone();
            if self.nodes[node].host.is_some() {
                return at(
                    format!("{name} is a port of a host"),
                    "back-pressure watches ports of switches",
                );
            }
            let special = |p: &Id<Port>| spec.links[p.index() / 2].ways.iter().any(Option::is_some);
            if let Some(port) = self.nodes[node].ports.iter().find(|p| special(p)) {
                let what = format!("{} is no plain wire", self.ports[*port].more.name);
                return at(what, "back-pressure travels over wires, both ways");
            }
            if self.nodes[node].ports.len() > MAX_NEIGHBOURS {
                return at(
                    format!("a switch with back-pressure has at most {MAX_NEIGHBOURS} ports"),
                    "use a smaller switch",
                );
            }
            let control = match self.voice(number, node, mechanism) {
                Some(c) if self.controls[c].speaks_like(&mechanism.notify) => c,
                Some(c) => {
                    let other = &spec.mechanisms[self.controls[c].number() as usize].name;
                    let what = format!(
                        "mechanism {other} sends another PAUSE at {}, and a neighbour has one timer for all",
                        self.nodes[node].name
                    );
                    return refuse(
                        format!("{path}.notify"),
                        what,
                        "give both the same kind, quanta and refresh",
                    );
                }
                None => self.new_control(spec, number, node, mechanism)?,
            };
            self.watch_port(control, id, mechanism, &path)?;
        }
        Ok(())
    }

    /// Who speaks for a mechanism at a node already. PAUSE and PFC carry no origin, so at one node all
    /// mechanisms that send them have one voice.
    fn voice(
        &self,
        number: usize,
        node: Id<Node>,
        mechanism: &MechanismSpec,
    ) -> Option<Id<Control>> {
        let stops = matches!(mechanism.respond, AnyResponder::Gate)
            && mechanism.notify.form != Form::Extension;
        let speaks = |c: &Id<Control>| {
            let c = &self.controls[*c];
            c.node() == node && (c.number() == number as u32 || stops && c.moves_gates())
        };
        self.controls.ids().find(speaks)
    }

    fn new_control(
        &mut self,
        spec: &Spec,
        number: usize,
        node: Id<Node>,
        mechanism: &MechanismSpec,
    ) -> Result<Id<Control>, Refusal> {
        let neighbours: Vec<NeighbourSpec> = self.nodes[node]
            .ports
            .iter()
            .map(|p| NeighbourSpec {
                port: *p,
                rate: self.ports[*p].more.rate,
                obeys: obeys(spec, self.ports[*p].far),
            })
            .collect();
        let whole =
            mechanism.notify.form == Form::Pause && matches!(mechanism.respond, AnyResponder::Gate);
        for n in neighbours.iter().filter(|n| n.obeys) {
            let upstream = self.ports[n.port].peer;
            if self.ports[upstream].chooses_itself() && !whole {
                let what = format!(
                    "the queue at {} chooses among flows itself and cannot hold back classes, destinations or rates",
                    self.ports[upstream].more.name
                );
                return refuse(
                    format!("mechanisms.{}.notify", mechanism.name),
                    what,
                    "take the recipe \"pause\", or give that port a queue such as strict-priority or codel",
                );
            }
            self.ports[upstream]
                .gates
                .get_or_insert_with(|| Box::new(Gates::default()));
        }
        let (notify, respond) = (mechanism.notify.clone(), mechanism.respond.clone());
        Ok(self.controls.push(Control::new(
            node,
            number as u32,
            notify,
            respond,
            &neighbours,
        )))
    }

    fn watch_port(
        &mut self,
        control: Id<Control>,
        id: Id<Port>,
        mechanism: &MechanismSpec,
        path: &str,
    ) -> Result<(), Refusal> {
        let (name, rate, node) = (
            self.ports[id].more.name.clone(),
            self.ports[id].more.rate,
            self.ports[id].node,
        );
        let behind = mechanism
            .notify
            .addresses
            .is_some()
            .then(|| self.reached_through(id));
        let watch = mechanism.detect.watch();
        let one_queue = watch == Watch::Egress && self.ports[id].queues().len() == 1;
        let detector = mechanism.detect.clone();
        let place = self.controls[control].watch(PlaceSpec {
            port: id,
            line: rate,
            one_queue,
            detector,
            audience: mechanism.notify.audience,
            window: mechanism.notify.window,
            behind,
        });
        let taken = match watch {
            Watch::Egress => {
                if self.ports[id].chooses_itself() {
                    return refuse(
                        format!("{path}.at"),
                        format!(
                            "the queue at {name} keeps flows apart, not classes that a detector could watch"
                        ),
                        "give the port a queue such as strict-priority, codel or red",
                    );
                }
                if self.ports[id].buffer == Limit::Unlimited {
                    return refuse(
                        format!("{path}.at"),
                        format!("{name} has no limit that its marks could be a share of"),
                        "give the port a buffer",
                    );
                }
                self.ports[id].watch.replace((control, place)).is_some()
            }
            Watch::Ingress | Watch::Pool | Watch::Station => {
                let ports = self.nodes[node].ports.clone();
                let has_pool = self.nodes[node].pool.is_some();
                if has_pool != (watch == Watch::Pool) {
                    let (what, fix) = match has_pool {
                        true => (
                            "has shared memory, whose thresholds are dynamic",
                            "take detect.kind = \"dynamic-threshold\"",
                        ),
                        false => (
                            "has no shared memory",
                            "take another detector, or model = \"shared-memory\"",
                        ),
                    };
                    return refuse(
                        format!("{path}.detect"),
                        format!("{} {what}", self.nodes[node].name),
                        fix,
                    );
                }
                if !has_pool {
                    self.nodes[node]
                        .ledger
                        .get_or_insert_with(|| Box::new(Ledger::new(ports.len())));
                }
                self.account(&ports);
                let local = self.ports[id].local as usize;
                self.nodes[node].watch[local]
                    .replace((control, place))
                    .is_some()
            }
        };
        if taken {
            return refuse(
                format!("{path}.at"),
                format!("{name} is watched twice"),
                "let one mechanism watch it",
            );
        }
        Ok(())
    }

    /// Hosts whose frames may leave through a port.
    fn reached_through(&self, id: Id<Port>) -> Hosts {
        let node = self.ports[id].node;
        let rows = self.nodes[node]
            .ports
            .iter()
            .map(|p| &self.ports[self.ports[*p].peer])
            .map(|p| p.far_row)
            .next();
        let row = rows.expect("a node with a port");
        let mut words = vec![0u64; self.hosts.len().div_ceil(64)];
        for host in 0..self.hosts.len() {
            if self.forwarding.leads(row, host, id) {
                words[host / 64] |= 1 << (host % 64);
            }
        }
        words.into()
    }
}

fn obeys(spec: &Spec, node: Id<Node>) -> bool {
    match spec.nodes[node.index()].kind {
        NodeKind::Host { obeys } => obeys,
        NodeKind::Switch(_) | NodeKind::Station(_) => true,
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
