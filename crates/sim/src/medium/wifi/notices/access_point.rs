//! Stations with a wire: whoever fills their buffer over it is told too, where the notice can reach it.

use backwater_transport::units::Span;

use crate::ids::{NodeId, PortId};
use crate::mechanism::carrier::{AIR_UNIT, CarriedBy, Toward, quantum};
use crate::mechanism::needs::Set;
use crate::mechanism::notifier::row::Reach;
use crate::mechanism::notifier::standing::MAX_NEIGHBOURS;
use crate::mechanism::notifier::{Cast, Terms};
use crate::mechanism::responder::Responder;
use crate::medium::wifi::air::Air;
use crate::medium::wifi::notices::station_mechanisms::terms_of_notices;
use crate::network::Network;
use crate::spec::{MechanismSpec, Refusal, Spec};
use crate::world::build::mechanisms::{asks_to_stop, obeys};
use crate::world::build::refuse;

/// Whether a notice about a station's buffer can go to those who fill it over a wire, too: one that stops all that they
/// send needs no access category.
fn tells_wires(mechanism: &MechanismSpec, terms: &Terms) -> bool {
    let whole = terms.form.names_no_class() && terms.carrier == CarriedBy::Frame;
    let needs = mechanism.respond.needs().needs;
    let gate = needs.has(Set::GATES) && !needs.has(Set::STATION);
    whole && gate && asks_to_stop(&mechanism.respond)
}

impl Network {
    /// The ports of a node that have a wire.
    fn wires_of(&self, node: NodeId) -> impl Iterator<Item = PortId> {
        let ports = self.nodes[node].ports.iter().copied();
        ports.filter(|port| !self.ports[*port].waits_at_medium())
    }

    /// Those of them whose far ends answer a mechanism.
    fn wires_that_answer(&self, node: NodeId, mechanism: u32) -> impl Iterator<Item = PortId> {
        let answers = move |port: &PortId| {
            let told = &self.ports[self.ports[*port].peer].more.responders;
            told.iter().any(|(of, _)| *of == mechanism)
        };
        self.wires_of(node).filter(answers)
    }

    /// Gives those who fill an access point's buffer over a wire a responder, or refuses a notice that can't reach them.
    pub(in crate::medium::wifi) fn tell_wires(
        &mut self,
        spec: &Spec,
        node: NodeId,
        name: &str,
        number: usize,
        mechanism: &MechanismSpec,
    ) -> Result<(), Refusal> {
        let wires: Vec<PortId> = self.wires_of(node).collect();
        let standing = mechanism.notify.standing();
        let tells = standing.is_some_and(|terms| tells_wires(mechanism, terms));
        // A station that tells itself reaches whom it must, and a mark goes wherever the packet goes.
        let alone = mechanism.notify.reach() == Reach::Itself;
        let reaches = tells || alone || mechanism.notify.carried_by() == CarriedBy::Mark;
        for port in wires {
            let (upstream, far) = (self.ports[port].peer, self.ports[port].far);
            let feeds = self.flows.iter().any(|flow| flow.path.contains(&upstream));
            if feeds && !reaches {
                let what = format!(
                    "{name} is filled over the wire {}, too, and this notice reaches only those who fill it over the air",
                    self.ports[upstream].more.name
                );
                let path = format!("mechanisms.{}.notify", mechanism.name);
                let fix = "tell the neighbours to stop all they send by frames of their own, as the first recipe of the list does, or leave that station out of `at`";
                return refuse(path, what, fix);
            }
            if tells && obeys(spec, far) {
                let told = &mut self.ports[upstream];
                told.gates.get_or_insert_default();
                told.more
                    .responders
                    .push((number as u32, mechanism.respond.clone()));
            }
        }
        Ok(())
    }
}

impl Air {
    /// Those whom a station may tell by standing notices, each with the unit of its carrier.
    pub(in crate::medium::wifi) fn neighbours_of(
        &self,
        network: &Network,
        station: u32,
        number: usize,
        mechanism: &MechanismSpec,
        feeders: &[u32],
    ) -> Result<Vec<(Toward, Span)>, Refusal> {
        let Some(terms) = terms_of_notices(mechanism) else {
            return Ok(Vec::new());
        };
        let radio = &self.radios[station as usize];
        let wires: Vec<PortId> = network
            .wires_that_answer(radio.node, number as u32)
            .collect();
        if terms.cast == Cast::Each && feeders.len() + wires.len() > MAX_NEIGHBOURS {
            let what = format!(
                "{} stations have a hop to {}, and {MAX_NEIGHBOURS} at most can be told one by one",
                feeders.len(),
                network.nodes[radio.node].name
            );
            let path = format!("mechanisms.{}.notify.cast", mechanism.name);
            return refuse(path, what, "write cast = \"group\"");
        }
        if terms.carrier == CarriedBy::Header && terms.cast == Cast::Group {
            let path = format!("mechanisms.{}.notify.cast", mechanism.name);
            let what = "a header field tells the station that its data frame is for";
            return refuse(path, what, "write cast = \"each\"");
        }
        let mut neighbours: Vec<(Toward, Span)> = match terms.cast {
            Cast::Each => feeders
                .iter()
                .map(|s| (Toward::Station(*s), AIR_UNIT))
                .collect(),
            Cast::Group => vec![(Toward::Everybody, AIR_UNIT)],
        };
        let rate = |port: PortId| quantum(network.ports[port].more.rate);
        neighbours.extend(wires.iter().map(|port| (Toward::Port(*port), rate(*port))));
        Ok(neighbours)
    }
}
