//! Relays at work: looks, requests, steps and what is held back. The frames go through `air`.

use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Rate, Time};

use super::World;
use super::build::refuse;
use crate::cause::Cause;
use crate::event::Event;
use crate::ids::{FlowId, NodeId, PacketId, StationId};
use crate::limit::Limit;
use crate::mechanism::detector::{AnyDetector, Detector, Watch};
use crate::mechanism::relay::{Ask, Relay};
use crate::mechanism::responder::AnyResponder;
use crate::mechanism::responder::contention::Knob;
use crate::medium::wifi::mac::{Contention, MANAGEMENT_CATEGORY};
use crate::medium::wifi::radio::{Held, Management, Stepped};
use crate::packet::{List, Traffic};
use crate::record::fingerprint::Mark;
use crate::record::{Record, What};
use crate::spec::{MechanismSpec, Refusal};
use crate::table::Id;

/// Packets of a held flow that wait, where the station's buffer counts bytes or nothing.
const MOST_HELD: u64 = 100;

impl World {
    /// Makes relays of a mechanism's stations; false for a mechanism of switches.
    pub(super) fn add_relays(&mut self, mechanism: &MechanismSpec) -> Result<bool, Refusal> {
        let path = format!("mechanisms.{}", mechanism.name);
        let stations = mechanism.detect.watch() == Watch::Station;
        let parts = match (
            &mechanism.detect,
            mechanism.notify.request,
            &mechanism.respond,
        ) {
            (AnyDetector::Station(d), Some(n), AnyResponder::Contention(r)) => Some((*d, n, *r)),
            (_, None, AnyResponder::Gate | AnyResponder::Shaper(_)) if !stations => None,
            _ => {
                let what = "one of its parts is for 802.11 stations, another for switches";
                let fix = "take detector rate-comparison or queue-rate-difference with notifier request and responder aifsn, cw-min, txop or token-bucket";
                return refuse(path, what, fix);
            }
        };
        if parts.is_some() != mechanism.at.is_empty()
            || (parts.is_none() && !mechanism.stations.is_empty())
        {
            let (what, fix) = match parts.is_some() {
                true => ("this mechanism watches 802.11 stations", "name stations"),
                false => ("this mechanism watches ports of switches", "name ports"),
            };
            return refuse(format!("{path}.at"), what, fix);
        }
        let Some((detect, notify, respond)) = parts else {
            return Ok(false);
        };
        let of_node = |node: &usize| {
            let node: NodeId = Id::new(*node);
            let stations = self.nodes[node].stations.iter();
            stations.map(|station| (*station, node)).collect::<Vec<_>>()
        };
        let stations: Vec<(u32, NodeId)> = mechanism.stations.iter().flat_map(of_node).collect();
        for (station, node) in stations {
            let node = &self.nodes[node];
            let radio = &mut self.air.radios[station as usize];
            let endless = |c: &Contention| c.buffer == Limit::Unlimited;
            if detect.needs_bound() && radio.categories.iter().any(endless) {
                let what = format!(
                    "this detector asks how full a buffer is, and that of {} has no bound",
                    node.name
                );
                let fix =
                    "write a buffer in packets or bytes, or take the detector rate-comparison";
                return refuse(format!("{path}.detect"), what, fix);
            }
            let relay = Relay::new(detect, notify, respond);
            if radio.relay.replace(Box::new(relay)).is_some() {
                let what = format!("{} is watched twice", node.name);
                return refuse(format!("{path}.at"), what, "let one mechanism watch it");
            }
            // Relays don't look in step.
            let phase = radio.random.between(1, detect.rhythm().period.0);
            self.calendar
                .push(Time(phase), Event::Look(Id::raw(station)));
        }
        Ok(true)
    }

