//! Refusals of a mechanism before it is built: parts that can't work together on a medium, and places that lack
//! a need of a part.

use backwater_transport::controller::Controller;
use backwater_transport::endpoint::EcnFeedback;
use backwater_transport::segment::Ecn;

use super::refuse;
use crate::ids::PortId;
use crate::limit::Limit;
use crate::mechanism::carrier::CarriedBy;
use crate::mechanism::detector::Detector;
use crate::mechanism::legal;
use crate::mechanism::needs::Set;
use crate::mechanism::notifier::standing::MAX_NEIGHBOURS;
use crate::mechanism::responder::Responder;
use crate::medium::offer::Offer;
use crate::network::Network;
use crate::spec::{MechanismSpec, Refusal, Spec, TransportSpec};
use crate::switch::Ledger;
use backwater_wire::ethernet::MOST_MAPPED;

/// Hosts that a header field can name: 20 bytes and an address each fit the 482 bytes of an envelope frame (802.3as).
const MOST_IN_FIELD: usize = (482 - 20) / 6;

impl Network {
    /// A notice can name so many hosts only.
    pub(super) fn check_addresses(&self, mechanism: &MechanismSpec) -> Result<(), Refusal> {
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
    pub(super) fn check_node(&self, spec: &Spec, id: PortId, path: &str) -> Result<(), Refusal> {
        let node = self.ports[id].node;
        let at = |what: String, fix: &str| refuse(format!("{path}.at"), what, fix);
        if self.nodes[node].host.is_some() {
            return at(
                format!("{} is a port of a host", self.ports[id].more.name),
                "back-pressure watches ports of switches",
            );
        }
        let special = |p: &PortId| {
            spec.links[p.index() / 2]
                .directions
                .iter()
                .any(Option::is_some)
        };
        // A watched port may send in slots: its own far end is not told.
        let slots = |p: &PortId| *p == id && self.ports[id].more.service.terminal().is_some();
        let mut ports = self.nodes[node].ports.iter();
        if let Some(port) = ports.find(|p| special(p) && !slots(p)) {
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
    pub(super) fn check_queue(
        &self,
        id: PortId,
        of: &MechanismSpec,
        path: &str,
    ) -> Result<(), Refusal> {
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

    /// A detector of what came in needs accounts, or shared memory.
    pub(super) fn check_memory(
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

/// Refuses parts that can't work together on a medium.
pub(super) fn check(spec: &Spec, mechanism: &MechanismSpec, medium: &Offer) -> Result<(), Refusal> {
    let parts = [
        mechanism.detect.needs(),
        mechanism.notify.needs(),
        mechanism.respond.needs(),
    ];
    let by = mechanism.notify.carried_by();
    let carrier = medium
        .carrier(by)
        .expect("wires and 802.11 have all carriers");
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
