//! Mechanisms at ports of switches: what watches a port, and who speaks for it at its node.

use backwater_transport::units::{Rate, Span, Time};

use super::check_mechanisms::check;
use super::refuse;
use crate::calendar::Calendar;
use crate::event::Event;
use crate::ids::{ControlId, NodeId, PortId};
use crate::mechanism::carrier::{CarriedBy, Toward, quantum};
use crate::mechanism::control::{Control, Watched};
use crate::mechanism::detector::Detector;
use crate::mechanism::gates::Gates;
use crate::mechanism::needs::Set;
use crate::mechanism::notice::Form;
use crate::mechanism::notifier::row::Site;
use crate::mechanism::notifier::voice::VoiceSpec;
use crate::mechanism::notifier::{Cast, Reach, Terms};
use crate::mechanism::place::Place;
use crate::mechanism::responder::{AnyResponder, Responder};
use crate::mechanism::{Echo, Hearing, Mechanisms};
use crate::medium::{AIR, WIRE};
use crate::network::{Network, Traits};
use crate::shared::Shared;
use crate::spec::{MechanismSpec, NodeKind, Refusal, Spec};
use crate::table::Id;
use crate::world::World;

/// How often gates are looked at for a deadlock.
const INSPECT: Span = Span::millis(10);

impl Network {
    /// The echoes in the ACKs that leave a port tell its neighbour of a mechanism's marks.
    fn read_echoes(&mut self, id: PortId, mechanism: u32, terms: &Terms) {
        let port = &mut self.ports[id];
        let echoes = &mut port.more.carried.get_or_insert_default().echoes;
        if !echoes.iter().any(|echo| echo.is_of(mechanism)) {
            echoes.push(Echo::new(mechanism, terms));
        }
        port.set(Traits::CARRIES, true);
    }
}

impl Mechanisms {
    /// Adds the next mechanism of the scenario.
    fn add_hearing(&mut self, mechanism: &MechanismSpec) {
        self.hearing.push(Hearing {
            name: mechanism.name.clone(),
            tells: mechanism.notify.reach() != Reach::Itself,
            ..Hearing::default()
        });
    }

    /// Who speaks for a mechanism at a node already. PAUSE and PFC carry no origin, so at one node all
    /// mechanisms that send them have one voice.
    fn voice(&self, spec: &Spec, number: usize, node: NodeId, terms: &Terms) -> Option<ControlId> {
        let stops = terms.stop_classes(&spec.mechanisms[number].respond);
        let speaks = |c: &ControlId| {
            let c = &self.controls[*c];
            let of = &spec.mechanisms[c.number() as usize];
            let stands = of.notify.standing();
            let moves = || c.only_marks() || stands.is_some_and(|t| t.stop_classes(&of.respond));
            let shared = || stops && moves();
            c.node() == node && (c.number() == number as u32 || shared())
        };
        self.controls.ids().find(speaks)
    }

    fn new_control(
        &mut self,
        network: &mut Network,
        spec: &Spec,
        number: usize,
        node: NodeId,
        terms: &Terms,
    ) -> Result<ControlId, Refusal> {
        let mechanism = &spec.mechanisms[number];
        let whole = terms.form == Form::Pause && asks_to_stop(&mechanism.respond);
        for port in network.nodes[node].ports.clone() {
            if !obeys(spec, network.ports[port].far) {
                continue;
            }
            let upstream = network.ports[port].peer;
            if network.ports[upstream].chooses_itself() && !whole {
                let what = format!(
                    "the queue at {} chooses among flows itself and cannot hold back classes, destinations or rates",
                    network.ports[upstream].more.name
                );
                return refuse(
                    format!("mechanisms.{}.notify", mechanism.name),
                    what,
                    "take the recipe \"pause\", or give that port a queue such as strict-priority or codel",
                );
            }
            let told = &mut network.ports[upstream];
            told.gates.get_or_insert_with(|| Box::new(Gates::default()));
            let answer = (number as u32, mechanism.respond.clone());
            told.more.responders.push(answer);
            if terms.carrier == CarriedBy::Header {
                network.ports[port].more.carried.get_or_insert_default();
                network.ports[port].set(Traits::CARRIES, true);
            }
        }
        let ports = network.nodes[node].ports.iter();
        let neighbours =
            ports.map(|p| (Toward::Port(*p), quantum(network.ports[*p].nominal_rate())));
        let site = Site {
            number: number as u32,
            respond: &mechanism.respond,
            neighbours: neighbours.collect(),
            peers: &[],
            categories: &[],
            one_queue: false,
            hosts: network.hosts.len(),
            rhythm: None,
        };
        let notifier = mechanism.notify.at(&site);
        let control = Control::new(node, number as u32, notifier, &site.neighbours);
        Ok(self.controls.push(control))
    }

