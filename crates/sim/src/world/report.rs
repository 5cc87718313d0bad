//! The sums of a run. Everything but conservation counts from the end of the warm-up.

use std::collections::BTreeMap;
use std::mem::take;

use backwater_transport::units::Time;

use super::{Deadlock, DropKey, StampReport, World};
use crate::connection::{ConnectionStats, Headers};
use crate::ids::{ConnectionId, FlowId, NodeId, PortId};
use crate::medium::ethernet::{GAP, PREAMBLE};
use crate::medium::{Member, StationCount};
use crate::network::{Flow, Part, PortCount};
use crate::packet::{Packet, Packets};
use crate::record::delays::Delays;
use crate::record::flow_stats::{Count, DelaySum};
use crate::table::Table;

/// What a run says of itself.
#[derive(Clone, Debug)]
pub struct Report {
    /// Proof of equality: see `record::fingerprint`.
    pub fingerprint: u64,
    /// Packets that entered, since the beginning.
    pub entered: u64,
    /// Packets delivered.
    pub delivered: u64,
    /// Packets lost.
    pub dropped: u64,
    /// Packets found in queues and on wires.
    pub held: u64,
    /// Whether the four agree, every queue's bytes are those of its frames, and no control frame is
    /// missing.
    pub conserved: bool,
    /// Losses by cause, place, flow and class.
    pub drops: Vec<DropRow>,
    /// Flows in the scenario's order.
    pub flows: Vec<FlowReport>,
    /// By class, 0 to the highest used; without the flows of ACKs.
    pub classes: Vec<ClassReport>,
    /// All flows together, without those of ACKs.
    pub all: ClassReport,
    /// Flows with a transport, in the order of the flows.
    pub connections: Vec<ConnectionReport>,
    /// Seconds from the beginning of the last flow that sends without end until all of these shared evenly;
    /// none if they have not, or there are not two.
    pub convergence: Option<u64>,
    /// Ports.
    pub ports: Vec<PortReport>,
    /// 802.11 stations, since the end of the warm-up.
    pub stations: Vec<StationCount>,
    /// Control frames sent since the beginning.
    pub control: u64,
    /// The first deadlock seen.
    pub deadlock: Option<Deadlock>,
    /// Laws of explicit feedback: the queue that each watches, and its values.
    pub stamps: Vec<StampReport>,
    /// What those and the flows they serve have to say.
    pub stamp_warnings: Vec<String>,
}

/// Losses of one kind at one place.
#[derive(Clone, Debug)]
pub struct DropRow {
    /// Cause, port, flow, class.
    pub key: DropKey,
    /// How many.
    pub count: Count,
}

/// A hop of a flow.
#[derive(Clone, Debug)]
pub struct HopRow {
    /// The port that sends.
    pub port: PortId,
    /// Received at its far end.
    pub count: Count,
}

/// A flow.
#[derive(Clone, Debug)]
pub struct FlowReport {
    /// Which.
    pub flow: FlowId,
    /// What it counted.
    pub sums: ClassReport,
    /// Packets that waited at a gate closed by a queue off their path.
    pub victims: u64,
    /// By hop, for a flow with one destination.
    pub hops: Vec<HopRow>,
    /// By station, for a flow to a group.
    pub receivers: Vec<ReceiverRow>,
}

/// A station of the group that a flow sends to.
#[derive(Clone, Debug)]
pub struct ReceiverRow {
    /// Which.
    pub node: NodeId,
    /// Packets of the flow that it received.
    pub packets: u64,
    /// Of these, entered before the end of the warm-up.
    pub early: u64,
}

/// Sums over some flows.
#[derive(Clone, Debug, Default)]
pub struct ClassReport {
    /// Handed to sending hosts.
    pub entered: Count,
    /// Received.
    pub delivered: Count,
    /// Lost.
    pub dropped: Count,
    /// Of these, entered before the end of the warm-up.
    pub dropped_early: Count,
    /// Marked with CE.
    pub marked: Count,
    /// Delays.
    pub sum: DelaySum,
    /// Longest delay, ticks.
    pub max: u64,
    /// Each of them.
    pub delay: Delays,
}

