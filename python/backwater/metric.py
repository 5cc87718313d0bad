"""The metrics: what each is called, where it is taken, and in which unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from backwater.errors import nearest
from backwater.tomltext import Fields

EVERY = ("run", "flow", "class")


@dataclass(frozen=True)
class Metric:
    """One row. `<N>` in an id stands for the number of a class."""

    id: str
    scopes: tuple[str, ...]
    summary: str
    source: str = ""

    @property
    def unit(self) -> str | None:
        """SI unit, from the suffix; shares, indices and counts of runs have none."""
        return next((unit for end, unit in _UNITS.items() if self.id.endswith(end)), None)

    def fits(self, name: str) -> bool:
        """Whether a name is this metric's."""
        return re.fullmatch(re.escape(self.id).replace("<N>", "[0-7]"), name) is not None


_UNITS = {"_s": "s", "_bps": "bit/s", "_B": "B", "_pkts": "packets"}
_SPLIT = "; mean over delivered packets; the parts add up to delay_mean_s"

METRICS = (
    Metric("loss", EVERY, "share of entered packets that were dropped"),
    Metric("loss_class<N>", ("run",), "loss of the packets of one class"),
    Metric("offered_bps", EVERY, "bits of IP packets that sources handed over, per second"),
    Metric(
        "goodput_bps",
        EVERY,
        "bits of IP packets that reached their host, per second; with a transport, of application "
        "bytes in order",
    ),
    Metric("entered_pkts", EVERY, "packets that sources handed over"),
    Metric("delivered_pkts", EVERY, "packets that reached their host"),
    Metric("dropped_pkts", EVERY, "packets lost, all causes"),
    Metric("held_pkts", ("run",), "packets still in the network at the end"),
    Metric("delay_mean_s", EVERY, "mean delay from the source to the host, of delivered packets"),
    Metric("delay_p50_s", ("run", "flow"), "median delay"),
    Metric("delay_p95_s", ("run", "flow"), "95th percentile of delay"),
    Metric("delay_p99_s", ("run", "flow"), "99th percentile of delay"),
    Metric("delay_max_s", ("run", "flow"), "largest delay"),
    Metric("delay_serialisation_s", EVERY, f"part of the delay spent on transmitting{_SPLIT}"),
    Metric("delay_queue_s", EVERY, f"part of the delay spent behind other packets{_SPLIT}"),
    Metric("delay_gate_s", EVERY, f"part of the delay spent behind a closed gate{_SPLIT}"),
    Metric(
        "delay_contention_s",
        EVERY,
        f"part of the delay spent first in line, waiting for an 802.11 medium{_SPLIT}",
    ),
    Metric(
        "delay_retries_s",
        EVERY,
        f"part of the delay spent in 802.11 exchanges that failed{_SPLIT}",
    ),
    Metric("delay_propagation_s", EVERY, f"part of the delay spent on the wire{_SPLIT}"),
    Metric(
        "jain",
        ("run",),
        "Jain's index (Σx)² / (n Σx²) of the flows' goodputs",
        "Jain, Chiu, Hawe, DEC-TR-301 (1984)",
    ),
    Metric("control_pkts", ("run", "port"), "control frames sent"),
    Metric(
        "hol_victims_pkts",
        ("run", "flow", "port"),
        "packets that waited behind a closed gate though their own way was clear",
    ),
    Metric("paused_max", ("run",), "largest share of time that a class of a port was paused"),
    Metric("deadlock_at_s", ("run",), "when ports began to wait for one another; null if never"),
    Metric(
        "age_p95_s",
        ("run", "flow"),
        "95th percentile of the age of the newest packet delivered, over a trace link",
        "scripts of the 2013 contest",
    ),
    Metric(
        "cell_throughput_bps",
        ("run", "flow"),
        "link bits delivered over the creation of the newest packet delivered, over a trace link",
        "scripts of the 2013 contest",
    ),
    Metric(
        "score_ln",
        ("run", "flow"),
        "ln(Mbit/s ÷ ms) of the two above",
        "scripts of the 2013 contest",
    ),
    Metric(
        "signal_delay_p95_s",
        ("run", "flow", "port"),
        "95th percentile of the signal delay of a trace link, its delay box excluded",
        "mahimahi's graph script",
    ),
    Metric("link_throughput_bps", ("run", "flow"), "bits a trace link sent, by its own account"),
    Metric("power", ("run", "flow"), "Mbit/s ÷ seconds of the two above"),
    Metric("capacity_bps", ("run", "flow", "port"), "rate of a trace's opportunities"),
    Metric("utilisation", ("run", "flow", "port"), "share of a trace's capacity that was used"),
    Metric("omniscient_age_p95_s", ("run", "flow"), "age_p95_s of a sender that knows the trace"),
    Metric("omniscient_signal_delay_p95_s", ("run", "flow"), "signal_delay_p95_s of the same"),
    Metric("self_inflicted_s", ("run", "flow"), "age_p95_s above that of the same"),
    Metric("deadlocks", ("run",), "1 if ports waited for one another in a cycle, else 0"),
    Metric("marked_pkts", ("flow", "port"), "packets marked with congestion experienced"),
    Metric("retransmitted_pkts", ("flow",), "packets sent again"),
    Metric("acks_pkts", ("flow",), "acknowledgements sent"),
    Metric("acks_dropped_pkts", ("flow",), "acknowledgements dropped"),
    Metric("rtt_min_s", ("flow",), "least round trip"),
    Metric("rtt_mean_s", ("flow",), "mean round trip"),
    Metric("rtt_p95_s", ("flow",), "95th percentile of the round trip"),
    Metric("window_mean_B", ("flow",), "mean over time of the congestion window"),
    Metric("transfers", ("flow",), "finite transfers completed"),
    Metric("fct_p50_s", ("flow",), "median time from writing a transfer to its delivery in order"),
    Metric("fct_p95_s", ("flow",), "95th percentile of the same"),
    Metric("fct_p99_s", ("flow",), "99th percentile of the same"),
    Metric("sent_pkts", ("port",), "data frames sent"),
    Metric("sent_B", ("port",), "bytes of data frames sent"),
    Metric(
        "busy",
        ("port", "station"),
        "share of time the line was in use, or a station's medium was busy",
    ),
    Metric("paused_class<N>", ("port",), "share of time one class was paused"),
    Metric("idle_gated", ("port",), "share of time the line was idle with packets behind a gate"),
    Metric("queue_mean_B", ("port",), "mean occupancy over time"),
    Metric("queue_max_B", ("port",), "largest occupancy"),
    Metric("throughput_bps", ("hop",), "bits of a flow's packets received over a hop, per second"),
    Metric(
        "hop_ratio",
        ("run",),
        "throughput of first hops over that of last hops, of the flows with several hops",
    ),
    Metric("airtime", ("station",), "share of time the station was sending"),
    Metric("attempts", ("station",), "802.11 exchanges begun, those with one receiver"),
    Metric("collision", ("station",), "share of the attempts that failed"),
    Metric("internal_collisions", ("station",), "access categories that lost to a higher one"),
    Metric("retry_drops_pkts", ("station",), "frames given up after their last transmission"),
    Metric("management_pkts", ("station",), "management frames sent"),
    Metric("aifsn_mean_class<N>", ("station",), "mean AIFSN of an access category over time"),
    Metric(
        "weighted_intra_mesh_loss_bps",
        ("run",),
        "bits of packets lost between stations times the hops they had made, per second",
    ),
    Metric("buffer-full", ("drops",), "packets lost because their class queue was full"),
    Metric("memory-full", ("drops",), "packets lost because the switch's memory was full"),
    Metric("aqm", ("drops",), "packets dropped by active queue management"),
    Metric("retry-limit", ("drops",), "packets that an 802.11 station gave up"),
)


