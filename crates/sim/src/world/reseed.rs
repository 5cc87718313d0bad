//! Random streams that begin anew in the middle of a run, so that forks of a world differ by chance alone.
//!
//! Random numbers that were drawn already stay: an arrival, a backoff, an opportunity or an error that waits for its instant. Values that a world
//! draws once, as it is built, stay too: shadowing, places, salts of hashes, permutations.

use backwater_transport::endpoint::Sender;

use super::World;
use crate::event::Event;
use crate::ids::PortId;
use crate::network::Watched;
use crate::source::Source;

impl World {
    /// The opportunities of random traces and the arrivals of sources without a memory that wait for their instants are drawn again,
    /// among those that could come after what has happened. Copies of one world that share them share much of what comes next.
    pub fn redraw(&mut self, by: u64) {
        let (now, network) = (self.clock.now, &mut self.shared.network);
        for id in network.flows.ids() {
            let flow = &network.flows[id];
            let begun = flow.entered.packets > 0 && now < flow.stop;
            if begun && flow.source.forgets() {
                // The law has no memory: the rest of a span is a span.
                let calendar = &mut self.shared.run.calendar;
                calendar.cancel(Event::Demand(id));
                network.ask(calendar, id, now);
            }
        }
        let ids: Vec<_> = self.shared.network.ports.ids().collect();
        for id in ids {
            if self.shared.network.ports[id]
                .more
                .service
                .server()
                .is_none()
            {
                continue;
            }
            self.bring_up_to_date(id);
            if self.redraw_trace(id, by) {
                self.bring_up_to_date(id);
            }
        }
    }

    fn redraw_trace(&mut self, id: PortId, by: u64) -> bool {
        let now = self.clock.now;
        let network = &mut self.shared.network;
        let port = &mut network.ports[id];
        let Some(server) = port.more.service.server_mut() else {
            return false;
        };
        let of_port = |watched: Watched| matches!(watched, Watched::Port(port) if port == id);
        let laws = network.laws.0.iter_mut().filter(|law| of_port(law.queue));
        let mut twins: Vec<_> = laws.filter_map(|law| law.link.offers_mut()).collect();
        for twin in &mut twins {
            twin.offered(now);
        }
        let read = twins.iter().map(|twin| twin.drawn()).max().unwrap_or(0);
        let Some((after, turn)) = server.redraw(now, by, read) else {
            return false;
        };
        if port.waiting > 0 && port.gap_until <= now {
            port.next_try = now;
        }
        for twin in &mut twins {
            twin.turn(after, &turn);
        }
        true
    }

    /// All that is drawn from now on comes from other streams, keyed by seed, kind, name and `by`, after all that they were
    /// keyed anew by before.
    pub fn reseed(&mut self, by: u64) {
        self.reseeds.push(by);
        let network = &mut self.shared.network;
        for flow in &mut network.flows.0 {
            flow.random.rekey(by);
            flow.compass.rekey(by);
        }
        network.turns.rekey(by);
        self.link_events.rekey(by);
        for id in network.ports.ids() {
            let port = &mut network.ports[id];
            if let Some(managed) = &mut port.more.managed {
                managed.rekey(by);
            }
            if let Some(stage) = port.more.service.stage_mut() {
                stage.random.rekey(by);
            }
        }
        self.reseed_traces(by);
        self.media.rekey(by);
        for connection in &mut self.ends.connections.0 {
            connection.sender.core_mut().rekey(by);
            if let Some(spreading) = &mut connection.spreading {
                spreading.rekey(by);
            }
        }
    }

    /// A trace is drawn from by its link and its log and by laws that measure it, each as far as it had to look. All go on anew
    /// from where the first of them is.
    fn reseed_traces(&mut self, by: u64) {
        let network = &mut self.shared.network;
        for id in network.ports.ids() {
            let Some(server) = network.ports[id].more.service.server_mut() else {
                continue;
            };
            let of_port = |watched: Watched| matches!(watched, Watched::Port(port) if port == id);
            let laws = network.laws.0.iter_mut().filter(|law| of_port(law.queue));
            let mut twins: Vec<_> = laws.filter_map(|law| law.link.offers_mut()).collect();
            let drawn = twins.iter().map(|twin| twin.drawn()).max();
            let drawn = drawn.unwrap_or(0).max(server.drawn());
            let turn = server.rekey(drawn, by);
            twins.iter_mut().for_each(|twin| twin.turn(drawn, &turn));
        }
    }
}
