//! What a run measures: the names in its document, for lists, claims and figures.

use serde_json::{Value, json};

/// One metric.
#[derive(Copy, Clone, Debug)]
pub struct Metric {
    /// Name in the document; `<N>` stands for a class.
    pub id: &'static str,
    /// Unit of the value; none for shares, counts and indices.
    pub unit: Option<&'static str>,
    /// Whose it is.
    pub scopes: &'static [&'static str],
    /// One line.
    pub summary: &'static str,
}

const fn metric(
    id: &'static str,
    unit: Option<&'static str>,
    scopes: &'static [&'static str],
    summary: &'static str,
) -> Metric {
    Metric {
        id,
        unit,
        scopes,
        summary,
    }
}

const S: Option<&str> = Some("s");
const BPS: Option<&str> = Some("bit/s");
const B: Option<&str> = Some("B");
const PKTS: Option<&str> = Some("packets");
const RUN: &[&str] = &["run"];
const FLOW: &[&str] = &["flow"];
const PORT: &[&str] = &["port"];
const STATION: &[&str] = &["station"];
const BOTH: &[&str] = &["run", "flow"];
const ALL: &[&str] = &["run", "flow", "port"];

/// Every metric.
pub static METRICS: &[Metric] = &[
    metric(
        "loss",
        None,
        BOTH,
        "share of the packets entered that were dropped",
    ),
    metric("loss_class<N>", None, RUN, "the same for one class"),
    metric("offered_bps", BPS, BOTH, "rate at which packets entered"),
    metric(
        "goodput_bps",
        BPS,
        BOTH,
        "rate at which packets were delivered",
    ),
    metric("delay_mean_s", S, BOTH, "mean delay of delivered packets"),
    metric("delay_p50_s", S, BOTH, "median delay"),
    metric("delay_p95_s", S, BOTH, "95th percentile of the delay"),
    metric("delay_p99_s", S, BOTH, "99th percentile of the delay"),
    metric("delay_max_s", S, BOTH, "largest delay"),
    metric(
        "delay_serialisation_s",
        S,
        BOTH,
        "mean part of the delay spent in transmission",
    ),
    metric(
        "delay_queue_s",
        S,
        BOTH,
        "mean part of the delay spent behind other frames",
    ),
    metric(
        "delay_gate_s",
        S,
        BOTH,
        "mean part of the delay spent behind closed gates",
    ),
    metric(
        "delay_contention_s",
        S,
        BOTH,
        "mean part of the delay spent first in line, waiting for an 802.11 medium",
    ),
    metric(
        "delay_retries_s",
        S,
        BOTH,
        "mean part of the delay spent in 802.11 exchanges that failed",
    ),
    metric(
        "delay_propagation_s",
        S,
        BOTH,
        "mean part of the delay spent in propagation",
    ),
    metric("jain", None, RUN, "Jain's index of the flows' goodputs"),
    metric(
        "paused_max",
        None,
        RUN,
        "largest share of time that a class of a port was paused",
    ),
    metric(
        "deadlock_at_s",
        S,
        RUN,
        "when ports began to wait for one another in a circle",
    ),
    metric(
        "age_p95_s",
        S,
        BOTH,
        "95th percentile of the age of the newest packet delivered",
    ),
    metric(
        "cell_throughput_bps",
        BPS,
        BOTH,
        "rate as in the 2013 contest: link bytes delivered by the creation of the newest packet",
    ),
    metric(
        "score_ln",
        None,
        BOTH,
        "score of the 2013 contest: ln(Mbit/s ÷ ms of age)",
    ),
    metric(
        "signal_delay_p95_s",
        S,
        ALL,
        "95th percentile of mahimahi's signal delay",
    ),
    metric(
        "link_throughput_bps",
        BPS,
        BOTH,
        "rate at which the trace link sent, by its own account of bytes",
    ),
    metric("power", None, BOTH, "Mbit/s ÷ seconds of signal delay"),
    metric(
        "capacity_bps",
        BPS,
        ALL,
        "rate of the trace's opportunities",
    ),
    metric(
        "utilisation",
        None,
        ALL,
        "share of the trace link's capacity that was used",
    ),
    metric(
        "omniscient_age_p95_s",
        S,
        BOTH,
        "the age's percentile for packets that come exactly at the opportunities",
    ),
    metric(
        "omniscient_signal_delay_p95_s",
        S,
        BOTH,
        "the signal delay's percentile for the same",
    ),
    metric(
        "self_inflicted_s",
        S,
        BOTH,
        "the age's percentile above that of the omniscient sender",
    ),
    metric(
        "weighted_intra_mesh_loss_bps",
        BPS,
        RUN,
        "loss inside a mesh, weighted by hops",
    ),
    metric(
        "control_pkts",
        PKTS,
        &["run", "port"],
        "control frames sent",
    ),
    metric(
        "hol_victims_pkts",
        PKTS,
        &["run", "flow", "port"],
        "packets delayed by a gate closed for others",
    ),
    metric(
        "entered_pkts",
        PKTS,
        FLOW,
        "packets handed to the sending host",
    ),
    metric("delivered_pkts", PKTS, FLOW, "packets delivered"),
    metric("dropped_pkts", PKTS, FLOW, "packets dropped"),
    metric(
        "marked_pkts",
        PKTS,
        &["flow", "port"],
        "packets marked with congestion experienced",
    ),
    metric("retransmitted_pkts", PKTS, FLOW, "packets sent again"),
    metric("acks_pkts", PKTS, FLOW, "acknowledgements sent"),
    metric("acks_dropped_pkts", PKTS, FLOW, "acknowledgements dropped"),
    metric("rtt_min_s", S, FLOW, "least round trip"),
    metric("rtt_mean_s", S, FLOW, "mean round trip"),
    metric("rtt_p95_s", S, FLOW, "95th percentile of the round trip"),
    metric(
        "window_mean_B",
        B,
        FLOW,
        "mean over time of the congestion window",
    ),
    metric("transfers", None, FLOW, "finite transfers completed"),
    metric(
        "fct_p50_s",
        S,
        FLOW,
        "median time from writing a transfer to its delivery in order",
    ),
    metric("fct_p95_s", S, FLOW, "95th percentile of the same"),
    metric("fct_p99_s", S, FLOW, "99th percentile of the same"),
    metric("sent_pkts", PKTS, PORT, "data frames sent"),
    metric("sent_B", B, PORT, "bytes of data frames sent"),
    metric(
        "busy",
        None,
        &["port", "station"],
        "share of time in transmission; for a station, its medium busy",
    ),
    metric(
        "paused",
        None,
        PORT,
        "share of time stopped, wholly or toward some destinations, by class",
    ),
    metric(
        "idle_gated",
        None,
        PORT,
        "share of time idle with frames behind a closed gate",
    ),
    metric("queue_mean_B", B, PORT, "mean bytes held"),
    metric("queue_max_B", B, PORT, "most bytes held"),
    metric("airtime", None, STATION, "share of time sending"),
    metric(
        "attempts",
        None,
        STATION,
        "exchanges begun, those with one receiver",
    ),
    metric(
        "collision",
        None,
        STATION,
        "share of the attempts that failed",
    ),
    metric(
        "internal_collisions",
        None,
        STATION,
        "access categories that lost to a higher one of the station",
    ),
    metric(
        "retry_drops_pkts",
        PKTS,
        STATION,
        "frames given up after as many transmissions as allowed",
    ),
    metric("management_pkts", PKTS, STATION, "management frames sent"),
    metric(
        "aifsn_mean",
        None,
        STATION,
        "mean AIFSN over time, by access category",
    ),
];

