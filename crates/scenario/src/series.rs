//! The figures of a run over time: sums over intervals of equal length, from the events of a recorded run.
//!
//! Ports: `capacity_bps`, what a trace's opportunities carry, by the link's account; `throughput_bps`, what
//! left, by the same account, or frames on a wire and over the air; `queue_max_B`, the most bytes of frames held. Flows:
//! `goodput_bps`, as the tables have it: with a transport the application's bytes that arrived in order, without one IP bytes; `delay_mean_s` of what was delivered; `window_B` and `srtt_s` of a
//! sender, as they stand at the end of the interval. Hops of a flow: `throughput_bps`, IP bytes whose
//! transmission began. Stations: `aifsn_mean_class<N>`, the mean over the interval. Classes: `goodput_bps` and `jain` of the flows
//! of a class. Pauses: when each port of a wire might not send frames of some classes (`pauses.rs`). Laws of explicit feedback: their values as they stand at the end of the interval. What has no value is null.
//! A packet leaves its queue as its transmission, or the exchange that succeeds, begins.

mod class;
mod flow;
mod law;
mod pauses;
mod station;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use backwater_sim::books::Stop;
use backwater_sim::ends::Delivered;
use backwater_sim::ids::{FlowId, LawId, NodeId, PortId};
use backwater_sim::medium::Server;
use backwater_sim::network::Role;
use backwater_sim::network::Values;
use backwater_sim::packet;
use backwater_sim::record::{Record, What};
use backwater_sim::table::Id;
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};
use serde_json::{Map, Value, json};

use crate::diagnostic::{Diagnostic, Fault, Origin};
use crate::resolved::Resolved;
use crate::series::flow::OfFlow;
use crate::series::law::{OfLaw, held};
use crate::series::pauses::Pauses;
use crate::series::station::OfStation;
use crate::units;

/// Whose each series is, and its name.
pub static SERIES: [(&str, &str); 27] = [
    ("port", "capacity_bps"),
    ("port", "throughput_bps"),
    ("port", "queue_max_B"),
    ("flow", "goodput_bps"),
    ("flow", "delay_mean_s"),
    ("flow", "window_B"),
    ("flow", "srtt_s"),
    ("hop", "throughput_bps"),
    ("station", "aifsn_mean_class<N>"),
    ("class", "goodput_bps"),
    ("class", "jain"),
    ("law", "accelerate_share"),
    ("law", "average_queue_pkts"),
    ("law", "capacity_bps"),
    ("law", "desired_pkts"),
    ("law", "flows"),
    ("law", "interval_s"),
    ("law", "load"),
    ("law", "mean_rtt_s"),
    ("law", "period_s"),
    ("law", "phi_B"),
    ("law", "phi_bps"),
    ("law", "queue_B"),
    ("law", "rate_bps"),
    ("law", "target_pkts"),
    ("law", "tokens"),
    ("law", "window_pkts"),
];

/// More intervals would be no picture.
const MOST: u64 = 100_000;

/// The length of the intervals of a run, as a person writes it.
///
/// # Errors
/// No time, none at all, or one that makes too many intervals.
pub fn interval(resolved: &Resolved, written: &str) -> Result<Span, Diagnostic> {
    let refuse = |fault: Fault| fault.at(&Origin::Set("series".into()));
    let every = units::span(written).map_err(refuse)?;
    let length = resolved.duration();
    if every.0 == 0 || length.0.div_ceil(every.0) > MOST {
        let what = format!(
            "intervals of {written} divide a run of {} s",
            length.seconds()
        );
        let fix = format!("write a time that makes 1 to {MOST} intervals");
        return Err(refuse(Fault::new(what, fix)));
    }
    Ok(every)
}

/// Sums of a run over intervals.
#[derive(Clone)]
pub struct Series {
    every: Span,
    /// Later events are left out.
    end: Time,
    intervals: usize,
    ports: BTreeMap<PortId, OfPort>,
    flows: BTreeMap<FlowId, OfFlow>,
    /// Bits of a flow's packets sent over a hop.
    hops: BTreeMap<(FlowId, PortId), Vec<u64>>,
    stations: BTreeMap<NodeId, OfStation>,
    laws: BTreeMap<LawId, OfLaw>,
    pauses: Pauses,
}

#[derive(Clone)]
struct OfPort {
    sent_bits: Vec<u64>,
    queue_max: Vec<u64>,
    /// Bytes held by each class queue, and the interval up to which the maximum is known.
    held: [u64; 8],
    known: usize,
    /// Packets that wait: what is lost may have come no further than the queue's door.
    waiting: BTreeSet<(FlowId, u32)>,
}

impl Series {
    /// Of a run of this length; the last interval may be shorter.
    pub fn new(every: Span, length: Span) -> Series {
        Series {
            every,
            end: Time(length.0),
            intervals: length.0.div_ceil(every.0) as usize,
            ports: BTreeMap::new(),
            flows: BTreeMap::new(),
            hops: BTreeMap::new(),
            stations: BTreeMap::new(),
            laws: BTreeMap::new(),
            pauses: Pauses::default(),
        }
    }