def rows() -> list[dict[str, Any]]:
    """The metrics as rows of `backwater list`."""
    return [
        {
            "id": metric.id,
            "aliases": [],
            "summary": metric.summary,
            "source": metric.source,
            "options": [],
            "unit": metric.unit,
            "scopes": list(metric.scopes),
        }
        for metric in METRICS
    ]


def check(fields: Fields, name: str, scope: str, key: str) -> None:
    """Refuses a metric that the scope doesn't have."""
    kind, colon, place = scope.partition(":")
    scopes = sorted({one for metric in METRICS for one in metric.scopes})
    if kind not in scopes or (kind == "run") != (not colon) or bool(colon) != bool(place):
        forms = ["run", *(f"{one}:<id>" for one in scopes if one != "run")]
        fields.refuse(f'there is no scope "{scope}"', "scope", near=forms, fix="write one of these")
    if not any(metric.fits(name) for metric in _of(kind)):
        known = [metric.id for metric in _of(kind)]
        fields.refuse(
            f"{kind} has no metric `{name}`",
            key,
            near=nearest(name, known),
            fix="see `backwater list metrics`",
        )


def _of(kind: str) -> Iterator[Metric]:
    for metric in METRICS:
        if kind in metric.scopes or (kind == "drops" and metric.id == "dropped_pkts"):
            yield metric
