//! Flows that have one transfer each: a row of the document sums up those that came from one row of the scenario, and their
//! slowdowns are told apart by size, in tenths of equal count as papers on data centres plot them.

use backwater_sim::network::Role;
use backwater_sim::record::delays::Delays;
use backwater_sim::world::{ClassReport, ConnectionReport, FlowReport, Report, World};
use serde_json::{Map, Value, json};

use super::slowdowns::{SLOWDOWN, mean, slowdown};
use super::{end_to_end, rates};
use crate::resolved::Resolved;

/// Parts of equal count.
const TENTHS: usize = 10;

/// The rows of a scenario that stand for a flow for each transfer.
pub struct Groups(Vec<String>);

impl Groups {
    /// Those of a scenario.
    pub fn of(resolved: &Resolved) -> Groups {
        Groups(resolved.rows_of_transfers().map(str::to_owned).collect())
    }

    /// The one of these rows that a flow comes from.
    fn row_of(&self, flow: &str) -> Option<&str> {
        let name = flow.split('/').next().unwrap_or(flow);
        self.0.iter().find(|row| *row == name).map(String::as_str)
    }

    /// The name of a flow in a document: its own, or that of its row.
    pub fn shown<'a>(&'a self, flow: &'a str) -> &'a str {
        self.row_of(flow).unwrap_or(flow)
    }

    /// Whether a flow has a row of its own in a document.
    pub fn apart(&self, flow: &str) -> bool {
        self.row_of(flow).is_none()
    }

    /// A row for each of these.
    pub fn rows(&self, world: &World, report: &Report, window: f64) -> Vec<Value> {
        let row = |name: &String| self.row(world, report, name, window);
        self.0.iter().map(row).collect()
    }

    /// The flows of a row, with their ends.
    fn members<'a>(
        &'a self,
        world: &'a World,
        report: &'a Report,
        name: &'a str,
    ) -> impl Iterator<Item = (&'a FlowReport, &'a ConnectionReport)> {
        report.flows.iter().filter_map(move |flow| {
            let of = &world.network().flows[flow.flow];
            let Role::Data(id) = of.role else {
                return None;
            };
            let mine = self.row_of(&of.name) == Some(name);
            mine.then(|| (flow, &report.connections[id.index()]))
        })
    }

    fn row(&self, world: &World, report: &Report, name: &str, window: f64) -> Value {
        let (mut sums, mut acks) = (ClassReport::default(), ClassReport::default());
        let (mut fct, mut slowdowns) = (Delays::default(), Delays::default());
        let [mut again, mut done, mut bytes, mut victims, mut begun] = [0u64; 5];
        let mut class = 0;
        for (flow, ends) in self.members(world, report, name) {
            sums.add(&flow.sums);
            acks.add(&report.flows[ends.acks.index()].sums);
            fct.add(&ends.stats.completion);
            ends.stats.slowdown.iter().for_each(|s| slowdowns.add(s));
            again += ends.retransmitted;
            done += ends.stats.completed;
            bytes += ends.delivered;
            victims += flow.victims;
            begun += u64::from(ends.written > 0);
            class = world.network().flows[flow.flow].class;
        }
        let completion = |q: f64| json!((!fct.is_empty()).then(|| fct.quantile(q) as f64 / 1e9));
        let mut one = Map::new();
        let mut put = |name: &str, value: Value| one.insert(name.to_owned(), value);
        put("id", json!(name));
        put("from", json!("several hosts"));
        put("to", json!("several hosts"));
        put("class", json!(class));
        put("entered_pkts", json!(sums.entered.packets));
        put("delivered_pkts", json!(sums.delivered.packets));
        put("dropped_pkts", json!(sums.dropped.packets));
        put("marked_pkts", json!(sums.marked.packets));
        put("last_delivered_s", Value::Null);
        put("hol_victims_pkts", json!(victims));
        put("hops", json!([]));
        one.extend(rates(&sums, window));
        one.extend(end_to_end(None, report, window));
        let mut put = |name: &str, value: Value| one.insert(name.to_owned(), value);
        put("retransmitted_pkts", json!(again));
        put("acks_pkts", json!(acks.entered.packets));
        put("acks_dropped_pkts", json!(acks.dropped.packets));
        put("transfers", json!(done));
        put("transfers_begun", json!(begun));
        let fct_mean = (!fct.is_empty()).then(|| fct.mean() / 1e9);
        put("fct_mean_s", json!(fct_mean));
        put("fct_p50_s", completion(0.5));
        put("fct_p95_s", completion(0.95));
        put("fct_p99_s", completion(0.99));
        put("goodput_bps", json!(bytes as f64 * 8.0 / window));
        put("slowdown_mean", mean(&slowdowns));
        for (name, q) in SLOWDOWN {
            put(name, slowdown(&slowdowns, q));
        }
        Value::Object(one)
    }

    /// Slowdowns of the transfers that have ended, by tenths of equal count from the smallest to the largest.
    pub fn tenths(&self, world: &World, report: &Report) -> Map<String, Value> {
        let mut ended: Vec<(u64, &ConnectionReport)> = Vec::new();
        for name in &self.0 {
            for (_, ends) in self.members(world, report, name) {
                let size = ends.written;
                if !ends.stats.slowdown.is_empty() {
                    ended.push((size, ends));
                }
            }
        }
        let mut rows = Map::new();
        if ended.len() < TENTHS {
            return rows;
        }
        ended.sort_by_key(|(size, ends)| (*size, ends.connection.0));
        for tenth in 0..TENTHS {
            let place = |of: usize| of * ended.len() / TENTHS;
            let some = &ended[place(tenth)..place(tenth + 1)];
            let mut all = Delays::default();
            for (_, ends) in some {
                ends.stats.slowdown.iter().for_each(|s| all.add(s));
            }
            let largest = some.last().map(|(size, _)| *size);
            rows.insert(format!("size_max_B_tenth{tenth}"), json!(largest));
            for (name, q) in SLOWDOWN {
                rows.insert(format!("{name}_tenth{tenth}"), slowdown(&all, q));
            }
        }
        rows
    }
}
