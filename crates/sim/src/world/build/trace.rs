//! Follows each flow's packets to their destinations and refuses what would get lost on the way.

use std::collections::BTreeMap;

use super::reach::Reach;
use super::refuse;
use crate::ids::{FlowId, NodeId, PortId};
use crate::limit::Limit;
use crate::network::Network;
use crate::packet;
use crate::spec::{Choose, Happening, LinkEvent, Refusal, Spec};
use crate::table::Id;
use crate::targets::{Destination, Targets};
use crate::world::World;

/// By size of packets and class: whether there is a wire that they do not fit. Where there is none, no way need be followed.
type Unfit = BTreeMap<(u64, u8), bool>;

impl Network {
    /// Notes whether the packets of a flow may leave its path, or become shorter on it.
    fn note_loose_path(&mut self, spec: &Spec, id: FlowId) {
        let transport = spec.flows[id.index()].transport.as_ref();
        let spread = transport.is_some_and(|t| t.spreader.is_some());
        let flow = &self.flows[id];
        let trims = |port: &PortId| self.ports[*port].more.trim.is_some();
        let trimmed = flow.trimmed && flow.path.iter().any(trims);
        let down = |event: &LinkEvent| matches!(event.what, Happening::Down { .. });
        let cut = spec.events.iter().any(down);
        self.flows[id].loose = spec.choose != Choose::Hash || spread || trimmed || cut;
    }

    /// Packets that may leave the path of their flow must fit all ways, too.
    fn check_other_ways(&self, spec: &Spec, id: FlowId, unfit: &mut Unfit) -> Result<(), Refusal> {
        let flow = &self.flows[id];
        let wire = |port: &PortId| port.index() / 2 < spec.links.len();
        let (Targets::One(host), true) = (&flow.to, flow.loose) else {
            return Ok(());
        };
        let host = *host;
        let any = unfit.entry((flow.packet, flow.class)).or_insert_with(|| {
            let mut wires = self.ports.ids().filter(wire);
            wires.any(|port| self.check_wire(spec, id, port).is_err())
        });
        if !*any {
            return Ok(());
        }
        let ways = self.ports_toward(flow.from, host).unwrap_or_default();
        let mut wires = ways.into_iter().filter(wire);
        wires.try_for_each(|port| self.check_wire(spec, id, port))
    }

    /// Every packet must fit the frames, the class queues and the buffer of a wire on its way.
    pub(super) fn check_wire(&self, spec: &Spec, id: FlowId, port: PortId) -> Result<(), Refusal> {
        let flow = &self.flows[id];
        let frame = packet::frame(flow.packet);
        let (port, link) = (&self.ports[port], &spec.links[port.index() / 2]);
        if frame > link.max_frame.0 {
            let what = format!(
                "frames of {frame} B do not fit link {} ({} B at most)",
                link.name, link.max_frame.0
            );
            return refuse(
                format!("flows.{}.packet", spec.flows[id.index()].name),
                what,
                "write smaller packets, or raise the link's max_frame",
            );
        }
        if let Some(server) = port.more.service.server().filter(|s| s.spec.whole) {
            let (size, most) = (server.size(flow.packet as u16), server.spec.opportunity);
            if size > most {
                let what = format!(
                    "packets of {} B take {size} B on {}, whose opportunities carry {most} B",
                    flow.packet, port.more.name
                );
                return refuse(
                    format!("flows.{}.packet", spec.flows[id.index()].name),
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
                format!("flows.{}.class", spec.flows[id.index()].name),
                what,
                "write a lower class, or give the port's queue more classes",
            );
        }
        if matches!(port.buffer, Limit::Bytes(b) if b.0 < frame) || port.buffer == Limit::Packets(0)
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
        Ok(())
    }
}

impl World {
    /// Gives each flow its path, where it has one destination, and the port by which its packets set off, where that is
    /// always the same.
    pub(in crate::world) fn trace_flows(&mut self, spec: &Spec) -> Result<(), Refusal> {
        let mut used = Vec::new();
        let computed = self.media.are_unused() && spec.flows.iter().all(|f| f.route.is_none());
        let (mut reach, mut unfit) = (Reach::default(), Unfit::new());
        for id in (0..spec.flows.len()).map(FlowId::new) {
            let mut path = Vec::new();
            let arrive = computed && reach.arrive(&self.shared.network, spec, id);
            let hosts: Vec<u32> = match arrive {
                true => Vec::new(),
                false => self.shared.network.flows[id].to.iter().collect(),
            };
            for host in hosts {
                path = self.trace(spec, id, host)?;
                if !self.media.are_unused() {
                    used.extend(&path);
                }
            }
            let flow = &mut self.shared.network.flows[id];
            if matches!(flow.to, Targets::One(_)) {
                flow.port = path[0];
                flow.path = path;
                self.shared.network.note_loose_path(spec, id);
                let network = &self.shared.network;
                network.check_other_ways(spec, id, &mut unfit)?;
            } else if self.shared.network.nodes[flow.from].row == u32::MAX {
                flow.port = self.shared.network.nodes[flow.from].ports[0];
            }
        }
        self.media.gather_hops(&used);
        let network = &self.shared.network;
        self.media.start_rate_control(network, spec.seed);
        Ok(())
    }

