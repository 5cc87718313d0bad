//! Another buffer, scheduler or queue management at a port. Frames that wait stay, in the order in which they came, also where
//! a smaller buffer would not have taken them: it refuses what comes until there is room.

use backwater_transport::units::Time;

use super::{FROM_START, refuse};
use crate::ids::{PacketId, PortId};
use crate::limit::Limit;
use crate::network::{Network, Port, Traits};
use crate::packet::List;
use crate::queue::aqm::Aqm;
use crate::queue::{AnyScheduler, ClassQueue, Managed, Scheduler};
use crate::spec::Unchangeable;
use crate::table::Id;
use crate::world::World;

impl World {
    /// A port has another buffer from now on.
    ///
    /// # Errors
    /// Something at the port reckons with its buffer, or a frame of its flows does not fit.
    pub fn change_buffer(&mut self, id: PortId, buffer: Limit) -> Result<(), Unchangeable> {
        self.may_change_queue(id, "buffer")?;
        let frame = self.longest_frame(id);
        if matches!(buffer, Limit::Bytes(b) if b.0 < frame) || buffer == Limit::Packets(0) {
            let name = &self.shared.network.ports[id].more.name;
            let what = format!("the buffer at {name} cannot hold one frame of {frame} B");
            return refuse(what, "write a larger buffer");
        }
        self.bring_up_to_date(id);
        let port = &mut self.shared.network.ports[id];
        port.buffer = buffer;
        port.set(Traits::LIMITED, buffer != Limit::Unlimited);
        Ok(())
    }

    /// A port has the scheduler, the queue management and the buffer of that port in a world that has not begun. Queue
    /// management begins its state anew; its random stream goes on, if it had one.
    ///
    /// # Errors
    /// Something at the port reckons with its queues.
    pub fn change_queue(&mut self, id: PortId, fresh: &World) -> Result<(), Unchangeable> {
        self.may_change_queue(id, "queue")?;
        let port = &self.shared.network.ports[id];
        let name = &port.more.name;
        if port.gates.is_some() {
            let what = format!("gates of back-pressure hold frames of `{name}` by its queues");
            return refuse(what, FROM_START);
        }
        if port.more.trim.is_some() {
            let what = format!("`{name}` sends headers of frames in a class queue of their own");
            return refuse(what, FROM_START);
        }
        self.bring_up_to_date(id);
        let now = self.clock.now;
        let new = &fresh.shared.network.ports[id];
        let mut managed = new.more.managed.clone();
        let scheduler = new.scheduler.clone();
        if let Some(managed) = &mut managed {
            for by in &self.reseeds {
                managed.rekey(*by);
            }
            if let Some(old) = &mut self.shared.network.ports[id].more.managed {
                managed.random = old.random.clone();
                if let (Some(new), Some(old)) = (managed.aqm.stream(), old.aqm.stream()) {
                    *new = old.clone();
                }
            }
        }
        self.shared
            .network
            .replace_queue(id, scheduler, managed, now);
        let port = &mut self.shared.network.ports[id];
        port.buffer = new.buffer;
        port.set(Traits::LIMITED, new.buffer != Limit::Unlimited);
        if port.waiting > 0 {
            port.retry(now);
        }
        self.bring_up_to_date(id);
        Ok(())
    }

    fn may_change_queue(&self, id: PortId, what: &str) -> Result<(), Unchangeable> {
        let network = &self.shared.network;
        let port = &network.ports[id];
        let name = &port.more.name;
        let node = &network.nodes[port.node];
        let controls = &self.shared.mechanisms.controls;
        if port.watch.is_some() || controls.iter().any(|c| c.node() == port.node) {
            let what = format!(
                "the mechanism at `{}` reckons with the {what} of `{name}`",
                node.name
            );
            return refuse(what, FROM_START);
        }
        if port.is(Traits::ACCOUNTED) {
            let what = format!("the shared memory of `{}` counts by class queue", node.name);
            return refuse(what, FROM_START);
        }
        if !port.more.laws.is_empty() {
            let what = format!("a law of explicit feedback reckons with the {what} of `{name}`");
            return refuse(what, FROM_START);
        }
        if port.is(Traits::REFILLED) {
            let what = format!("a saturated source keeps the {what} of `{name}` filled");
            return refuse(what, FROM_START);
        }
        if port.is(Traits::QUEUELESS) || port.more.service.terminal().is_some() {
            let what = format!("frames of `{name}` wait at a medium that several share");
            return refuse(what, FROM_START);
        }
        Ok(())
    }

