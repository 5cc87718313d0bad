//! Ports of a world: two for each link.

use backwater_transport::random::Random;
use backwater_transport::units::Time;

use crate::ids::{NodeId, PortId};
use crate::network::watchdog::Watchdog;
use crate::network::{Network, Port, PortMore, Traits};
use crate::queue::{Managed, Scheduler};
use crate::spec::{FlowSpec, LinkSpec, NodeKind, Refusal, Spec, SwitchModel};
use crate::switch::Pool;
use crate::table::Id;
use crate::world::build::refuse;

/// Ports that a packet's `entry` tells apart.
const MAX_ENTRIES: usize = 256;

impl Network {
    /// Two ports for each link, and the shared memory of switches that have it.
    pub(crate) fn add_ports(&mut self, spec: &Spec) -> Result<(), Refusal> {
        for (number, link) in spec.links.iter().enumerate() {
            check_link(link)?;
            for side in 0..2 {
                self.add_port(spec, link, 2 * number, side);
            }
        }
        self.add_servers(spec);
        for id in self.ports.ids() {
            self.ports[id].far_entry = self.ports[self.ports[id].peer].local as u8;
        }
        for (id, node) in self.nodes.ids().zip(&spec.nodes) {
            let path = format!("nodes.{}", node.name);
            match &node.kind {
                NodeKind::Host { .. } if self.nodes[id].ports.is_empty() => {
                    let what = format!("host {} has no link", node.name);
                    return refuse(path, what, "join it to another node by a link");
                }
                NodeKind::Switch(model) => {
                    self.add_memory(spec, id, model, &path)?;
                    self.check_fabric(spec, id, model, &path)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The port at one end of a link; `first` is the number of the port at its other end or its own.
    fn add_port(&mut self, spec: &Spec, link: &LinkSpec, first: usize, side: usize) {
        let port = &spec.ports[first + side];
        let (rate, delay) = match link.directions[side]
            .as_ref()
            .map(|direction| &direction.service)
        {
            Some(service) => service.line(),
            None => (link.rate, link.delay),
        };
        let (node, far) = (Id::new(link.ends[side]), Id::new(link.ends[1 - side]));
        let id = Id::new(self.ports.len());
        let local = self.nodes[node].ports.len() as u32;
        let managed = port.aqm.as_ref().map(|aqm| {
            let random = Random::stream(spec.seed, "queue", &port.name);
            let rate = super::boxes::long_term(spec, id.index()).unwrap_or(rate);
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
            max_frame: link.max_frame.0,
            managed,
            trim: port.trim,
            watchdog: port.watchdog.map(|terms| Box::new(Watchdog::new(terms))),
            ..PortMore::default()
        };
        let classes = port.scheduler.classes();
        let mut made = Port::idle(node, far, classes, port.buffer, more);
        made.scheduler = port.scheduler.clone();
        made.set_rate(rate);
        made.delay = delay;
        made.peer = Id::new(first + 1 - side);
        made.local = local;
        made.shut_until = shut_until;
        self.ports.push(made);
    }

    /// The shared memory of a switch whose model has it.
    fn add_memory(
        &mut self,
        spec: &Spec,
        id: NodeId,
        model: &SwitchModel,
        path: &str,
    ) -> Result<(), Refusal> {
        let SwitchModel::SharedMemory {
            memory,
            reserve,
            headroom,
            shift,
        } = model
        else {
            return Ok(());
        };
        let ports = self.nodes[id].ports.clone();
        if ports.len() > MAX_ENTRIES {
            let what = format!("a switch with shared memory has at most {MAX_ENTRIES} ports");
            let fix = "use smaller switches, or model = \"output-queued\"";
            return refuse(path, what, fix);
        }
        let classes = usize::from(
            spec.flows
                .iter()
                .map(FlowSpec::highest_class)
                .max()
                .unwrap_or(0),
        ) + 1;
        let (memory, reserve, headroom) = (memory.0, reserve.0, headroom.0);
        let pool = Pool::new(memory, reserve, headroom, *shift, ports.len(), classes);
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
        Ok(())
    }

    /// Enables accounting by ingress at these ports of a node.
    pub(crate) fn account(&mut self, ports: &[PortId]) {
        for id in ports {
            let port = &mut self.ports[*id];
            port.set(Traits::ACCOUNTED, true);
        }
    }

    /// A node that keeps accounts by class needs class queues.
    pub(crate) fn check_queues(&self) -> Result<(), Refusal> {
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

fn check_link(link: &LinkSpec) -> Result<(), Refusal> {
    let path = format!("links.{}", link.name);
    if link.ends[0] == link.ends[1] {
        return refuse(
            format!("{path}.ends"),
            "a link joins a node to itself",
            "name two different nodes",
        );
    }
    if link.rate.0 == 0 && link.directions.iter().any(Option::is_none) {
        return refuse(
            format!("{path}.rate"),
            "a link has no rate",
            "write a rate such as \"10 Mbit/s\"",
        );
    }
    Ok(())
}
