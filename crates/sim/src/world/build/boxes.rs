//! Ports that are served by a trace, and boxes in front of ports.

use std::collections::BTreeMap;
use std::sync::Arc;

use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Time};

use crate::ids::PortId;
use crate::limit::Limit;
use crate::medium::boxes::AnyBox;
use crate::medium::service::{self, Stage};
use crate::network::{Network, Port, PortMore, Traits};
use crate::spec::{Direction, Spec};

impl Network {
    /// Gives the ports of links that are no wires what serves them.
    pub(crate) fn add_servers(&mut self, spec: &Spec) {
        for id in self.ports.ids() {
            let Some(direction) = direction(spec, id.index()) else {
                continue;
            };
            let random = trace_stream(spec, id.index());
            let service = direction.service.begin(random);
            if service.has_instants() {
                self.ports[id].more.service = service;
                self.ports[id].shut_until = Time::NEVER;
            }
        }
    }

    /// Makes a port of every box and of every output of a fabric, in front of the port whose queue it leads to, and sends there what would
    /// go to that port. Called when all routes are known.
    pub(crate) fn add_boxes(&mut self, spec: &Spec) {
        let mains: Vec<PortId> = self.ports.ids().collect();
        for main in mains {
            let boxes = direction(spec, main.index()).map_or(&[][..], |d| &d.boxes);
            let mut entrance = main;
            for (number, what) in boxes.iter().enumerate().rev() {
                let same = boxes[..number]
                    .iter()
                    .filter(|b| b.id() == what.id())
                    .count();
                let mut name = format!("{}~{}", self.ports[main].more.name, what.id());
                if same > 0 {
                    name = format!("{name}{}", same + 1);
                }
                entrance = self.add_box(main, entrance, name, what, spec.seed);
            }
            if self.has_fabric(spec, main) {
                entrance = self.add_crossing(main, entrance);
            }
            self.lead(main, entrance);
        }
        self.add_fabrics(spec);
    }

    fn add_box(
        &mut self,
        main: PortId,
        next: PortId,
        name: String,
        what: &AnyBox,
        seed: u64,
    ) -> PortId {
        let random = Random::stream(seed, "box", &name);
        let stage = Stage {
            what: what.clone(),
            random,
            next,
        };
        let more = PortMore {
            name,
            service: service::Service::Box(Box::new(stage)),
            ..PortMore::default()
        };
        let (node, far) = (self.ports[main].node, self.ports[main].far);
        let mut port = Port::idle(node, far, 1, Limit::Unlimited, more);
        port.peer = self.ports[main].peer;
        port.set(Traits::WATCHED, true);
        let id = self.ports.push(port);
        Arc::make_mut(&mut self.plan).boxes.insert(id, main);
        id
    }

    /// The places of the boxes in front of a port's queue, in the order in which they were made.
    pub fn stages_before(&self, port: PortId) -> impl Iterator<Item = PortId> {
        let mine = self
            .plan
            .boxes
            .iter()
            .filter(move |(_, main)| **main == port);
        mine.map(|(id, _)| *id)
            .filter(|id| self.ports[*id].more.service.stage().is_some())
    }

    /// The boxes in front of a port's queue, in no particular order.
    pub fn boxes_before(&self, port: PortId) -> impl Iterator<Item = &AnyBox> {
        self.stages_before(port)
            .filter_map(|id| self.ports[id].more.service.stage().map(|stage| &stage.what))
    }

    /// Sends to the first place in front of each port what tables lead to the port itself.
    pub(super) fn route_through_boxes(&mut self) {
        let plan = Arc::make_mut(&mut self.plan);
        // Of several the last was made first.
        let entrances: BTreeMap<PortId, PortId> =
            plan.boxes.iter().map(|(id, main)| (*main, *id)).collect();
        for (main, entrance) in entrances {
            plan.forwarding.lead(main, entrance);
        }
    }

    /// Sends to `entrance` what would go to the queue of `main`.
    fn lead(&mut self, main: PortId, entrance: PortId) {
        if entrance == main {
            return;
        }
        Arc::make_mut(&mut self.plan)
            .forwarding
            .lead(main, entrance);
        let node = &mut self.nodes[self.ports[main].node];
        if node.host.is_some() {
            let ports = node.ports.iter_mut().filter(|port| **port == main);
            ports.for_each(|port| *port = entrance);
            let flows = self.flows.0.iter_mut().filter(|flow| flow.port == main);
            flows.for_each(|flow| flow.port = entrance);
        }
    }
}

/// The direction of a link that port `index` of the scenario stands for, where it is not a symmetric Ethernet link.
pub(crate) fn direction(spec: &Spec, index: usize) -> Option<&Direction> {
    spec.links.get(index / 2)?.directions[index % 2].as_deref()
}

fn trace_stream(spec: &Spec, index: usize) -> Random {
    Random::stream(spec.seed, "trace", &spec.ports[index].name)
}

/// The mean rate of a direction over the run, where it has no line rate.
pub(crate) fn long_term(spec: &Spec, index: usize) -> Option<Rate> {
    let direction = direction(spec, index)?;
    let service = direction.service.begin(trace_stream(spec, index));
    let mean = service.mean_rate(Time(spec.duration.0))?;
    Some(Rate((mean as u64).max(1)))
}
