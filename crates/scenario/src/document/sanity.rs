//! Figures that cannot be: a share above one, a mean above the maximum, parts that do not add up. They are looked for
//! at the end of every run, as conservation is.

use serde_json::{Map, Value};

/// Names of figures that lie between zero and one.
const SHARES: [&str; 14] = [
    "loss",
    "jain",
    "jain_mean_1s",
    "jain_least_5s",
    "busy",
    "airtime",
    "idle_gated",
    "paused",
    "paused_max",
    "collision",
    "utilisation",
    "delivery_ratio",
    "hol_victims",
    "loss_class",
];

/// Names of figures that may be negative, and how far: slopes, a logarithm, and a difference of ages that are counted in whole
/// milliseconds.
const SIGNED: [(&str, f64); 5] = [
    ("hurst", f64::NEG_INFINITY),
    ("hurst_short", f64::NEG_INFINITY),
    ("hurst_long", f64::NEG_INFINITY),
    ("score_ln", f64::NEG_INFINITY),
    ("self_inflicted_s", -0.001),
];

/// Figures that stand in this order wherever all are known.
const ORDERED: [&[&str]; 7] = [
    &["delay_p50_s", "delay_p95_s", "delay_p99_s", "delay_max_s"],
    &["delay_mean_s", "delay_max_s"],
    &["rtt_min_s", "rtt_mean_s"],
    &["rtt_min_s", "rtt_p50_s", "rtt_p95_s"],
    &["fct_p50_s", "fct_p95_s", "fct_p99_s"],
    &["slowdown_p50", "slowdown_p95", "slowdown_p99"],
    &["queue_mean_B", "queue_max_B"],
];

/// The parts of a packet's delay.
const PARTS: [&str; 6] = [
    "delay_serialisation_s",
    "delay_queue_s",
    "delay_gate_s",
    "delay_contention_s",
    "delay_retries_s",
    "delay_propagation_s",
];

/// Further parts, of packets in aggregates.
const IN_AGGREGATES: [&str; 2] = ["delay_aggregate_s", "delay_reorder_s"];

/// Rounding of sums of doubles, and of sums whose parts were rounded one by one.
const ROUNDING: f64 = 1e-9;

/// The figures of a document that cannot be, each with its place.
pub fn faults(document: &Value) -> Vec<String> {
    let mut all = Faults::default();
    all.row("run", &document["metrics"]);
    for (list, scope) in [
        ("flows", "flow"),
        ("ports", "port"),
        ("stations", "station"),
    ] {
        for row in rows(&document[list]) {
            let name = row["id"].as_str().unwrap_or_default();
            all.row(&format!("{scope} {name}"), row);
        }
    }
    for station in rows(&document["stations"]) {
        let name = format!("station {}", station["id"].as_str().unwrap_or_default());
        all.ordered(&name, station, &["airtime", "busy"]);
    }
    all.sums(document);
    all.0
}

