//! Another propagation delay of a wire, and another trace of a link.

use backwater_transport::units::{Rate, Span};

use super::{FROM_START, refuse};
use crate::ids::PortId;
use crate::medium::service::Service;
use crate::network::{Traits, Watched};
use crate::queue::aqm::Aqm;
use crate::spec::{AnyTrace, Unchangeable};
use crate::world::World;

impl World {
    /// Frames that leave a port from now on take another time to the far end. Those on the wire arrive as they would have. A
    /// frame that would overtake them arrives together with the last of them.
    ///
    /// # Errors
    /// Something at the port reckons with its delay.
    pub fn change_delay(&mut self, id: PortId, delay: Span) -> Result<(), Unchangeable> {
        let port = &self.shared.network.ports[id];
        let name = &port.more.name;
        if !matches!(port.more.service, Service::Line | Service::Trace(_)) {
            let what = format!("the delay of `{name}` is part of the frame of its medium");
            return refuse(what, FROM_START);
        }
        if port.is(Traits::CARRIES) && delay < port.delay {
            let what = format!("frames of `{name}` carry notices, which would overtake others");
            return refuse(what, FROM_START);
        }
        self.bring_up_to_date(id);
        let network = &mut self.shared.network;
        let tail = network.ports[id].wire.tail();
        let last = (!tail.is_none()).then(|| network.packets[tail].at);
        let port = &mut network.ports[id];
        if let (Some(last), true) = (last, delay < port.delay) {
            port.more.overtakes = last;
            port.set(Traits::SHORTENED, true);
        }
        port.delay = delay;
        Ok(())
    }

    /// A link goes on with another trace: with those of its opportunities that lie behind the present. A packet
    /// that has begun to leave ends as it began.
    ///
    /// # Errors
    /// There is no trace, it lets packets go besides its opportunities, or it has ended.
    pub fn change_trace(&mut self, id: PortId, trace: AnyTrace) -> Result<(), Unchangeable> {
        self.bring_up_to_date(id);
        let (now, end) = (self.clock.now, self.clock.end);
        let network = &mut self.shared.network;
        let port = &mut network.ports[id];
        let name = &port.more.name;
        let Service::Trace(server) = &mut port.more.service else {
            return refuse(format!("`{name}` is served by no trace"), FROM_START);
        };
        let lets_go = |trace: &AnyTrace| matches!(trace, AnyTrace::CellReplay(_));
        if lets_go(&server.spec.trace) || lets_go(&trace) {
            let what = format!("the trace of `{name}` lets packets go besides its opportunities");
            return refuse(what, FROM_START);
        }
        if let Some(managed) = &mut port.more.managed {
            let mean = server.rate_of(trace.clone(), end);
            managed.aqm.line_rate(Rate((mean as u64).max(1)));
        }
        let Some((after, turn)) = server.change_trace(trace, now) else {
            let what = format!("the trace of `{name}` has ended with a packet under way");
            return refuse(what, "fork earlier, or let the trace repeat");
        };
        if port.waiting > 0 && port.gap_until <= now {
            port.next_try = now;
        }
        let of_port = |watched: Watched| matches!(watched, Watched::Port(port) if port == id);
        for law in network.laws.0.iter_mut().filter(|law| of_port(law.queue)) {
            if let Some(twin) = law.link.offers_mut() {
                twin.offered(now);
                twin.turn(after, &turn);
            }
        }
        self.bring_up_to_date(id);
        Ok(())
    }
}
