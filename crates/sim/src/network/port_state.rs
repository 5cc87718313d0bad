//! The answers of a port about its queues and its gates.

use backwater_transport::units::{Rate, Span, Time};

use super::{Port, Traits};
use crate::cause::Cause;
use crate::ids::PacketId;
use crate::limit::{Limit, MAX_CLASSES};
use crate::packet::Packets;
use crate::queue::{Aqm, ClassQueue, Scheduler};
use crate::table::Id;

impl Port {
    /// Whether its frames wait in queues of its active queue management, not in class queues.
    pub fn chooses_itself(&self) -> bool {
        self.more
            .managed
            .as_ref()
            .is_some_and(|m| !m.queues.is_empty())
    }

    /// Why a frame of a class that comes now is lost, if it is: the wire is down, or the watchdog has given the class up.
    #[cold]
    pub(crate) fn loses(&self, class: u8) -> Option<Cause> {
        match self.is(Traits::DOWN) {
            true => Some(Cause::LinkDown),
            false => self.drops(class).then_some(Cause::Watchdog),
        }
    }

    /// Whether the watchdog has given a class up.
    pub(crate) fn drops(&self, class: u8) -> bool {
        let watchdog = self.more.watchdog.as_ref();
        watchdog.is_some_and(|watchdog| watchdog.drops(class))
    }

    /// The line rate, or the most that slots give.
    pub(crate) fn nominal_rate(&self) -> Rate {
        let slots = self.more.service.terminal().map(|t| t.spec.fastest());
        slots.map_or(self.more.rate, |most| Rate((most as u64).max(1)))
    }

    /// Whether a class queue has room for a frame.
    #[inline(always)]
    pub(crate) fn has_room(&self, q: usize, size: u64) -> bool {
        self.has_room_in(self.queue(q), size)
    }

    #[inline(always)]
    pub(super) fn has_room_in(&self, queue: &ClassQueue, size: u64) -> bool {
        match self.buffer {
            Limit::Unlimited => true,
            Limit::Bytes(limit) => queue.bytes + size <= limit.0,
            Limit::Packets(limit) => u64::from(queue.packets) < limit,
        }
    }

    /// The same for a frame that a station held to a rate for so many ticks before.
    pub(crate) fn hold_late(&mut self, q: usize, size: u64, late: u64) {
        self.hold(q, size);
        if late > 0 {
            self.more.held_before += u128::from(size) * u128::from(late);
        }
    }

    /// A class queue holds one frame of so many bytes less.
    #[inline(always)]
    pub(crate) fn free(&mut self, q: usize, size: u64) {
        let queue = self.queue_mut(q);
        queue.bytes -= size;
        queue.packets -= 1;
    }

    /// A frame that waited for so many ticks is lost from its class queue.
    pub(crate) fn lose_waiting(&mut self, q: usize, size: u64, waited: u64) {
        self.free(q, size);
        self.count_area(size, waited);
    }

    /// Ticks for which the port sent no data although frames waited.
    pub(crate) fn stall_clock(&self, now: Time) -> u64 {
        self.stall
            + if self.is(Traits::STALLED) {
                now.0 - self.stall_from.0
            } else {
                0
            }
    }

    pub(crate) fn end_stall(&mut self, at: Time) {
        self.set(Traits::STALLED, false);
        self.stall += at.0 - self.stall_from.0;
        self.stall_end = at;
    }

    /// The class queue that sends next, where nothing is held back.
    #[inline]
    pub(crate) fn pick(&mut self, packets: &Packets) -> usize {
        let held = self.held;
        if held.is_power_of_two() {
            return held.trailing_zeros() as usize;
        }
        self.pick_class(packets)
    }

    fn pick_class(&mut self, packets: &Packets) -> usize {
        let held = self.held;
        let heads: [PacketId; MAX_CLASSES] = std::array::from_fn(|q| match self.queues().get(q) {
            Some(queue) => queue.list.head(),
            None => Id::NONE,
        });
        self.scheduler
            .pick(held, held, |q| packets[heads[q]].frame())
    }

    /// Makes the next choice due now, if the port stands idle.
    #[inline]
    pub(crate) fn retry(&mut self, now: Time) {
        if self.next_try == Time::NEVER || self.is(Traits::STALLED) {
            self.next_try = now.max(self.free_at());
        }
    }
}

impl Port {
    /// Reads a word of each cache line that a hop touches.
    #[inline]
    pub fn prefetch(&self) -> u64 {
        self.next_try.0 ^ self.max_bytes
    }

    /// Reads a word of the queue's cache line.
    #[inline]
    pub fn prefetch_queue(&self) -> u64 {
        self.max_bytes
    }
}

impl Port {
    /// Another line rate from now on. Nothing is due at the port now.
    pub(crate) fn change_rate(&mut self, rate: Rate, now: Time) {
        let (free, bytes) = (self.free_at(), self.sent().wire_bytes());
        // The gap that follows the last frame is one of the new rate.
        let unfinished = self.gap_until > now;
        let ticks = |port: &Port| {
            let gap = if unfinished { port.gap_time() } else { 0 };
            i128::from(bytes * port.ps_per_byte - gap)
        };
        let before = ticks(self);
        self.set_rate(rate);
        self.more.rate_excess += before - ticks(self);
        if unfinished {
            self.gap_until = free.after(Span(self.gap_time()));
        }
        if let Some(managed) = &mut self.more.managed {
            managed.aqm.line_rate(rate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_hop_touches_of_a_port_lies_in_two_cache_lines() {
        assert_eq!(std::mem::align_of::<Port>(), 64);
        assert_eq!(std::mem::offset_of!(Port, queue), 64);
        assert_eq!(std::mem::offset_of!(Port, control), 128);
    }

    /// Frames that came two ticks and one tick before they joined, and one that joined as it came: bytes times ticks, to the tick.
    #[test]
    fn what_a_frame_was_held_before_it_joined_counts_to_the_tick() {
        let more = crate::network::port::PortMore::default();
        let mut port = Port::idle(Id::raw(0), Id::raw(1), 1, Limit::Unlimited, more);
        for (size, late) in [(100, 2), (1000, 1), (10, 0)] {
            port.hold_late(0, size, late);
        }
        assert_eq!(port.more.held_before, 100 * 2 + 1000);
        assert_eq!(port.held_bytes(), 1110);
    }

    /// 2⁶² twice and a product of 2⁷⁰: a sum of 2⁷⁰ + 2⁶³.
    #[test]
    fn the_area_under_a_queue_goes_beyond_64_bits() {
        let more = crate::network::port::PortMore::default();
        let mut port = Port::idle(Id::raw(0), Id::raw(1), 1, Limit::Unlimited, more);
        for (size, held) in [(1 << 31, 1 << 31), (1 << 35, 1 << 35), (1 << 31, 1 << 31)] {
            port.count_area(size, held);
        }
        assert_eq!(port.sent().area, (1 << 70) + (1 << 63));
    }
}
