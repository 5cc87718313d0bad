//! Exchanges over the air: what follows from a frame that was understood, and from one that was not.

use backwater_transport::units::{Bytes, Span, Time};

use crate::books::Books;
use crate::ids::PacketId;
use crate::medium::ethernet;
use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::mac::aggregate::Others;
use crate::medium::wifi::mac::category::{AccessMode, Protection};
use crate::medium::wifi::mac::frame::{Exchange, Frame, FrameKind, Reply};
use crate::medium::wifi::mac::window::Ghost;
use crate::medium::wifi::radio::{Edcaf, Line};
use crate::network::Network;
use crate::record::What;
use crate::shared::Shared;

impl Air {
    /// The packet of a frame has been received, and leaves a ghost until the exchange is over. The frame has this place in
    /// the window of its hop, and stands behind `before` in the queue.
    pub(crate) fn leave_queue(
        &mut self,
        network: &mut Network,
        books: &mut Books,
        (station, exchange, others): (u32, &Exchange, &mut Others),
        (hop_number, place, before): (u32, usize, PacketId),
        now: Time,
    ) -> PacketId {
        let number = usize::from(exchange.category);
        let delta = self.medium(station).delta;
        let port_id = self.hops[hop_number as usize].port;
        let list = &mut network.ports[port_id].queue_mut(number).list;
        let packet_id = network.packets.take_after(list, before);
        let from = self.origin(network, station, packet_id);
        let others = self.time_of_others(station, exchange, others, network.packets[packet_id].len);
        let overheard = self.eavesdrops && self.is_sent_on(network, hop_number, packet_id);
        let hop = &mut self.hops[hop_number as usize];
        let window = &mut hop.windows[number];
        let tried = window.at_mut(place);
        let packet = &mut network.packets[packet_id];
        tried.ghost = Some(Ghost::of(packet, self.first_port, from, overheard));
        let radio = &mut self.radios[station as usize];
        let c = &mut radio.categories[number];
        let first = packet.at.max(c.since);
        let retries = tried.spent;
        let spent = &mut network.spent[packet_id];
        let clock = c.stall_clock(exchange.begun);
        // A packet is first in line from `first` on: what gates held it back before is no part of its contention.
        let gated_first = clock - spent.stall_clock.max(c.stalled_at_since);
        let retries_first = retries - tried.overtaken;
        let contention = exchange.begun.0 - first.0 - retries_first - gated_first;
        packet.gated += clock - spent.stall_clock;
        spent.contention += contention;
        spent.retries += retries;
        packet.waited += exchange.begun.0 - packet.at.0;
        let exchanged = now.0 - delta.0 - exchange.begun.0;
        packet.serial += exchanged - others;
        packet.waited += others;
        if others > 0 {
            network.spent.grouped_mut(packet_id).aggregate += others;
        }
        packet.ingress = port_id;
        let (size, arrived, to) = (packet.frame(), packet.at, packet.to);
        let under_session = window.session().is_some();
        if under_session {
            c.pass(size);
        }
        if let Some(gates) = &mut radio.gates {
            gates.charge_toward(number as u8, Some(hop.to), to, Bytes(size), exchange.begun);
        }
        let port = &mut network.ports[port_id];
        port.free(number, size);
        port.count_sent(size, now.0 - arrived.0);
        for shown in &radio.laws {
            network.show_departure(books, *shown, port_id, packet_id, now);
        }
        // Of a burst the next packet departs from a shorter queue, which laws see.
        if under_session {
            self.tell_backlog(network, station, now);
        }
        if books.record.is_some() {
            let waited = exchange.begun.0 - arrived.0;
            network.note(
                books,
                packet_id,
                What::Send.noted(exchange.begun, port_id, waited),
            );
        }
        packet_id
    }
}