    /// The ports that a flow's packets to a host pass.
    fn trace(&self, spec: &Spec, id: FlowId, host: u32) -> Result<Vec<PortId>, Refusal> {
        let (flow, spec_flow) = (&self.shared.network.flows[id], &spec.flows[id.index()]);
        let mut path = Vec::new();
        if matches!(spec_flow.to, Destination::Group(_)) {
            let hops = self.shared.network.nodes[flow.from].stations.iter();
            path.extend(hops.filter_map(|station| self.media.group_port(*station)));
            self.media
                .check_hop(&self.shared.network, spec, id, path[0])?;
            return Ok(path);
        }
        let goal = self.shared.network.hosts[host as usize];
        let mut at = flow.from;
        while at != goal {
            let node = &self.shared.network.nodes[at];
            let port = match node.row {
                u32::MAX if at == flow.from => node.ports[0],
                _ if at != flow.from && !node.forwards => Id::NONE,
                row => self.shared.network.plan.forwarding.written(row, id, host),
            };
            if port.is_none() {
                return self.no_route(spec, id, goal, at);
            }
            match self.media.has_hop(port) {
                true => self.media.check_hop(&self.shared.network, spec, id, port)?,
                false => self.shared.network.check_wire(spec, id, port)?,
            }
            path.push(port);
            at = self.shared.network.ports[port].far;
            if path.len() > self.shared.network.nodes.len() {
                let (a, b) = (
                    &self.shared.network.nodes[flow.from].name,
                    &self.shared.network.nodes[goal].name,
                );
                let what = format!(
                    "the route from {a} to {b} runs in a circle through {}",
                    self.shared.network.nodes[at].name
                );
                return refuse(
                    format!("flows.{}.to", spec_flow.name),
                    what,
                    "correct the written routes",
                );
            }
        }
        Ok(path)
    }

    /// Says where the route of a flow to `goal` ends, and what would help.
    fn no_route<T>(&self, spec: &Spec, id: FlowId, goal: NodeId, at: NodeId) -> Result<T, Refusal> {
        let from = self.shared.network.flows[id].from;
        let (a, b, end) = (
            &self.shared.network.nodes[from],
            &self.shared.network.nodes[goal],
            &self.shared.network.nodes[at],
        );
        let mut what = format!("no route leads from {} to {}", a.name, b.name);
        let attached = !a.stations.is_empty() && !b.stations.is_empty();
        let pairs = || {
            a.stations
                .iter()
                .flat_map(|a| b.stations.iter().map(move |b| (*a, *b)))
        };
        let fix = if attached && pairs().any(|(a, b)| self.media.share_medium(a, b)) {
            if at != from {
                what = format!("{what}: it ends at {}", end.name);
            } else {
                what = format!("{what}: {} is out of reach", b.name);
            }
            "move the stations closer, write a route, or write routing = { kind = \"airtime\" }"
        } else if attached {
            what = format!("{what}: {} is not on the medium of {}", b.name, a.name);
            "name a station of the same medium, or join the two media by a node that is in both or by wires"
        } else {
            if at != from {
                what = format!("{what}: it ends at {}", end.name);
            }
            "join them by links, or name another host"
        };
        refuse(
            format!("flows.{}.to", spec.flows[id.index()].name),
            what,
            fix,
        )
    }
}
