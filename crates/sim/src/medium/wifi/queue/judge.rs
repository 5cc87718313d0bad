//! Active queue management in front of a radio. Frames of an access category wait in its queues, for all hops together or for one; it judges
//! them as they join and when one is chosen for an attempt, or for the queue of the driver.

use backwater_transport::units::{Span, Time};

use crate::cause::Cause;
use crate::ids::PacketId;
use crate::medium::wifi::air::Air;
use crate::medium::wifi::queue::arrangement::Judged;
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

/// An instance of queue management: of which station, category and place in its arrangement.
#[derive(Copy, Clone, Debug)]
pub(super) struct Instance {
    pub station: u32,
    pub number: usize,
    pub place: usize,
}

impl Air {
    /// The instance that judges packets of a hop.
    pub(super) fn instance_of(&mut self, station: u32, number: usize, hop: u32) -> Instance {
        let c = &mut self.radios[station as usize].categories[number];
        let arranged = c.arranged.as_mut().expect("a managed category");
        Instance {
            station,
            number,
            place: arranged.made_for(hop),
        }
    }

    /// The first packet of a queue that gates let go, and the one before it. An algorithm's own queues are served in order, so
    /// that their heads speak for them.
    fn first_open(
        &self,
        network: &Network,
        of: Instance,
        q: usize,
        now: Time,
    ) -> Option<(PacketId, PacketId)> {
        let Instance {
            station, number, ..
        } = of;
        let judged = self.judged_at(of);
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
        (station, number, hop): (u32, usize, u32),
        packet_id: PacketId,
        now: Time,
    ) -> bool {
        let network = &mut cx.network;
        let of = self.instance_of(station, number, hop);
        let c = &self.radios[station as usize].categories[number];
        let waits = match c.arranged.as_ref().expect("a managed category") {
            one if one.for_single_hops() => one.held_for(hop) > 0 || c.hops.contains(&hop),
            _ => c.frames > 0,
        };
        if !waits {
            self.judged(of).managed.aqm.emptied(now);
        }
        self.update_judged(network, of, now);
        let q = self.queue_for(network, of, packet_id);
        let frame = self.arriving(network, of, q, packet_id, now);
        let managed = &mut self.judged(of).managed;
        match managed.aqm.push(&frame, &mut managed.random) {
            Verdict::Accept => {}
            Verdict::Mark => {
                let port = self.port_of(network, station, &network.packets[packet_id]);
                network.mark(&mut cx.run.books, packet_id, port, now);
            }
            Verdict::Notify(feedback) => {
                let port = self.port_of(network, station, &network.packets[packet_id]);
                network.tell_source(port, packet_id, feedback);
            }
            Verdict::Drop => return false,
        }
        let size = network.packets[packet_id].frame();
        let judged = self.judged(of);
        judged.held += 1;
        judged.bytes += size;
        let queue = judged.queue_mut(q);
        network.packets.append(&mut queue.list, packet_id);
        queue.bytes += size;
        queue.packets += 1;
        true
    }

    fn queue_for(&mut self, network: &Network, of: Instance, packet_id: PacketId) -> usize {
        let packet = &network.packets[packet_id];
        let parties = Parties {
            flow: network.labels.flow(packet_id, packet.flow).0,
            from: network.flows[packet.flow].from.0,
            to: packet.to,
            ecn: packet.traffic.ecn(),
        };
        let managed = &mut self.judged(of).managed;
        match managed.queues.is_empty() {
            true => 0,
            false => managed.aqm.classify(&parties),
        }
    }

    /// A frame that has not joined its queue, as the algorithm sees it.
    fn arriving(
        &self,
        network: &Network,
        of: Instance,
        q: usize,
        packet_id: PacketId,
        now: Time,
    ) -> Frame {
        let packet = &network.packets[packet_id];
        let queue = &self.judged_at(of).queues()[q];
        Frame {
            now,
            queue: q,
            size: packet.frame(),
            ecn: packet.traffic.ecn(),
            sojourn: Span(now.0 - packet.at.0),
            bytes: queue.bytes,
            packets: queue.packets.into(),
        }
    }

    /// The same of one that waits in its queue, with what that would hold without it.
    fn frame_at_station(
        &self,
        network: &Network,
        of: Instance,
        q: usize,
        packet_id: PacketId,
        now: Time,
    ) -> Frame {
        let mut frame = self.arriving(network, of, q, packet_id, now);
        frame.bytes -= frame.size;
        frame.packets -= 1;
        frame
    }

    fn update_judged(&mut self, network: &Network, of: Instance, now: Time) {
        let Judged { managed, one, .. } = self.judged(of);
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

    fn judged(&mut self, of: Instance) -> &mut Judged {
        let c = &mut self.radios[of.station as usize].categories[of.number];
        let arranged = c.arranged.as_mut().expect("a managed category");
        &mut arranged.judged[of.place]
    }

    fn judged_at(&self, of: Instance) -> &Judged {
        let c = &self.radios[of.station as usize].categories[of.number];
        let arranged = c.arranged.as_ref().expect("a managed category");
        &arranged.judged[of.place]
    }

    fn take_judged(&mut self, network: &mut Network, of: Instance, frame: Queued) -> PacketId {
        let judged = self.judged(of);
        judged.held -= 1;
        let queue = judged.queue_mut(frame.queue);
        let packet_id = network.packets.take_after(&mut queue.list, frame.before);
        let size = network.packets[packet_id].frame();
        queue.bytes -= size;
        queue.packets -= 1;
        judged.bytes -= size;
        packet_id
    }
}

impl Air {
    /// Loses a packet that waits in a queue of the algorithm.
    fn discard_at_station(
        &mut self,
        cx: &mut Shared,
        of: Instance,
        frame: Queued,
        cause: Cause,
        now: Time,
    ) {
        let Instance {
            station, number, ..
        } = of;
        let packet_id = self.take_judged(&mut cx.network, of, frame);
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
        self.release_room(
            &mut cx.network,
            Edcaf { station, number },
            Freed { own, size, flow },
        );
        self.tell_backlog(&mut cx.network, station, now);
    }

