"""The metrics of a run document, as a store keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from backwater.results.columns import Row

# Sums over the flows of a class.
_SUMS = ("entered_pkts", "delivered_pkts", "dropped_pkts", "offered_bps", "goodput_bps")
_MEANS = (
    "delay_mean_s",
    "delay_serialisation_s",
    "delay_queue_s",
    "delay_gate_s",
    "delay_contention_s",
    "delay_retries_s",
    "delay_propagation_s",
)
# Further ones, of flows whose packets went in A-MPDUs.
_IN_AGGREGATES = ("delay_aggregate_s", "delay_reorder_s")

# Lists with a value for each class.
_BY_CLASS = ("paused", "aifsn_mean")


def flatten(document: Mapping[str, Any]) -> Iterator[Row]:
    """The metrics of a run document as rows (scope, name, value)."""
    for name, value in document["metrics"].items():
        if _is_metric(value):
            yield "run", name, _real(value)
    yield "run", "held_pkts", float(document["conservation"]["held_pkts"])
    yield "run", "deadlocks", float(document.get("deadlock") is not None)
    for kind, table in (("flow", "flows"), ("port", "ports"), ("station", "stations")):
        for row in document.get(table) or ():
            yield from _row(f"{kind}:{row['id']}", row)
    for row in document.get("stamps") or ():
        for name in ("queue_mean_pkts", "queue_deviation_pkts"):
            yield f"law:{row['place']}", name, _real(row[name])
    for row in document.get("collectives") or ():
        for name in ("collective_s", "algbw_bps", "busbw_bps"):
            yield f"ranks:{row['id']}", name, _real(row[name])
    for flow in document["flows"]:
        for hop in flow["hops"]:
            scope = f"hop:{flow['id']}/{hop['from']}>{hop['to']}"
            yield scope, "throughput_bps", _real(hop["throughput_bps"])
        for receiver in flow.get("receivers", ()):
            yield from _row(f"receiver:{flow['id']}/{receiver['station']}", receiver)
    yield from _classes(document["flows"])
    yield from _drops(document["drops"])


def _row(scope: str, row: Mapping[str, Any]) -> Iterator[Row]:
    for name, value in row.items():
        if name in _BY_CLASS:
            for number, one in enumerate(value):
                yield scope, f"{name}_class{number}", _real(one)
        elif name not in ("id", "class") and _is_metric(value):
            yield scope, name, _real(value)


def _classes(flows: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    """Sums and means over the flows of each class; quantiles cannot be added."""
    grouped: dict[int, list[Mapping[str, Any]]] = {}
    for flow in flows:
        grouped.setdefault(flow["class"], []).append(flow)
    for number, members in grouped.items():
        scope = f"class:{number}"
        for name in _SUMS:
            yield scope, name, float(sum(flow[name] for flow in members))
        entered = sum(flow["entered_pkts"] for flow in members)
        lost = sum(flow["loss"] * flow["entered_pkts"] for flow in members)
        yield scope, "loss", lost / entered if entered else 0.0
        delivered = [flow for flow in members if flow["delivered_pkts"]]
        total = sum(flow["delivered_pkts"] for flow in delivered)
        also = [name for name in _IN_AGGREGATES if any(name in flow for flow in delivered)]
        for metric in (*_MEANS, *also):
            waited = sum(flow.get(metric, 0.0) * flow["delivered_pkts"] for flow in delivered)
            yield scope, metric, waited / total if total else None


def _drops(drops: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    total: dict[tuple[str, str], float] = {}
    for drop in drops:
        at = (f"drops:{drop['place']}", drop["cause"])
        total[at] = total.get(at, 0.0) + drop["pkts"]
    for (scope, cause), pkts in total.items():
        yield scope, cause, pkts


def _is_metric(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _real(value: float | None) -> float | None:
    return None if value is None else float(value)
