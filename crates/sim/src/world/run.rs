//! Serving events, and being driven from outside: `next_due`, `advance`, `inject`, `take_exits`.

use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Span, Time};

use super::World;
use crate::cause::Cause;
use crate::event::{Event, Key};
use crate::ids::{FlowId, PacketId, PortId};
use crate::medium::wifi::air_log::{AirFrame, AirLog};
use crate::network::{Flow, Part, Traits};
use crate::packet::{Packet, Traffic};
use crate::record::Record;
use crate::source::Source;
use crate::table::Id;

/// The end of a packet that came from outside.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// When.
    pub at: Time,
    /// Its flow.
    pub flow: FlowId,
    /// The tag it was injected with.
    pub tag: u32,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its host received it.
    Delivered,
    /// It was lost.
    Dropped(Cause),
}

/// A packet to come from outside.
#[derive(Copy, Clone, Debug)]
pub(super) struct Injection {
    len: u16,
    tag: u32,
}

/// How far a call to `advance_some` came.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Step {
    Served,
    Nothing,
}

impl World {
    /// The time reached.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The end of the scenario.
    pub fn end(&self) -> Time {
        self.end
    }

    /// When something happens next.
    pub fn next_due(&mut self) -> Option<Time> {
        self.calendar.next_at()
    }

    /// Serves all that is due up to and including `to`, which becomes the present.
    pub fn advance(&mut self, to: Time) {
        while self.step(to) == Step::Served {}
        self.now = self.now.max(to);
    }

    /// Serves at most `events` events up to the scenario's end; true when the end is reached.
    pub fn advance_some(&mut self, events: u64) -> bool {
        for _ in 0..events {
            if self.step(self.end) == Step::Nothing {
                self.now = self.end;
                return true;
            }
        }
        false
    }

    /// Hands a packet of `len` IP bytes to the host of a flow whose source is `outside`. `tag`
    /// comes back with its fate.
    ///
    /// # Panics
    /// When `at` lies before the present, the flow has a source of its own, or the packet is empty
    /// or longer than the flow's packets.
    pub fn inject(&mut self, at: Time, flow: FlowId, len: Bytes, tag: u32) {
        assert!(at >= self.now, "a packet cannot be injected into the past");
        let f = &self.flows[flow];
        assert!(f.outside, "flow {} has a source of its own", f.name);
        assert!(
            len.0 > 0 && len.0 <= f.packet,
            "a packet of flow {} has 1 to {} bytes",
            f.name,
            f.packet
        );
        let serial = self.injected & 0x00ff_ffff;
        self.injected = self.injected.wrapping_add(1);
        let previous = self.injections.insert(
            (flow, serial),
            Injection {
                len: len.0 as u16,
                tag,
            },
        );
        assert!(
            previous.is_none(),
            "fewer than 2^24 packets of a flow wait outside"
        );
        self.calendar.push(at, Event::Inject { flow, serial });
    }

    /// The fates of injected packets since the last call, in order.
    pub fn take_exits(&mut self) -> Vec<Exit> {
        std::mem::take(&mut self.exits)
    }

