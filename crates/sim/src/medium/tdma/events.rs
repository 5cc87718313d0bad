//! Events: at the beginning of a frame terminals ask and the plan of the frame holds; each assigned slot takes packets from its
//! terminal's port.

use backwater_transport::units::Time;

use super::frames::{FRAME, SLOT, Tdma, schedule};
use super::hub::Asks;
use super::terminal::Terminal;
use crate::ids::{PacketId, PortId};
use crate::mechanism::notice::Notice;
use crate::medium::media::Medium;
use crate::network::Traits;
use crate::shared::Shared;
use crate::table::Id;

impl Medium for Tdma {
    fn serve(&mut self, cx: &mut Shared, code: u8, owner: u32, now: Time) {
        match code {
            FRAME => self.begin_frame(cx, owner as usize, now),
            SLOT => self.use_slot(cx, owner as usize, now),
            _ => unreachable!("TDMA has two kinds of events"),
        }
    }

    fn accept(&mut self, _: &mut Shared, _: PortId, _: PacketId, _: Time) {
        unreachable!("frames wait at their port");
    }

    fn told(&mut self, _: &mut Shared, _: u32, _: u32, _: &Notice, _: Time) {
        unreachable!("no notice travels in slots");
    }
}

impl Tdma {
    /// A frame begins: its plan holds, and terminals ask for slots of a later one.
    fn begin_frame(&mut self, cx: &mut Shared, number: usize, now: Time) {
        let medium = &mut self.media[number];
        medium.begun += 1;
        let places = &mut self.places;
        let ask = |place: &usize| {
            let terminal = terminal_mut(cx, places[*place].port);
            Asks {
                came: std::mem::take(&mut terminal.came),
                waits: terminal.waits,
            }
        };
        let asks: Vec<Asks> = medium.terminals.iter().map(ask).collect();
        let mut slot = 0;
        let given: Vec<u32> = medium.hub.begin_frame(&asks).collect();
        for (place, slots) in medium.terminals.iter().zip(given) {
            (places[*place].next, places[*place].end) = (slot, slot + slots);
            if slots > 0 {
                let at = medium.slot(slot);
                schedule(&mut cx.run.calendar, at, SLOT, *place);
            }
            slot += slots;
        }
        let next = now.after(medium.spec.frame);
        schedule(&mut cx.run.calendar, next, FRAME, number);
    }

    /// A slot of a terminal begins, or a source that fills its queue has had time to answer what the slot took.
    fn use_slot(&mut self, cx: &mut Shared, number: usize, now: Time) {
        let place = &mut self.places[number];
        let medium = &self.media[place.medium];
        let port = place.port;
        let bytes = medium.spec.slot.0;
        if place.left.is_none() {
            terminal_mut(cx, port).count.offered += bytes;
        }
        let before = place.left.unwrap_or(bytes);
        let ends = medium.slot(place.next + 1);
        let left = fill(cx, port, before, (now, ends));
        terminal_mut(cx, port).count.carried += before - left;
        if left > 0 && left < before && cx.network.ports[port].is(Traits::REFILLED) {
            place.left = Some(left);
            return schedule(&mut cx.run.calendar, now, SLOT, number);
        }
        place.left = None;
        place.next += 1;
        if place.next < place.end {
            schedule(&mut cx.run.calendar, ends, SLOT, number);
        }
    }
}

/// Fills the bytes that are left of a slot, from its beginning to its end, with packets of a port. Gives what stays empty.
fn fill(cx: &mut Shared, port: PortId, mut left: u64, (now, ends): (Time, Time)) -> u64 {
    while left > 0 {
        let mut packet: PacketId = terminal(cx, port).under_way.head();
        if packet.is_none() {
            let Some(next) = cx.next_frame(port, now) else {
                break;
            };
            packet = next;
            let Shared { network, .. } = cx;
            let len = network.packets[packet].len;
            let terminal = network.ports[port].more.service.terminal_mut();
            let terminal = terminal.expect("a port that sends in slots");
            network.packets.append(&mut terminal.under_way, packet);
            terminal.unsent = terminal.spec.size(len);
            terminal.began = now;
        }
        let terminal = terminal_mut(cx, port);
        let part = left.min(terminal.unsent);
        terminal.unsent -= part;
        terminal.waits -= part;
        left -= part;
        if terminal.unsent == 0 {
            let began = terminal.began;
            let Shared { network, .. } = cx;
            let terminal = network.ports[port].more.service.terminal_mut();
            let list = &mut terminal.expect("a port that sends in slots").under_way;
            network.packets.take_after(list, Id::NONE);
            cx.send_pulled(port, packet, (began, now), ends);
        }
    }
    left
}

fn terminal(cx: &Shared, port: PortId) -> &Terminal {
    let terminal = cx.network.ports[port].more.service.terminal();
    terminal.expect("a port that sends in slots")
}

fn terminal_mut(cx: &mut Shared, port: PortId) -> &mut Terminal {
    let terminal = cx.network.ports[port].more.service.terminal_mut();
    terminal.expect("a port that sends in slots")
}
