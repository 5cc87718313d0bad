//! Packets that go on in order at their receiver: what waits behind one that is missing, and until when.
//!
//! Reference: IEEE 802.11-2020 10.25.6 (HT-immediate block acknowledgement); Linux, net/mac80211/rx.c (the timeout).

use backwater_transport::units::{Span, Time};

use crate::calendar::Calendar;
use crate::cause::Cause;
use crate::ids::{PacketId, PortId};
use crate::medium::wifi::air::Air;
use crate::medium::wifi::events::Code;
use crate::medium::wifi::mac::session::Session;
use crate::network::Network;
use crate::packet::Packet;
use crate::shared::{Onward, Shared};

impl Air {
    /// A BAR has reached its receiver, which lets go what waited for frames that will not come.
    pub(super) fn take_bar(&mut self, cx: &mut Shared, station: u32, receiver: u32, now: Time) {
        let exchange = self.radios[station as usize].exchange;
        let exchange = exchange.expect("a BAR is an exchange");
        let hop = exchange.hop.expect("a BAR belongs to a hop");
        let number = usize::from(exchange.category);
        let port = self.hops[hop as usize].port;
        loop {
            let session = self.session(hop, number);
            let Some((packet, since)) = session.reorder.skip_to(session.start) else {
                break;
            };
            self.pass_in_order(cx, receiver, (packet, since), port, now);
        }
    }

    /// A packet has come over a hop, where it has this place in the window: it goes on, or waits behind one that is missing.
    pub(super) fn pass_received(
        &mut self,
        cx: &mut Shared,
        receiver: u32,
        packet_id: PacketId,
        (hop, number, place): (u32, usize, usize),
        now: Time,
    ) {
        let served = &mut self.hops[hop as usize];
        let port = served.port;
        let session = served.windows[number].session_mut();
        let Some(session) = session.filter(|session| !session.alone) else {
            return self.pass_on(cx, receiver, packet_id, port, now);
        };
        let frame = session.start.wrapping_add(place as u32);
        if session.reorder.is_past(frame) {
            let books = &mut cx.run.books;
            return cx
                .network
                .lose(books, packet_id, Cause::Overtaken, port, now);
        }
        session.reorder.hold(frame, packet_id, now);
        while let Some(released) = self.session(hop, number).reorder.release() {
            self.pass_in_order(cx, receiver, released, port, now);
        }
        if self.session(hop, number).reorder.holds() {
            self.await_missing(&mut cx.run.calendar, (hop, number));
        }
    }

    /// How long receivers of a hop wait for what is missing; none where they wait until it comes or a BAR says that it won't.
    fn patience(&self, hop: u32) -> Option<Span> {
        let high = self.medium(self.hops[hop as usize].from).high;
        high?.aggregation?.reorder
    }

    /// Where a packet waits behind one that is missing, an event will look whether it has waited long enough.
    fn await_missing(&mut self, calendar: &mut Calendar, (hop, number): (u32, usize)) {
        let Some(patience) = self.patience(hop) else {
            return;
        };
        let reorder = &mut self.session(hop, number).reorder;
        if let (Some((_, since)), false) = (reorder.first_held(), reorder.armed) {
            reorder.armed = true;
            let owner = 4 * hop + number as u32;
            calendar.push(since + patience, Code::Reorder.of(owner));
        }
    }

    /// Packets that have waited long enough behind one that is missing go on without it.
    pub(in crate::medium::wifi) fn end_wait(
        &mut self,
        cx: &mut Shared,
        (hop, number): (u32, usize),
        now: Time,
    ) {
        let patience = self.patience(hop).expect("receivers whose patience ends");
        let (port, receiver) = (self.hops[hop as usize].port, self.hops[hop as usize].to);
        self.session(hop, number).reorder.armed = false;
        while let Some((first, since)) = self.session(hop, number).reorder.first_held() {
            if now.since(since) < patience {
                break;
            }
            while let Some(released) = self.session(hop, number).reorder.skip_to(first) {
                self.pass_in_order(cx, receiver, released, port, now);
            }
        }
        self.await_missing(&mut cx.run.calendar, (hop, number));
    }

    fn session(&mut self, hop: u32, number: usize) -> &mut Session {
        let window = &mut self.hops[hop as usize].windows[number];
        window.session_mut().expect("a hop with a session")
    }

    fn pass_in_order(
        &mut self,
        cx: &mut Shared,
        receiver: u32,
        (packet_id, since): (PacketId, Time),
        port: PortId,
        now: Time,
    ) {
        let waited = now.0 - since.0;
        cx.network.packets[packet_id].waited += waited;
        cx.network.spent.grouped_mut(packet_id).reorder += waited;
        self.pass_on(cx, receiver, packet_id, port, now);
    }

    /// A packet that has come over a hop goes on, unless it is late.
    fn pass_on(
        &mut self,
        cx: &mut Shared,
        receiver: u32,
        packet_id: PacketId,
        port_id: PortId,
        now: Time,
    ) {
        if self.is_late(&cx.network, packet_id, now) {
            cx.network
                .lose(&mut cx.run.books, packet_id, Cause::Late, port_id, now);
        } else {
            let to = self.route_on(&cx.network, receiver, packet_id);
            let onward = match to.is_none() {
                true => Onward::Host(packet_id),
                false => cx.enqueue(to, packet_id, now),
            };
            self.move_on(cx, onward, port_id, now);
        }
    }

    /// The packets that wait at receivers behind one that is missing, each with the port over which it came.
    pub(crate) fn reordered<'a>(
        &'a self,
        network: &'a Network,
    ) -> impl Iterator<Item = (PortId, &'a Packet)> {
        self.hops.iter().flat_map(move |hop| {
            let sessions = hop.windows.iter().filter_map(|window| window.session());
            let packets = sessions.flat_map(|session| session.reorder.packets());
            packets.map(move |id| (hop.port, &network.packets[id]))
        })
    }
}
