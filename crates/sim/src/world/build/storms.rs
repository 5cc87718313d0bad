//! Cards of hosts that pause for ever, and watchdogs that free who is told: what their ports need, and what they cannot stand.

use super::refuse;
use crate::ids::PortId;
use crate::link_event::LinkEvent;
use crate::mechanism::gates::Gates;
use crate::mechanism::notice::{CARD, Form};
use crate::mechanism::responder::GATE;
use crate::network::Traits;
use crate::spec::{NodeKind, Refusal, Spec};
use crate::world::World;

impl World {
    /// Lets the far end of a host's wire obey the host's card; the port of the card.
    pub(super) fn add_storm(
        &mut self,
        spec: &Spec,
        link: usize,
        class: Option<u8>,
        event: &LinkEvent,
    ) -> Result<PortId, Refusal> {
        let is_host = |side: &usize| {
            let node = spec.links[link].ends[*side];
            matches!(spec.nodes[node].kind, NodeKind::Host { .. })
        };
        let path = format!("events.{}.links", event.name);
        let hosts: Vec<usize> = (0..2).filter(is_host).collect();
        let [side] = hosts[..] else {
            let what = format!(
                "link {} has {} hosts at its ends: it is the card of one that pauses",
                spec.links[link].name,
                hosts.len()
            );
            return refuse(path, what, "name links between a host and a switch");
        };
        let (card, told) = (
            PortId::new(2 * link + side),
            PortId::new(2 * link + 1 - side),
        );
        let port = &mut self.shared.network.ports[told];
        let name = &port.more.name;
        let classes = port.queues().len();
        if class.is_some() && port.chooses_itself() {
            let what = format!(
                "the queue at {name} chooses among flows itself and cannot hold back a class"
            );
            return refuse(
                path,
                what,
                "leave `class` out, or give the port a queue such as strict-priority",
            );
        }
        if class.is_some_and(|class| classes > 1 && usize::from(class) >= classes) {
            let what = format!("{name} has {classes} classes, so it has no such class to stop");
            return refuse(
                format!("events.{}.class", event.name),
                what,
                "write a lower class",
            );
        }
        port.gates.get_or_insert_with(|| Box::new(Gates::default()));
        if port.more.responders.iter().all(|(of, _)| *of != CARD) {
            port.more.responders.push((CARD, GATE));
        }
        Ok(card)
    }

    /// Refuses watchdogs at ports that nobody can pause by class, or that they cannot free.
    pub(super) fn check_watchdogs(&self, spec: &Spec) -> Result<(), Refusal> {
        let by_class = |of: &u32| {
            *of == CARD || {
                let mechanism = &spec.mechanisms[*of as usize];
                let stands = mechanism.notify.standing();
                stands.is_some_and(|t| {
                    t.form != Form::Extension && t.stop_classes(&mechanism.respond)
                })
            }
        };
        let ports = &self.shared.network.ports;
        let watched = |id: &PortId| ports[*id].more.watchdog.is_some();
        let watched: Vec<PortId> = ports.ids().filter(watched).collect();
        if let Some(first) = watched.first()
            && watched
                .iter()
                .all(|id| ports[*id].more.responders.is_empty())
        {
            let path = format!("ports.{}.watchdog", ports[*first].more.name);
            let what = "nobody can pause a port with a watchdog: no mechanism tells one to stop, and no event";
            let fix = "name the ports that PFC or PAUSE stops, or remove it";
            return refuse(path, what, fix);
        }
        for id in watched {
            let port = &ports[id];
            let path = format!("ports.{}.watchdog", port.more.name);
            let told = &port.more.responders;
            if !told.iter().all(|(of, _)| by_class(of)) {
                let what = "a mechanism tells this port to stop some destinations or to keep to a rate, and a watchdog \
                            frees classes";
                return refuse(path, what, "take PFC or PAUSE, or remove it");
            }
            if port.chooses_itself() {
                let what = "the queue of this port keeps flows apart, not classes";
                return refuse(
                    path,
                    what,
                    "give the port a queue such as strict-priority, codel or red",
                );
            }
            if port.is(Traits::REFILLED) {
                let what = "a saturated source keeps the queue of this port filled";
                return refuse(path, what, "take a source with a rate, or remove it");
            }
        }
        Ok(())
    }
}