impl Air {
    /// The consequences of a frame that was understood by whom it was for, or was not. Gives who sends next, a SIFS
    /// later, if somebody does.
    pub(crate) fn conclude(
        &mut self,
        cx: &mut Shared,
        station: u32,
        frame: Frame,
        now: Time,
    ) -> Option<u32> {
        let to = frame.to;
        let understood = !self.heard.is_empty();
        if let Some(log) = &mut self.log {
            log.conclude(station, understood, &self.damaged);
        }
        if !self.overheard.is_empty() {
            self.overhear(&cx.network, &mut cx.mechanisms, station, now);
        }
        match frame.kind {
            FrameKind::Rts => {
                // A station whose NAV says that others have the medium does not answer, except under EDCA whose exchange
                // set the NAV, though that ended early. 10.22.2.4.
                let sense = &self.sensing[to as usize];
                let edca = self.medium(to).mac.access == AccessMode::Edca;
                let of_holder = edca && sense.holder == station;
                if understood && (sense.reserved() <= now || of_holder) {
                    let reply = Reply::Cts { to: station };
                    self.answer(&mut cx.run.calendar, to, reply, now)
                } else {
                    self.exchange_failed(cx, station, now)
                }
            }
            FrameKind::Cts if understood => self.answer(&mut cx.run.calendar, to, Reply::Go, now),
            FrameKind::Data if understood => {
                self.receive_data(cx, station, to, now);
                let reply = Reply::Ack { to: station };
                self.answer(&mut cx.run.calendar, to, reply, now)
            }
            FrameKind::Bar if understood => {
                self.take_bar(cx, station, to, now);
                let reply = Reply::Ack { to: station };
                self.answer(&mut cx.run.calendar, to, reply, now)
            }
            FrameKind::Data | FrameKind::Bar => self.exchange_failed(cx, station, now),
            FrameKind::Ack | FrameKind::BlockAck if understood => self.exchange_done(cx, to, now),
            FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck if frame.missed => None,
            FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck => {
                self.exchange_failed(cx, to, now)
            }
            FrameKind::CfEnd => {
                let exchange = self.radios[station as usize].exchange.take();
                let exchange = exchange.expect("a CF-End is an exchange");
                self.draw(station, usize::from(exchange.category));
                None
            }
            FrameKind::Group => {
                let exchange = self.radios[station as usize].exchange;
                match exchange.expect("a frame to a group is an exchange").hop {
                    Some(hop) => self.spread(cx, station, hop, now),
                    None => {
                        for i in 0..self.heard.len() {
                            self.receive_management_frame(cx, station, self.heard[i], now);
                        }
                    }
                }
                self.exchange_done(cx, station, now)
            }
        }
    }

    /// A SIFS has passed.
    pub(crate) fn answer_now(&mut self, cx: &mut Shared, station: u32, now: Time) {
        let radio = &self.radios[station as usize];
        match radio.reply {
            Reply::Cts { to } => self.emit(cx, station, FrameKind::Cts, to, now),
            Reply::Ack { to } => {
                let exchange = self.radios[to as usize].exchange.as_ref();
                let block = exchange.expect("an answer belongs to an exchange").block;
                let kind = match block {
                    true => FrameKind::BlockAck,
                    false => FrameKind::Ack,
                };
                self.emit(cx, station, kind, to, now);
            }
            Reply::Go => {
                let radio = &mut self.radios[station as usize];
                let exchange = radio.exchange.as_mut().expect("an exchange that goes on");
                exchange.cleared = true;
                let to = exchange.to;
                self.emit(cx, station, FrameKind::Data, to, now);
            }
            Reply::Next { category, until } => {
                let number = usize::from(category);
                match self.next_frame(cx, station, number, now) {
                    Some(first) => {
                        self.begin(cx, Edcaf { station, number }, first, now, Some(until))
                    }
                    // A gate has closed meanwhile.
                    None => self.draw(station, number),
                }
            }
            Reply::End { category } => {
                let medium = self.medium(station);
                let frame = (medium.phy.control, medium.cf_end);
                let exchange = Exchange::cf_end(category, frame, now);
                self.radios[station as usize].exchange = Some(exchange);
                self.emit(cx, station, FrameKind::CfEnd, NOBODY, now);
            }
            Reply::None => unreachable!("an answer was due"),
        }
        let radio = &mut self.radios[station as usize];
        radio.reply = Reply::None;
        let before = radio.after;
        self.schedule_soonest(&mut cx.run.calendar, before);
    }

