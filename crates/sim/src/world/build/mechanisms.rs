//! Mechanisms at ports of switches: what watches a port, and who speaks for it at its node.

use backwater_transport::controller::Controller;
use backwater_transport::endpoint::EcnFeedback;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Rate, Span, Time};

use super::refuse;
use crate::calendar::Calendar;
use crate::event::Event;
use crate::ids::{ControlId, NodeId, PortId};
use crate::limit::Limit;
use crate::mechanism::carrier::{CarriedBy, Toward, quantum};
use crate::mechanism::control::{Control, Memory, Watched};
use crate::mechanism::detector::Detector;
use crate::mechanism::gates::Gates;
use crate::mechanism::needs::Set;
use crate::mechanism::notice::Form;
use crate::mechanism::notifier::standing::{MAX_NEIGHBOURS, Standing};
use crate::mechanism::notifier::voice::VoiceSpec;
use crate::mechanism::notifier::{Cast, Terms};
use crate::mechanism::place::Place;
use crate::mechanism::responder::{AnyResponder, Responder};
use crate::mechanism::{Echo, Mechanisms, legal};
use crate::medium::offer::Offer;
use crate::medium::{AIR, WIRE};
use crate::network::{Network, Traits};
use crate::record::frame_bytes::MOST_MAPPED;
use crate::spec::{MechanismSpec, NodeKind, Refusal, Spec, TransportSpec};
use crate::switch::Ledger;
use crate::table::Id;
use crate::world::World;

/// How often gates are looked at for a deadlock.
const INSPECT: Span = Span::millis(10);
/// Hosts that a header field can name: 20 bytes and an address each fit the 482 bytes of an envelope frame (802.3as).
const MOST_IN_FIELD: usize = (482 - 20) / 6;

impl Network {
    /// A notice can name so many hosts only.
    fn check_addresses(&self, mechanism: &MechanismSpec) -> Result<(), Refusal> {
        let terms = mechanism.notify.standing();
        let most = match mechanism.notify.carried_by() {
            CarriedBy::Header => MOST_IN_FIELD,
            CarriedBy::Frame | CarriedBy::Mark => MOST_MAPPED,
        };
        if terms.is_some_and(|t| t.addresses.is_some()) && self.hosts.len() > most {
            let what = format!(
                "a notice can name {most} hosts, and there are {} hosts",
                self.hosts.len()
            );
            return refuse(
                format!("mechanisms.{}.notify", mechanism.name),
                what,
                "take a notifier that names classes",
            );
        }
        Ok(())
    }

    /// Whether back-pressure can be at the node of a port.
    fn check_node(&self, spec: &Spec, id: PortId, path: &str) -> Result<(), Refusal> {
        let node = self.ports[id].node;
        let at = |what: String, fix: &str| refuse(format!("{path}.at"), what, fix);
        if self.nodes[node].host.is_some() {
            return at(
                format!("{} is a port of a host", self.ports[id].more.name),
                "back-pressure watches ports of switches",
            );
        }
        let special = |p: &PortId| spec.links[p.index() / 2].ways.iter().any(Option::is_some);
        if let Some(port) = self.nodes[node].ports.iter().find(|p| special(p)) {
            let what = format!(
                "{} is not a symmetric Ethernet link",
                self.ports[*port].more.name
            );
            return at(what, "back-pressure travels over wires, both ways");
        }
        if self.nodes[node].ports.len() > MAX_NEIGHBOURS {
            return at(
                format!("a switch with back-pressure has at most {MAX_NEIGHBOURS} ports"),
                "use a smaller switch",
            );
        }
        Ok(())
    }

    /// A detector of output queues needs class queues with a limit.
    fn check_queue(&self, id: PortId, of: &MechanismSpec, path: &str) -> Result<(), Refusal> {
        let port = &self.ports[id];
        let name = &port.more.name;
        if port.chooses_itself() {
            return refuse(
                format!("{path}.at"),
                format!(
                    "the queue at {name} keeps flows apart, not classes that a detector could watch"
                ),
                "give the port a queue such as strict-priority, codel or red",
            );
        }
        if port.buffer == Limit::Unlimited && of.detect.needs().needs.has(Set::BOUND) {
            return refuse(
                format!("{path}.at"),
                format!("{name} has no limit that its marks could be a share of"),
                "give the port a buffer",
            );
        }
        Ok(())
    }

    /// The echoes in the ACKs that leave a port tell its neighbour of a mechanism's marks.
    fn read_echoes(&mut self, id: PortId, mechanism: u32, terms: &Terms) {
        let port = &mut self.ports[id];
        let echoes = &mut port.more.carried.get_or_insert_default().echoes;
        if !echoes.iter().any(|echo| echo.is_of(mechanism)) {
            echoes.push(Echo::new(mechanism, terms));
        }
        port.set(Traits::CARRIES, true);
    }

