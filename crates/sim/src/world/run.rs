//! Serving events up to an instant; `injections` has the rest of what a caller drives a world with.

use backwater_transport::units::Time;

use super::World;
use crate::books::Stop;
use crate::event::{Event, Key};
use crate::ids::{FlowId, LawId, PortId};
use crate::medium::AirFrame;
use crate::network::{Role, Traits, Values};
use crate::prefetch;
use crate::record::Record;
use crate::shared::Shared;
use crate::source::Source;

/// How far a call to `advance_some` came.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
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
        self.shared.run.books.packet_hops
    }

    /// When something happens next.
    pub fn next_due(&mut self) -> Option<Time> {
        self.shared.run.calendar.next_at()
    }

    /// Serves all that is due up to and including `to`, which becomes the present.
    pub fn advance(&mut self, to: Time) {
        if self.skip.is_some() {
            self.forget_recurrence();
            self.serve_or_skip(to, u64::MAX);
        } else {
            while self.step(to) == Step::Served {}
        }
        self.clock.now = self.clock.now.max(to);
    }

    /// Serves at most `events` events up to the scenario's end; true when the end is reached.
    pub fn advance_some(&mut self, events: u64) -> bool {
        let end = self.clock.end;
        let last = if self.skip.is_some() {
            self.serve_or_skip(end, events)
        } else {
            let mut last = Step::Served;
            for _ in 0..events {
                last = self.serve(end);
                if last == Step::Nothing {
                    break;
                }
            }
            last
        };
        let ended = last == Step::Nothing;
        if ended {
            self.clock.now = end;
        }
        ended
    }

    /// From now on the values of laws of explicit feedback are kept.
    pub fn start_law_log(&mut self) {
        for law in &mut self.shared.network.laws.0 {
            law.trail.get_or_insert_default();
        }
    }

    /// The values since the last call, by law.
    pub fn take_law_log(&mut self) -> Vec<(LawId, Vec<Values>)> {
        let taken = self.shared.network.laws.0.iter_mut().map(|law| {
            let trail = law.trail.as_mut();
            trail.map(std::mem::take).unwrap_or_default()
        });
        let taken: Vec<Vec<Values>> = taken.collect();
        self.shared.network.laws.ids().zip(taken).collect()
    }

    /// From now on changes of the gates of wires are kept.
    pub fn start_stop_log(&mut self) {
        self.shared.run.books.stops.get_or_insert_default();
    }

    /// The changes since the last call, in order.
    pub fn take_stop_log(&mut self) -> Vec<Stop> {
        let log = self.shared.run.books.stops.as_mut();
        log.map(std::mem::take).unwrap_or_default()
    }

    /// The events recorded since the last call, in order; empty unless the run is recorded.
    pub fn take_records(&mut self) -> Vec<Record> {
        self.shared
            .run
            .books
            .record
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Records every event from now on. Call it before the first `advance`.
    pub fn start_recording(&mut self) {
        self.shared.run.books.record = Some(Vec::new());
        self.unfuse();
        self.shared
            .network
            .ports
            .0
            .iter_mut()
            .for_each(|p| p.set(Traits::WATCHED, true));
    }

    /// Frames of stations since the last call, up to the first that is still on the air; at the end of the run all.
    pub fn take_air_frames(&mut self, at_end: bool) -> Vec<AirFrame> {
        self.media.take_frames(at_end)
    }

    /// When the first frame began that is still on the air, of those that are kept.
    pub fn on_air_since(&self) -> Option<Time> {
        self.media.sends_since()
    }

    /// Keeps every frame on the air from now on. Call it before the first `advance`.
    pub fn start_air_log(&mut self) {
        self.media.keep_frames();
    }

    /// Gives every departure an event of its own. Changes no result; a run that is recorded needs it
    /// so that records come in order.
    pub fn unfuse(&mut self) {
        assert_eq!(
            self.clock.now,
            Time::ZERO,
            "fusing is settled before the run"
        );
        for port in &mut self.shared.network.ports.0 {
            port.set(Traits::ATTENTIVE | Traits::WAKEFUL, true);
        }
    }

    /// Serves the next event up to then, by a call: for loops that do more between two.
    #[inline(never)]
    pub(super) fn step(&mut self, until: Time) -> Step {
        self.serve(until)
    }

    /// The same in the loop of whole runs, where a call takes 4 % of the instructions of `lan-merge`.
    #[inline(always)]
    fn serve(&mut self, until: Time) -> Step {
        if self.shared.run.calendar.fill() && self.shared.run.calendar.prefetches() {
            prefetch::next_events(&self.shared, &self.ends, &self.media);
        }
        let Some(key) = self.shared.run.calendar.pop_near(until) else {
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
        // Most events are arrivals, and jump tables mispredict more often than branches.
        if let Some(port) = key.arrival() {
            let onward = self.shared.arrive(port, at);
            self.move_on(onward, port, at);
        } else if let Some(flow) = key.demand() {
            self.demand(flow, at);
        } else {
            self.serve_other(key, at);
        }
        self.end_event(at);
        Step::Served
    }

    /// The work that remains when an event has been served.
    #[inline(always)]
    pub(super) fn end_event(&mut self, at: Time) {
        let network = &self.shared.network;
        let left = self.shared.mechanisms.outbox.len() | network.refills.len();
        if left | network.source_notices.len() | self.shared.handovers.len() != 0 {
            self.finish_event(at);
        }
    }

    /// Takes the packets on that have left a medium, sends the notices that the event caused and fills queues again, until
    /// none causes another.
    #[inline(never)]
    fn finish_event(&mut self, at: Time) {
        loop {
            self.deliver_handed_over(at);
            self.post_all(at);
            self.tell_sources(at);
            if self.shared.network.refills.is_empty() && self.shared.handovers.is_empty() {
                return;
            }
            self.refill_all(at);
            if !self.shared.network.freed.is_empty() {
                self.send_on(at);
            }
        }
    }

    /// Serves what is not asked for first.
    #[inline(never)]
    fn serve_other(&mut self, key: Key, at: Time) {
        match key.event() {
            Event::Arrive(_) | Event::Demand(_) => unreachable!("asked for before"),
            Event::Wake(port) => self.wake(port, at),
            Event::Emerge(port) => {
                let onward = self.shared.leave_box(port, at);
                self.move_on(onward, port, at);
            }
            Event::React(port) => self.shared.react(port, at),
            Event::Refresh {
                control,
                neighbour,
                epoch,
            } => self.refresh(control, neighbour, epoch, at),
            Event::Inject(number) => self.enter_injected(number, at),
            Event::Timer { connection, side } => self.serve_timer(connection, side, at),
            Event::Inspect => {
                let Shared {
                    network,
                    mechanisms,
                    run,
                    ..
                } = &mut self.shared;
                mechanisms.detect_deadlock(network, &self.media, &mut run.calendar, at);
            }
            Event::Warm => self.warm(at),
            Event::Observe { control, place } => self.observe(control, place, at),
            Event::Medium { kind, code, owner } => {
                self.media.serve(&mut self.shared, (kind, code), owner, at);
            }
            Event::Cross(node) => self.shared.cross(node, at),
            Event::Watchdog(port) => self.shared.look_after_pauses(port, at),
            Event::Credit(port) => self.give_credit(port, at),
            Event::Notify(port) => self.notify_next(port, at),
            Event::Link(step) => self.take_link_step(step, at),
            Event::Carried(port) => {
                self.shared
                    .network
                    .receive_carried(&mut self.shared.run, port, at)
            }
        }
    }

    /// A departure matters, or a gate was to open. One that opens later by now is waited for anew.
    fn wake(&mut self, id: PortId, now: Time) {
        self.shared.catch_up(id, now);
        let port = &mut self.shared.network.ports[id];
        let later = port.next_try;
        if port.is(Traits::STALLED) && port.more.armed == now && later > now && later < Time::NEVER
        {
            port.more.armed = later;
            self.shared.run.calendar.push(later, Event::Wake(id));
        }
        if self.shared.network.ports[id].is(Traits::REFILLED | Traits::PULLED) {
            self.shared.network.refills.push(id);
        }
    }

    /// A source's demand is due: cuts it into packets and asks for the next.
    #[inline(never)]
    fn demand(&mut self, id: FlowId, now: Time) {
        let flow = &mut self.shared.network.flows[id];
        if now >= flow.stop {
            return;
        }
        if let Role::Data(connection) = flow.role {
            let (bytes, answered) = (flow.due, flow.source.waits());
            self.ends.connections[connection].waiting = answered;
            self.write(connection, bytes, now);
            if !answered || self.ends.graph.leads_on(connection) {
                self.shared
                    .network
                    .ask(&mut self.shared.run.calendar, id, now);
            }
            return;
        }
        let port = flow.port;
        if flow.fill().is_some()
            && !port.is_none()
            && !self.shared.network.ports[port].waits_at_medium()
        {
            return self.shared.network.begin_refills(id);
        }
        let (mut left, most) = (flow.due, flow.packet);
        if let Some(measured) = &mut flow.variance_time {
            measured.demand(left, now);
        }
        while left > 0 {
            let len = left.min(most);
            left -= len;
            let seq = self.shared.network.flows[id].seq;
            self.shared.network.flows[id].seq = seq.wrapping_add(1);
            self.originate(id, len as u16, seq, now);
        }
        self.shared
            .network
            .ask_here(&mut self.shared.run.calendar, id, now);
    }

    /// The warm-up is over: what is reported begins here.
    fn warm(&mut self, now: Time) {
        self.settle();
        self.shared.run.books.warm_until = Some(now);
        self.shared.run.books.hops_base = self.hop_counts();
        self.shared.run.books.drops_base = self.shared.run.books.drops.clone();
        for flow in &mut self.shared.network.flows.0 {
            flow.stats.warm(flow.entered, now);
        }
        for connection in &mut self.ends.connections.0 {
            connection.warm(now);
        }
        for id in self.shared.network.ports.ids() {
            let counted = self.port_count(id, now);
            let port = &mut self.shared.network.ports[id];
            port.max_bytes = port.held_bytes();
            port.more.base = counted;
            port.more.service.warm(now);
        }
        self.media.warm(now);
    }

    /// Brings every port up to date.
    pub fn settle(&mut self) {
        let now = self.clock.now;
        for id in self.shared.network.ports.ids() {
            self.shared.catch_up(id, now);
        }
        self.post_all(now);
    }
}