/// A flow with a transport, from the end of the warm-up.
#[derive(Clone, Debug)]
pub struct ConnectionReport {
    /// Which.
    pub connection: ConnectionId,
    /// The flow of its acknowledgements.
    pub acks: FlowId,
    /// Application bytes delivered in order.
    pub delivered: u64,
    /// Segments sent again.
    pub retransmitted: u64,
    /// Segments sent.
    pub segments: u64,
    /// Round trips, completion times and the window, its area up to the present.
    pub stats: ConnectionStats,
    /// What its controller has to say of itself.
    pub warning: Option<String>,
}

/// A port.
#[derive(Clone, Debug)]
pub struct PortReport {
    /// Which.
    pub port: PortId,
    /// What it counted after the warm-up.
    pub count: PortCount,
}

impl ClassReport {
    /// Share of the packets that entered after the warm-up and were lost.
    pub fn loss(&self) -> f64 {
        if self.entered.packets == 0 {
            0.0
        } else {
            let lost = self.dropped.packets - self.dropped_early.packets;
            lost as f64 / self.entered.packets as f64
        }
    }

    fn add(&mut self, other: &ClassReport) {
        for (mine, theirs) in [
            (&mut self.entered, other.entered),
            (&mut self.delivered, other.delivered),
            (&mut self.dropped, other.dropped),
            (&mut self.dropped_early, other.dropped_early),
            (&mut self.marked, other.marked),
        ] {
            mine.packets += theirs.packets;
            mine.bytes += theirs.bytes;
        }
        self.sum.total += other.sum.total;
        self.sum.serial += other.sum.serial;
        self.sum.queue += other.sum.queue;
        self.sum.gate += other.sum.gate;
        self.sum.contention += other.sum.contention;
        self.sum.retries += other.sum.retries;
        self.sum.propagation += other.sum.propagation;
        self.max = self.max.max(other.max);
        self.delay.add(&other.delay);
    }
}

impl World {
    /// Watched output queues that may lose frames although their feeders obey, each with what may
    /// still come and the room there is.
    pub fn headroom_warnings(&self) -> Vec<String> {
        self.mechanisms.headroom_warnings(&self.network)
    }

    /// Sums up at the present. Checks conservation.
    pub fn report(&mut self) -> Report {
        self.sum_up(|delays| delays.clone(), |stats| stats.clone())
    }

    /// Sums up for the last time: distributions move into the report, and what only a run that goes on needs is
    /// given back.
    pub fn last_report(&mut self) -> Report {
        let report = self.sum_up(take, take);
        self.network.packets = Packets::default();
        self.network.headers = Headers::default();
        self.ends.connections = Table::default();
        report
    }

    fn sum_up(
        &mut self,
        delays: fn(&mut Delays) -> Delays,
        stats: fn(&mut ConnectionStats) -> ConnectionStats,
    ) -> Report {
        let now = self.clock.now;
        self.settle();
        let hops = self.hop_counts();
        let flows: Vec<FlowReport> = self
            .network
            .flows
            .ids()
            .map(|id| self.flow_report(id, &hops[id.index()], delays))
            .collect();
        let classes = usize::from(
            self.network
                .flows
                .iter()
                .map(|f| f.class)
                .max()
                .unwrap_or(0),
        ) + 1;
        let mut by_class = vec![ClassReport::default(); classes];
        let mut all = ClassReport::default();
        let own = |r: &&FlowReport| !matches!(self.network.flows[r.flow].part, Part::Acks(_));
        for report in flows.iter().filter(own) {
            by_class[usize::from(self.network.flows[report.flow].class)].add(&report.sums);
            all.add(&report.sums);
        }
        let total = |f: fn(&Flow) -> u64| self.network.flows.iter().map(f).sum::<u64>();
        let (entered, delivered, dropped) = (
            total(|f| f.entered.packets),
            total(|f| f.stats.delivered.packets),
            total(|f| f.stats.dropped.packets),
        );
        let (held, control_held, queues_agree) = self.count_held();
        let control_agrees = self.books.notices_sent == self.books.notices_heard + control_held;
        let drops = self.books.drops.iter().map(|(key, count)| {
            let base = self.books.drops_base.get(key).copied().unwrap_or_default();
            DropRow {
                key: *key,
                count: count.since(base),
            }
        });
        Report {
            fingerprint: self.books.fingerprint.0,
            entered,
            delivered,
            dropped,
            held,
            conserved: entered == delivered + dropped + held && queues_agree && control_agrees,
            drops: drops.filter(|d| d.count.packets > 0).collect(),
            flows,
            classes: by_class,
            all,
            connections: self
                .ends
                .connections
                .ids()
                .map(|id| self.ends.connection_report(id, now, stats))
                .collect(),
            convergence: self.ends.convergence(now),
            ports: self
                .network
                .ports
                .ids()
                .map(|id| self.port_report(id, now))
                .collect(),
            stations: (0..self.air.radios.len() as u32)
                .map(|s| {
                    self.air
                        .station_count(s, now)
                        .since(&self.air.radios[s as usize].base)
                })
                .collect(),
            control: self.books.notices_sent
                + self
                    .air
                    .radios
                    .iter()
                    .map(|r| r.count.management)
                    .sum::<u64>(),
            deadlock: self.mechanisms.deadlock.clone(),
            stamps: self.stamp_reports(),
            stamp_warnings: self.stamp_warnings(),
        }
    }

