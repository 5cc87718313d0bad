//! Active queue management in front of a radio. Frames of an access category wait in its queues, for all hops together; it judges
//! them as they join and when one is chosen for an attempt.

use backwater_transport::units::{Span, Time};

use crate::cause::Cause;
use crate::ids::PacketId;
use crate::medium::wifi::air::Air;
use crate::medium::wifi::mac::category::Judged;
use crate::medium::wifi::radio::{Edcaf, Freed, Line};
use crate::network::Network;
use crate::packet::Packet;
use crate::queue::aqm::{Aqm, Frame, Parties, Verdict, Waiting};
use crate::shared::Shared;
use crate::table::Id;

/// A frame in a queue of the algorithm: the one behind `before`.
#[derive(Copy, Clone)]
struct Queued {
    queue: usize,
    before: PacketId,
}

impl Air {
    /// The first packet of a queue that gates let go, and the one before it. An algorithm's own queues are served in order, so
    /// that their heads speak for them.
    fn first_open(
        &self,
        network: &Network,
        station: u32,
        number: usize,
        q: usize,
        now: Time,
    ) -> Option<(PacketId, PacketId)> {
        let c = &self.radios[station as usize].categories[number];
        let judged = c.judged.as_ref().expect("a managed category");
        let walks = judged.managed.queues.is_empty();
        let (mut before, mut at) = (PacketId::NONE, judged.queues()[q].list.head());
        while !at.is_none() {
            let hop = self.hop_number(self.port_of(network, station, &network.packets[at]));
            let packet = &network.packets[at];
            if self.gate_opens(station, number, hop, Some(packet.to), now) <= now {
                return Some((before, at));
            }
            if !walks {
                return None;
            }
            (before, at) = (at, packet.next);
        }
        None
    }

    /// Whether a packet may join a managed category; puts it into its queue, marked where the algorithm says so.
    pub(crate) fn admit_at_station(
        &mut self,
        cx: &mut Shared,
        station: u32,
        number: usize,
        packet_id: PacketId,
        now: Time,
    ) -> bool {
        let network = &mut cx.network;
        let at = Edcaf { station, number };
        let waits = self.radios[station as usize].categories[number].frames > 0;
        if !waits {
            self.judged(station, number).managed.aqm.emptied(now);
        }
        self.update_judged(network, station, number, now);
        let q = self.queue_for(network, station, number, packet_id);
        let mut frame = self.frame_at_station(network, at, q, packet_id, now);
        // It has not joined yet.
        frame.bytes += frame.size;
        frame.packets += 1;
        let managed = &mut self.judged(station, number).managed;
        match managed.aqm.push(&frame, &mut managed.random) {
            Verdict::Accept => {}
            Verdict::Mark => {
                let port = self.port_of(network, station, &network.packets[packet_id]);
                network.mark(&mut cx.run.books, packet_id, port, now);
            }
            Verdict::Drop => return false,
        }
        let size = network.packets[packet_id].frame();
        let c = &mut self.radios[station as usize].categories[number];
        let queue = c.judged.as_mut().expect("a managed category").queue_mut(q);
        network.packets.append(&mut queue.list, packet_id);
        queue.bytes += size;
        queue.packets += 1;
        true
    }

    fn queue_for(
        &mut self,
        network: &Network,
        station: u32,
        number: usize,
        packet_id: PacketId,
    ) -> usize {
        let packet = &network.packets[packet_id];
        let parties = Parties {
            flow: network.labels.flow(packet_id, packet.flow).0,
            from: network.flows[packet.flow].from.0,
            to: packet.to,
            ecn: packet.traffic.ecn(),
        };
        let managed = &mut self.judged(station, number).managed;
        match managed.queues.is_empty() {
            true => 0,
            false => managed.aqm.classify(&parties),
        }
    }

    /// A frame as the algorithm sees it, with what its queue would hold without it.
    fn frame_at_station(
        &self,
        network: &Network,
        at: Edcaf,
        q: usize,
        packet_id: PacketId,
        now: Time,
    ) -> Frame {
        let packet = &network.packets[packet_id];
        let c = &self.radios[at.station as usize].categories[at.number];
        let queue = &c.judged.as_ref().expect("a managed category").queues()[q];
        let size = packet.frame();
        Frame {
            now,
            queue: q,
            size,
            ecn: packet.traffic.ecn(),
            sojourn: Span(now.0 - packet.at.0),
            bytes: queue.bytes.saturating_sub(size),
            packets: queue.packets.saturating_sub(1),
        }
    }

    fn update_judged(&mut self, network: &Network, station: u32, number: usize, now: Time) {
        let c = &mut self.radios[station as usize].categories[number];
        let Judged { managed, one } = &mut **c.judged.as_mut().expect("a managed category");
        let waiting = Waiting {
            queues: match managed.queues.is_empty() {
                true => one,
                false => &managed.queues,
            },
            packets: &network.packets,
            sending: 0,
        };
        managed.aqm.update(now, &waiting);
    }

    fn judged(&mut self, station: u32, number: usize) -> &mut Judged {
        let c = &mut self.radios[station as usize].categories[number];
        c.judged.as_mut().expect("a managed category")
    }

    fn take_judged(&mut self, network: &mut Network, at: Edcaf, frame: Queued) -> PacketId {
        let c = &mut self.radios[at.station as usize].categories[at.number];
        let judged = c.judged.as_mut().expect("a managed category");
        let queue = judged.queue_mut(frame.queue);
        let packet_id = network.packets.take_after(&mut queue.list, frame.before);
        queue.bytes -= network.packets[packet_id].frame();
        queue.packets -= 1;
        packet_id
    }
}