    /// A relay looks at its window.
    pub(super) fn look_at_relay(&mut self, id: StationId, now: Time) {
        let station = id.0;
        let busy = self.station_count(station, now).busy;
        let radio = &mut self.air.radios[station as usize];
        let mut queued = [0.0; 4];
        for (queued, c) in queued.iter_mut().zip(&radio.categories) {
            *queued = c.filled();
        }
        let relay = radio.relay.as_mut().expect("only relays look");
        let holds = &radio.holds;
        let held = |flow: FlowId| holds.iter().find(|h| h.flow == flow).map(|h| h.rate);
        let verdict = relay.look(now, busy, queued, held);
        let period = relay.detect.rhythm().period;
        for ask in verdict.asks {
            self.request(station, ask, now);
        }
        for (flow, rate) in verdict.own {
            self.hold_to(station, flow, rate);
        }
        self.calendar.push(now + period, Event::Look(id));
    }

    /// Queues a request, unless one to the same station about the same category still waits.
    fn request(&mut self, station: u32, ask: Ask, now: Time) {
        let radio = &mut self.air.radios[station as usize];
        let waits = |m: &Management| (m.ask.to, m.ask.category) == (ask.to, ask.category);
        if radio.notices.iter().any(waits) {
            return;
        }
        let relay = radio.relay.as_ref().expect("only relays ask");
        let (bytes, expiry) = (relay.notify.bytes, relay.notify.expiry);
        radio.notices.push_back(Management {
            to: ask.to,
            bytes,
            ask,
            respond: relay.respond,
            holds: [expiry, relay.detect.rhythm().period],
            heard: false,
            tries: 0,
        });
        let category = MANAGEMENT_CATEGORY.min(radio.categories.len() - 1);
        let detail = u64::from(ask.to) << 16 | u64::from(ask.category) << 1 | u64::from(ask.less);
        self.fingerprint.add(Mark::Notice, now, station, detail);
        self.one_more(station, category, now);
    }

    /// A request has reached the station that it is for, maybe once more.
    pub(super) fn heed(&mut self, from: u32, station: u32, now: Time) {
        let sender = &mut self.air.radios[from as usize];
        let request = sender.notices.front_mut().expect("the frame that was sent");
        if std::mem::replace(&mut request.heard, true) {
            return;
        }
        self.obey(from, station, now);
    }

    /// A station does what the request asks for that another sends.
    pub(super) fn obey(&mut self, from: u32, station: u32, now: Time) {
        let sender = &self.air.radios[from as usize];
        let request = sender.notices.front().expect("the frame that was sent");
        let (ask, respond, [expiry, period]) = (request.ask, request.respond, request.holds);
        let number = usize::from(ask.category);
        let radio = &mut self.air.radios[station as usize];
        let base = radio.categories[number].set;
        let stepped = radio.stepped[number].get_or_insert(Stepped {
            level: 0,
            until: now,
            period,
            respond,
            base,
        });
        let most = respond.most[number];
        stepped.level = match ask.less {
            true => (stepped.level + 1).min(most),
            false => stepped.level.saturating_sub(1),
        };
        (stepped.respond, stepped.period) = (respond, period);
        stepped.until = now + expiry;
        if respond.knob == Knob::Rate {
            radio.categories[number].pace = (stepped.level > 0).then_some(Rate(ask.rate.0.max(1)));
        }
        if stepped.level > 0 {
            self.calendar
                .push(now + expiry, Event::Ease(Id::raw(station)));
        }
        self.move_knob(station, number, now);
    }

    /// Requests have stopped: a step is taken back, and the next after another period.
    pub(super) fn ease(&mut self, id: StationId, now: Time) {
        let station = id.0;
        for number in 0..self.air.radios[station as usize].categories.len() {
            let radio = &mut self.air.radios[station as usize];
            let Some(stepped) = &mut radio.stepped[number] else {
                continue;
            };
            if stepped.level == 0 || stepped.until != now {
                continue;
            }
            stepped.level -= 1;
            stepped.until = now + stepped.period;
            if stepped.level > 0 {
                self.calendar.push(stepped.until, Event::Ease(id));
            } else {
                radio.categories[number].pace = None;
            }
            self.move_knob(station, number, now);
        }
    }