    /// A data frame has reached its receiver: its packets move on, each once.
    fn receive_data(&mut self, cx: &mut Shared, station: u32, receiver: u32, now: Time) {
        let exchange = self.radios[station as usize].exchange;
        let exchange = exchange.expect("a data frame belongs to an exchange");
        let Some(hop) = exchange.hop else {
            return self.receive_notice(cx, station, receiver, now);
        };
        if exchange.field && !self.damaged.contains(0) {
            self.receive_field(cx, station, receiver, now);
        }
        let number = usize::from(exchange.category);
        self.charge_received((station, receiver, number), exchange.data);
        let echoes = !self.radios[station as usize].echoes.is_empty();
        let mut others = Others::default();
        let (mut place, mut before, mut mpdus) = (0, PacketId::NONE, 0);
        for _ in 0..exchange.count {
            let served = &self.hops[hop as usize];
            let window = &served.windows[number];
            place = window.open_from(place);
            let tried = window.at(place);
            mpdus += u16::from(!tried.joined);
            if tried.ghost.is_some() {
                place += 1;
                continue;
            }
            if self.damaged.contains(mpdus - 1) {
                before = served.behind(&cx.network, number, before);
                place += 1;
                continue;
            }
            // The frame has brought a packet that its receiver did not have.
            let (network, books) = (&mut cx.network, &mut cx.run.books);
            let (of, frame) = ((station, &exchange, &mut others), (hop, place, before));
            let packet_id = self.leave_queue(network, books, of, frame, now);
            if echoes {
                self.receive_echo(cx, (station, receiver), packet_id, now);
            }
            cx.run.books.packet_hops += 1;
            self.pass_received(cx, receiver, packet_id, (hop, number, place), now);
            place += 1;
        }
    }

    /// The exchange succeeded, or needed no answer.
    fn exchange_done(&mut self, cx: &mut Shared, station: u32, now: Time) -> Option<u32> {
        let radio = &mut self.radios[station as usize];
        let exchange = radio.exchange.take().expect("an exchange that ended");
        let number = usize::from(exchange.category);
        let c = &mut radio.categories[number];
        (c.cw, c.failures) = (c.set.cw_min, 0);
        if exchange.rts && self.media[radio.medium as usize].mac.protection == Protection::Multiple
        {
            radio.protected.push(exchange.to);
        }
        match exchange.hop {
            Some(hop) => {
                if exchange.field && !exchange.block {
                    radio.end_field(exchange.to);
                }
                self.charge_turn((station, number, hop), now.since(exchange.begun));
                let arrived = self
                    .learns(station)
                    .then(|| self.acknowledged(hop, &exchange));
                self.burst_done(cx, hop, &exchange, now);
                if let Some(arrived) = arrived {
                    self.choose_mode(station, hop, (&exchange, arrived), now);
                }
            }
            None => {
                let sent = radio.notices.pop_front().expect("the frame that was sent");
                radio.categories[number].frames -= 1;
                if sent.to != NOBODY {
                    cx.mechanisms.controls[sent.control].acknowledged(sent.to, &sent.notice, now);
                }
            }
        }
        if self.goes_on(cx, station, number, exchange.txop_end, now) {
            let (category, until) = (exchange.category, exchange.txop_end);
            return self.answer(
                &mut cx.run.calendar,
                station,
                Reply::Next { category, until },
                now,
            );
        }
        let reserved = exchange.to != NOBODY;
        if reserved && self.medium(station).truncates(exchange.txop_end, now) {
            let category = exchange.category;
            return self.answer(&mut cx.run.calendar, station, Reply::End { category }, now);
        }
        self.draw(station, number);
        None
    }