    fn flow_report(
        &mut self,
        id: FlowId,
        hops: &[Count],
        delays: fn(&mut Delays) -> Delays,
    ) -> FlowReport {
        let delay = delays(&mut self.network.flows[id].stats.delay);
        let flow = &self.network.flows[id];
        let stats = &flow.stats;
        let base = self.books.hops_base.get(id.index());
        let row = |(i, port): (usize, &PortId)| HopRow {
            port: *port,
            count: hops[i].since(base.map(|b| b[i]).unwrap_or_default()),
        };
        let members = self.air.members.get(&id).into_iter().flatten();
        let receiver = |member: &Member| ReceiverRow {
            node: self.air.radios[member.station as usize].node,
            packets: member.received - member.base,
            early: member.early,
        };
        FlowReport {
            flow: id,
            sums: ClassReport {
                entered: flow.entered.since(stats.base[0]),
                delivered: stats.delivered.since(stats.base[1]),
                dropped: stats.dropped.since(stats.base[2]),
                dropped_early: stats.dropped_early,
                marked: stats.marked.since(stats.base[3]),
                sum: stats.sum(),
                max: stats.max,
                delay,
            },
            victims: stats.victims,
            hops: flow.path.iter().enumerate().map(row).collect(),
            receivers: members.map(receiver).collect(),
        }
    }

    fn port_report(&self, id: PortId, now: Time) -> PortReport {
        let (count, base) = (self.port_count(id, now), &self.network.ports[id].more.base);
        let since = PortCount {
            packets: count.packets - base.packets,
            bytes: count.bytes - base.bytes,
            control: count.control - base.control,
            control_bytes: count.control_bytes - base.control_bytes,
            busy: count.busy - base.busy,
            area: count.area - base.area,
            max_bytes: count.max_bytes,
            marked: count.marked - base.marked,
            victims: count.victims - base.victims,
            stall: count.stall - base.stall,
            closed: std::array::from_fn(|c| count.closed[c] - base.closed[c]),
        };
        PortReport {
            port: id,
            count: since,
        }
    }

    /// A port's counters at `now`, with the areas of frames that are still held.
    pub(super) fn port_count(&self, id: PortId, now: Time) -> PortCount {
        let port = &self.network.ports[id];
        let mut count = port.sent();
        if let Some(hop) = self.air.hop(id) {
            count.packets += hop.sent.packets;
            count.bytes += hop.sent.bytes;
            count.area += hop.backlog.area(now);
        }
        count.busy = self.busy_ticks(id, &count, now);
        let ahead = port.free_at().0.saturating_sub(now.0);
        count.area -= u128::from(port.sending) * u128::from(ahead);
        for packet in port
            .lists()
            .flat_map(|list| self.network.packets.walk(list))
        {
            count.area += u128::from(packet.frame()) * u128::from(now.0 - packet.at.0);
        }
        let hop = self.air.hop(id).map(|hop| hop.backlog.most());
        count.max_bytes = hop.unwrap_or(port.max_bytes);
        count.stall = port.stall_clock(now);
        count.closed = port
            .gates
            .as_ref()
            .map(|g| g.closed(now))
            .unwrap_or_default();
        count
    }