    /// Adds values of laws, in order of time.
    pub fn extend_laws(&mut self, log: Vec<(LawId, Vec<Values>)>) {
        for (law, values) in log {
            let of = self.laws.entry(law);
            let of = of.or_insert_with(|| OfLaw::new(self.intervals));
            for (now, values) in values.into_iter().filter(|(now, _)| *now <= self.end) {
                of.note(self.every, now, values);
            }
        }
    }

    /// Adds events, in order of time.
    pub fn extend(&mut self, world: &World, records: &[Record]) {
        let end = self.end;
        for record in records.iter().filter(|record| record.at <= end) {
            // An event at the very end belongs to the last interval.
            let at = ((record.at.0 / self.every.0) as usize).min(self.intervals - 1);
            match record.what {
                What::Enqueue | What::Send | What::Drop => self.at_port(world, record, at),
                What::Deliver | What::Window | What::Srtt => self.of_flow(world, record, at),
                What::Aifsn => {
                    let node = world.network().ports[record.port].node;
                    self.stations.entry(node).or_default().moved(record);
                }
                _ => {}
            }
            if record.what == What::Send && is_data(world, record.flow) {
                let n = self.intervals;
                let hop = self.hops.entry((record.flow, record.port));
                hop.or_insert_with(|| vec![0; n])[at] += 8 * u64::from(record.len);
            }
        }
    }

    fn at_port(&mut self, world: &World, record: &Record, at: usize) {
        let n = self.intervals;
        let port = &world.network().ports[record.port];
        let of = self
            .ports
            .entry(record.port)
            .or_insert_with(|| OfPort::new(n));
        // A port with one queue holds all classes in it.
        let q = if port.queues().len() == 1 {
            0
        } else {
            record.traffic.class() as usize
        };
        let frame = packet::frame(u64::from(record.len));
        of.go_on(at);
        let packet = (record.flow, record.seq);
        match record.what {
            What::Enqueue => {
                of.held[q] = record.value;
                of.waiting.insert(packet);
            }
            What::Send => {
                let server = port.more.service.server();
                of.sent_bits[at] += 8 * server.map_or(frame, |s| s.size(record.len));
                of.held[q] = of.held[q].saturating_sub(frame);
                of.waiting.remove(&packet);
            }
            _ if of.waiting.remove(&packet) => of.held[q] = of.held[q].saturating_sub(frame),
            _ => {}
        }
        // The frames that were held as a frame joined include the one that was on its way out.
        if of.waiting.is_empty() {
            of.held = [0; 8];
        }
        // A station records a transmission when it has succeeded; later events may already be recorded then.
        if at == of.known {
            of.queue_max[at] = of.queue_max[at].max(of.held.iter().sum());
        }
    }

    fn of_flow(&mut self, world: &World, record: &Record, at: usize) {
        if !is_data(world, record.flow) {
            return;
        }
        let n = self.intervals;
        let of = self.flows.entry(record.flow);
        let transport = world.network().flows[record.flow].role != Role::None;
        of.or_insert_with(|| OfFlow::new(n))
            .note(record, at, transport);
    }

    /// Adds what receivers had given to their applications, in order of time.
    pub fn extend_delivered(&mut self, log: Vec<Delivered>) {
        let n = self.intervals;
        for delivered in log.into_iter().filter(|d| d.at <= self.end) {
            let at = ((delivered.at.0 / self.every.0) as usize).min(n - 1);
            let of = self.flows.entry(delivered.flow);
            of.or_insert_with(|| OfFlow::new(n))
                .rise_to(delivered.bytes, at);
        }
    }

    /// Adds changes of gates, in order of time.
    pub fn extend_stops(&mut self, log: &[Stop]) {
        log.iter().for_each(|stop| self.pauses.note(stop));
    }

    /// A place without events has zeros.
    fn complete(&mut self, world: &World) {
        let n = self.intervals;
        for (number, flow) in world.network().flows.iter().enumerate() {
            let id = Id::new(number);
            if is_data(world, id) {
                self.flows.entry(id).or_insert_with(|| OfFlow::new(n));
                for port in &flow.path {
                    let hop = self.hops.entry((id, *port));
                    hop.or_insert_with(|| vec![0; n]);
                }
            }
        }
        for number in 0..world.network().ports.len() {
            let port = self.ports.entry(Id::new(number));
            port.or_insert_with(|| OfPort::new(n));
        }
    }

    /// Bits that the opportunities of a trace link carry in each interval.
    fn opportunity_bits(&self, server: &Server, end: Time) -> Vec<u64> {
        let mut bits = vec![0; self.intervals];
        for at in server.opportunities(end) {
            let at = ((at.0 / self.every.0) as usize).min(self.intervals - 1);
            bits[at] += 8 * server.spec.opportunity;
        }
        bits
    }

