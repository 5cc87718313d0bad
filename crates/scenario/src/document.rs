//! A run's sums as the JSON document that `run --json` prints. Keys carry SI units, shares are 0..1;
//! what has no value is null.

pub mod air;
mod collectives;
mod equal_ways;
pub mod figures;
mod port;
mod sanity;
mod slowdowns;
mod transfers;
mod warnings;
pub mod ways;

pub use air::probed;
use air::stations;
use backwater_sim::connection::ConnectionStats;
use backwater_sim::ids::PortId;
use backwater_sim::network::Role;
use backwater_sim::record::delays::Delays;
use backwater_sim::skip::Stretch;
use backwater_sim::world::{
    ClassReport, ConnectionReport, DropRow, FlowReport, PortReport, Report, StampReport, World,
};
use backwater_transport::units::{Span, Time};
use serde_json::{Map, Value, json};
use slowdowns::{SLOWDOWN, mean, slowdown, slowdowns};
use transfers::Groups;
pub use warnings::mechanisms;
use warnings::{starved, warnings};

use crate::cell;
use crate::resolved::Resolved;

/// Ticks in a second.
const TICKS: f64 = 1e12;

/// The document of a run that came to the scenario's end, without what the caller alone knows: schema, version, scenario's
/// name and cost.
pub fn document(resolved: &Resolved, world: &World, report: &Report) -> Value {
    document_until(resolved, world, report, resolved.duration())
}

/// The same of a run that ended after `duration`, behind its warm-up.
pub fn document_until(
    resolved: &Resolved,
    world: &World,
    report: &Report,
    duration: Span,
) -> Value {
    let warmup = resolved.warmup();
    let window = (duration.0 - warmup.0) as f64 / TICKS;
    let from = Time(warmup.0);
    let groups = Groups::of(resolved);
    let own = |f: &&FlowReport| is_own(world, &groups, f);
    let of_flow =
        |f: &FlowReport| flow_row(world, report, f, window, cell::of_flow(world, f.flow, from));
    let of_port =
        |p: &PortReport| port::row(world, p, window, cell::of_port(world, p.port, from, true));
    let [deadlock, standstill] = blocked(world, report);
    let mut document = json!({
        "seed": resolved.seed,
        "resolved": resolved.sha256(),
        "fingerprint": format!("{:016x}", report.fingerprint),
        "duration_s": duration.seconds(),
        "warmup_s": warmup.seconds(),
        "labels": labels(resolved),
        "warnings": warnings(world, report),
        "conservation": {
            "entered_pkts": report.entered,
            "delivered_pkts": report.delivered,
            "dropped_pkts": report.dropped,
            "held_pkts": report.held,
            "ok": report.conserved,
        },
        "drops": report.drops.iter().map(|d| drop_row(world, &groups, d)).collect::<Value>(),
        "flows": report.flows.iter().filter(own).map(of_flow).chain(groups.rows(world, report, window)).collect::<Value>(),
        "ports": report.ports.iter().map(of_port).collect::<Value>(),
        "stations": stations(world, report, window),
        "metrics": metrics(world, report, &groups, window, from),
        "deadlock": deadlock,
        "standstill": standstill,
        "stamps": report.stamps.iter().map(stamp).collect::<Value>(),
    });
    let collectives = collectives::rows(resolved, world, report);
    if !collectives.is_empty() {
        document["collectives"] = json!(collectives);
    }
    if let Some(stretches) = world.skipped() {
        document["skipped"] = skipped(stretches);
    }
    let ways = equal_ways::rows(world, report);
    if !ways.is_empty() {
        if let Value::Object(metrics) = &mut document["metrics"] {
            metrics.extend(equal_ways::metrics(&ways));
        }
        document["equal_ways"] = ways.iter().map(|row| row.document(world)).collect();
    }
    let faults = sanity::faults(&document);
    document["sanity"] = json!({"ok": faults.is_empty(), "faults": faults});
    document
}

/// Stretches whose events were added up and not served.
fn skipped(stretches: &[Stretch]) -> Value {
    let row = |s: &Stretch| json!({"from_s": s.from.seconds(), "period_s": s.period.seconds(), "periods": s.periods, "events": s.events});
    let events: u64 = stretches.iter().map(|s| s.events * s.periods).sum();
    json!({"events": events, "stretches": stretches.iter().map(row).collect::<Value>()})
}