    /// The frames of an exchange that their receiver has leave the queue for good.
    fn burst_done(&mut self, cx: &mut Shared, hop: u32, exchange: &Exchange, now: Time) {
        let number = usize::from(exchange.category);
        let station = self.hops[hop as usize].from;
        let airtime = now.since(exchange.begun);
        self.hops[hop as usize].airtime += airtime.0;
        let session = self.hops[hop as usize].windows[number].session_mut();
        let under_session = session.is_some();
        if let Some(session) = session {
            (session.asked, session.moved) = (0, false);
        }
        if exchange.field && exchange.block {
            self.end_field_of_burst(station, (hop, number));
        }
        let window = &mut self.hops[hop as usize].windows[number];
        // Frames that leave below find the time of this exchange at those that stay.
        window.charge_missing(exchange.count, airtime.0);
        let at = Edcaf { station, number };
        // A BAR may ask for nothing.
        let share = Span(airtime.0 / u64::from(exchange.count.max(1)));
        let watched = self.radios[station as usize].watch.is_some();
        let mut plain = self.is_plain(cx, at);
        let (mut place, mut left) = (0, false);
        for _ in 0..exchange.count {
            let served = &mut self.hops[hop as usize];
            let (port, window) = (served.port, &mut served.windows[number]);
            let received = window.take_received(&mut place);
            place += 1;
            let Some((ghost, tried)) = received else {
                continue;
            };
            let is_empty = cx.network.ports[port].queue(number).list.is_empty();
            let c = &mut self.radios[station as usize].categories[number];
            if is_empty && window.is_clear() {
                c.clear(hop);
            }
            c.spend(u64::from(ghost.len), now);
            if under_session {
                let size = ethernet::frame(u64::from(ghost.len));
                (c.passed.packets, c.passed.bytes) = (c.passed.packets - 1, c.passed.bytes - size);
            }
            if watched {
                let done = tried.over(exchange.to, share, true);
                self.observe_transmission(cx, at, &ghost, &done, now);
            }
            if plain {
                plain = self.depart_plainly(cx, Line { hop, number }, &ghost, now)
                    || self.is_plain(cx, at);
            } else {
                self.departed(cx, at, ghost, now, now);
            }
            left = true;
        }
        if left {
            self.overtake(at);
        }
        self.hops[hop as usize].windows[number].advance();
    }

    /// Whether the station may send its next frame without contending: all of the exchange fits what
    /// is left of its TXOP. 10.22.2.8.
    fn goes_on(
        &mut self,
        cx: &mut Shared,
        station: u32,
        number: usize,
        until: Time,
        now: Time,
    ) -> bool {
        let radio = &self.radios[station as usize];
        if until <= now || radio.categories[number].frames == 0 || !radio.notices.is_empty() {
            return false;
        }
        let Some(Some(hop)) = self.next_frame(cx, station, number, now) else {
            return false;
        };
        let then = now + self.medium(station).sifs;
        let (kind, next) = self.plan(cx, Edcaf { station, number }, Some(hop), then, until);
        then + self.medium(station).whole(kind, &next) <= until
    }
}

#[cfg(test)]
mod tests {
    use backwater_transport::part::{Args, Value};
    use backwater_transport::segment::Ecn;
    use backwater_transport::units::{Bytes, Rate, Span, Time};

    use crate::mechanism::notice::{Ask, Form, Notice, Step};
    use crate::mechanism::responder::{Knob, Steps};
    use crate::medium::wifi::air::NOBODY;
    use crate::medium::wifi::radio::Management;
    use crate::medium::wifi::test_line::{PHY, line};
    use crate::source::SOURCES;
    use crate::spec::{FlowOptions, FlowSpec, Spec};
    use crate::table::Id;
    use crate::targets::Destination;
    use crate::world::World;