/// The table as rows of `list --json`.
pub fn rows() -> Value {
    let row = |m: &Metric| {
        json!({
            "id": m.id, "aliases": [], "summary": m.summary, "source": "", "options": [],
            "unit": m.unit, "scopes": m.scopes,
        })
    };
    METRICS.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Keep, Run};
    use crate::scenario::tests::{WIRED, WIRELESS};
    use crate::{Folders, Scenario};

    #[test]
    fn the_table_names_what_a_run_measures_and_nothing_else() {
        let run = |text: &str| {
            let text = text.replace("60 s", "10 ms");
            let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
            let mut run = Run::new(&scenario.resolve(None).unwrap(), Keep::default()).unwrap();
            while !run.step().unwrap() {}
            run.finish().unwrap().0
        };
        let (wired, wireless) = (run(WIRED), run(WIRELESS));
        for (scope, table) in [
            ("run", &wired["metrics"]),
            ("flow", &wired["flows"][0]),
            ("port", &wired["ports"][0]),
            ("run", &wireless["metrics"]),
            ("flow", &wireless["flows"][0]),
            ("port", &wireless["ports"][0]),
            ("station", &wireless["stations"][0]),
        ] {
            let names = table.as_object().unwrap().keys().map(String::as_str);
            let name = |n: &str| {
                if n.starts_with("loss_class") {
                    "loss_class<N>".to_owned()
                } else {
                    n.to_owned()
                }
            };
            let mut measured: Vec<String> = names
                .filter(|n| !["id", "from", "to", "class", "hops"].contains(n))
                .map(name)
                .collect();
            let of_scope = METRICS.iter().filter(|m| m.scopes.contains(&scope));
            let mut listed: Vec<String> = of_scope.map(|m| m.id.to_owned()).collect();
            measured.sort();
            measured.dedup();
            listed.sort();
            assert_eq!(measured, listed, "{scope}");
        }
    }
}