    /// A detector of what came in needs accounts, or shared memory.
    fn check_memory(
        &mut self,
        id: PortId,
        mechanism: &MechanismSpec,
        path: &str,
    ) -> Result<(), Refusal> {
        let node = self.ports[id].node;
        let ports = self.nodes[node].ports.clone();
        let has_pool = self.nodes[node].pool.is_some();
        if has_pool != mechanism.detect.needs().needs.has(Set::POOL) {
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
        Ok(())
    }
}

impl Mechanisms {
    /// Who speaks for a mechanism at a node already. PAUSE and PFC carry no origin, so at one node all
    /// mechanisms that send them have one voice.
    fn voice(
        &self,
        number: usize,
        node: NodeId,
        mechanism: &MechanismSpec,
        terms: &Terms,
    ) -> Option<ControlId> {
        let stops = stops_by_class(mechanism, terms);
        let speaks = |c: &ControlId| {
            let c = &self.controls[*c];
            let moves = || c.only_marks() || c.standing().is_some_and(Standing::moves_gates);
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
        mechanism: &MechanismSpec,
        terms: &Terms,
    ) -> Result<ControlId, Refusal> {
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
        if terms.carrier == CarriedBy::Mark {
            let control = Control::new(node, number as u32, Memory::Marks);
            return Ok(self.controls.push(control));
        }
        let ports = network.nodes[node].ports.iter();
        let neighbours = ports.map(|p| (Toward::Port(*p), quantum(network.ports[*p].more.rate)));
        let respond = mechanism.respond.clone();
        let standing = Standing::new(terms.clone(), number as u32, respond, neighbours);
        let memory = Memory::Standing(Box::new(standing));
        Ok(self
            .controls
            .push(Control::new(node, number as u32, memory)))
    }

    fn watch_port(
        &mut self,
        network: &mut Network,
        calendar: &mut Calendar,
        control: ControlId,
        id: PortId,
        mechanism: &MechanismSpec,
        path: &str,
    ) -> Result<(), Refusal> {
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
        self.add_voice(network, control, id, egress, mechanism);
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

    /// Adds a port to the memory of who was told. Where packets are marked, echoes to the same neighbours are read.
    fn add_voice(
        &mut self,
        network: &mut Network,
        control: ControlId,
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
            line: port.more.rate,
            one_queue: egress && port.queues().len() == 1,
            audience,
            behind,
        };
        let standing = self.controls[control].standing_mut();
        standing.expect("standing notices on wires").add(voice);
    }
}

impl World {
    pub(in crate::world) fn add_mechanism(
        &mut self,
        spec: &Spec,
        number: usize,
        mechanism: &MechanismSpec,
    ) -> Result<(), Refusal> {
        if !mechanism.stations.is_empty() {
            check(spec, mechanism, &AIR)?;
            self.network.check_addresses(mechanism)?;
            self.add_to_stations(spec, number, mechanism)?;
        }
        if mechanism.at.is_empty() {
            return Ok(());
        }
        check(spec, mechanism, &WIRE)?;
        self.network.check_addresses(mechanism)?;
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
            self.mechanisms.inspect = Some(INSPECT);
        }
        for port in &mechanism.at {
            let id: PortId = Id::new(*port);
            self.network.check_node(spec, id, &path)?;
            let node = self.network.ports[id].node;
            let control = match self.mechanisms.voice(number, node, mechanism, terms) {
                Some(c) if self.mechanisms.controls[c].speaks_like(Some(terms)) => c,
                Some(c) => {
                    let other =
                        &spec.mechanisms[self.mechanisms.controls[c].number() as usize].name;
                    let what = format!(
                        "mechanism {other} sends another PAUSE at {}, and a neighbour has one timer for all",
                        self.network.nodes[node].name
                    );
                    return refuse(
                        format!("{path}.notify"),
                        what,
                        "give both the same kind, quanta and refresh",
                    );
                }
                None => self.mechanisms.new_control(
                    &mut self.network,
                    spec,
                    number,
                    node,
                    mechanism,
                    terms,
                )?,
            };
            self.mechanisms.watch_port(
                &mut self.network,
                &mut self.clock.calendar,
                control,
                id,
                mechanism,
                &path,
            )?;
        }
        Ok(())
    }
}

/// Refuses parts that can't work together on a medium.
fn check(spec: &Spec, mechanism: &MechanismSpec, medium: &Offer) -> Result<(), Refusal> {
    let parts = [
        mechanism.detect.needs(),
        mechanism.notify.needs(),
        mechanism.respond.needs(),
    ];
    let by = mechanism.notify.carried_by();
    let carrier = medium
        .carrier(by)
        .expect("wires and radios have all carriers");
    legal::check(parts, medium, carrier).or_else(|illegal| {
        let section = illegal.third.section();
        let path = format!("mechanisms.{}.{section}", mechanism.name);
        refuse(path, format!("this part {}", illegal.reason), illegal.fix)
    })?;
    let takes_marks =
        |t: &TransportSpec| t.sender.ecn != EcnFeedback::Off || t.controller.ecn() != Ecn::NotEct;
    let transports = || spec.flows.iter().filter_map(|f| f.transport.as_ref());
    if by == CarriedBy::Mark && !transports().any(takes_marks) {
        return refuse(
            format!("mechanisms.{}.notify.carrier", mechanism.name),
            "no flow's transport takes marks, so nothing would echo one",
            "write marks = \"classic\" for a flow, or carrier = \"header\"",
        );
    }
    Ok(())
}

/// Whether those who are told are asked to stop, not to slow down.
fn asks_to_stop(respond: &AnyResponder) -> bool {
    respond.ask(Rate(1), 1).is_none()
}

/// Whether notices stop classes and carry no origin.
fn stops_by_class(mechanism: &MechanismSpec, terms: &Terms) -> bool {
    terms.form != Form::Extension && asks_to_stop(&mechanism.respond)
}

fn obeys(spec: &Spec, node: NodeId) -> bool {
    match spec.nodes[node.index()].kind {
        NodeKind::Host { obeys } => obeys,
        NodeKind::Switch(_) | NodeKind::Station(_) => true,
    }
}