/// A law of explicit feedback at the end of the run.
fn stamp(stamp: &StampReport) -> Value {
    let values = stamp.values.iter().filter(|(name, _)| !name.is_empty());
    let mut row = Map::from_iter(values.map(|(name, x)| ((*name).to_owned(), json!(x))));
    row.insert("place".to_owned(), json!(stamp.place));
    let (mean, deviation) = stamp.queue.unzip();
    row.insert("queue_mean_pkts".to_owned(), json!(mean));
    row.insert("queue_deviation_pkts".to_owned(), json!(deviation));
    Value::Object(row)
}

/// A cycle of ports that wait for one another, and what stands still at the end.
fn blocked(world: &World, report: &Report) -> [Value; 2] {
    let deadlock = report.deadlock.as_ref().map(|d| {
        let name = |port: &PortId| world.network().ports[*port].more.name.as_str();
        let cycle: Vec<&str> = d.cycle.iter().map(name).collect();
        json!({"at_s": d.at.seconds(), "cycle": cycle})
    });
    let standstill = report
        .standstill
        .map(|s| json!({"since_s": s.since.seconds(), "waiting_pkts": s.packets}));
    [json!(deadlock), json!(standstill)]
}

/// Whether a flow has a row of its own.
fn is_own(world: &World, groups: &Groups, f: &FlowReport) -> bool {
    let flow = &world.network().flows[f.flow];
    !matches!(flow.role, Role::Acks(_)) && groups.apart(&flow.name)
}

/// The row of a flow, with these figures over a trace link.
fn flow_row(
    world: &World,
    report: &Report,
    f: &FlowReport,
    window: f64,
    cell: Map<String, Value>,
) -> Value {
    let node = |id| world.network().nodes[id].name.as_str();
    let row = &world.network().flows[f.flow];
    let connection = match row.role {
        Role::Data(id) => report.connections.get(id.index()),
        Role::None | Role::Acks(_) => None,
    };
    let to = match row.path.last() {
        Some(last) => world.far_name(*last).to_owned(),
        None => format!("any of {} hosts", row.to.iter().count()),
    };
    let hops = f.hops.iter().map(|h| {
        let p = &world.network().ports[h.port];
        json!({"from": node(p.node), "to": world.far_name(h.port), "throughput_bps": h.count.bytes as f64 * 8.0 / window})
    });
    let mut one = Map::new();
    one.insert("id".into(), json!(row.name));
    one.insert("from".into(), json!(node(row.from)));
    one.insert("to".into(), json!(to));
    one.insert("class".into(), json!(row.class));
    one.insert("entered_pkts".into(), json!(f.sums.entered.packets));
    one.insert("delivered_pkts".into(), json!(f.sums.delivered.packets));
    one.insert("dropped_pkts".into(), json!(f.sums.dropped.packets));
    one.insert("marked_pkts".into(), json!(f.sums.marked.packets));
    let last = f.last_delivered.map(Time::seconds);
    one.insert("last_delivered_s".into(), json!(last));
    one.extend(rates(&f.sums, window));
    one.extend(end_to_end(connection, report, window));
    one.insert("hol_victims_pkts".into(), json!(f.victims));
    if let Some(hurst) = f.hurst {
        one.insert("hurst".into(), json!(hurst.all));
        one.insert("hurst_short".into(), json!(hurst.short));
        one.insert("hurst_long".into(), json!(hurst.long));
    }
    one.extend(cell);
    one.insert("hops".into(), hops.collect());
    if !f.receivers.is_empty() {
        one.insert("receivers".into(), air::receivers(world, f));
    }
    Value::Object(one)
}

/// Losses of one kind.
fn drop_row(world: &World, groups: &Groups, d: &DropRow) -> Value {
    let (cause, place, of, class) = d.key;
    let (place, flow) = (
        &world.network().ports[place].more.name,
        groups.shown(&world.network().flows[of].name),
    );
    json!({"cause": cause.name(), "place": place, "flow": flow, "class": class, "pkts": d.count.packets, "size_B": d.count.bytes})
}

/// Readings of undecided rules that the run took.
fn labels(resolved: &Resolved) -> Map<String, Value> {
    let fixed = [
        ("ethernet.buffer_release".to_owned(), "last-bit"),
        ("ethernet.gap".to_owned(), "before-frame"),
    ];
    fixed
        .into_iter()
        .chain(resolved.labels())
        .map(|(name, word)| (name, json!(word)))
        .chain(air::labels(resolved.media()))
        .collect()
}

