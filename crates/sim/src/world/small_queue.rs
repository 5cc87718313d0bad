//! Flows that keep few bytes in the radio of their host: TCP small queues.
//!
//! A segment leaves its sender only while the flow's bytes in the radio, that segment included, are no more than what the sender's rate brings in
//! 1 s / 2^shift, or two segments. When a packet has left the radio, acknowledged or lost, the flow may send on.
//!
//! Reference: Linux, tcp_small_queue_check and sk_pacing_shift (10; drivers of 802.11 set 7 or 8); the rate of a sender that is not paced, tcp_update_pacing_rate.

use backwater_transport::endpoint::Sender;
use backwater_transport::units::Time;

use super::World;
use crate::connection::{Connection, Side, SmallQueue};
use crate::ids::ConnectionId;
use crate::network::Role;
use crate::packet::frame;
use crate::spec::{Refusal, Spec};
use crate::world::build::refuse;

impl World {
    /// Gives flows their limit on bytes in the radio of their host.
    pub(super) fn limit_queues(&mut self, spec: &Spec) -> Result<(), Refusal> {
        for id in self.ends.connections.ids() {
            let data = self.ends.connections[id].data;
            let transport = spec.flows[data.index()].transport.as_ref();
            let Some(shift) = transport.and_then(|t| t.small_queue) else {
                continue;
            };
            let network = &mut self.shared.network;
            let flow = &network.flows[data];
            if !self.media.has_hop(flow.port) {
                return refuse(
                    format!("flows.{}.small_queue", flow.name),
                    "this flow's packets do not leave their host over 802.11",
                    "remove it, or write nic = \"pull\", by which nothing waits at the port of a wire",
                );
            }
            network.limited.resize(spec.flows.len(), false);
            network.limited[data.index()] = true;
            self.ends.connections[id].small_queue = Some(Box::new(SmallQueue::new(shift)));
        }
        Ok(())
    }

    /// Sends what may leave now and finds room.
    pub(super) fn send_within_limit(&mut self, id: ConnectionId, now: Time) {
        loop {
            let c = &mut self.ends.connections[id];
            if !has_room(c) {
                break;
            }
            let Some(segment) = c.sender.poll(now) else {
                return self.after_sending(id, now);
            };
            let bytes = frame(u64::from(c.header) + u64::from(segment.len));
            if let Some(queue) = &mut c.small_queue {
                queue.held += bytes;
            }
            self.depart_segment(id, segment, now);
        }
        // A pace that is over already has no timer: the flow is asked when a packet has left the radio.
        let due = self.ends.connections[id].sender.due();
        if due > now {
            let calendar = &mut self.shared.run.calendar;
            self.ends.set_alarm_at(calendar, id, Side::Sender, due);
        }
        self.note_sender(id, now);
    }

    /// Packets of limited flows have left their radios.
    #[inline(never)]
    pub(super) fn send_on(&mut self, now: Time) {
        for (flow, bytes) in std::mem::take(&mut self.shared.network.freed) {
            let Role::Data(id) = self.shared.network.flows[flow].role else {
                unreachable!("a limited flow has a transport");
            };
            if let Some(queue) = &mut self.ends.connections[id].small_queue {
                queue.held -= bytes;
            }
            self.send_all(id, now);
        }
    }
}

/// Whether another full segment fits the limit.
fn has_room(c: &Connection) -> bool {
    let Some(queue) = &c.small_queue else {
        return true;
    };
    let segment = frame(u64::from(c.header) + c.sender.mss());
    let seen = c.sender.inspect();
    let rate = match (seen.pacing, seen.srtt.seconds()) {
        (Some(rate), _) => rate.0 as f64 / 8.0,
        (None, srtt) if srtt > 0.0 => {
            let window = seen.window as f64;
            let rises = seen
                .controller
                .ssthresh
                .is_some_and(|s| seen.window < s / 2);
            window / srtt * if rises { 2.0 } else { 1.2 }
        }
        // Before the first round trip nothing is known of the rate.
        (None, _) => return true,
    };
    let allowed = (rate / f64::from(1_u32 << queue.shift)) as u64;
    queue.held + segment <= allowed.max(2 * segment)
}
