//! What watches a port, and who speaks for it at its node.

use backwater_transport::units::Span;

use super::super::World;
use super::refuse;
use crate::ids::{ControlId, NodeId, PortId};
use crate::limit::Limit;
use crate::mechanism::control::{Control, MAX_NEIGHBOURS, NeighbourSpec, PlaceSpec};
use crate::mechanism::detector::{Detector, Watch};
use crate::mechanism::gates::Gates;
use crate::mechanism::notice::Form;
use crate::mechanism::responder::AnyResponder;
use crate::spec::{MechanismSpec, NodeKind, Refusal, Spec};
use crate::switch::Ledger;
use crate::table::Id;

/// How often gates are looked at for a deadlock.
const INSPECT: Span = Span::millis(10);
/// Addresses an extension frame has room for.
const MAX_ADDRESSES: usize = 246;

impl World {
    pub(super) fn add_mechanism(
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
            let id: PortId = Id::new(*port);
            let node = self.ports[id].node;
            let at = |what: String, fix: &str| refuse(format!("{path}.at"), what, fix);
            let name = self.ports[id].more.name.clone();
            if self.nodes[node].host.is_some() {
                return at(
                    format!("{name} is a port of a host"),
                    "back-pressure watches ports of switches",
                );
            }
            let special = |p: &PortId| spec.links[p.index() / 2].ways.iter().any(Option::is_some);
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
    fn voice(&self, number: usize, node: NodeId, mechanism: &MechanismSpec) -> Option<ControlId> {
        let stops = matches!(mechanism.respond, AnyResponder::Gate)
            && mechanism.notify.form != Form::Extension;
        let speaks = |c: &ControlId| {
            let c = &self.controls[*c];
            c.node() == node && (c.number() == number as u32 || stops && c.moves_gates())
        };
        self.controls.ids().find(speaks)
    }

    fn new_control(
        &mut self,
        spec: &Spec,
        number: usize,
        node: NodeId,
        mechanism: &MechanismSpec,
    ) -> Result<ControlId, Refusal> {
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
        control: ControlId,
        id: PortId,
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
}

fn obeys(spec: &Spec, node: NodeId) -> bool {
    match spec.nodes[node.index()].kind {
        NodeKind::Host { obeys } => obeys,
        NodeKind::Switch(_) | NodeKind::Station(_) => true,
    }
}