    /// Moves a category's parameters to its level.
    fn move_knob(&mut self, station: u32, number: usize, now: Time) {
        let count = self.station_count(station, now);
        let ear = self.air.ears[station as usize];
        let radio = &mut self.air.radios[station as usize];
        (radio.count.aifsn, radio.count.moved) = (count.aifsn, now);
        let stepped = radio.stepped[number].expect("a category that was moved");
        let set = stepped.respond.apply(stepped.base, stepped.level);
        let medium = &self.air.media[radio.medium as usize];
        let base = if ear.busy { now } else { ear.base() };
        let first = radio.hops.first().copied();
        let c = &mut radio.categories[number];
        let moved = c.set.aifsn != set.aifsn;
        let ready = if ear.busy { Time::ZERO } else { now };
        c.move_to(set, base, ready, medium.sifs, medium.slot);
        let detail = u64::from(stepped.level) << 8 | number as u64;
        self.fingerprint.add(Mark::Knob, now, station, detail);
        if let (Some(records), Some(hop), true) = (&mut self.record, first, moved) {
            records.push(Record {
                at: now,
                what: What::Aifsn,
                port: self.air.hops[hop as usize].port,
                flow: Id::NONE,
                seq: 0,
                to: 0,
                len: 0,
                traffic: Traffic::new(number as u8, Ecn::NotEct),
                value: u64::from(set.aifsn),
                notice: None,
                header: None,
            });
        }
        if !ear.busy {
            let at = self.air.expiry(station);
            self.attend(ear.cover, at);
        }
    }

    /// From now on a flow of the station's own goes no faster than this.
    fn hold_to(&mut self, station: u32, flow: FlowId, rate: Rate) {
        let flow_port = self.flows[flow].port;
        let port = self
            .air
            .hop(flow_port)
            .filter(|hop| hop.from == station)
            .map(|hop| hop.port);
        let radio = &mut self.air.radios[station as usize];
        match (radio.holds.iter_mut().find(|h| h.flow == flow), port) {
            (Some(held), _) => held.rate = rate,
            (None, Some(port)) => radio.holds.push(Held {
                flow,
                port,
                rate,
                next: Time::ZERO,
                list: List::default(),
                frames: 0,
            }),
            // A flow with many destinations has no one hop to hold it to.
            (None, None) => {}
        }
    }

    /// A packet of a flow that is held back waits for its turn.
    pub(super) fn hold(&mut self, station: u32, packet_id: PacketId, now: Time) {
        let flow = self.packets[packet_id].flow;
        let radio = &mut self.air.radios[station as usize];
        let number = radio.category(self.packets[packet_id].class());
        let most = match radio.categories[number].buffer {
            Limit::Packets(most) => most,
            Limit::Bytes(_) | Limit::Unlimited => MOST_HELD,
        };
        let held = radio.holds.iter_mut().find(|h| h.flow == flow);
        let held = held.expect("a flow that is held");
        if held.frames >= most {
            let port = held.port;
            return self.lose_at_station(packet_id, Cause::BufferFull, port, now);
        }
        held.frames += 1;
        self.packets.append(&mut held.list, packet_id);
        if held.frames == 1 {
            self.calendar.push(held.next.max(now), Event::Release(flow));
        }
    }

    /// The turn of a held flow's next packet.
    pub(super) fn release_held(&mut self, flow: FlowId, now: Time) {
        let port = self.flows[flow].port;
        let hop = self.air.hop_number(port);
        let station = self.air.hops[hop as usize].from;
        let radio = &mut self.air.radios[station as usize];
        let held = radio.holds.iter_mut().find(|h| h.flow == flow);
        let held = held.expect("a flow that is held");
        let packet_id = self.packets.take_after(&mut held.list, Id::NONE);
        held.frames -= 1;
        let len = u64::from(self.packets[packet_id].len);
        held.next = now + held.rate.time_for(Bytes(len));
        if held.frames > 0 {
            self.calendar.push(held.next, Event::Release(flow));
        }
        self.queue_up(hop, packet_id, now);
    }
}
