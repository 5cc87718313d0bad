//! The sums of a run. Everything but conservation counts from the end of the warm-up.

use std::collections::BTreeMap;
use std::mem::take;

use backwater_transport::units::Time;

use super::World;
use super::report_rows::{
    ClassReport, DropRow, FlowReport, HopRow, PortReport, ReceiverRow, Report,
};
use crate::connection::{ConnectionStats, Headers};
use crate::ids::{FlowId, PortId};
use crate::mechanism::Headroom;
use crate::medium::Member;
use crate::network::{Flow, PortCount, Role};
use crate::packet::{Packet, Packets};
use crate::record::delays::Delays;
use crate::record::flow_stats::Count;
use crate::table::Table;

impl World {
    /// Watched output queues that may lose frames although their feeders obey, each with what may
    /// still come and the room there is.
    pub fn headroom_warnings(&self) -> Vec<String> {
        self.shared
            .mechanisms
            .headroom_warnings(&self.shared.network)
    }

    /// Mechanisms of which no port sees data that could be stopped.
    pub fn blind_warnings(&self) -> Vec<String> {
        self.shared.mechanisms.blind_warnings(&self.shared.network)
    }

    /// Bytes that may still arrive at each watched port after its mark has been crossed.
    pub fn headroom(&self) -> Vec<Headroom> {
        self.shared.mechanisms.headroom(&self.shared.network)
    }

    /// Sums up at the present. Checks conservation.
    pub fn report(&mut self) -> Report {
        self.sum_up(|delays| delays.clone(), |stats| stats.clone())
    }

    /// Sums up for the last time: distributions move into the report, and what only a run that goes on needs is
    /// given back.
    pub fn last_report(&mut self) -> Report {
        let report = self.sum_up(take, take);
        self.shared.network.packets = Packets::default();
        self.shared.network.headers = Headers::default();
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
        let (hops, starved) = (self.hop_counts(), self.starved());
        let ids = self.shared.network.flows.ids().zip(starved);
        let flows: Vec<FlowReport> = ids
            .map(|(id, starved)| self.flow_report(id, &hops[id.index()], starved, delays))
            .collect();
        let (by_class, all) = self.sums(&flows);
        let total = |f: fn(&Flow) -> u64| self.shared.network.flows.iter().map(f).sum::<u64>();
        let (entered, delivered, dropped) = (
            total(|f| f.entered.packets),
            total(|f| f.stats.delivered.packets),
            total(|f| f.stats.dropped.packets),
        );
        let (held, control_held, queues_agree) = self.count_held();
        let control_agrees = self.shared.run.books.notices_agree(control_held);
        let drops = self.shared.run.books.drops.iter().map(|(key, count)| {
            let base = self
                .shared
                .run
                .books
                .drops_base
                .get(key)
                .copied()
                .unwrap_or_default();
            DropRow {
                key: *key,
                count: count.since(base),
            }
        });
        Report {
            fingerprint: self.shared.run.books.fingerprint.0,
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
            progress: self.ends.progress(now),
            ports: self
                .shared
                .network
                .ports
                .ids()
                .map(|id| self.port_report(id, now))
                .collect(),
            stations: self.media.counts(now),
            control: self.shared.run.books.notices_sent - self.shared.run.books.notices_carried
                + self.media.notices_sent(),
            deadlock: self.shared.mechanisms.deadlock.clone(),
            hearing: self.shared.mechanisms.hearing.clone(),
            standstill: self.standstill(held),
            stamps: self.stamp_reports(),
        }
    }

    /// The sums of all flows by class, and over all classes, without the flows of ACKs.
    fn sums(&self, flows: &[FlowReport]) -> (Vec<ClassReport>, ClassReport) {
        let classes = usize::from(
            self.shared
                .network
                .flows
                .iter()
                .map(|f| f.class)
                .max()
                .unwrap_or(0),
        ) + 1;
        let mut by_class = vec![ClassReport::default(); classes];
        let mut all = ClassReport::default();
        let own =
            |r: &&FlowReport| !matches!(self.shared.network.flows[r.flow].role, Role::Acks(_));
        for report in flows.iter().filter(own) {
            by_class[usize::from(self.shared.network.flows[report.flow].class)].add(&report.sums);
            all.add(&report.sums);
        }
        (by_class, all)
    }