    /// The longest frame of the flows whose path leads over a port; of all flows, where paths are not known.
    fn longest_frame(&self, id: PortId) -> u64 {
        let flows = self.shared.network.flows.iter();
        let over = flows.filter(|flow| flow.path.is_empty() || flow.path.contains(&id));
        let frames = over.map(|flow| crate::packet::frame(flow.packet));
        frames.max().unwrap_or(0)
    }
}

impl Network {
    /// Gives a port that nobody watches other queues, with the frames that wait in its present ones. Queue management takes them
    /// over as if it had stood at an idle port until now; it judges none of them.
    fn replace_queue(
        &mut self,
        id: PortId,
        scheduler: AnyScheduler,
        managed: Option<Box<Managed>>,
        now: Time,
    ) {
        let waiting = self.take_waiting(id);
        let port = &mut self.ports[id];
        port.set_queues(scheduler.classes());
        port.scheduler = scheduler;
        port.held = 0;
        let sending = port.queue_of(port.sending_class);
        let size = u64::from(port.sending);
        if size > 0 {
            port.queue_mut(sending).hold(size);
        }
        let plain = managed.is_none() && !port.more.service.has_instants();
        port.shut_until = match plain {
            true => Time::ZERO,
            false => Time::NEVER,
        };
        port.set(Traits::WATCHED, !plain || port.is(Traits::ATTENTIVE));
        port.more.managed = managed;
        if let Some(managed) = &mut port.more.managed {
            managed.aqm.emptied(now);
            self.update_aqm(id, now);
        }
        for packet in waiting {
            self.take_over(id, packet, now);
        }
    }

    /// Puts a frame that waits at a port into its queues, without an arrival.
    fn take_over(&mut self, id: PortId, packet: PacketId, now: Time) {
        let of = &self.packets[packet];
        let (size, class) = (of.frame(), of.class());
        let q = self.ports[id].queue_of(class);
        if self.ports[id].more.managed.is_some() {
            let frame = self.frame(id, packet, q, now);
            let (managed, _) = self.ports[id].managed();
            managed.aqm.take_over(&frame);
        }
        let port = &mut self.ports[id];
        port.queue_mut(q).hold(size);
        port.held |= 1 << q;
        self.packets.append(&mut port.queue_mut(q).list, packet);
        self.sort(id, packet);
    }

    /// Takes the frames that wait out of all queues of a port, in the order in which they came.
    fn take_waiting(&mut self, id: PortId) -> Vec<PacketId> {
        let port = &mut self.ports[id];
        let own = port.more.managed.iter_mut().flat_map(|m| &mut m.queues);
        let mut lists: Vec<List> = own.map(|q| std::mem::take(&mut q.list)).collect();
        for q in 0..port.queues().len() {
            lists.push(std::mem::take(&mut port.queue_mut(q).list));
        }
        let mut waiting = Vec::new();
        for mut list in lists {
            while !list.is_empty() {
                waiting.push(self.packets.take_after(&mut list, Id::NONE));
            }
        }
        waiting.sort_by_key(|packet| self.packets[*packet].at);
        waiting
    }
}

impl Port {
    /// Empty class queues, so many.
    fn set_queues(&mut self, classes: usize) {
        let several = classes > 1;
        self.queue = ClassQueue::default();
        self.queues = vec![ClassQueue::default(); if several { classes } else { 0 }];
        self.set(Traits::CLASSES, several);
    }
}
