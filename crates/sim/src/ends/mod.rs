//! The two ends of all flows with a transport.

mod card;
mod graph;
mod ideal;
mod notify_gate;
pub(crate) mod pulls;
mod report;
mod show;
mod walk;

use std::collections::BTreeMap;

use crate::calendar::Calendar;
use card::Card;
use graph::Graph;
use notify_gate::NotifyGate;
use pulls::Pulls;

use crate::connection::Connection;
use crate::connection::Side;
use crate::event::Event;
use crate::ids::{ConnectionId, FlowId, PortId};
use crate::progress::Progress;
use crate::table::Table;
use backwater_transport::endpoint::{Receiver, Sender};
use backwater_transport::units::Time;

/// The ends, and what they have delivered over time.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    /// A row for each flow with a transport.
    pub connections: Table<Connection>,
    /// Cards that pull, by the ports of their hosts.
    pub(crate) cards: BTreeMap<PortId, Card>,
    /// Hosts that pace their senders, by their ports.
    pub(crate) pulls: BTreeMap<PortId, Pulls>,
    /// Gates of hosts for notification packets, by their ports.
    pub(crate) notify_gates: BTreeMap<PortId, NotifyGate>,
    /// Flows whose transfers wait for those of others.
    pub(crate) graph: Graph,
    /// When flows that send without end began to share evenly.
    pub(crate) progress: Progress,
    /// The bytes that receivers have given to their applications, where somebody wants to see them over time.
    pub(crate) log: Option<Log>,
    /// Transfers of flows that wait for others, where a person wants to see them.
    pub(crate) steps: Option<Vec<Step>>,
}

/// Who wants to see deliveries over time.
#[derive(Clone, Debug)]
pub(crate) enum Log {
    /// A person, who takes them now and then.
    Person(Vec<Delivered>),
    /// A trial of a period that may be skipped; see `world::skip`.
    Trial(Vec<Delivered>),
}

/// A transfer that began when others were delivered, and has been delivered itself: a step of a collective.
#[derive(Copy, Clone, Debug)]
pub struct Step {
    /// The flow of the data.
    pub flow: FlowId,
    /// Transfers of the flow before it.
    pub number: u64,
    /// Its bytes.
    pub bytes: u64,
    /// When it was written.
    pub begun: Time,
    /// When it was delivered in order.
    pub ended: Time,
}

/// The bytes that the receiver of a flow has given to its application up to an instant, since the flow began.
#[derive(Copy, Clone, Debug)]
pub struct Delivered {
    /// When.
    pub at: Time,
    /// The flow of the data.
    pub flow: FlowId,
    /// Bytes.
    pub bytes: u64,
}

impl Ends {
    /// A report changes nothing: what arrives at this very instant may not all have been delivered.
    pub(crate) fn progress(&self, now: Time) -> Progress {
        let mut progress = self.progress.clone();
        progress.note(now, |id| self.connections[id].receiver.delivered());
        progress
    }

    /// From now on what receivers give to their applications is kept.
    pub fn start_log(&mut self) {
        if !matches!(self.log, Some(Log::Person(_))) {
            self.log = Some(Log::Person(Vec::new()));
        }
    }

    /// The deliveries since the last call, in order; none without `start_log`.
    pub fn take_log(&mut self) -> Vec<Delivered> {
        match &mut self.log {
            Some(Log::Person(all)) => std::mem::take(all),
            _ => Vec::new(),
        }
    }

    /// The deliveries of a trial are kept from now on. No person wants to see them then.
    pub(crate) fn start_trial(&mut self) {
        self.log = Some(Log::Trial(Vec::new()));
    }

    /// The deliveries of a trial that is over: when, of which flow, and its bytes so far.
    pub(crate) fn end_trial(&mut self) -> Vec<(Time, FlowId, u64)> {
        let log = self.log.take_if(|log| matches!(log, Log::Trial(_)));
        let Some(Log::Trial(all)) = log else {
            return Vec::new();
        };
        let row = |one: &Delivered| (one.at, one.flow, one.bytes);
        all.iter().map(row).collect()
    }

    /// From now on steps of collectives are kept.
    pub fn start_steps(&mut self) {
        self.steps.get_or_insert_default();
    }

    /// The steps that have ended since the last call, in the order of their ends.
    pub fn take_steps(&mut self) -> Vec<Step> {
        self.steps.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Keeps what a receiver has given so far.
    #[cold]
    pub(crate) fn note_delivered(&mut self, id: ConnectionId, at: Time) {
        let c = &self.connections[id];
        let (flow, bytes) = (c.data, c.receiver.delivered());
        if let Some(Log::Person(all) | Log::Trial(all)) = &mut self.log {
            all.push(Delivered { at, flow, bytes });
        }
    }

    /// Sees to it that an end is called when something is due.
    #[inline(always)]
    pub(crate) fn set_alarm(&mut self, calendar: &mut Calendar, id: ConnectionId, side: Side) {
        let c = &self.connections[id];
        let due = match side {
            Side::Sender => c.sender.due(),
            Side::Receiver => c.receiver.due(),
        };
        self.set_alarm_at(calendar, id, side, due);
    }

    /// The same where the instant is known.
    #[inline(always)]
    pub(crate) fn set_alarm_at(
        &mut self,
        calendar: &mut Calendar,
        id: ConnectionId,
        side: Side,
        due: Time,
    ) {
        let c = &mut self.connections[id];
        if c.alarms.needs(side, due) {
            let connection = id;
            calendar.push(due, Event::Timer { connection, side });
        }
    }
}
