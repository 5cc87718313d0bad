//! The state of a port: its queues, what it is sending, its gates and its counters.

use backwater_transport::units::Time;
use backwater_transport::walk::Walk;

use super::super::mail::Mail;
use super::super::{Port, PortCount, PortMore, Traits};
use crate::queue::ClassQueue;

impl ClassQueue {
    fn walk(&self, walk: &mut Walk) {
        let ClassQueue {
            list: _,
            bytes,
            packets,
            ahead,
        } = self;
        walk.same(*bytes);
        walk.same(*packets);
        debug_assert!(ahead.is_none(), "the port has been caught up");
    }
}

impl Port {
    pub(super) fn walk(&mut self, walk: &mut Walk, mail: &Mail, oldest: Time) {
        let now = walk.now();
        let Port {
            next_try,
            gap_until,
            ps_per_byte,
            delay,
            shut_until,
            wire: _,
            waiting,
            sending,
            sending_class,
            sending_entry,
            far_entry: _,
            held,
            traits,
            queue,
            sent_packets,
            sent_bytes,
            area,
            max_bytes: _,
            far_row: _,
            node: _,
            control: _,
            stall,
            stall_end,
            stall_from,
            buffer: _,
            queues,
            scheduler,
            gates,
            watch: _,
            more,
            far: _,
            peer: _,
            local: _,
        } = self;
        walk.same(*ps_per_byte);
        walk.same(delay.0);
        walk.same(*waiting);
        walk.same(*sending);
        if *sending > 0 {
            walk.same(u64::from(*sending_class) << 8 | u64::from(*sending_entry));
        }
        walk.same(*held);
        walk.same(traits.0);
        queue.walk(walk);
        queues.iter().for_each(|queue| queue.walk(walk));
        scheduler.walk(walk);
        walk.until(next_try);
        walk.until(gap_until);
        walk.until(shut_until);
        if traits.0 & Traits::EVER_STALLED != 0 {
            walk.later(stall_end, oldest);
            match traits.0 & Traits::STALLED {
                0 => walk.last(stall_from),
                _ => walk.time(stall_from),
            }
            walk.count(stall);
        }
        if let Some(gates) = gates {
            gates.walk(walk);
        }
        debug_assert!(*next_try > now, "the port has been caught up");
        more.sent.area += u128::from(std::mem::take(area));
        walk.count(sent_packets);
        walk.count(sent_bytes);
        more.walk(walk, mail);
    }
}

impl PortMore {
    fn walk(&mut self, walk: &mut Walk, mail: &Mail) {
        let PortMore {
            name,
            rate: _,
            max_frame: _,
            rate_excess: _,
            armed,
            held_before,
            awaited,
            overtakes,
            came: _,
            service,
            managed,
            trim: _,
            watchdog,
            laws: _,
            missing,
            responders,
            reacting,
            carried,
            sent,
            base: _,
        } = self;
        let place = || format!("ports.{name}");
        if let Some(why) = service.unvisited() {
            walk.unable(place(), why);
        }
        if managed.is_some() {
            walk.unable(
                place(),
                "active queue management has timers or draws random numbers",
            );
        }
        if watchdog.is_some() {
            walk.unable(place(), "a watchdog has timers of its own");
        }
        if carried.is_some() {
            walk.unable(place(), "data frames bring notices");
        }
        if responders
            .iter()
            .any(|(_, responder)| !responder.has_no_state())
        {
            walk.unable(place(), "its responder takes steps");
        }
        // A gate that closes for longer waits for the event of the one before it.
        walk.either(armed);
        walk.until(awaited);
        walk.until(overtakes);
        walk.same(missing.len() as u64);
        missing.iter().for_each(|flow| walk.same(flow.0));
        walk.same(reacting.len() as u64);
        reacting.iter().for_each(|id| mail.see(*id).walk(walk));
        if walk.counts() {
            walk.wide(held_before);
            sent.walk(walk);
        }
    }
}

impl PortCount {
    fn walk(&mut self, walk: &mut Walk) {
        let PortCount {
            packets,
            bytes,
            control,
            control_bytes,
            busy,
            area,
            max_bytes: _,
            marked,
            trimmed,
            notices,
            victims,
            stall,
            closed,
        } = self;
        let counts = [
            packets,
            bytes,
            control,
            control_bytes,
            busy,
            marked,
            trimmed,
            notices,
            victims,
            stall,
        ];
        counts.into_iter().chain(closed).for_each(|n| walk.count(n));
        walk.wide(area);
    }
}
