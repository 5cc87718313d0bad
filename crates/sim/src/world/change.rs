//! The changes that a caller may make while a world runs. Whatever has begun ends as it began: the frame in transmission keeps its
//! rate, and packets in queues stay. A part that remembers the old value for good is a reason to refuse.

use backwater_transport::units::{Rate, Time};

use super::World;
use crate::event::Event;
use crate::ids::{FlowId, PortId};
use crate::medium::boxes::AnyBox;
use crate::medium::service::Service;
use crate::network::Role;
use crate::source::{AnySource, Source};
use crate::spec::Unchangeable;

mod ends;
mod queue;
mod wire;

fn refuse<T>(what: impl Into<String>, fix: &'static str) -> Result<T, Unchangeable> {
    let what = what.into();
    Err(Unchangeable { what, fix })
}

const FROM_START: &str = "write it into the scenario, and run that from its beginning";

impl World {
    /// A wire has another line rate from now on. The frame in transmission ends as it began.
    ///
    /// # Errors
    /// Something at the wire's ends reckons with its rate.
    pub fn change_rate(&mut self, id: PortId, rate: Rate) -> Result<(), Unchangeable> {
        self.may_change_rate(id)?;
        self.set_rate(id, rate);
        Ok(())
    }

    /// Replays what fell due at a port.
    pub(super) fn bring_up_to_date(&mut self, id: PortId) {
        let now = self.clock.now;
        self.shared.catch_up(id, now);
        self.post_all(now);
    }

    /// The same where nothing stands in the way.
    pub(super) fn set_rate(&mut self, id: PortId, rate: Rate) {
        let now = self.clock.now;
        self.bring_up_to_date(id);
        self.shared.network.ports[id].change_rate(rate, now);
    }

    pub(super) fn may_change_rate(&self, id: PortId) -> Result<(), Unchangeable> {
        let port = &self.shared.network.ports[id];
        let name = &port.more.name;
        if !matches!(port.more.service, Service::Line) {
            let what = format!("`{name}` has no line rate: its packets leave as its trace says");
            return refuse(what, FROM_START);
        }
        if !port.more.laws.is_empty() {
            let what =
                format!("the law of explicit feedback at `{name}` has read the rate at its start");
            return refuse(what, FROM_START);
        }
        let controls = &self.shared.mechanisms.controls;
        let told = |end| controls.iter().any(|control| control.node() == end);
        if let Some(end) = [port.node, port.far].into_iter().find(|end| told(*end)) {
            let node = &self.shared.network.nodes[end].name;
            let what = format!("the mechanism at `{node}` reckons its notices with the line rate");
            return refuse(what, FROM_START);
        }
        let measured = |flow: FlowId| {
            let flow = &self.shared.network.flows[flow];
            flow.variance_time.is_some() && flow.path.first() == Some(&id)
        };
        if self.shared.network.flows.ids().any(measured) {
            let what = format!("the Hurst parameter of a flow is measured in bits of `{name}`");
            return refuse(what, "remove `hurst` from the flow");
        }
        Ok(())
    }

    /// The boxes in front of a port's queue become these, of the same kinds in the same order. Packets that are in a box come
    /// out when it told them to.
    ///
    /// # Errors
    /// There are other boxes, or one that changes has a state.
    pub fn change_boxes(
        &mut self,
        main: PortId,
        [before, boxes]: [&[AnyBox]; 2],
    ) -> Result<(), Unchangeable> {
        let name = self.shared.network.ports[main].more.name.clone();
        // The last box before the queue was made first.
        let stages: Vec<PortId> = self.shared.network.stages_before(main).collect();
        if stages.len() != boxes.len() || before.len() != boxes.len() {
            let what = format!("the boxes before `{name}` would be others");
            return refuse(what, FROM_START);
        }
        let changed = stages.iter().rev().zip(boxes).zip(before);
        for ((id, new), _) in changed.filter(|((_, new), old)| new != old) {
            self.change_box(*id, new)?;
        }
        Ok(())
    }

    /// A box becomes another one of its kind. Packets in it come out when it told them to.
    ///
    /// # Errors
    /// It is of another kind, or there is no box.
    pub fn change_box(&mut self, id: PortId, new: &AnyBox) -> Result<(), Unchangeable> {
        let port = &mut self.shared.network.ports[id].more;
        let Service::Box(stage) = &mut port.service else {
            return refuse(format!("`{}` is no box", port.name), "name a box");
        };
        let Some(new) = new.in_place_of(&stage.what) else {
            let what = format!("the box `{}` would be of another kind", port.name);
            return refuse(what, FROM_START);
        };
        stage.what = new;
        Ok(())
    }

    /// A flow has another source in place of the one it began with. It begins now, or at the flow's start if that is to
    /// come. The demand that was to come next is forgotten.
    ///
    /// # Errors
    /// Something other than the source decides when the flow sends.
    pub fn change_source(
        &mut self,
        id: FlowId,
        [first, source]: [AnySource; 2],
        start: Time,
    ) -> Result<(), Unchangeable> {
        let flow = &self.shared.network.flows[id];
        let name = &flow.name;
        for source in [&first, &source] {
            let what = if source.is_of_caller() {
                "the caller injects the packets of a source `outside`"
            } else if source.waits() {
                "the source waits for answers, and one may be under way"
            } else if source.fill().is_some() {
                "a saturated source keeps the queue of its host filled from the beginning"
            } else if source.endless() {
                "a source without an end has written all it will ever send"
            } else {
                continue;
            };
            return refuse(format!("flow `{name}`: {what}"), FROM_START);
        }
        if source.needs_transport() && flow.role == Role::None {
            let what = format!("flow `{name}` has no transport, which this source needs");
            return refuse(what, FROM_START);
        }
        let now = self.clock.now;
        self.shared.run.calendar.cancel(Event::Demand(id));
        let flow = &mut self.shared.network.flows[id];
        flow.source = source;
        if now < flow.stop {
            self.shared
                .network
                .ask(&mut self.shared.run.calendar, id, now.max(start));
        }
        Ok(())
    }

    /// A flow's source ends at another instant.
    ///
    /// # Errors
    /// That instant is past, or the source has ended.
    pub fn change_stop(&mut self, id: FlowId, stop: Time) -> Result<(), Unchangeable> {
        let now = self.clock.now;
        let flow = &mut self.shared.network.flows[id];
        let name = &flow.name;
        let connection = match flow.role {
            Role::Data(connection) => Some(connection),
            Role::None | Role::Acks(_) => None,
        };
        if connection.is_some_and(|c| self.ends.progress.reckons_with(c)) {
            let what = format!(
                "flow `{name}` counts in the figures of sharing over time to the end of the run"
            );
            return refuse(what, FROM_START);
        }
        if flow.stop <= now {
            let what = format!(
                "flow `{name}` ended at {}, and the present is {now}",
                flow.stop
            );
            return refuse(what, "fork earlier");
        }
        if stop < now {
            let what = format!("{stop} lies before {now}, the present");
            return refuse(what, "write a later instant, or fork earlier");
        }
        flow.stop = stop;
        if let Some(connection) = connection {
            self.ends.connections[connection].stop = stop;
        }
        Ok(())
    }
}