    /// Ticks for which a port was in use up to `now`. What is still to come of a frame or an exchange under way belongs
    /// to the time after.
    fn busy_ticks(&self, id: PortId, count: &PortCount, now: Time) -> u64 {
        let Some(hop) = self.air.hop(id) else {
            let port = &self.network.ports[id];
            let frames = count.packets + count.control;
            let bytes = count.bytes + count.control_bytes + (PREAMBLE + GAP) * frames;
            let ahead = port.gap_until.0.saturating_sub(now.0);
            return (bytes * port.ps_per_byte).saturating_sub(ahead);
        };
        let exchange = self.air.radios[hop.from as usize].exchange;
        let mine = |number| self.air.hops[number as usize].port == id;
        let under_way = exchange.filter(|e| e.hop.is_some_and(mine));
        hop.airtime + under_way.map_or(0, |e| now.since(e.begun).0)
    }

    /// Packets in queues and on wires: (data, control, whether queue counters agree with contents).
    fn count_held(&self) -> (u64, u64, bool) {
        let (mut data, mut control, mut agree) = (0, 0, true);
        for port in self.network.ports.iter() {
            let mut bytes = u64::from(port.sending);
            for list in port.lists() {
                let waiting: Vec<&Packet> = self.network.packets.walk(list).collect();
                data += waiting.len() as u64;
                bytes += waiting.iter().map(|p| p.frame()).sum::<u64>();
            }
            agree &= bytes == port.queues().iter().map(|q| q.bytes).sum::<u64>();
            for packet in self.network.packets.walk(&port.wire) {
                if packet.flow.is_none() {
                    control += 1
                } else {
                    data += 1
                }
            }
            control += self.network.packets.walk(&port.control).count() as u64;
        }
        data += self.air.held_at_stations(&self.network).count() as u64;
        agree &= data + control == u64::from(self.network.packets.live());
        (data, control, agree)
    }

    /// For each flow with one destination, what each hop of its path has received so far: what
    /// entered, less what was lost or is held before.
    pub(super) fn hop_counts(&self) -> Vec<Vec<Count>> {
        let mut before: Vec<Vec<Count>> = self
            .network
            .flows
            .iter()
            .map(|f| vec![Count::default(); f.path.len()])
            .collect();
        let hop: Vec<BTreeMap<PortId, usize>> = self
            .network
            .flows
            .iter()
            .map(|f| f.path.iter().enumerate().map(|(i, p)| (*p, i)).collect())
            .collect();
        let main = |port: PortId| self.network.boxes.get(&port).copied().unwrap_or(port);
        for ((_, port, flow, _), count) in &self.books.drops {
            if let Some(i) = hop[flow.index()].get(&main(*port)) {
                before[flow.index()][*i].packets += count.packets;
                before[flow.index()][*i].bytes += count.bytes;
            }
        }
        for id in self.network.ports.ids() {
            let port = &self.network.ports[id];
            let held = port
                .lists()
                .flat_map(|list| self.network.packets.walk(list))
                .chain(self.network.packets.walk(&port.wire));
            for packet in held.filter(|p| !p.flow.is_none()) {
                if let Some(i) = hop[packet.flow.index()].get(&main(id)) {
                    before[packet.flow.index()][*i].add(u64::from(packet.len));
                }
            }
        }
        for (id, packet) in self.air.held_at_stations(&self.network) {
            if let Some(i) = hop[packet.flow.index()].get(&id) {
                before[packet.flow.index()][*i].add(u64::from(packet.len));
            }
        }
        let counts = self.network.flows.iter().zip(before).map(|(flow, before)| {
            let mut left = flow.entered;
            before
                .iter()
                .map(|b| {
                    left = left.since(*b);
                    left
                })
                .collect()
        });
        counts.collect()
    }
}