/// The counts at the two ends of a flow with a transport; null for a flow without one. Goodput is then
/// that of application bytes in order.
fn end_to_end(
    connection: Option<&ConnectionReport>,
    report: &Report,
    window: f64,
) -> Vec<(String, Value)> {
    let acks = connection.map(|c| &report.flows[c.acks.index()].sums);
    let stats = connection.map(|c| &c.stats);
    let rtt = |of: fn(&ConnectionStats) -> f64| {
        let measured = stats.filter(|s| s.rtt_count > 0);
        json!(measured.map(of))
    };
    let done = stats.filter(|s| s.completed > 0).map(|s| &s.completion);
    let completion = |q: f64| json!(done.map(|d| d.quantile(q) as f64 / 1e9));
    let mut rows = vec![
        (
            "retransmitted_pkts",
            json!(connection.map_or(0, |c| c.retransmitted)),
        ),
        ("acks_pkts", json!(acks.map(|a| a.entered.packets))),
        ("acks_dropped_pkts", json!(acks.map(|a| a.dropped.packets))),
        ("rtt_min_s", rtt(|s| s.rtt_min.seconds())),
        (
            "rtt_mean_s",
            rtt(|s| s.rtt_sum as f64 / s.rtt_count as f64 / TICKS),
        ),
        ("rtt_p50_s", rtt(|s| rtt_quantile(s, 0.5))),
        ("rtt_p95_s", rtt(|s| rtt_quantile(s, 0.95))),
        (
            "window_mean_B",
            json!(stats.map(|s| s.window_area as f64 / TICKS / window)),
        ),
        (
            "window_least_B",
            json!(stats.filter(|s| s.falls_to_least > 0).map(|s| s.least)),
        ),
        (
            "window_falls_to_least",
            json!(stats.map(|s| s.falls_to_least)),
        ),
        ("transfers", json!(stats.map(|s| s.completed))),
        ("fct_mean_s", json!(done.map(|d| d.mean() / 1e9))),
        ("fct_p50_s", completion(0.5)),
        ("fct_p95_s", completion(0.95)),
        ("fct_p99_s", completion(0.99)),
    ];
    let mut all = Delays::default();
    for decade in stats.iter().flat_map(|s| &s.slowdown) {
        all.add(decade);
    }
    rows.push(("slowdown_mean", mean(&all)));
    rows.extend(SLOWDOWN.map(|(name, q)| (name, slowdown(&all, q))));
    if let Some(c) = connection {
        let goodput = c.delivered as f64 * 8.0 / window;
        rows.push(("goodput_bps", json!(goodput)));
    }
    rows.into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// A quantile of the round trip in seconds. Classes are counted in whole nanoseconds, the least one in picoseconds.
fn rtt_quantile(stats: &ConnectionStats, q: f64) -> f64 {
    (stats.rtt.quantile(q) as f64 / 1e9).max(stats.rtt_min.seconds())
}

/// Loss, rates and delays of one flow, one class, or all.
fn rates(sums: &ClassReport, window: f64) -> Vec<(String, Value)> {
    let n = sums.delivered.packets;
    // Packets that were under way at the end of the warm-up have a delay too.
    let mean = |ticks: u128| (n > 0).then(|| ticks as f64 / n as f64 / TICKS);
    let max = sums.max as f64 / TICKS;
    // A quantile is the end of its class, which may lie beyond the longest delay.
    let quantile =
        |q: f64| (!sums.delay.is_empty()).then(|| (sums.delay.quantile(q) as f64 / 1e9).min(max));
    let rows = [
        (
            "offered_bps",
            json!(sums.entered.bytes as f64 * 8.0 / window),
        ),
        (
            "goodput_bps",
            json!(sums.delivered.bytes as f64 * 8.0 / window),
        ),
        ("loss", json!(sums.loss())),
        ("delay_mean_s", json!(mean(sums.sum.total))),
        ("delay_p50_s", json!(quantile(0.5))),
        ("delay_p95_s", json!(quantile(0.95))),
        ("delay_p99_s", json!(quantile(0.99))),
        ("delay_max_s", json!((n > 0).then_some(max))),
        ("delay_serialisation_s", json!(mean(sums.sum.serial))),
        ("delay_queue_s", json!(mean(sums.sum.queue))),
        ("delay_gate_s", json!(mean(sums.sum.gate))),
        ("delay_contention_s", json!(mean(sums.sum.contention))),
        ("delay_retries_s", json!(mean(sums.sum.retries))),
        ("delay_propagation_s", json!(mean(sums.sum.propagation))),
    ];
    let grouped = [
        ("delay_aggregate_s", sums.sum.aggregate),
        ("delay_reorder_s", sums.sum.reorder),
    ];
    // Only packets in aggregates have these parts.
    let met = grouped.iter().any(|(_, ticks)| *ticks > 0);
    let grouped = grouped.into_iter().filter(|_| met);
    let grouped = grouped.map(|(name, ticks)| (name, json!(mean(ticks))));
    rows.into_iter()
        .chain(grouped)
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn metrics(world: &World, report: &Report, groups: &Groups, window: f64, from: Time) -> Value {
    let mut all = Map::from_iter(rates(&report.all, window));
    for (class, sums) in report.classes.iter().enumerate() {
        all.insert(format!("loss_class{class}"), json!(sums.loss()));
    }
    let paused = report
        .ports
        .iter()
        .flat_map(|p| p.count.closed)
        .max()
        .unwrap_or(0);
    let goodputs: Vec<f64> = report
        .flows
        .iter()
        .filter_map(|f| match world.network().flows[f.flow].role {
            Role::None => Some(f.sums.delivered.bytes as f64),
            Role::Data(id) => Some(report.connections[id.index()].delivered as f64),
            Role::Acks(_) => None,
        })
        .collect();
    all.insert(
        "goodput_bps".into(),
        json!(goodputs.iter().sum::<f64>() * 8.0 / window),
    );
    let total = |of: fn(&ClassReport) -> u64| report.flows.iter().map(|f| of(&f.sums)).sum::<u64>();
    all.insert("entered_pkts".into(), json!(total(|s| s.entered.packets)));
    all.insert(
        "delivered_pkts".into(),
        json!(total(|s| s.delivered.packets)),
    );
    all.insert("dropped_pkts".into(), json!(total(|s| s.dropped.packets)));
    all.insert("flows_starved".into(), json!(starved(report).count()));
    all.insert("jain".into(), json!(jain(&goodputs)));
    let progress = &report.progress;
    let steadiness = progress.steadiness();
    all.insert("convergence_s".into(), json!(progress.converged()));
    all.insert("jain_mean_1s".into(), json!(steadiness.mean_jain()));
    all.insert("jain_least_5s".into(), json!(steadiness.least_jain()));
    all.insert("goodput_variation".into(), json!(steadiness.variation()));
    all.insert("filled_s".into(), json!(steadiness.filled()));
    all.insert("hop_ratio".into(), json!(hop_ratio(report)));
    all.insert("control_pkts".into(), json!(report.control));
    let heard = report.hearing.iter().map(|m| m.heard);
    all.insert("notices_heard".into(), json!(heard.sum::<u64>()));
    let notices = report.stations.iter().map(|s| s.management).sum::<u64>();
    all.insert("management_pkts".into(), json!(notices));
    all.insert(
        "hol_victims_pkts".into(),
        json!(report.flows.iter().map(|f| f.victims).sum::<u64>()),
    );
    all.insert("paused_max".into(), json!(paused as f64 / TICKS / window));
    all.insert(
        "deadlock_at_s".into(),
        json!(report.deadlock.as_ref().map(|d| d.at.seconds())),
    );
    all.extend(slowdowns(report));
    all.extend(groups.tenths(world, report));
    all.extend(cell::of_run(world, from));
    all.extend(air::losses(world, report, window));
    Value::Object(all)
}

/// Jain's index (Σx)² / (n Σx²) of the flows' goodputs; none where nothing was delivered.
pub fn jain(x: &[f64]) -> Option<f64> {
    let (sum, squares) = (x.iter().sum::<f64>(), x.iter().map(|v| v * v).sum::<f64>());
    (squares > 0.0).then(|| sum * sum / (x.len() as f64 * squares))
}

/// The bytes over first hops over those over last hops, of the flows with several.
fn hop_ratio(report: &Report) -> Option<f64> {
    let paths = report.flows.iter().filter(|f| f.hops.len() > 1);
    let ends = paths.map(|f| (f.hops[0].count.bytes, f.hops[f.hops.len() - 1].count.bytes));
    let (first, last) = ends.fold((0, 0), |(a, b), (x, y)| (a + x, b + y));
    (last > 0).then(|| first as f64 / last as f64)
}
