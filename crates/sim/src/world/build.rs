//! From a `Spec` to a world, or a refusal that names the field. After this nothing fails.

pub(crate) mod boxes;
mod cards;
mod check_mechanisms;
mod fabrics;
mod flows;
pub(super) mod graph;
mod link_events;
pub(crate) mod mechanisms;
mod nodes;
mod notices;
mod ports;
mod reach;
mod refills;
mod routes;
mod stamps;
mod storms;
mod trace;
mod wanted;

use std::collections::BTreeSet;

use backwater_transport::units::{Span, Time};

use super::World;
use super::clock::Clock;
use super::connect::{ack_flows, of_data};
use crate::ends::Ends;
use crate::event::Event;
use crate::ids::PortId;
use crate::injection::Injections;
use crate::link_steps::LinkEvents;
use crate::mechanism::Mechanisms;
use crate::medium::Media;
use crate::network::{Network, Traits};
use crate::shared::Shared;
use crate::spec::{Refusal, Spec};

pub(crate) fn refuse<T>(
    path: impl Into<String>,
    what: impl Into<String>,
    fix: impl Into<String>,
) -> Result<T, Refusal> {
    Err(Refusal {
        path: path.into(),
        what: what.into(),
        fix: fix.into(),
    })
}

/// With more ports than this the state that a hop touches does not stay in the fastest cache.
const CROWD: usize = 500;

impl World {
    /// Builds a world.
    ///
    /// # Errors
    /// Names the field of the scenario that cannot work.
    pub fn build(spec: &Spec) -> Result<World, Refusal> {
        check_times(spec)?;
        if spec.flows.iter().any(|f| f.to.is_nearest()) {
            return World::build(&World::with_nearest(spec)?);
        }
        let connections = spec.flows.iter().filter(|f| f.transport.is_some());
        match connections.count() {
            0 => World::build_all(spec),
            _ => {
                let mut whole = spec.clone();
                whole.flows.extend(ack_flows(&spec.flows)?);
                World::build_all(&whole).map_err(of_data)
            }
        }
    }

    fn build_all(spec: &Spec) -> Result<World, Refusal> {
        let mut world = World::empty(spec);
        world.shared.network.add_nodes(spec)?;
        world.shared.network.add_ports(spec)?;
        world.shared.network.add_flows(spec)?;
        world.media.survey(&mut world.shared.network, spec)?;
        world.shared.network.add_rows(spec.seed);
        world.add_routes(spec, &BTreeSet::new())?;
        let media = &mut world.media;
        media.add_groups(&mut world.shared.network, spec)?;
        world.trace_flows(spec)?;
        for flow in &mut world.shared.network.flows.0 {
            let ports = &world.shared.network.ports;
            let served = |p: &PortId| ports[*p].more.service.server().is_some();
            flow.stats.age = flow.path.iter().any(served).then(Box::default);
        }
        world.shared.network.add_variance_times(spec)?;
        world.connect(spec);
        for (number, mechanism) in spec.mechanisms.iter().enumerate() {
            world.add_mechanism(spec, number, mechanism)?;
        }
        world.add_stamps(spec)?;
        world.shared.network.check_queues()?;
        world.shared.network.add_refills(spec)?;
        world.add_cards(spec)?;
        world.limit_queues(spec)?;
        world.check_signals(spec)?;
        world.check_notices(spec)?;
        let Shared {
            network,
            mechanisms,
            ..
        } = &mut world.shared;
        world.media.fill_windows(network);
        network.mark_watched_ports(mechanisms);
        world.shared.network.add_boxes(spec);
        world.media.build(&mut world.shared, spec)?;
        world.add_link_events(spec)?;
        if world.shared.network.ports.len() > CROWD {
            world.shared.run.calendar.prefetch();
        }
        for id in world.shared.network.flows.ids() {
            let after = spec.flows[id.index()].after.as_ref();
            if after.is_some_and(|after| after.lead == 0) {
                continue;
            }
            world.shared.network.ask(
                &mut world.shared.run.calendar,
                id,
                Time(spec.flows[id.index()].start.0),
            );
        }
        let calendar = &mut world.shared.run.calendar;
        if spec.warmup > Span::ZERO {
            calendar.push(world.clock.warm, Event::Warm);
        }
        if let Some(every) = world.shared.mechanisms.inspect {
            calendar.push(Time::ZERO + every, Event::Inspect);
        }
        Ok(world)
    }

    pub(super) fn empty(spec: &Spec) -> World {
        World {
            clock: Clock::new(Time(spec.duration.0), Time(spec.warmup.0)),
            shared: Shared::default(),
            media: Media::default(),
            ends: Ends::default(),
            injections: Injections::default(),
            link_events: LinkEvents::default(),
            reseeds: Vec::new(),
            skip: None,
        }
    }
}

impl Network {
    /// Says of each port who is told of its frames.
    fn mark_watched_ports(&mut self, mechanisms: &Mechanisms) {
        for port in &mut self.ports.0 {
            let wire = !port.more.service.has_instants() && port.more.managed.is_none();
            let plain = port.watch.is_none() && !port.is(Traits::ACCOUNTED) && wire;
            port.set(Traits::WATCHED, !plain || port.waits_at_medium());
            port.set(Traits::DETECTED, port.watch.is_some());
            let times = |(control, place)| mechanisms.controls[control].times(place);
            port.set(Traits::TIMED, port.watch.is_some_and(times));
            let ledger = self.nodes[port.node].ledger.is_some();
            port.set(Traits::LEDGER, port.is(Traits::ACCOUNTED) && ledger);
            if port.watch.is_some() && port.more.managed.is_some() {
                // Whether losses on departure bring relief cannot be foreseen.
                port.set(Traits::ATTENTIVE | Traits::WAKEFUL, true);
            }
        }
    }
}

fn check_times(spec: &Spec) -> Result<(), Refusal> {
    if spec.duration == Span::ZERO {
        return refuse(
            "duration",
            "a run of no duration",
            "write a duration such as \"60 s\"",
        );
    }
    if spec.duration.0 > u64::MAX / 4 {
        return refuse(
            "duration",
            "a run lasts at most 53 days",
            "write a shorter duration",
        );
    }
    if spec.warmup >= spec.duration {
        return refuse(
            "warmup",
            "the warm-up takes the whole run",
            "write a warm-up shorter than the duration",
        );
    }
    Ok(())
}
