//! Laws of explicit feedback at their places, and flows whose headers no law on the path writes.

use backwater_transport::congestion_header::Layout;
use backwater_transport::controller::Controller;
use backwater_transport::telemetry::HOPS;

use super::{World, refuse};
use crate::ids::{FlowId, LawId, NodeId, PortId};
use crate::limit::Limit;
use crate::medium::service::Link;
use crate::network::{Law, Traits, Watched};
use crate::spec::{Egress, Refusal, Spec, StampSpec};
use crate::stamp::statistics::QueueStatistics;
use crate::stamp::{Backlog, LawQueue, Shown, Stamp};

impl World {
    /// Puts laws to their places.
    pub(super) fn add_stamps(&mut self, spec: &Spec) -> Result<(), Refusal> {
        for stamp in &spec.stamps {
            let (place, queue, link) = self.place(stamp.at);
            check(stamp, &place)?;
            let mut law = stamp.law.clone();
            law.attach(&place);
            let observes = law.observes_arrivals();
            let law = self.shared.network.laws.push(Law {
                stamp: law,
                name: stamp.name.clone(),
                queue,
                link,
                statistics: QueueStatistics::new(self.clock.warm),
                trail: None,
            });
            self.show(
                stamp.at,
                Shown {
                    law,
                    own: true,
                    observes,
                },
            );
            for egress in &stamp.also {
                self.show(
                    *egress,
                    Shown {
                        law,
                        own: false,
                        observes,
                    },
                );
            }
            if !stamp.also.is_empty() {
                // The law hears of several places in the order of time.
                for egress in stamp.also.iter().chain([&stamp.at]) {
                    if let Egress::Port(port) = *egress {
                        let port = &mut self.shared.network.ports[PortId::new(port)];
                        port.set(Traits::ATTENTIVE | Traits::WAKEFUL, true);
                    }
                }
            }
        }
        for (id, flow) in self.shared.network.flows.ids().zip(&spec.flows) {
            let Some(transport) = &flow.transport else {
                continue;
            };
            if let Some(layout) = transport.controller.congestion_header() {
                self.check_layout(id, layout)?;
            }
        }
        Ok(())
    }

    fn place(&self, egress: Egress) -> (LawQueue, Watched, Link) {
        match egress {
            Egress::Port(number) => {
                let id = PortId::new(number);
                let port = &self.shared.network.ports[id];
                let link = Link::of(&port.more.service);
                let offers = link.offers();
                let place = LawQueue {
                    rate: (!offers).then_some(port.more.rate),
                    offers,
                    buffer: port.buffer,
                };
                (place, Watched::Port(id), link)
            }
            Egress::Attachment(node, of_node) => {
                let attachment = self.media.attachment_of(NodeId::new(node), of_node);
                let place = LawQueue {
                    rate: None,
                    offers: false,
                    buffer: self.media.buffer(attachment),
                };
                (place, Watched::Station(Backlog::default()), Link::Frames)
            }
        }
    }

    fn show(&mut self, egress: Egress, shown: Shown) {
        match egress {
            Egress::Port(port) => {
                let port = &mut self.shared.network.ports[PortId::new(port)];
                port.more.laws.push(shown);
                port.set(Traits::STAMPED, true);
            }
            Egress::Attachment(node, of_node) => {
                let attachment = self.media.attachment_of(NodeId::new(node), of_node);
                self.media.show(attachment, shown);
            }
        }
    }

    /// Refuses a flow whose header some law on its path would not understand, or has no room for the records of all.
    fn check_layout(&self, id: FlowId, layout: Layout) -> Result<(), Refusal> {
        let flow = &self.shared.network.flows[id];
        let laws = self.laws_on(flow);
        let writes = |law: &&LawId| self.shared.network.laws[**law].stamp.layout() == Some(layout);
        let records = laws.iter().filter(writes).count();
        if layout == Layout::Telemetry && records > HOPS {
            let names: Vec<&str> = laws
                .iter()
                .map(|law| self.shared.network.laws[*law].name.as_str())
                .collect();
            return refuse(
                format!("flows.{}.controller", flow.name),
                format!(
                    "{records} ports on its path write records of hops ({}), and its header has room for {HOPS}",
                    names.join(", ")
                ),
                "write `stamp` for ports of switches only, not of hosts, or for the slower lines of the path",
            );
        }
        for law in laws {
            let law = &self.shared.network.laws[law];
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
}

/// Refuses a law at a place that lacks what the law needs.
fn check(stamp: &StampSpec, place: &LawQueue) -> Result<(), Refusal> {
    let path = format!("ports.{}.stamp", stamp.name);
    if stamp.law.needs_rate() && place.rate.is_none() {
        return refuse(
            path,
            "the law needs a capacity, and this egress has no line rate",
            "write `capacity` in the stamp, or take a law that measures",
        );
    }
    let rates = stamp.law.rates();
    if let Some(rate) = place
        .rate
        .filter(|r| !rates.is_empty() && !rates.contains(r))
    {
        let named: Vec<String> = rates
            .iter()
            .map(|r| format!("{}", r.0 as f64 / 1e9))
            .collect();
        return refuse(
            path,
            format!(
                "a quantised record names {} Gbit/s, and this line has {} Gbit/s",
                named.join(", "),
                rate.0 as f64 / 1e9
            ),
            "write fields = \"exact\", or one of these rates for the link",
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