impl Air {
    /// Loses a packet that waits in a queue of the algorithm.
    fn discard_at_station(
        &mut self,
        cx: &mut Shared,
        at: Edcaf,
        frame: Queued,
        cause: Cause,
        now: Time,
    ) {
        let Edcaf { station, number } = at;
        let packet_id = self.take_judged(&mut cx.network, at, frame);
        let port = self.port_of(&cx.network, station, &cx.network.packets[packet_id]);
        let hop = self.hop_number(port);
        let Packet { flow, .. } = cx.network.packets[packet_id];
        let size = cx.network.packets[packet_id].frame();
        let own = self.enters_with(&cx.network.packets[packet_id]);
        let held = now.0 - cx.network.packets[packet_id].at.0;
        cx.network.ports[port].lose_waiting(number, size, held);
        self.observe_station_loss(cx, Line { hop, number }, packet_id, now);
        cx.network
            .lose(&mut cx.run.books, packet_id, cause, port, now);
        self.release_room(&cx.network, at, Freed { own, size, flow });
        self.tell_backlog(&mut cx.network, station, now);
    }

    /// Makes room for a packet at the cost of one that the algorithm names. The room is the packet's: a saturated flow that
    /// lost a packet has to wait for the next departure.
    pub(crate) fn displace(
        &mut self,
        cx: &mut Shared,
        station: u32,
        number: usize,
        packet_id: PacketId,
        now: Time,
    ) -> bool {
        let at = Edcaf { station, number };
        self.update_judged(&cx.network, station, number, now);
        let q = self.queue_for(&cx.network, station, number, packet_id);
        let mut frame = self.frame_at_station(&cx.network, at, q, packet_id, now);
        frame.bytes += frame.size;
        frame.packets += 1;
        let judged = self.judged(station, number);
        let Some(victim) = judged.managed.aqm.victim(&frame, judged.queues()) else {
            return false;
        };
        let first = Queued {
            queue: victim,
            before: Id::NONE,
        };
        self.discard_at_station(cx, at, first, Cause::BufferFull, now);
        true
    }

    /// Queue management, where there is some, is told of a packet that finds no room.
    #[cold]
    pub(crate) fn tell_overflow(
        &mut self,
        network: &Network,
        station: u32,
        number: usize,
        packet_id: PacketId,
        now: Time,
    ) {
        let category = &self.radios[station as usize].categories[number];
        if category.judged.is_none() {
            return;
        }
        let at = Edcaf { station, number };
        self.update_judged(network, station, number, now);
        let q = self.queue_for(network, station, number, packet_id);
        let mut frame = self.frame_at_station(network, at, q, packet_id, now);
        let judged = self.judged(station, number);
        (frame.bytes, frame.packets) = (judged.queues()[q].bytes, judged.queues()[q].packets);
        let managed = &mut judged.managed;
        managed.aqm.refused(&frame, false, &mut managed.random);
    }

    /// Lets queue management choose a frame and puts it at the head of its hop.
    pub(crate) fn bind(
        &mut self,
        cx: &mut Shared,
        station: u32,
        number: usize,
        now: Time,
    ) -> Option<u32> {
        let at = Edcaf { station, number };
        self.radios[station as usize].categories[number]
            .judged
            .as_ref()?;
        loop {
            self.update_judged(&cx.network, station, number, now);
            let judged = self.judged(station, number);
            if judged.queues().iter().all(|queue| queue.list.is_empty()) {
                return None;
            }
            let q = match judged.managed.queues.is_empty() {
                true => 0,
                false => judged.managed.aqm.choose(&judged.managed.queues),
            };
            let (before, packet_id) = self.first_open(&cx.network, station, number, q, now)?;
            let first = Queued { queue: q, before };
            let frame = self.frame_at_station(&cx.network, at, q, packet_id, now);
            let port = self.port_of(&cx.network, station, &cx.network.packets[packet_id]);
            match self.judged(station, number).managed.aqm.pop(&frame) {
                Verdict::Accept => {}
                Verdict::Mark => cx.network.mark(&mut cx.run.books, packet_id, port, now),
                Verdict::Drop => {
                    self.discard_at_station(cx, at, first, Cause::Aqm, now);
                    self.refill_owed(cx, station, number, now);
                    continue;
                }
            }
            self.take_judged(&mut cx.network, at, first);
            let hop = self.hop_number(port);
            self.line_up(&mut cx.network, station, number, hop, packet_id);
            self.radios[station as usize].categories[number].current = Some(hop);
            self.discard_next(cx, station, number, q, now);
            return Some(hop);
        }
    }

    /// Loses what the algorithm wants lost behind a frame that it has let go.
    fn discard_next(&mut self, cx: &mut Shared, station: u32, number: usize, q: usize, now: Time) {
        let at = Edcaf { station, number };
        let first = Queued {
            queue: q,
            before: Id::NONE,
        };
        loop {
            let judged = self.judged(station, number);
            let head = judged.queues()[q].list.head();
            if head.is_none() || !judged.managed.aqm.takes_next() {
                return;
            }
            let frame = self.frame_at_station(&cx.network, at, q, head, now);
            let verdict = self.judged(station, number).managed.aqm.pop(&frame);
            debug_assert_eq!(verdict, Verdict::Drop, "what is taken is lost");
            self.discard_at_station(cx, at, first, Cause::Aqm, now);
            self.refill_owed(cx, station, number, now);
        }
    }
}
