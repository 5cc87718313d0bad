//! Serving events up to an instant; `injections` has the rest of what a caller drives a world with.

use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use super::World;
use crate::event::{Event, Key};
use crate::ids::{FlowId, LawId, PacketId, PortId};
use crate::medium::{AirFrame, Handover};
use crate::network::{Flow, Part, Traits, Values};
use crate::packet::{Packet, Traffic};
use crate::prefetch;
use crate::record::Record;
use crate::source::Source;
use crate::table::Id;

/// How far a call to `advance_some` came.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Step {
    Served,
    Nothing,
}

impl World {
    /// The time reached.
    pub fn now(&self) -> Time {
        self.clock.now
    }

    /// The end of the scenario.
    pub fn end(&self) -> Time {
        self.clock.end
    }

    /// Events served.
    pub fn events(&self) -> u64 {
        self.clock.events
    }

    /// Frames received over a link, control frames included.
    pub fn packet_hops(&self) -> u64 {
        self.books.packet_hops
    }

    /// When something happens next.
    pub fn next_due(&mut self) -> Option<Time> {
        self.clock.calendar.next_at()
    }

    /// Serves all that is due up to and including `to`, which becomes the present.
    pub fn advance(&mut self, to: Time) {
        while self.step(to) == Step::Served {}
        self.clock.now = self.clock.now.max(to);
    }

    /// Serves at most `events` events up to the scenario's end; true when the end is reached.
    pub fn advance_some(&mut self, events: u64) -> bool {
        for _ in 0..events {
            if self.step(self.clock.end) == Step::Nothing {
                self.clock.now = self.clock.end;
                return true;
            }
        }
        false
    }

    /// From now on the values of laws of explicit feedback are kept.
    pub fn start_law_log(&mut self) {
        for law in &mut self.network.laws.0 {
            law.trail.get_or_insert_default();
        }
    }

    /// The values since the last call, by law.
    pub fn take_law_log(&mut self) -> Vec<(LawId, Vec<Values>)> {
        let taken = self.network.laws.0.iter_mut().map(|law| {
            let trail = law.trail.as_mut();
            trail.map(std::mem::take).unwrap_or_default()
        });
        let taken: Vec<Vec<Values>> = taken.collect();
        self.network.laws.ids().zip(taken).collect()
    }

