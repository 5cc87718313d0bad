//! Laws of explicit feedback at their places, and flows whose headers no law on the path writes.

use backwater_transport::congestion_header::Layout;
use backwater_transport::controller::Controller;
use backwater_transport::segment::Ecn;

use super::{World, refuse};
use crate::ids::{FlowId, LawId, PortId};
use crate::limit::Limit;
use crate::medium::trace::Opportunities;
use crate::network::{Flow, Law, Part, Served, Shown, Traits};
use crate::spec::{Egress, Refusal, Spec, StampSpec};
use crate::stamp::{Backlog, Place, Stamp};

impl World {
    /// Puts laws to their places.
    pub(super) fn add_stamps(&mut self, spec: &Spec) -> Result<(), Refusal> {
        for stamp in &spec.stamps {
            let (place, service) = self.place(spec, stamp.at);
            check(stamp, &place)?;
            let mut law = stamp.law.clone();
            law.attach(&place);
            let law = self.network.laws.push(Law {
                stamp: law,
                name: stamp.name.clone(),
                service,
            });
            self.show(stamp.at, Shown { law, own: true }, spec);
            for egress in &stamp.also {
                self.show(*egress, Shown { law, own: false }, spec);
            }
            if !stamp.also.is_empty() {
                // The law hears of several places in the order of time.
                for egress in stamp.also.iter().chain([&stamp.at]) {
                    if let Egress::Port(port) = *egress {
                        let port = &mut self.network.ports[PortId::new(port)];
                        port.set(Traits::ATTENTIVE | Traits::WAKEFUL, true);
                    }
                }
            }
        }
        for (id, flow) in self.network.flows.ids().zip(&spec.flows) {
            let Some(transport) = &flow.transport else {
                continue;
            };
            if let Some(layout) = transport.controller.congestion_header() {
                self.check_layout(id, layout)?;
            }
        }
        Ok(())
    }

    fn station(&self, spec: &Spec, node: usize, of_node: usize) -> usize {
        let name = &spec.nodes[node].name;
        let radios = &self.air.radios;
        let found = radios
            .iter()
            .position(|r| self.network.nodes[r.node].name == *name && r.of_node == of_node);
        found.expect("a radio of the scenario")
    }

    fn place(&self, spec: &Spec, egress: Egress) -> (Place, Served) {
        match egress {
            Egress::Port(number) => {
                let id = PortId::new(number);
                let port = &self.network.ports[id];
                let server = port.more.server.as_ref();
                let place = Place {
                    rate: server.is_none().then_some(port.more.rate),
                    offers: server.is_some(),
                    buffer: port.buffer,
                };
                let service = match server {
                    None => Served::Wire(id),
                    Some(server) => Served::Trace(id, Box::new(Opportunities::new(server))),
                };
                (place, service)
            }
            Egress::Radio(node, of_node) => {
                let radio = &self.air.radios[self.station(spec, node, of_node)];
                let place = Place {
                    rate: None,
                    offers: false,
                    buffer: radio.categories[0].buffer,
                };
                (place, Served::Radio(Backlog::default()))
            }
        }
    }

    fn show(&mut self, egress: Egress, shown: Shown, spec: &Spec) {
        match egress {
            Egress::Port(port) => {
                let port = &mut self.network.ports[PortId::new(port)];
                port.more.laws.push(shown);
                port.set(Traits::STAMPED, true);
            }
            Egress::Radio(node, of_node) => {
                let station = self.station(spec, node, of_node);
                self.air.radios[station].laws.push(shown);
            }
        }
    }

    /// The laws that write into the data of a flow.
    fn laws_on(&self, flow: &Flow) -> Vec<LawId> {
        let mut laws = Vec::new();
        for port in &flow.path {
            let port_laws = &self.network.ports[*port].more.laws;
            let hop = self.air.hop(*port);
            let radio_laws = hop.map(|hop| &self.air.radios[hop.from as usize].laws);
            let shown = port_laws.iter().chain(radio_laws.into_iter().flatten());
            laws.extend(shown.map(|shown| shown.law));
        }
        laws
    }

    /// Refuses a flow whose header some law on its path would not understand.
    fn check_layout(&self, id: FlowId, layout: Layout) -> Result<(), Refusal> {
        let flow = &self.network.flows[id];
        for law in self.laws_on(flow) {
            let law = &self.network.laws[law];
            let other = law.stamp.layout().filter(|other| *other != layout);
            if other.is_some() {
                return refuse(
                    format!("flows.{}.controller", flow.name),
                    format!(
                        "its congestion header is of another scheme than that which {} writes",
                        law.name
                    ),
                    "take the controller that belongs to the stamp, or one without a congestion header, \
                     or lead the flow elsewhere",
                );
            }
        }
        Ok(())
    }

    /// Warnings about explicit feedback: flows that no law serves or that one misreads, and what laws say of
    /// themselves.
    pub fn stamp_warnings(&self) -> Vec<String> {
        let now = self.clock.now;
        let said = |law: &Law| Some(format!("{}: {}", law.name, law.stamp.warning(now)?));
        let mut all: Vec<String> = self.network.laws.0.iter().filter_map(said).collect();
        for flow in &self.network.flows.0 {
            let Part::Data(connection) = flow.part else {
                continue;
            };
            let controller = self.ends.connections[connection].sender.controller();
            let laws = self.laws_on(flow);
            let layouts = laws
                .iter()
                .map(|law| self.network.laws[*law].stamp.layout());
            match controller.congestion_header() {
                Some(layout) if !layouts.clone().any(|l| l == Some(layout)) => {
                    all.push(format!(
                        "flow {}: no port on its path writes its congestion header, so it keeps the window it \
                         begins with: write `stamp` for the bottleneck's port",
                        flow.name
                    ));
                }
                Some(_) => {}
                None if controller.ecn() != Ecn::NotEct
                    && layouts.flatten().any(Layout::reports_codepoints) =>
                {
                    all.push(format!(
                        "flow {}: a stamp on its path rewrites the ECN bits for a scheme that its controller does \
                         not speak: lead it past that port, or take the controller of that scheme",
                        flow.name
                    ));
                }
                None => {}
            }
        }
        all
    }
}

/// Refuses a law at a place that lacks what the law needs.
fn check(stamp: &StampSpec, place: &Place) -> Result<(), Refusal> {
    let path = format!("ports.{}.stamp", stamp.name);
    if stamp.law.needs_rate() && place.rate.is_none() {
        return refuse(
            path,
            "the law needs a capacity, and this egress has no line rate",
            "write `capacity` in the stamp, or take a law that measures",
        );
    }
    if stamp.law.needs_packets() && !matches!(place.buffer, Limit::Packets(_)) {
        return refuse(
            path,
            "the law works with a buffer that counts packets, and this one doesn't",
            "write `buffer = \"50 packets\"` for the port or in the stamp",
        );
    }
    Ok(())
}