    fn flow_report(
        &mut self,
        id: FlowId,
        hops: &[Count],
        starved: bool,
        delays: fn(&mut Delays) -> Delays,
    ) -> FlowReport {
        let delay = delays(&mut self.shared.network.flows[id].stats.delay);
        let flow = &self.shared.network.flows[id];
        let stats = &flow.stats;
        let base = self.shared.run.books.hops_base.get(id.index());
        let row = |(i, port): (usize, &PortId)| HopRow {
            port: *port,
            count: hops[i].since(base.map(|b| b[i]).unwrap_or_default()),
        };
        let members = self.media.members(id);
        let receiver = |member: &Member| ReceiverRow {
            node: self.media.node(member.station),
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
            hops: flow.hops().iter().enumerate().map(row).collect(),
            receivers: members.map(receiver).collect(),
            hurst: flow
                .variance_time
                .as_ref()
                .map(|measured| measured.hurst(self.clock.now)),
            last_delivered: (stats.delivered.packets > 0).then_some(stats.last),
            starved,
        }
    }

    fn port_report(&self, id: PortId, now: Time) -> PortReport {
        let (count, base) = (
            self.port_count(id, now),
            &self.shared.network.ports[id].more.base,
        );
        let since = PortCount {
            packets: count.packets - base.packets,
            bytes: count.bytes - base.bytes,
            control: count.control - base.control,
            control_bytes: count.control_bytes - base.control_bytes,
            busy: count.busy - base.busy,
            area: count.area - base.area,
            max_bytes: count.max_bytes,
            marked: count.marked - base.marked,
            trimmed: count.trimmed - base.trimmed,
            notices: count.notices - base.notices,
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
        let port = &self.shared.network.ports[id];
        let mut count = port.sent();
        count.busy = self.busy_ticks(id, &count, now);
        let ahead = port.free_at().0.saturating_sub(now.0);
        count.area -= u128::from(port.sending) * u128::from(ahead);
        let packets = &self.shared.network.packets;
        let waiting = port.lists().flat_map(|list| packets.walk(list));
        for packet in waiting.chain(self.judged_at(id)) {
            count.area += u128::from(packet.frame()) * u128::from(now.0 - packet.at.0);
        }
        count.area -= port.more.held_before;
        count.max_bytes = port.max_bytes;
        count.stall = port.stall_clock(now);
        count.closed = match &port.gates {
            Some(gates) => gates.closed(now),
            None => self.media.closed(id, now),
        };
        count
    }

    /// The packets of a port that queue management judges at its medium.
    fn judged_at(&self, id: PortId) -> impl Iterator<Item = &Packet> {
        let shared = self.shared.network.ports[id].waits_at_medium();
        let judged = shared.then(|| self.media.judged_packets(&self.shared.network));
        let here = judged.into_iter().flatten();
        here.filter_map(move |(port, packet)| (port == id).then_some(packet))
    }

    /// Ticks for which a port was in use up to `now`. What is still to come of a frame or an exchange under way belongs
    /// to the time after.
    fn busy_ticks(&self, id: PortId, count: &PortCount, now: Time) -> u64 {
        self.media.busy_ticks(id, now).unwrap_or_else(|| {
            let port = &self.shared.network.ports[id];
            let ahead = port.gap_until.0.saturating_sub(now.0);
            let ticks = i128::from(count.wire_bytes() * port.ps_per_byte) + port.more.rate_excess;
            (ticks - i128::from(ahead)).max(0) as u64
        })
    }

    /// Packets in queues and on wires: (data, notices, whether queue counters agree with contents).
    fn count_held(&self) -> (u64, u64, bool) {
        let (mut data, mut control, mut notices, mut agree) = (0, 0, 0, true);
        let mut judged = BTreeMap::<PortId, u64>::new();
        for (id, packet) in self.media.judged_packets(&self.shared.network) {
            data += 1;
            *judged.entry(id).or_default() += packet.frame();
        }
        for (id, port) in self
            .shared
            .network
            .ports
            .ids()
            .zip(self.shared.network.ports.iter())
        {
            let mut bytes = u64::from(port.sending) + judged.get(&id).copied().unwrap_or(0);
            for list in port.lists() {
                let waiting: Vec<&Packet> = self.shared.network.packets.walk(list).collect();
                data += waiting.len() as u64;
                bytes += waiting.iter().map(|p| p.frame()).sum::<u64>();
            }
            agree &= bytes == port.queues().iter().map(|q| q.bytes).sum::<u64>();
            for packet in self.shared.network.packets.walk(&port.wire) {
                if packet.flow.is_none() {
                    control += 1
                } else {
                    data += 1
                }
            }
            control += self.shared.network.packets.walk(&port.control).count() as u64;
            let carried = port.more.carried.iter();
            notices += carried
                .map(|c| c.waiting.len() + c.riding.len())
                .sum::<usize>();
        }
        data += self.media.held(&self.shared.network.packets).count() as u64;
        data += self.media.reordered(&self.shared.network).count() as u64;
        agree &= data + control == u64::from(self.shared.network.packets.live());
        (data, control + notices as u64, agree)
    }

    /// A packet that waits at a receiver has made its own hop and no other.
    fn count_reordered(&self, hop: &[BTreeMap<PortId, usize>], before: &mut [Vec<Count>]) {
        for (id, packet) in self.media.reordered(&self.shared.network) {
            let place = hop[packet.flow.index()].get(&id).map(|i| i + 1);
            if let Some(next) = place.and_then(|i| before[packet.flow.index()].get_mut(i)) {
                next.add(u64::from(packet.len));
            }
        }
    }

    /// For each flow with one destination, what each hop of its path has received so far: what
    /// entered, less what was lost or is held before.
    pub(super) fn hop_counts(&self) -> Vec<Vec<Count>> {
        let mut before: Vec<Vec<Count>> = self
            .shared
            .network
            .flows
            .iter()
            .map(|f| vec![Count::default(); f.hops().len()])
            .collect();
        let hop: Vec<BTreeMap<PortId, usize>> = self
            .shared
            .network
            .flows
            .iter()
            .map(|f| f.hops().iter().enumerate().map(|(i, p)| (*p, i)).collect())
            .collect();
        let main = |port: PortId| {
            self.shared
                .network
                .plan
                .boxes
                .get(&port)
                .copied()
                .unwrap_or(port)
        };
        for ((_, port, flow, _), count) in &self.shared.run.books.drops {
            if let Some(i) = hop[flow.index()].get(&main(*port)) {
                before[flow.index()][*i].packets += count.packets;
                before[flow.index()][*i].bytes += count.bytes;
            }
        }
        for id in self.shared.network.ports.ids() {
            let port = &self.shared.network.ports[id];
            let held = port
                .lists()
                .flat_map(|list| self.shared.network.packets.walk(list))
                .chain(self.shared.network.packets.walk(&port.wire));
            for packet in held.filter(|p| !p.flow.is_none()) {
                if let Some(i) = hop[packet.flow.index()].get(&main(id)) {
                    before[packet.flow.index()][*i].add(u64::from(packet.len));
                }
            }
        }
        let judged = self.media.judged_packets(&self.shared.network);
        for (id, packet) in judged.chain(self.media.held(&self.shared.network.packets)) {
            if let Some(i) = hop[packet.flow.index()].get(&id) {
                before[packet.flow.index()][*i].add(u64::from(packet.len));
            }
        }
        self.count_reordered(&hop, &mut before);
        let counts = self
            .shared
            .network
            .flows
            .iter()
            .zip(before)
            .map(|(flow, before)| {
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