    #[test]
    fn a_notice_too_many_breaks_conservation() {
        let mut world = tell_all(&line(&[0.0, 50.0]));
        assert!(world.clone().report().conserved);
        world.shared.run.books.notices_sent += 1;
        assert!(!world.report().conserved);
    }

    /// Station 0 tells all its neighbours to step back once, at 10 ms; the world a second later.
    fn tell_all(spec: &Spec) -> World {
        let mut world = World::build(spec).expect("a legal line");
        let hearing = crate::mechanism::Hearing::default();
        world.shared.mechanisms.hearing.push(hearing);
        let now = Time::ZERO + Span::millis(10);
        world.advance(now);
        for radio in &mut world.media.air.radios {
            let responder = Steps::responder(Knob::Aifsn, 2, [10; 4], None);
            radio.responders.push((0, responder));
        }
        let step = Step {
            less: true,
            rate: Rate(1_000_000),
            expiry: Some(Span::secs(100)),
            period: Span::secs(1),
        };
        world.media.air.radios[0].notices.push_back(Management {
            to: NOBODY,
            bytes: 50,
            control: Id::NONE,
            notice: Notice {
                mechanism: 0,
                form: Form::Request(50),
                classes: 1,
                ask: Ask::Step(step),
                hosts: None,
                origin: Id::NONE,
                origin_classes: 0,
                key: 0,
            },
            heard: false,
            tries: 0,
        });
        world
            .media
            .air
            .one_more(&mut world.shared.run.calendar, 0, 0, now);
        world.advance(world.end());
        world
    }

    fn aifsn(world: &World) -> Vec<u8> {
        let radios = world.media.air.radios.iter();
        radios.map(|r| r.categories[0].set.aifsn).collect()
    }

    /// A group frame goes out once, at the basic rate, without RTS, and nobody answers; each neighbour has it,
    /// and who is out of reach has not. 10.3.2.11, 10.7.6.
    #[test]
    fn a_group_frame_goes_to_every_neighbour_once_and_unanswered() {
        let world = tell_all(&line(&[0.0, 60.0, -90.0, 150.0]));
        assert_eq!(aifsn(&world), [2, 3, 3, 2]);
        let frames: Vec<u64> = world
            .media
            .air
            .radios
            .iter()
            .map(|r| r.count.frames)
            .collect();
        assert_eq!(frames, [1, 0, 0, 0]);
        let sender = &world.media.air.radios[0].count;
        assert_eq!(sender.airtime, PHY.airtime(50, PHY.control).0);
        assert_eq!((sender.attempts, sender.management), (0, 1));
        assert!(world.media.air.radios[0].notices.is_empty());
    }

    /// A neighbour that a hidden station keeps busy misses it, and it is not repeated for that.
    #[test]
    fn a_group_frame_that_a_neighbour_misses_is_not_repeated() {
        let mut spec = line(&[0.0, 60.0, -90.0, 150.0, 240.0]);
        let row = SOURCES.iter().find(|p| p.id == "saturated").expect("one");
        spec.media[0].mac.rts_above = u64::MAX;
        spec.flows.push(FlowSpec {
            name: "f".into(),
            from: 3,
            to: Destination::Node(4),
            class: 1,
            ecn: Ecn::NotEct,
            packet: Bytes(2000),
            start: Span::ZERO,
            stop: Span::secs(1),
            source: (row.build)(&Args(vec![("packet", Value::Bytes(Bytes(2000)))])).expect("legal"),
            options: FlowOptions::default(),
            after: None,
            route: None,
            transport: None,
        });
        spec.media[0].phy.data = Rate(6_000_000);
        let world = tell_all(&spec);
        assert_eq!(aifsn(&world), [2, 2, 3, 2, 2]);
        let sender = &world.media.air.radios[0].count;
        assert_eq!(
            (sender.frames, sender.failures, sender.retry_drops),
            (1, 0, 0)
        );
    }
}