fn rows(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

/// The errors, in words.
#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    /// All that one row says.
    fn row(&mut self, place: &str, row: &Value) {
        let Some(fields) = row.as_object() else {
            return;
        };
        self.each(place, "", fields);
        for names in ORDERED {
            self.ordered(place, row, names);
        }
        if let (Some(mean), Some(parts)) = (row["delay_mean_s"].as_f64(), parts(row))
            && (mean - parts).abs() > ROUNDING * mean.max(ROUNDING)
        {
            self.0.push(format!("{place}: the parts of the delay add up to {parts} s, not to delay_mean_s = {mean} s"));
        }
    }

    /// Every figure of a table, and of the tables in it.
    fn each(&mut self, place: &str, within: &str, fields: &Map<String, Value>) {
        for (key, value) in fields {
            let name = if within.is_empty() { key } else { within };
            match value {
                Value::Number(number) => self.figure(place, name, number.as_f64()),
                Value::Array(items) => {
                    for item in items {
                        match item {
                            Value::Number(number) => self.figure(place, name, number.as_f64()),
                            Value::Object(fields) => self.each(place, "", fields),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn figure(&mut self, place: &str, name: &str, value: Option<f64>) {
        let value = value.unwrap_or(f64::NAN);
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let share = SHARES.contains(&bare);
        if share && !(0.0..=1.0 + ROUNDING).contains(&value) {
            self.0
                .push(format!("{place}: {name} = {value} is no share"));
        }
        let least = SIGNED.iter().find(|(signed, _)| *signed == bare);
        let least = least.map_or(0.0, |(_, least)| *least);
        // A value that is no number is refused as well.
        if !share && (value.is_nan() || value < least - ROUNDING) {
            self.0
                .push(format!("{place}: {name} = {value} is negative"));
        }
    }

    /// Each of these that is known is no greater than the next.
    fn ordered(&mut self, place: &str, row: &Value, names: &[&str]) {
        let known = names
            .iter()
            .filter_map(|n| row[*n].as_f64().map(|v| (n, v)));
        let known: Vec<(&&str, f64)> = known.collect();
        for pair in known.windows(2) {
            let [(lower, a), (upper, b)] = [pair[0], pair[1]];
            if a > b * (1.0 + ROUNDING) {
                self.0
                    .push(format!("{place}: {lower} = {a} is above {upper} = {b}"));
            }
        }
    }

    /// The rows together count as much as the run.
    fn sums(&mut self, document: &Value) {
        let total = |list: &str, names: &[&str]| -> u64 {
            let each = rows(&document[list])
                .iter()
                .flat_map(|row| names.iter().map(|n| row[*n].as_u64()));
            each.flatten().sum()
        };
        let (by_place, by_flow) = (
            total("drops", &["pkts"]),
            total("flows", &["dropped_pkts", "acks_dropped_pkts"]),
        );
        if by_place != by_flow {
            self.0.push(format!(
                "run: {by_place} losses by place, {by_flow} by flow"
            ));
        }
        let of_run = document["metrics"]["dropped_pkts"].as_u64();
        if of_run.is_some_and(|all| all != by_flow) {
            self.0.push(format!(
                "run: dropped_pkts is not the {by_flow} losses of all flows"
            ));
        }
    }
}

/// The sum of the parts of a delay, where all are known.
fn parts(row: &Value) -> Option<f64> {
    let grouped = IN_AGGREGATES.iter().filter_map(|p| row[*p].as_f64());
    let always: Option<f64> = PARTS.iter().map(|p| row[*p].as_f64()).sum();
    Some(always? + grouped.sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A row of figures that can be.
    fn good() -> Value {
        json!({
            "metrics": {"loss": 0.5, "jain": 1.0, "dropped_pkts": 3, "self_inflicted_s": -0.001, "score_ln": -7.0},
            "flows": [{
                "id": "f", "loss": 1.0, "dropped_pkts": 2, "acks_dropped_pkts": 1,
                "delay_mean_s": 0.6, "delay_p50_s": 0.1, "delay_p95_s": 0.2, "delay_p99_s": 0.3, "delay_max_s": 7.0,
                "delay_serialisation_s": 0.1, "delay_queue_s": 0.2, "delay_gate_s": 0.0, "delay_contention_s": 0.0,
                "delay_retries_s": 0.0, "delay_propagation_s": 0.3,
                "receivers": [{"station": "R", "delivery_ratio": 1.0}],
            }],
            "ports": [{"id": "A>B", "busy": 1.0, "paused": [0.0, 1.0], "queue_mean_B": 3.0, "queue_max_B": 3}],
            "stations": [{"id": "S", "airtime": 0.25, "busy": 0.25, "collision": null}],
            "drops": [{"cause": "buffer-full", "pkts": 3}],
        })
    }

    #[test]
    fn what_can_be_has_no_fault() {
        assert_eq!(faults(&good()), Vec::<String>::new());
    }

    #[test]
    fn each_figure_that_cannot_be_is_named_with_its_place() {
        for (pointer, value, said) in [
            ("/metrics/loss", json!(9.7), "run: loss = 9.7 is no share"),
            ("/metrics/loss", json!(-0.1), "run: loss = -0.1 is no share"),
            (
                "/metrics/self_inflicted_s",
                json!(-0.002),
                "run: self_inflicted_s = -0.002 is negative",
            ),
            (
                "/metrics/dropped_pkts",
                json!(4),
                "run: dropped_pkts is not the 3 losses of all flows",
            ),
            (
                "/flows/0/delay_p99_s",
                json!(7.1),
                "flow f: delay_p99_s = 7.1 is above delay_max_s = 7",
            ),
            (
                "/flows/0/delay_p50_s",
                json!(0.25),
                "flow f: delay_p50_s = 0.25 is above delay_p95_s = 0.2",
            ),
            (
                "/flows/0/delay_gate_s",
                json!(0.1),
                "flow f: the parts of the delay add up to 0.7 s",
            ),
            (
                "/flows/0/receivers/0/delivery_ratio",
                json!(1.1),
                "flow f: delivery_ratio = 1.1 is no share",
            ),
            (
                "/flows/0/dropped_pkts",
                json!(1),
                "run: 3 losses by place, 2 by flow",
            ),
            (
                "/ports/0/busy",
                json!(1.001),
                "port A>B: busy = 1.001 is no share",
            ),
            (
                "/ports/0/paused/1",
                json!(1.5),
                "port A>B: paused = 1.5 is no share",
            ),
            (
                "/ports/0/queue_mean_B",
                json!(3.1),
                "port A>B: queue_mean_B = 3.1 is above queue_max_B = 3",
            ),
            (
                "/stations/0/airtime",
                json!(0.3),
                "station S: airtime = 0.3 is above busy = 0.25",
            ),
            (
                "/stations/0/collision",
                json!(2.0),
                "station S: collision = 2 is no share",
            ),
        ] {
            let mut document = good();
            *document.pointer_mut(pointer).expect(pointer) = value;
            let found = faults(&document);
            assert!(
                found.iter().any(|f| f.starts_with(said)),
                "{pointer}: {found:?}"
            );
        }
    }
}