    /// The events recorded since the last call, in order; empty unless the run is recorded.
    pub fn take_records(&mut self) -> Vec<Record> {
        self.books
            .record
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Records every event from now on. Call it before the first `advance`.
    pub fn start_recording(&mut self) {
        self.books.record = Some(Vec::new());
        self.unfuse();
        self.network
            .ports
            .0
            .iter_mut()
            .for_each(|p| p.set(Traits::WATCHED, true));
    }

    /// Frames of stations since the last call, up to the first that is still on the air; at the end of the run all.
    pub fn take_air_frames(&mut self, at_end: bool) -> Vec<AirFrame> {
        self.air
            .log
            .as_mut()
            .map(|log| log.take(at_end))
            .unwrap_or_default()
    }

    /// When the first frame began that is still on the air, of those that are kept.
    pub fn on_air_since(&self) -> Option<Time> {
        self.air.log.as_ref().and_then(|log| log.on_air_since())
    }

    /// Keeps every frame on the air from now on. Call it before the first `advance`.
    pub fn start_air_log(&mut self) {
        self.air.start_log();
    }

    /// Gives every departure an event of its own. Changes no result; a run that is recorded needs it
    /// so that records come in order.
    pub fn unfuse(&mut self) {
        assert_eq!(
            self.clock.now,
            Time::ZERO,
            "fusing is settled before the run"
        );
        for port in &mut self.network.ports.0 {
            port.set(Traits::ATTENTIVE | Traits::WAKEFUL, true);
        }
    }

    fn step(&mut self, until: Time) -> Step {
        if self.clock.calendar.fill() && self.clock.calendar.prefetches() {
            prefetch::next_events(&self.clock.calendar, &self.network, &self.ends, &self.air);
        }
        let Some(key) = self.clock.calendar.pop(until) else {
            return Step::Nothing;
        };
        let at = key.at();
        debug_assert!(
            at >= self.clock.now,
            "{key:?} at {at} is behind {}",
            self.clock.now
        );
        self.clock.now = at;
        self.clock.events += 1;
        // Most events are arrivals, and a table of jumps is guessed wrong more often than a question.
        if let Some(port) = key.arrival() {
            self.arrive(port, at);
        } else {
            self.serve_other(key, at);
        }
        let left = self.mechanisms.outbox.len() | self.network.refills.len();
        if left | self.handovers.len() != 0 {
            self.finish_event(at);
        }
        Step::Served
    }

    /// Takes the packets on that have left a medium, sends the notices that the event caused and fills queues again, until
    /// none causes another.
    #[inline(never)]
    fn finish_event(&mut self, at: Time) {
        loop {
            let mut next = 0;
            while next < self.handovers.len() {
                self.move_on(self.handovers[next], at);
                next += 1;
            }
            self.handovers.clear();
            self.post_all(at);
            if self.network.refills.is_empty() && self.handovers.is_empty() {
                return;
            }
            self.refill_all(at);
        }
    }

    /// A packet that has left a medium comes to its host, or to the queue that is next on its route.
    fn move_on(&mut self, left: Handover, now: Time) {
        match left.to.is_none() {
            true => self.deliver(left.over, left.packet, now),
            false => self.enqueue(left.to, left.packet, now),
        }
    }

    /// Serves what is not asked for first.
    #[inline(never)]
    fn serve_other(&mut self, key: Key, at: Time) {
        match key.event() {
            Event::Arrive(_) => unreachable!("arrivals are served by themselves"),
            Event::Wake(port) => self.wake(port, at),
            Event::Emerge(port) => self.emerge(port, at),
            Event::React(port) => self.react(port, at),
            Event::Refresh {
                control,
                neighbour,
                epoch,
            } => self.refresh(control, neighbour, epoch, at),
            Event::Demand(flow) => self.demand(flow, at),
            Event::Inject(number) => self.come_in(number, at),
            Event::Timer { connection, side } => self.ring(connection, side, at),
            Event::Inspect => {
                let calendar = &mut self.clock.calendar;
                self.mechanisms
                    .detect_deadlock(&self.network, &self.air, calendar, at)
            }
            Event::Warm => self.warm(at),
            Event::Silence(radio) => self.silence(radio, at),
            Event::Answer(radio) => self.answer_now(radio, at),
            Event::Contend(radio) => self.contend(radio, at),
            Event::Observe { control, place } => self.observe(control, place, at),
            Event::Expire(radio) => self.expire(radio, at),
            Event::Release(flow) => self.release_held(flow, at),
            Event::Open(station) => self.air.open(&mut self.clock.calendar, station, at),
            Event::Cross(node) => self.cross(node, at),
            Event::Carried(port) => {
                self.network
                    .receive_carried(&mut self.books, &mut self.clock.calendar, port, at)
            }
        }
    }

    /// A departure matters, or a gate was to open. One that opens later by now is waited for anew.
    fn wake(&mut self, id: PortId, now: Time) {
        self.catch_up(id, now);
        let port = &mut self.network.ports[id];
        let later = port.next_try;
        if port.is(Traits::STALLED) && port.more.armed == now && later > now && later < Time::NEVER
        {
            port.more.armed = later;
            self.clock.calendar.push(later, Event::Wake(id));
        }
        if self.network.ports[id].is(Traits::REFILLED) {
            self.network.refills.push(id);
        }
    }

    /// A source's demand is due: cuts it into packets and asks for the next.
    fn demand(&mut self, id: FlowId, now: Time) {
        let flow = &mut self.network.flows[id];
        if now >= flow.stop {
            return;
        }
        if let Part::Data(connection) = flow.part {
            let (bytes, answered) = (flow.due, flow.source.waits());
            self.ends.connections[connection].waiting = answered;
            self.write(connection, bytes, now);
            if !answered {
                self.network.ask(&mut self.clock.calendar, id, now);
            }
            return;
        }
        let port = flow.port;
        if flow.fill().is_some() && !port.is_none() && !self.network.ports[port].is_radio() {
            return self.network.begin_refills(id);
        }
        let (mut left, most) = (flow.due, flow.packet);
        if let Some(measured) = &mut flow.variance_time {
            measured.demand(left, now);
        }
        while left > 0 {
            let len = left.min(most);
            left -= len;
            let seq = self.network.flows[id].seq;
            self.network.flows[id].seq = seq.wrapping_add(1);
            self.originate(id, len as u16, seq, now);
        }
        self.network.ask(&mut self.clock.calendar, id, now);
    }

    /// A packet comes into being at its host.
    pub(crate) fn originate(&mut self, id: FlowId, len: u16, seq: u32, now: Time) {
        let packet_id = self.create(id, len, seq, self.network.flows[id].ecn, now);
        self.set_off(id, packet_id, now);
    }

    /// A new packet of a flow enters the first queue on its route.
    #[inline(always)]
    pub(super) fn set_off(&mut self, id: FlowId, packet_id: PacketId, now: Time) {
        let Flow { port, from, .. } = self.network.flows[id];
        let port = match port.is_none() {
            false => port,
            true => {
                let to = self.network.packets[packet_id].to;
                self.network
                    .forwarding
                    .egress(self.network.nodes[from].row, id, to)
            }
        };
        self.enqueue(port, packet_id, now);
    }

    /// Makes a packet of a flow.
    #[inline(always)]
    pub(super) fn create(
        &mut self,
        id: FlowId,
        len: u16,
        seq: u32,
        ecn: Ecn,
        now: Time,
    ) -> PacketId {
        let flow = &mut self.network.flows[id];
        let to = flow.to.draw(&mut flow.compass);
        flow.entered.add(u64::from(len));
        let packet = Packet {
            next: Id::NONE,
            flow: id,
            to,
            len,
            traffic: Traffic::new(flow.class, ecn),
            seq,
            ingress: Id::NONE,
            entry: 0,
            born: now,
            at: now,
            serial: 0,
            waited: 0,
            gated: 0,
        };
        let packet_id = self.network.packets.create(packet);
        self.network.labels.clear(packet_id);
        self.air.begin_spending(packet_id);
        packet_id
    }

    /// The warm-up is over: what is reported begins here.
    fn warm(&mut self, now: Time) {
        self.settle();
        self.books.warm_until = Some(now);
        self.books.hops_base = self.hop_counts();
        self.books.drops_base = self.books.drops.clone();
        for flow in &mut self.network.flows.0 {
            flow.stats.warm(flow.entered, now);
        }
        for connection in &mut self.ends.connections.0 {
            connection.warm(now);
        }
        for id in self.network.ports.ids() {
            let counted = self.port_count(id, now);
            let port = &mut self.network.ports[id];
            port.max_bytes = port.held_bytes();
            port.more.base = counted;
            if let Some(server) = port.more.service.server_mut() {
                server.scorer.warm(now);
            }
        }
        self.air.warm_air(now);
    }

    /// Brings every port up to date.
    pub fn settle(&mut self) {
        let now = self.clock.now;
        for id in self.network.ports.ids() {
            self.catch_up(id, now);
        }
        self.post_all(now);
    }
}
