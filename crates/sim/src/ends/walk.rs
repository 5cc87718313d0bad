//! The state of the two ends of each flow with a transport, for `skip`. Events at which an end only looks whether something is due are
//! no part of it: an end has one at the instant at which something is due, and others change nothing.

use std::collections::BTreeSet;

use backwater_transport::endpoint::{Receiver, Sender};
use backwater_transport::units::Time;
use backwater_transport::walk::Walk;

use super::{Ends, Log};
use crate::calendar::Calendar;
use crate::connection::{Connection, ConnectionStats, Side};
use crate::event::{Event, Key};
use crate::ids::{ConnectionId, FlowId};
use crate::network::Flow;
use crate::network::walk::Talk;
use crate::table::Table;

impl Ends {
    /// What packets of each connection are compared with, beside these events.
    pub(crate) fn talks(&self, keys: &[Key]) -> Vec<Talk> {
        let demands: BTreeSet<FlowId> = keys.iter().filter_map(|key| key.demand()).collect();
        let talk = |c: &Connection| Talk {
            base: c.sender.base(),
            goes_on: demands.contains(&c.data),
            ..Talk::default()
        };
        self.connections.iter().map(talk).collect()
    }

    /// Bytes that the receiver of each connection has delivered.
    pub(crate) fn delivered(&self) -> Vec<u64> {
        let connections = self.connections.iter();
        connections.map(|c| c.receiver.delivered()).collect()
    }

    /// `talks` has seen all packets that are on their way.
    pub(crate) fn walk(&mut self, walk: &mut Walk, flows: &Table<Flow>, talks: &[Talk]) {
        let Ends {
            connections,
            cards,
            pulls,
            notify_gates,
            graph,
            progress: _,
            log,
            steps,
        } = self;
        if !cards.is_empty() || !pulls.is_empty() || !notify_gates.is_empty() {
            walk.unable("flows", "cards of hosts pull or pace queue pairs");
        }
        if !graph.is_empty() {
            walk.unable("flows", "transfers wait for those of other flows (`after`)");
        }
        if matches!(log, Some(Log::Person(_))) || steps.is_some() {
            walk.unable("run", "every delivery is recorded");
        }
        for (c, talk) in connections.0.iter_mut().zip(talks) {
            let flow = &flows[c.data];
            let begun = flow.begun();
            let rests = begun && c.rests(walk.now(), talk);
            walk.same(u64::from(begun) << 1 | u64::from(rests));
            walk.fixed(c.stop);
            if begun && !rests {
                c.walk(walk, &format!("flows.{}", flow.name), talk);
            } else if !begun && walk.counts() {
                c.check(walk, &format!("flows.{}", flow.name));
            }
        }
    }

    /// Whether the sender of a connection may not send any more.
    pub(crate) fn has_stopped(&self, id: ConnectionId, side: Side, now: Time) -> bool {
        side == Side::Sender && now >= self.connections[id].stop
    }

    /// Events of ends that may still send are made anew, at the instants at which something is due.
    pub(crate) fn renew_alarms(&mut self, calendar: &mut Calendar, now: Time) {
        for connection in self.connections.ids() {
            for side in [Side::Sender, Side::Receiver] {
                let stopped = self.has_stopped(connection, side, now);
                let c = &mut self.connections[connection];
                if stopped {
                    continue;
                }
                let due = match side {
                    Side::Sender => c.sender.due(),
                    Side::Receiver => c.receiver.due(),
                };
                c.alarms.replace(side, due);
                if due < Time::NEVER {
                    calendar.push(due, Event::Timer { connection, side });
                }
            }
        }
    }
}

impl Connection {
    /// Whether neither end does anything any more: nothing is on the way, nothing is due and nothing is left to send.
    fn rests(&self, now: Time, talk: &Talk) -> bool {
        let quiet = talk.on_the_way.packets == 0 && self.receiver.due() == Time::NEVER;
        let over = now >= self.stop && !self.alarms.waits(Side::Sender);
        let done = self.sender.due() == Time::NEVER && self.sender.in_flight() == 0;
        quiet && (over || done && !talk.goes_on && talk.base.byte == self.written)
    }

    /// Whether a part has a state that is not compared.
    fn check(&mut self, walk: &mut Walk, flow: &str) {
        if self.liar.is_some() {
            walk.unable(flow, "its receiver lies");
        }
        if self.spreading.is_some() {
            walk.unable(flow, "its segments are spread over ways");
        }
        if self.small_queue.is_some() {
            walk.unable(flow, "it keeps few bytes in the radio of its host");
        }
        let mut copy = self.clone();
        let base = copy.sender.base();
        let mut look = Walk::look(walk.now());
        copy.sender
            .walk(&mut look, flow, &Talk::default().on_the_way);
        copy.receiver.walk(&mut look, flow, &base);
        if let Err(unable) = look.seen() {
            walk.unable(unable.place, unable.why);
        }
    }

    fn walk(&mut self, walk: &mut Walk, flow: &str, talk: &Talk) {
        let Connection {
            alarms: _,
            transfers,
            data: _,
            acks: _,
            sender,
            protocol: _,
            waiting,
            header: _,
            receiver,
            liar: _,
            stop: _,
            card: _,
            place: _,
            small_queue: _,
            pull_quantum: _,
            signal_class: _,
            notify_gate: _,
            spreading: _,
            heard,
            written,
            stats,
            shown: _,
        } = self;
        walk.same(*waiting);
        let (delivered, mss) = (receiver.delivered(), sender.mss());
        let transfers = transfers.iter_mut().flat_map(|all| all.iter_mut());
        let mut count = 0u64;
        for (end, bytes, at) in transfers {
            walk.up_to(delivered, end, mss);
            walk.same(*bytes);
            walk.settled(at);
            count += 1;
        }
        walk.same(count);
        sender.walk(walk, flow, &talk.on_the_way);
        receiver.walk(walk, flow, &talk.base);
        walk.count(written);
        walk.last(heard);
        stats.walk(walk);
    }
}

impl ConnectionStats {
    /// Nothing depends on what it counts.
    fn walk(&mut self, walk: &mut Walk) {
        if !walk.counts() {
            return;
        }
        // The window does not change, and it is counted up to the present.
        self.window(self.window, walk.now());
        let ConnectionStats {
            rtt,
            rtt_sum,
            rtt_count,
            rtt_min: _,
            window_area,
            window,
            since,
            least,
            falls_to_least,
            completion,
            completed,
            slowdown,
            base: _,
            delivered,
        } = self;
        rtt.walk(walk);
        walk.wide(rtt_sum);
        walk.count(rtt_count);
        walk.wide(window_area);
        walk.same(*window);
        walk.last(since);
        walk.same(*least);
        walk.count(falls_to_least);
        completion.walk(walk);
        walk.count(completed);
        walk.same(slowdown.len() as u64);
        slowdown.iter_mut().for_each(|delays| delays.walk(walk));
        walk.count(&mut delivered.0);
        walk.last(&mut delivered.1);
    }
}