    /// The events recorded since the last call, in order; empty unless the run is recorded.
    pub fn take_records(&mut self) -> Vec<Record> {
        self.record.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Records every event from now on. Call it before the first `advance`.
    pub fn start_recording(&mut self) {
        self.record = Some(Vec::new());
        self.unfuse();
        self.ports
            .0
            .iter_mut()
            .for_each(|p| p.set(Traits::WATCHED, true));
    }

    /// Frames that stations began to send since the last call.
    pub fn take_air_frames(&mut self) -> Vec<AirFrame> {
        self.air_log
            .as_mut()
            .map(|log| log.take())
            .unwrap_or_default()
    }

    /// Keeps every frame on the air from now on. Call it before the first `advance`.
    pub fn start_air_log(&mut self) {
        let log = AirLog::new(self.air.radios.len(), self.air.hops.len());
        self.air_log = Some(Box::new(log));
    }

    /// Gives every departure an event of its own. Changes no result; a run that is recorded needs it
    /// so that records come in order.
    pub fn unfuse(&mut self) {
        assert_eq!(self.now, Time::ZERO, "fusing is settled before the run");
        for port in &mut self.ports.0 {
            port.set(Traits::ATTENTIVE | Traits::WAKEFUL, true);
        }
    }

    fn step(&mut self, until: Time) -> Step {
        if self.calendar.fill() && self.calendar.looks_ahead() {
            self.look_ahead();
        }
        let Some(key) = self.calendar.pop(until) else {
            return Step::Nothing;
        };
        let at = key.at();
        debug_assert!(at >= self.now, "{key:?} at {at} is behind {}", self.now);
        self.now = at;
        self.events += 1;
        // Most events are arrivals, and a table of jumps is guessed wrong more often than a question.
        if let Some(port) = key.arrival() {
            self.arrive(port, at);
        } else {
            self.serve_other(key, at);
        }
        if self.outbox.len() | self.refills.len() != 0 {
            self.finish_event(at);
        }
        Step::Served
    }

    /// Sends the notices that the event caused and fills queues again, until neither causes the other.
    #[inline(never)]
    fn finish_event(&mut self, at: Time) {
        loop {
            self.post_all(at);
            if self.refills.is_empty() {
                return;
            }
            self.refill_all(at);
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
            Event::Inject { flow, serial } => {
                let injection = self
                    .injections
                    .remove(&(flow, serial))
                    .expect("an injection for its event");
                self.originate(flow, injection.len, injection.tag, at);
            }
            Event::Timer { connection, side } => self.ring(connection, side, at),
            Event::Inspect => self.inspect(at),
            Event::Warm => self.warm(at),
            Event::Silence(radio) => self.silence(radio, at),
            Event::Answer(radio) => self.answer_now(radio, at),
            Event::Contend(radio) => self.contend(radio, at),
            Event::Observe { control, place } => self.observe(control, place, at),
            Event::Expire(radio) => self.expire(radio, at),
            Event::Release(flow) => self.release_held(flow, at),
            Event::Open(station) => self.open(station, at),
        }
    }

    /// A departure matters, or a gate was to open. One that opens later by now is waited for anew.
    fn wake(&mut self, id: PortId, now: Time) {
        self.catch_up(id, now);
        let port = &mut self.ports[id];
        let later = port.next_try;
        if port.is(Traits::STALLED) && port.more.armed == now && later > now && later < Time::NEVER
        {
            port.more.armed = later;
            self.calendar.push(later, Event::Wake(id));
        }
        if self.ports[id].is(Traits::REFILLED) {
            self.refills.push(id);
        }
    }

    /// A source's demand is due: cuts it into packets and asks for the next.
    fn demand(&mut self, id: FlowId, now: Time) {
        let flow = &mut self.flows[id];
        if now >= flow.stop {
            return;
        }
        if let Part::Data(connection) = flow.part {
            let (bytes, answered) = (flow.due, flow.source.waits());
            self.connections[connection].waiting = answered;
            self.write(connection, bytes, now);
            if !answered {
                self.ask(id, now);
            }
            return;
        }
        let port = flow.port;
        if flow.fill().is_some() && !port.is_none() && !self.ports[port].is(Traits::AIR) {
            return self.begin_refills(id);
        }
        let (mut left, most) = (flow.due, flow.packet);
        while left > 0 {
            let len = left.min(most);
            left -= len;
            let seq = self.flows[id].seq;
            self.flows[id].seq = seq.wrapping_add(1);
            self.originate(id, len as u16, seq, now);
        }
        self.ask(id, now);
    }

    /// Asks a flow's source for its next demand.
    pub(super) fn ask(&mut self, id: FlowId, now: Time) {
        let flow = &mut self.flows[id];
        if let Some(demand) = flow.source.next(now, &mut flow.random) {
            flow.due = demand.bytes.0;
            self.calendar.push(demand.at, Event::Demand(id));
        }
    }

    /// A packet comes into being at its host.
    pub(crate) fn originate(&mut self, id: FlowId, len: u16, seq: u32, now: Time) {
        let packet_id = self.create(id, len, seq, self.flows[id].ecn, now);
        self.set_off(id, packet_id, now);
    }

    /// A new packet of a flow enters the first queue on its route.
    #[inline(always)]
    pub(super) fn set_off(&mut self, id: FlowId, packet_id: PacketId, now: Time) {
        let Flow { port, from, .. } = self.flows[id];
        let port = match port.is_none() {
            false => port,
            true => {
                let to = self.packets[packet_id].to;
                self.forwarding.egress(self.nodes[from].row, id, to)
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
        let flow = &mut self.flows[id];
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
        let packet_id = self.packets.create(packet);
        self.air.begin_spending(packet_id);
        packet_id
    }

    /// The warm-up is over: what is reported begins here.
    fn warm(&mut self, now: Time) {
        self.settle();
        self.hops_base = self.hop_counts();
        self.drops_base = self.drops.clone();
        for flow in &mut self.flows.0 {
            flow.stats.warm(flow.entered, now);
        }
        for connection in &mut self.connections.0 {
            connection.warm(now);
        }
        for id in self.ports.ids() {
            let counted = self.port_count(id, now);
            let port = &mut self.ports[id];
            port.max_bytes = port.queues().iter().map(|q| q.bytes).max().unwrap_or(0);
            port.more.base = counted;
            if let Some(server) = &mut port.more.server {
                server.scorer.warm(now);
            }
        }
        self.warm_air(now);
    }

    /// Brings every port up to date.
    pub fn settle(&mut self) {
        let now = self.now;
        for id in self.ports.ids() {
            self.catch_up(id, now);
        }
        self.post_all(now);
    }

    /// The span between looks for deadlock, if gates can close.
    pub(super) fn inspect_after(&self) -> Option<Span> {
        self.inspect
    }

    /// The port of this name.
    pub fn port_named(&self, name: &str) -> Option<PortId> {
        self.ports.ids().find(|p| self.ports[*p].more.name == name)
    }
}