    fn watch_port(
        &mut self,
        network: &mut Network,
        calendar: &mut Calendar,
        control: ControlId,
        id: PortId,
        mechanism: &MechanismSpec,
    ) -> Result<(), Refusal> {
        let path = &format!("mechanisms.{}", mechanism.name);
        let needs = mechanism.detect.needs();
        let egress = needs.gives.has(Set::QUEUE);
        if egress {
            network.check_queue(id, mechanism, path)?;
        } else {
            network.check_memory(id, mechanism, path)?;
        }
        let watched = Watched::new(
            if egress {
                Place::Egress(id)
            } else {
                Place::Ingress(id)
            },
            mechanism.detect.clone(),
            mechanism.detect.rhythm(),
            needs.needs.has(Set::HOLDINGS),
        );
        let place = self.controls[control].watch(watched);
        self.add_voice(network, (control, place), id, egress, mechanism);
        if let (true, Some(buffer)) = (egress, network.ports[id].buffer.count()) {
            self.controls[control].pass_below_the_mark(place, buffer);
        }
        let port = &mut network.ports[id];
        let (node, local) = (port.node, port.local as usize);
        let slot = match egress {
            true => &mut port.watch,
            false => &mut network.nodes[node].watch[local],
        };
        if slot.replace((control, place)).is_some() {
            let what = format!("{} is watched twice", network.ports[id].more.name);
            return refuse(format!("{path}.at"), what, "let one mechanism watch it");
        }
        if let Some(rhythm) = self.controls[control].rhythm(place) {
            let place = place as u8;
            let first = Time::ZERO + rhythm.period;
            calendar.push(first, Event::Observe { control, place });
        }
        Ok(())
    }

    /// Lets the notifier know a port, and whom it may tell. Where packets are marked, echoes to the same neighbours are read.
    fn add_voice(
        &mut self,
        network: &mut Network,
        (control, place): (ControlId, usize),
        id: PortId,
        egress: bool,
        of: &MechanismSpec,
    ) {
        let names = of.notify.standing().is_some_and(|t| t.addresses.is_some());
        let behind = names.then(|| network.reached_through(id));
        let port = &network.ports[id];
        let number = self.controls[control].number();
        let ports = network.nodes[port.node].ports.iter().enumerate();
        let obeying = ports
            .filter(|(_, p)| {
                let told = &network.ports[network.ports[**p].peer].more.responders;
                told.iter().any(|(mechanism, _)| *mechanism == number)
            })
            .fold(0u64, |set, (i, _)| set | 1 << i);
        let own = 1 << port.local;
        let audience = if egress {
            obeying & !own
        } else {
            obeying & own
        };
        if let (true, Some(terms)) = (self.controls[control].only_marks(), of.notify.standing()) {
            let node = &network.nodes[port.node];
            for (_, told) in (0..64)
                .zip(node.ports.clone())
                .filter(|(n, _)| audience >> n & 1 == 1)
            {
                network.read_echoes(told, number, terms);
            }
            return;
        }
        let voice = VoiceSpec {
            port: id,
            line: port.nominal_rate(),
            one_queue: egress && port.queues().len() == 1,
            audience,
            behind,
        };
        self.controls[control].add_voice(place, &voice);
    }
}

impl World {
    pub(in crate::world) fn add_mechanism(
        &mut self,
        spec: &Spec,
        number: usize,
        mechanism: &MechanismSpec,
    ) -> Result<(), Refusal> {
        self.shared.mechanisms.add_hearing(mechanism);
        if !mechanism.stations.is_empty() {
            check(spec, mechanism, &AIR)?;
            self.shared.network.check_addresses(mechanism)?;
            let media = &mut self.media;
            media.add_mechanism(&mut self.shared, spec, number, mechanism)?;
        }
        if mechanism.at.is_empty() {
            return Ok(());
        }
        check(spec, mechanism, &WIRE)?;
        self.shared.network.check_addresses(mechanism)?;
        let path = format!("mechanisms.{}", mechanism.name);
        let Some(terms) = mechanism.notify.standing() else {
            let what = "requests are 802.11 management frames";
            return refuse(format!("{path}.notify"), what, "name stations");
        };
        if terms.cast == Cast::Group {
            let what = "a control frame on a wire goes to one neighbour";
            return refuse(format!("{path}.notify.cast"), what, "write cast = \"each\"");
        }
        if asks_to_stop(&mechanism.respond) {
            self.shared.mechanisms.inspect = Some(INSPECT);
        }
        for port in &mechanism.at {
            let id: PortId = Id::new(*port);
            self.shared.network.check_node(spec, id, &path)?;
            let control = self.control_at(spec, number, id, &path, terms)?;
            self.shared.mechanisms.watch_port(
                &mut self.shared.network,
                &mut self.shared.run.calendar,
                control,
                id,
                mechanism,
            )?;
        }
        Ok(())
    }

    /// Who speaks for a mechanism at the node of a port; made if nobody does.
    fn control_at(
        &mut self,
        spec: &Spec,
        number: usize,
        id: PortId,
        path: &str,
        terms: &Terms,
    ) -> Result<ControlId, Refusal> {
        let Shared {
            network,
            mechanisms,
            ..
        } = &mut self.shared;
        let node = network.ports[id].node;
        let Some(control) = mechanisms.voice(spec, number, node, terms) else {
            return mechanisms.new_control(network, spec, number, node, terms);
        };
        let other = &spec.mechanisms[mechanisms.controls[control].number() as usize];
        if other.notify.standing().is_some_and(|t| t.alike(terms)) {
            return Ok(control);
        }
        let what = format!(
            "mechanism {} sends another PAUSE at {}, and a neighbour has one timer for all",
            other.name, network.nodes[node].name
        );
        let fix = "give both the same kind, quanta and refresh";
        refuse(format!("{path}.notify"), what, fix)
    }
}

/// Whether those who are told are asked to stop, not to slow down.
pub(crate) fn asks_to_stop(respond: &AnyResponder) -> bool {
    respond.ask(Rate(1), 1).is_none()
}

pub(crate) fn obeys(spec: &Spec, node: NodeId) -> bool {
    match spec.nodes[node.index()].kind {
        NodeKind::Host { obeys } => obeys,
        _ => true,
    }
}
