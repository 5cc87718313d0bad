//! The figures that a run measures: one list of names, for documents, stores, claims and figures.

mod listing;
mod metric;

pub use listing::rows;
pub use metric::Metric;
use metric::metric;

const RUN: &[&str] = &["run"];
const FLOW: &[&str] = &["flow"];
const PORT: &[&str] = &["port"];
const STATION: &[&str] = &["station"];
const RANKS: &[&str] = &["ranks"];
const LAW: &[&str] = &["law"];
const BOTH: &[&str] = &["run", "flow"];
const ALL: &[&str] = &["run", "flow", "port"];
const EVERY: &[&str] = &["run", "flow", "class"];

/// Every metric but the causes of losses, which are metrics of the scope `drops`.
pub static METRICS: &[Metric] = &[
    metric("loss", EVERY, "share of the packets entered after the warm-up that were dropped"),
    metric("loss_class<N>", RUN, "loss of the packets of one class"),
    metric(
        "offered_bps",
        EVERY,
        "bits of IP packets that sources handed over, per second",
    ),
    metric(
        "goodput_bps",
        EVERY,
        "bits of IP packets that reached their host, per second; with a transport, of application bytes in order",
    ),
    metric("entered_pkts", EVERY, "packets that sources handed over"),
    metric(
        "delivered_pkts",
        &["run", "flow", "class", "receiver"],
        "packets that reached their host, or any station of their group; of a receiver, what it received",
    ),
    metric(
        "last_delivered_s",
        FLOW,
        "when its last packet was delivered; null if none was",
    ),
    metric(
        "flows_starved",
        RUN,
        "flows that had packets in the last third of the run, of which none was delivered then",
    ),
    metric(
        "delivery_ratio",
        &["receiver"],
        "share of the packets of a flow to a group that one of its stations received",
    ),
    metric(
        "dropped_pkts",
        &["run", "flow", "class", "drops"],
        "packets lost, all causes",
    ),
    metric("held_pkts", RUN, "packets still in the network at the end"),
    metric(
        "delay_mean_s",
        EVERY,
        "mean delay from the source to the host, of delivered packets",
    ),
    metric("delay_p50_s", BOTH, "median delay"),
    metric("delay_p95_s", BOTH, "95th percentile of delay"),
    metric("delay_p99_s", BOTH, "99th percentile of delay"),
    metric("delay_max_s", BOTH, "largest delay"),
    metric(
        "delay_serialisation_s",
        EVERY,
        "part of the delay spent on transmitting; mean over delivered packets; the parts add up to delay_mean_s",
    ),
    metric(
        "delay_queue_s",
        EVERY,
        "part of the delay spent behind other packets; mean over delivered packets; the parts add up to delay_mean_s",
    ),
    metric(
        "delay_gate_s",
        EVERY,
        "part of the delay spent behind a closed gate; mean over delivered packets; the parts add up to delay_mean_s",
    ),
    metric(
        "delay_contention_s",
        EVERY,
        "part of the delay spent first in line, waiting for an 802.11 medium; mean over delivered packets; the parts add up to delay_mean_s",
    ),
    metric(
        "delay_retries_s",
        EVERY,
        "part of the delay spent in 802.11 exchanges that failed; mean over delivered packets; the parts add up to delay_mean_s",
    ),
    metric("delay_aggregate_s", EVERY, "part of the delay spent by others in its 802.11 PPDU"),
    metric("delay_reorder_s", EVERY, "part of the delay spent behind a missing 802.11 frame"),
    metric(
        "delay_propagation_s",
        EVERY,
        "part of the delay spent on the wire; mean over delivered packets; the parts add up to delay_mean_s",
    ),
    metric(
        "jain",
        RUN,
        "Jain's index (Σx)² / (n Σx²) of the flows' goodputs",
    )
    .by("Jain, Chiu, Hawe, DEC-TR-301 (1984)"),
    metric(
        "convergence_s",
        RUN,
        "from the start of the last transfer without end until, for 5 s, all of them stay within 20 % of their mean in each second; null if they never do",
    )
    .by("RFC 5166, section 2.2"),
    metric(
        "jain_mean_1s",
        RUN,
        "mean of Jain's indices of each second after the warm-up, of the transfers without end",
    ),
    metric(
        "jain_least_5s",
        RUN,
        "least Jain's index of five seconds in a row after the warm-up, of the transfers without end",
    ),
    metric(
        "goodput_variation",
        RUN,
        "standard deviation over mean of what the transfers without end deliver in a second, after the warm-up",
    ),
    metric(
        "filled_s",
        RUN,
        "from the start until the transfers without end deliver, in a second, 90 % of their mean after the warm-up",
    ),
    metric(
        "queue_mean_pkts",
        LAW,
        "mean over time of the packets in the queue of a law of explicit feedback, with the one in transmission on a wire",
    ),
    metric(
        "queue_deviation_pkts",
        LAW,
        "standard deviation over time of the same",
    ),
    metric(
        "notices_heard",
        RUN,
        "notices of mechanisms that reached a neighbour, which acted on them; with the warm-up; what a station tells itself is none",
    ),
    metric("control_pkts", &["run", "port"], "control frames sent"),
    metric(
        "hol_victims_pkts",
        ALL,
        "packets that waited behind a closed gate though their own way was clear",
    ),
    metric(
        "hurst",
        FLOW,
        "Hurst parameter of what its source puts on its host's wire, by the variance-time plot from 10 ms to 81.92 s; where `hurst` asks for it, null in runs under 2622 s",
    )
    .by("Leland, Taqqu, Willinger, Wilson 1994, section 4.1"),
    metric("hurst_short", FLOW, "the same from 10 ms to 1.28 s"),
    metric("hurst_long", FLOW, "the same from 1.28 s to 81.92 s"),
    metric(
        "paused_max",
        RUN,
        "largest share of time that a class of a port was paused",
    ),
    metric(
        "deadlock_at_s",
        RUN,
        "when ports began to wait for one another; null if never",
    ),
    metric(
        "age_p95_s",
        BOTH,
        "95th percentile of the age of the newest packet delivered, over a trace link",
    )
    .by("scripts of the 2013 contest"),
    metric(
        "cell_throughput_bps",
        BOTH,
        "link bits delivered over the creation of the newest packet delivered, over a trace link",
    )
    .by("scripts of the 2013 contest"),
    metric("score_ln", BOTH, "ln(Mbit/s ÷ ms) of the two above").by("scripts of the 2013 contest"),
    metric(
        "signal_delay_p95_s",
        ALL,
        "95th percentile of the signal delay of a trace link, its delay box excluded",
    )
    .by("mahimahi's graph script"),
    metric(
        "link_throughput_bps",
        BOTH,
        "bits a trace link sent, by its own account",
    ),
    metric("power", BOTH, "Mbit/s ÷ seconds of the two above"),
    metric("capacity_bps", ALL, "rate of a trace's opportunities"),
    metric(
        "utilisation",
        ALL,
        "share of a trace's capacity that was used",
    ),
    metric(
        "omniscient_age_p95_s",
        BOTH,
        "age_p95_s of a sender that knows the trace",
    ),
    metric(
        "omniscient_signal_delay_p95_s",
        BOTH,
        "signal_delay_p95_s of the same",
    ),
    metric("self_inflicted_s", BOTH, "age_p95_s above that of the same; both are whole milliseconds, and -1 ms is possible"),
    metric(
        "deadlocks",
        RUN,
        "1 if ports waited for one another in a cycle, else 0",
    ),
    metric(
        "marked_pkts",
        &["flow", "port"],
        "packets marked with congestion experienced",
    ),
    metric(
        "trimmed_pkts",
        PORT,
        "packets cut down to their headers, at a port that trims",
    ),
    metric(
        "notices_pkts",
        PORT,
        "notices to the sources of packets, at a port whose queue sends such",
    ),
    metric(
        "watchdog_actions",
        PORT,
        "how often the watchdog of a port freed a class",
    ),
    metric("retransmitted_pkts", FLOW, "packets sent again"),
    metric("acks_pkts", FLOW, "acknowledgements sent"),
    metric("acks_dropped_pkts", FLOW, "acknowledgements dropped"),
    metric("rtt_min_s", FLOW, "least round trip"),
    metric("rtt_mean_s", FLOW, "mean round trip"),
    metric("rtt_p50_s", FLOW, "median of the round trip"),
    metric("rtt_p95_s", FLOW, "95th percentile of the round trip"),
    metric(
        "window_mean_B",
        FLOW,
        "mean over time of the congestion window",
    ),
    metric(
        "window_least_B",
        FLOW,
        "least congestion window that the window came down to",
    ),
    metric(
        "window_falls_to_least",
        FLOW,
        "how often it came down to that",
    ),
    metric("transfers", FLOW, "finite transfers completed"),
    metric("fct_mean_s", FLOW, "mean time from writing a transfer to its delivery in order"),
    metric(
        "fct_p50_s",
        FLOW,
        "median of the same",
    ),
    metric("fct_p95_s", FLOW, "95th percentile of the same"),
    metric("fct_p99_s", FLOW, "99th percentile of the same"),
    metric(
        "slowdown_mean",
        BOTH,
        "mean of the completion time over that of the transfer alone on its path, sent at once; where all hops are wires",
    )
    .by("Alizadeh et al., pFabric, SIGCOMM 2013, section 5.1"),
    metric("slowdown_p50", BOTH, "median of the same"),
    metric("slowdown_p95", BOTH, "95th percentile of the same"),
    metric("slowdown_p99", BOTH, "99th percentile of the same"),
    metric(
        "slowdown_transfers_decade<N>",
        RUN,
        "transfers of 10^N B or more, and less than ten times that (7: any more), where there were some",
    ),
    metric(
        "slowdown_p50_decade<N>",
        RUN,
        "median slowdown of those",
    ),
    metric("slowdown_p95_decade<N>", RUN, "95th percentile of the same"),
    metric("slowdown_p99_decade<N>", RUN, "99th percentile of the same"),
    metric("transfers_begun", FLOW, "transfers begun, of a row that stands for a flow for each transfer"),
    metric(
        "size_max_B_tenth<N>",
        RUN,
        "largest of the transfers in a tenth: all that ended of rows with a flow for each transfer, in ten parts of equal count, 0 the smallest",
    ),
    metric("slowdown_p50_tenth<N>", RUN, "median slowdown of those"),
    metric("slowdown_p95_tenth<N>", RUN, "95th percentile of the same"),
    metric("slowdown_p99_tenth<N>", RUN, "99th percentile of the same"),
    metric(
        "collective_s",
        RANKS,
        "from the start of a collective until its last transfer is delivered; null if it has not ended",
    ),
    metric("algbw_bps", RANKS, "what each rank has before it begins, over that time")
        .by("NCCL's tests, PERFORMANCE.md"),
    metric(
        "busbw_bps",
        RANKS,
        "algbw_bps times 2 (n - 1) / n for an all-reduce among n ranks, (n - 1) / n for an all-to-all: what the link of each rank carries",
    )
    .by("NCCL's tests, PERFORMANCE.md"),
    metric("ways_uneven_mean", RUN, "bytes of the way that carries most over the mean of its equal ways, mean over nodes weighted by bytes: 1 is even, m that one of m carries all; where several ways are equally short"),
    metric("ways_uneven_max", RUN, "the same at the worst node"),
    metric("sent_pkts", PORT, "data frames sent"),
    metric("sent_B", PORT, "bytes of data frames sent"),
    metric(
        "busy",
        &["port", "station"],
        "share of time the line was in use, or a station's medium was busy; of a trace link, its utilisation",
    ),
    metric(
        "paused_class<N>",
        PORT,
        "share of time one class was paused",
    ),
    metric(
        "idle_gated",
        PORT,
        "share of time the line was idle with packets behind a gate",
    ),
    metric("queue_mean_B", PORT, "mean occupancy over time, all class queues together"),
    metric("queue_max_B", PORT, "largest occupancy, all class queues together"),
    metric(
        "throughput_bps",
        &["hop"],
        "bits of a flow's packets received over a hop, per second",
    ),
    metric(
        "hop_ratio",
        RUN,
        "throughput of first hops over that of last hops, of the flows with several hops",
    ),
    metric("airtime", STATION, "share of time the station was sending"),
    metric(
        "frames",
        STATION,
        "802.11 frames sent, control frames included",
    ),
    metric(
        "attempts",
        STATION,
        "802.11 exchanges begun, those with one receiver",
    ),
    metric("collision", STATION, "share of the attempts that failed"),
    metric("airtime_toward", STATION, "share of the time in exchanges with data to it; A-MPDUs only"),
    metric("ppdu_frames_toward", STATION, "mean data frames of a PPDU to it; A-MPDUs only"),
    metric("internal_collisions", STATION, "access categories that lost to a higher one"),
    metric(
        "retry_drops_pkts",
        STATION,
        "frames given up after their last transmission",
    ),
    metric(
        "management_pkts",
        &["run", "station"],
        "802.11 management frames sent: congestion notices and requests",
    ),
    metric(
        "aifsn_mean_class<N>",
        STATION,
        "mean AIFSN of an access category over time",
    ),
    metric(
        "local_loss_bps",
        RUN,
        "bits of packets lost at the node where they began, per second",
    ),
    metric(
        "intra_mesh_loss_bps",
        RUN,
        "bits of packets lost after a hop or more, per second",
    )
    .by("S4, 1"),
    metric(
        "weighted_intra_mesh_loss_bps",
        RUN,
        "bits of packets lost times the hops they had made, per second",
    )
    .by("S4, 4.2"),
    metric(
        "weighted_intra_mesh_buffer_loss_bps",
        RUN,
        "the same of packets that found a buffer full",
    )
    .by("S4, 4.2"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Keep, Run};
    use crate::scenario::tests::{WIRED, WIRELESS};
    use crate::{Folders, Scenario};

    /// Ten transfers of 1 kB in 10 ms.
    const TRANSFERS: &str = r#"
        schema = "backwater/scenario/1"
        duration = "60 s"
        nodes = { S = { kind = "host" }, D = { kind = "host" } }
        links.a = { ends = ["S", "D"], rate = "100 Mbit/s", delay = "1 us" }
        flows.f = { from = "S", to = "D", transport = "tcp", controller = { kind = "reno" }, source = { kind = "request-response", gaps = "fixed", gap = "1 ms", size = "1 kB" } }
    "#;

    #[test]
    fn the_table_names_what_a_run_measures_and_nothing_else() {
        let run = |text: &str| {
            let text = text.replace("60 s", "10 ms");
            let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
            let mut run = Run::new(&scenario.resolve(None).unwrap(), Keep::default()).unwrap();
            while !run.step().unwrap() {}
            run.finish().unwrap().0
        };
        // A document has these of a run beside its metrics.
        let beside = ["held_pkts", "deadlocks"];
        let asked = WIRED.replace("class = 0, ", "class = 0, hurst = true, ");
        let (wired, wireless, transfers) = (run(&asked), run(WIRELESS), run(TRANSFERS));
        for (scope, table) in [
            ("run", &transfers["metrics"]),
            ("run", &wired["metrics"]),
            ("flow", &wired["flows"][0]),
            ("port", &wired["ports"][0]),
            ("run", &wireless["metrics"]),
            ("flow", &wireless["flows"][0]),
            ("port", &wireless["ports"][0]),
            ("station", &wireless["stations"][0]),
        ] {
            let names = table.as_object().unwrap().keys().map(String::as_str);
            let name = |n: &str| match n {
                n if n.starts_with("loss_class") => "loss_class<N>".to_owned(),
                "paused" | "aifsn_mean" => format!("{n}_class<N>"),
                n => match n.split_once("_decade").or(n.split_once("_tenth")) {
                    Some((of, _)) if n.contains("_tenth") => format!("{of}_tenth<N>"),
                    Some((of, _)) => format!("{of}_decade<N>"),
                    None => n.to_owned(),
                },
            };
            let mut measured: Vec<String> = names
                .filter(|n| !["id", "from", "to", "class", "hops"].contains(n))
                .map(name)
                .collect();
            if scope == "run" {
                measured.extend(beside.iter().map(|n| (*n).to_owned()));
            }
            // Decades of size are those of the transfers that there were.
            let sized = measured.iter().any(|n| n.contains("_decade"));
            assert_eq!(
                sized,
                scope == "run" && std::ptr::eq(table, &transfers["metrics"])
            );
            let of_scope = METRICS.iter().filter(|m| m.scopes.contains(&scope));
            let of_scope = of_scope.filter(|m| sized || !m.id.contains("_decade"));
            // Tenths are those of rows with a flow for each transfer, which sum up their own.
            let of_scope =
                of_scope.filter(|m| !m.id.contains("_tenth") && m.id != "transfers_begun");
            // A Hurst parameter is there where a flow asks for it.
            let asks = std::ptr::eq(table, &wired["flows"][0]);
            let of_scope = of_scope.filter(|m| asks || !m.id.starts_with("hurst"));
            // Two parts of the delay are there where packets went in A-MPDUs; an invariant of each run sums the parts. Stations that
            // aggregate have two figures more, as have networks with equal ways, and a port that trims, sends notices or has a watchdog has one.
            let of_others = [
                "delay_aggregate_s",
                "delay_reorder_s",
                "airtime_toward",
                "ppdu_frames_toward",
                "trimmed_pkts",
                "notices_pkts",
                "watchdog_actions",
                "ways_uneven_mean",
                "ways_uneven_max",
            ];
            let of_scope = of_scope.filter(|m| !of_others.contains(&m.id));
            let mut listed: Vec<String> = of_scope.map(|m| m.id.to_owned()).collect();
            measured.sort();
            measured.dedup();
            listed.sort();
            assert_eq!(measured, listed, "{scope}");
        }
    }
}
