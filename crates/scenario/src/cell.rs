//! The figures of a flow over a trace link, in the terms of both communities: the age of the newest packet and
//! the score of the 2013 contest, signal delay and power of mahimahi's graphs, and the bound of a sender
//! that knows the trace. A flow whose path has several trace links is judged at the first.

use backwater_sim::ids::{FlowId, PortId};
use backwater_sim::medium::boxes::AnyBox;
use backwater_sim::medium::trace::Server;
use backwater_sim::network::{Flow, Role};
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};
use serde_json::{Map, Value, json};

/// Further figures of a port.
pub const OF_PORT: [&str; 3] = ["capacity_bps", "utilisation", "signal_delay_p95_s"];
/// The figures of a flow, and of a run with one flow over trace links.
pub const OF_FLOW: [&str; 11] = [
    "age_p95_s",
    "cell_throughput_bps",
    "score_ln",
    "signal_delay_p95_s",
    "link_throughput_bps",
    "power",
    "capacity_bps",
    "utilisation",
    "omniscient_age_p95_s",
    "omniscient_signal_delay_p95_s",
    "self_inflicted_s",
];

/// The metrics of a port; null for one without a trace. The signal delay is left out unless asked for.
pub fn of_port(world: &World, id: PortId, from: Time, signal: bool) -> Map<String, Value> {
    let service = &world.network().ports[id].more.service;
    if let Some((offered, carried)) = service.counted() {
        let capacity = offered as f64 * 8.0 / world.now().since(from).seconds();
        let utilisation = (offered > 0).then(|| carried as f64 / offered as f64);
        return filled(
            &OF_PORT,
            &[json!(capacity), json!(utilisation), Value::Null],
        );
    }
    let Some(server) = service.server() else {
        return nothing(&OF_PORT);
    };
    let link = Link::of(server, from, world.now());
    filled(
        &OF_PORT,
        &[
            json!(link.capacity),
            json!(link.utilisation),
            json!(signal.then(|| signal_s(server, from, world.now()))),
        ],
    )
}

/// The metrics of a flow; null for one that crosses no trace link.
pub fn of_flow(world: &World, id: FlowId, from: Time) -> Map<String, Value> {
    let flow = &world.network().flows[id];
    let served = |id: &PortId| world.network().ports[*id].more.service.server();
    let (Some(place), Some(age)) = (
        flow.path.iter().position(|id| served(id).is_some()),
        &flow.stats.age,
    ) else {
        return nothing(&OF_FLOW);
    };
    let Some(server) = served(&flow.path[place]) else {
        return nothing(&OF_FLOW);
    };
    let now = world.now();
    let (link, signal) = (Link::of(server, from, now), signal_s(server, from, now));
    let (before, after) = propagation(world, flow, place);
    let least = |ms| server.least_age_p95(ms, before, after);
    let bound_age = age.sampled(now).and_then(least).map(seconds);
    let (age, throughput) = (age.p95_s(now), age.throughput_bps(server.spec.overhead));
    let bound = server.omniscient(from, now);
    let positive = |x: Option<f64>| x.filter(|x| *x > 0.0);
    let score = positive(throughput)
        .zip(positive(age))
        .map(|(bps, s)| libm::log(bps / 1e6 / (s * 1e3)));
    let power = positive(signal).map(|s| link.throughput / 1e6 / s);
    let values = [
        json!(age),
        json!(throughput),
        json!(score),
        json!(signal),
        json!(link.throughput),
        json!(power),
        json!(link.capacity),
        json!(link.utilisation),
        json!(bound_age),
        json!(bound.map(|b| seconds(b.signal_p95))),
        json!(age.zip(bound_age).map(|(age, bound)| age - bound)),
    ];
    filled(&OF_FLOW, &values)
}

/// The metrics of a run: those of its only flow over trace links, acknowledgements aside.
pub fn of_run(world: &World, from: Time) -> Map<String, Value> {
    let over = |id: &FlowId| {
        let flow = &world.network().flows[*id];
        flow.stats.age.is_some() && !matches!(flow.role, Role::Acks(_))
    };
    let mut all = world.network().flows.ids().filter(over);
    match (all.next(), all.next()) {
        (Some(id), None) => of_flow(world, id, from),
        _ => nothing(&OF_FLOW),
    }
}

/// The counts of a trace link in a window of time.
struct Link {
    capacity: f64,
    throughput: f64,
    utilisation: Option<f64>,
}

impl Link {
    fn of(server: &Server, from: Time, now: Time) -> Link {
        let capacity = server.capacity(from, now);
        let (_, bytes) = server.scorer.left(now);
        let rate = |bytes: u64| bytes as f64 * 8.0 / now.since(from).seconds();
        let throughput = rate(bytes);
        Link {
            capacity,
            throughput,
            utilisation: (capacity > 0.0).then(|| rate(server.scorer.carried(now)) / capacity),
        }
    }
}

/// The 95th percentile of the signal delay.
fn signal_s(server: &Server, from: Time, now: Time) -> Option<f64> {
    server.scorer.signal_p95(from, now).map(seconds)
}

/// The time that no queue causes, propagation and delay boxes: up to the queue of a place on the path, and from it on.
fn propagation(world: &World, flow: &Flow, place: usize) -> (Span, Span) {
    let boxes = |id: PortId| -> u64 {
        let delays = world.network().boxes_before(id).map(|what| match what {
            AnyBox::Delay(delay) => delay.least().0,
            AnyBox::Light(light) => light.least().0,
            AnyBox::Scheduled(schedule) => schedule.least().0,
            AnyBox::Loss(_)
            | AnyBox::OnOff(_)
            | AnyBox::Jitter(_)
            | AnyBox::Hold(_)
            | AnyBox::Reorder(_)
            | AnyBox::Duplicate(_)
            | AnyBox::Mark(_) => 0,
        });
        delays.sum()
    };
    let wire = |id: PortId| world.network().ports[id].delay.0;
    let (before, after) = flow.path.split_at(place);
    let to_queue: u64 = before.iter().map(|id| boxes(*id) + wire(*id)).sum();
    let further = after.iter().skip(1).map(|id| boxes(*id) + wire(*id));
    let (here, further) = (flow.path[place], further.sum::<u64>());
    (Span(to_queue + boxes(here)), Span(wire(here) + further))
}

fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}

fn nothing(names: &[&str]) -> Map<String, Value> {
    names
        .iter()
        .map(|n| ((*n).to_owned(), Value::Null))
        .collect()
}

fn filled(names: &[&str], values: &[Value]) -> Map<String, Value> {
    let pairs = names.iter().zip(values);
    pairs.map(|(n, v)| ((*n).to_owned(), v.clone())).collect()
}