    /// Makes room for a packet at the cost of one that the algorithm names, of the longest queue where several instances name one. The
    /// room is the packet's: a saturated flow that lost a packet has to wait for the next departure.
    pub(crate) fn displace(
        &mut self,
        cx: &mut Shared,
        (station, number, hop): (u32, usize, u32),
        packet_id: PacketId,
        now: Time,
    ) -> bool {
        let own = self.instance_of(station, number, hop);
        self.update_judged(&cx.network, own, now);
        let q = self.queue_for(&cx.network, own, packet_id);
        let frame = self.arriving(&cx.network, own, q, packet_id, now);
        let c = &self.radios[station as usize].categories[number];
        let arranged = c.arranged.as_ref().expect("a managed category");
        let named = arranged
            .judged
            .iter()
            .enumerate()
            .filter(|(_, judged)| judged.held > 0)
            .filter_map(|(at, judged)| {
                let joins = if at == own.place { frame.size } else { 0 };
                let shown = Frame {
                    size: joins,
                    ..frame
                };
                let victim = judged.managed.aqm.victim(&shown, judged.queues())?;
                let beside = if victim == q { joins } else { 0 };
                Some((judged.queues()[victim].bytes + beside, at, victim))
            });
        // The first among equals.
        let longest = named.reduce(|a, b| if b.0 > a.0 { b } else { a });
        let Some((_, place, victim)) = longest else {
            return false;
        };
        let of = Instance { place, ..own };
        let first = Queued {
            queue: victim,
            before: Id::NONE,
        };
        self.discard_at_station(cx, of, first, Cause::BufferFull, now);
        true
    }

    /// Queue management, where there is some, is told of a packet that finds no room.
    #[cold]
    pub(crate) fn tell_overflow(
        &mut self,
        network: &Network,
        (station, number, hop): (u32, usize, u32),
        packet_id: PacketId,
        now: Time,
    ) {
        if !self.radios[station as usize].categories[number].manages() {
            return;
        }
        let of = self.instance_of(station, number, hop);
        self.update_judged(network, of, now);
        let q = self.queue_for(network, of, packet_id);
        let frame = self.arriving(network, of, q, packet_id, now);
        let managed = &mut self.judged(of).managed;
        managed.aqm.refused(&frame, false, &mut managed.random);
    }

    /// Lets queue management choose a frame and puts it behind those of its hop.
    pub(super) fn bind(&mut self, cx: &mut Shared, of: Instance, now: Time) -> Option<u32> {
        let Instance {
            station, number, ..
        } = of;
        loop {
            self.update_judged(&cx.network, of, now);
            let judged = self.judged(of);
            if judged.held == 0 {
                return None;
            }
            let q = match judged.managed.queues.is_empty() {
                true => 0,
                false => judged.managed.aqm.choose(&judged.managed.queues),
            };
            let (before, packet_id) = self.first_open(&cx.network, of, q, now)?;
            let first = Queued { queue: q, before };
            let frame = self.frame_at_station(&cx.network, of, q, packet_id, now);
            let port = self.port_of(&cx.network, station, &cx.network.packets[packet_id]);
            match self.judged(of).managed.aqm.pop(&frame) {
                Verdict::Accept | Verdict::Notify(_) => {}
                Verdict::Mark => cx.network.mark(&mut cx.run.books, packet_id, port, now),
                Verdict::Drop => {
                    self.discard_at_station(cx, of, first, Cause::Aqm, now);
                    self.refill_owed(cx, station, number, now);
                    continue;
                }
            }
            self.take_judged(&mut cx.network, of, first);
            let hop = self.hop_number(port);
            self.line_up(&mut cx.network, station, number, hop, packet_id);
            let c = &mut self.radios[station as usize].categories[number];
            let arranged = c.arranged.as_mut().expect("a managed category");
            arranged.join_turns(hop);
            self.discard_next(cx, of, q, now);
            return Some(hop);
        }
    }

    /// Loses what the algorithm wants lost behind a frame that it has let go.
    fn discard_next(&mut self, cx: &mut Shared, of: Instance, q: usize, now: Time) {
        loop {
            let judged = self.judged(of);
            let head = judged.queues()[q].list.head();
            if head.is_none() || !judged.managed.aqm.takes_next() {
                return;
            }
            let frame = self.frame_at_station(&cx.network, of, q, head, now);
            let verdict = self.judged(of).managed.aqm.pop(&frame);
            debug_assert_eq!(verdict, Verdict::Drop, "what is taken is lost");
            let first = Queued {
                queue: q,
                before: Id::NONE,
            };
            self.discard_at_station(cx, of, first, Cause::Aqm, now);
            self.refill_owed(cx, of.station, of.number, now);
        }
    }
}