    /// One interval that is over, for those who watch a run: what ports sent and held, what flows delivered. None behind the last.
    pub fn row(&self, world: &World, at: usize) -> Option<Value> {
        if at >= self.intervals {
            return None;
        }
        let seconds = self.every.seconds();
        let rate = |bits: u64| bits as f64 / seconds;
        let (mut ports, mut flows) = (Map::new(), Map::new());
        for (id, of) in &self.ports {
            let held = of.held.iter().sum();
            let queue = if at > of.known {
                held
            } else {
                of.queue_max[at]
            };
            let one = json!({"throughput_bps": rate(of.sent_bits[at]), "queue_max_B": queue});
            ports.insert(world.network().ports[*id].more.name.clone(), one);
        }
        for (id, of) in &self.flows {
            let packets = of.packets[at];
            let delay = (packets > 0).then(|| of.delay_s[at] / packets as f64);
            let one = json!({"goodput_bps": rate(of.bits[at]), "delay_mean_s": delay});
            flows.insert(world.network().flows[*id].name.clone(), one);
        }
        let end = Time((at as u64 + 1) * self.every.0);
        Some(json!({"t_s": end.seconds(), "ports": ports, "flows": flows}))
    }

    /// As the document's `series`, up to this instant.
    pub fn document(mut self, world: &World, end: Time) -> Value {
        let end = end.min(self.end);
        let n = (end.0.div_ceil(self.every.0) as usize).clamp(1, self.intervals);
        let widths: Vec<f64> = (0..n as u64)
            .map(|i| {
                let until = Time((i + 1) * self.every.0).min(end);
                until.since(Time(i * self.every.0)).seconds()
            })
            .collect();
        let rates = |bits: &[u64]| -> Value {
            let each = bits.iter().zip(&widths);
            each.map(|(bits, width)| *bits as f64 / width).collect()
        };
        self.complete(world);
        let (mut ports, mut flows) = (Map::new(), Map::new());
        for of in self.ports.values_mut() {
            of.go_on(self.intervals - 1);
        }
        for (id, of) in &self.ports {
            let port = &world.network().ports[*id];
            let capacity = port.more.service.server();
            let capacity = capacity.map(|server| rates(&self.opportunity_bits(server, end)));
            let one = json!({
                "capacity_bps": capacity,
                "throughput_bps": rates(&of.sent_bits),
                "queue_max_B": of.queue_max[..n],
            });
            ports.insert(port.more.name.clone(), one);
        }
        for (id, of) in &self.flows {
            let delays = of.delay_s.iter().zip(&of.packets).take(n);
            let delays = delays.map(|(sum, n)| (*n > 0).then(|| sum / *n as f64));
            let one = json!({
                "goodput_bps": rates(&of.bits),
                "delay_mean_s": delays.collect::<Vec<_>>(),
                "window_B": held(&of.window[..n]),
                "srtt_s": held(&of.srtt[..n]),
            });
            flows.insert(world.network().flows[*id].name.clone(), one);
        }
        let of_class =
            |(id, of): (&FlowId, &OfFlow)| (world.network().flows[*id].class, of.bits.clone());
        let classes = class::document(self.flows.iter().map(of_class), &widths);
        let hops: Map<String, Value> = self
            .hops
            .iter()
            .map(|((flow, port), bits)| {
                let from = &world.network().nodes[world.network().ports[*port].node].name;
                let to = world.far_name(*port);
                let name = format!("{}/{from}>{to}", world.network().flows[*flow].name);
                (name, json!({"throughput_bps": rates(bits)}))
            })
            .collect();
        let ends: Vec<Time> = (1..=n as u64)
            .map(|i| Time(i * self.every.0).min(end))
            .collect();
        json!({
            "every_s": self.every.seconds(),
            "ports": ports,
            "flows": flows,
            "hops": hops,
            "stations": station::document(world, &self.stations, &ends),
            "classes": classes,
            "laws": law::document(world, &self.laws, n),
            "pauses": self.pauses.document(world, end),
        })
    }
}

/// Whether packets of the flow are data: neither control frames nor acknowledgements.
fn is_data(world: &World, flow: FlowId) -> bool {
    !flow.is_none() && !matches!(world.network().flows[flow].role, Role::Acks(_))
}

impl OfPort {
    fn new(intervals: usize) -> OfPort {
        OfPort {
            sent_bits: vec![0; intervals],
            queue_max: vec![0; intervals],
            held: [0; 8],
            known: 0,
            waiting: BTreeSet::new(),
        }
    }

    /// The bytes that are held stay the same up to the beginning of interval `at`.
    fn go_on(&mut self, at: usize) {
        let held = self.held.iter().sum();
        for later in self.known + 1..=at {
            self.queue_max[later] = held;
        }
        self.known = self.known.max(at);
    }
}
