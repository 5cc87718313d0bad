"""Numbers and metrics as people read them: units, titles, significant digits."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backwater.verdict.claim import Claim

# The two rules of verdicts, beside every table of claims.
RULES = (
    "A claim is judged by the 95 % interval over seeds: all of it inside the bound is reproduced, "
    "all outside differs, else it is undecided. An invariant of zero or of deadlocks is judged by "
    "every run: one that breaks it refutes it, and what was counted is shown in place of an "
    "interval. Where some run lost nothing, the interval of a loss takes losses for episodes of "
    "at most 50 packets."
)
# Units offered when numbers are shown, largest first.
_SHOWN: dict[str, tuple[tuple[str, float], ...]] = {
    "time": (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)),
    "rate": (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3), ("bit/s", 1.0)),
    "size": (("MB", 1e6), ("kB", 1e3), ("B", 1.0)),
    "packets": (("packets", 1.0),),
    "length": (("m", 1.0),),
    "ratio": (("dB", 1.0),),
    "power": (("dBm", 1.0),),
    "share": (("%", 0.01),),
    "number": (("", 1.0),),
}
_TITLES = {
    "loss": "Packet loss",
    "offered_bps": "Offered load",
    "goodput_bps": "Goodput",
    "delay_mean_s": "Mean delay",
    "delay_p50_s": "Median delay",
    "delay_p95_s": "95th percentile of delay",
    "delay_p99_s": "99th percentile of delay",
    "delay_max_s": "Largest delay",
    "delay_serialisation_s": "Serialisation",
    "delay_queue_s": "Waiting in queues",
    "delay_gate_s": "Behind closed gates",
    "delay_contention_s": "Waiting for the medium",
    "delay_retries_s": "Failed transmissions",
    "delay_aggregate_s": "Others in the same PPDU",
    "delay_reorder_s": "Behind missing frames",
    "throughput_bps": "Throughput",
    "airtime": "Airtime",
    "airtime_toward": "Airtime of data to it",
    "ppdu_frames_toward": "Frames of a PPDU to it",
    "hop_ratio": "First hops over last hops",
    "collision": "Failed attempts",
    "delay_propagation_s": "Propagation",
    "jain": "Jain's fairness index",
    "jain_mean_1s": "Jain's index of a second, mean",
    "jain_least_5s": "Jain's index of five seconds, least",
    "goodput_variation": "Variation of goodput",
    "convergence_s": "Time until shares are equal",
    "filled_s": "Time until the link is filled",
    "power": "Power, Mbit/s ÷ s",
    "capacity_bps": "Capacity",
    "self_inflicted_s": "Self-inflicted delay",
    "omniscient_age_p95_s": "95th percentile of the age, best possible",
    "omniscient_signal_delay_p95_s": "95th percentile of the signal delay, best possible",
    "acks_pkts": "Acknowledgements sent",
    "acks_dropped_pkts": "Acknowledgements dropped",
    "control_pkts": "Control frames",
    "management_pkts": "Notices sent",
    "hol_victims_pkts": "Head-of-line victims",
    "hurst": "Hurst parameter, 10 ms to 82 s",
    "hurst_short": "Hurst parameter, 10 ms to 1.3 s",
    "hurst_long": "Hurst parameter, 1.3 s to 82 s",
    "paused_max": "Paused time of the worst port",
    "busy": "Busy time",
    "idle_gated": "Idle time behind closed gates",
    "entered_pkts": "Packets entered",
    "delivered_pkts": "Packets delivered",
    "dropped_pkts": "Packets dropped",
    "held_pkts": "Packets held at the end",
    "marked_pkts": "Packets marked",
    "retransmitted_pkts": "Packets sent again",
    "deadlock_at_s": "Time of deadlock",
    "notices_heard": "Notices heard",
    "flows_starved": "Starved flows",
    "last_delivered_s": "Last delivery",
    "queue_mean_B": "Mean queue",
    "queue_mean_pkts": "Mean queue",
    "queue_deviation_pkts": "Deviation of the queue",
    "window_mean_B": "Mean congestion window",
    "window_least_B": "Least congestion window",
    "window_falls_to_least": "Falls to the least window",
    "transfers": "Transfers completed",
    "slowdown_mean": "Mean slowdown",
    "slowdown_p50": "Median slowdown",
    "slowdown_p95": "95th percentile of slowdown",
    "slowdown_p99": "99th percentile of slowdown",
    "ways_uneven_mean": "Most used of equal ways ÷ mean",
    "ways_uneven_max": "The same at the worst node",
    "sent_pkts": "Frames sent",
    "sent_B": "Bytes sent",
    "local_loss_bps": "Loss before the first hop",
    "intra_mesh_loss_bps": "Loss inside the mesh",
    "weighted_intra_mesh_loss_bps": "Loss inside the mesh × hops",
    "weighted_intra_mesh_buffer_loss_bps": "Loss at full buffers × hops",
    "queue_max_B": "Largest queue",
    "window_B": "Congestion window",
    "age_p95_s": "95th percentile of the age",
    "cell_throughput_bps": "Throughput",
    "score_ln": "Score, ln(Mbit/s ÷ ms)",
    "signal_delay_p95_s": "95th percentile of the signal delay",
    "link_throughput_bps": "Throughput of the link",
    "srtt_s": "Smoothed round trip",
    "rtt_min_s": "Smallest round trip",
    "rtt_mean_s": "Mean round trip",
    "rtt_p50_s": "Median round trip",
    "rtt_p95_s": "95th percentile of the round trip",
    "fct_mean_s": "Mean completion time",
    "fct_p50_s": "Median completion time",
    "fct_p95_s": "95th percentile of completion time",
    "fct_p99_s": "99th percentile of completion time",
    "collective_s": "Time of the collective",
    "algbw_bps": "Algorithm bandwidth",
    "busbw_bps": "Bus bandwidth",
}
# A count of packets needs no unit beside these words.
_COUNTS = re.compile(r"\b(?:[Pp]ackets|frames|[Nn]otices|Acknowledgements|Transfers)\b")
_SHARES = ("loss", "paused", "busy", "idle", "airtime", "collision")
_SUFFIXES = {"s": "time", "bps": "rate", "B": "size", "pkts": "packets"}


@dataclass(frozen=True)
class Unit:
    """A unit to show numbers in; `shown = value / factor`."""

    name: str
    factor: float

    def label(self, title: str) -> str:
        """An axis title with its unit."""
        if self.name == "packets" and _COUNTS.search(title):
            return title
        return f"{title} ({self.name})" if self.name else title


def unit_for(dimension: str, values: Iterable[float]) -> Unit:
    """The largest unit in which the median of the non-zero values is at least one."""
    sizes = sorted(abs(value) for value in values if value and math.isfinite(value))
    offered = _SHOWN[dimension]
    if not sizes:
        return _neutral(dimension)
    middle = sizes[len(sizes) // 2]
    for name, factor in offered:
        # Allow for rounding of a value that is exactly one unit.
        if middle >= factor * 0.999999:
            return Unit(name, factor)
    return Unit(*offered[-1])


def _neutral(dimension: str) -> Unit:
    preferred = {"time": "ms", "rate": "Mbit/s", "size": "kB"}.get(dimension)
    for name, factor in _SHOWN[dimension]:
        if preferred in (None, name):
            return Unit(name, factor)
    raise AssertionError(f"no unit is shown for {dimension}")


def legible(dimension: str, unit: Unit, top: float) -> Unit:
    """The unit, or a larger one in which the largest value has at most four digits."""
    larger = [Unit(*row) for row in reversed(_SHOWN[dimension]) if row[1] > unit.factor]
    while larger and top / unit.factor >= 10_000:
        unit = larger.pop(0)
    return unit


def greatest(metric: str) -> float | None:
    """The value that a metric cannot exceed: an interval ends there, too."""
    whole = metric.startswith("jain") or metric in ("utilisation", "delivery_ratio")
    return 1.0 if whole or dimension_of(metric) == "share" else None


def dimension_of(metric: str) -> str:
    """The dimension of a metric, from its suffix; shares carry none."""
    suffix = metric.rpartition("_")[2] if "_" in metric else ""
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    return "share" if metric.startswith(_SHARES) else "number"


def metric_title(metric: str, scope: str = "run", names: Mapping[str, str] | None = None) -> str:
    """The words for a metric, with the flow, class or port it is about.

    `names` has the study's own words for scopes, such as "data" for `class:0`.
    """
    known = names or {}
    by_class = re.fullmatch(r"(\w+)_class(\d+)", metric)
    if by_class and scope == "run" and f"class:{by_class[2]}" in known:
        metric, scope = by_class[1], f"class:{by_class[2]}"
    title = _TITLES.get(metric)
    if title is None:
        title = _words(metric)
    if scope == "run":
        return title
    if scope in known:
        return f"{title}, {known[scope]}"
    kind, _, name = scope.partition(":")
    if kind == "drops":
        what = "" if metric == "dropped_pkts" else f", {title.lower()}"
        return f"Packets dropped at {name}{what}"
    if kind in ("law", "port"):
        return f"{title} at {name}"
    if kind == "flow" and "*" in name:
        return f"{title}, flows {name}"
    if kind == "hop":
        return f"{title} of {name.replace('/', ' at ')}"
    return f"{title}, {kind} {name}"


def _words(metric: str) -> str:
    stem, _, suffix = metric.rpartition("_")
    text = stem if stem and suffix in _SUFFIXES else metric
    text = re.sub(r"^loss_class(\d+)$", r"packet loss, class \1", text)
    text = re.sub(r"^aifsn_mean_class(\d+)$", r"AIFSN of category \1", text)
    return capital(text)


def capital(name: str) -> str:
    """`burst_size` as "Burst size"; an abbreviation keeps its capitals."""
    text = name.replace("_", " ").replace("-", " ").strip()
    return text[:1].upper() + text[1:]


def path_title(path: str) -> str:
    """The words for a field of a scenario: `links.b.rate` is "Rate of link b"."""
    parts = path.split(".")
    if len(parts) < 3:
        return capital(" ".join(parts))
    kind, name, *field = parts
    field = field[:-1] if field[-1] == "kind" else field
    whose = f"all {kind}" if name == "*" else f"{kind.removesuffix('s')} {name}"
    return capital(" ".join(field)) + f" of {whose}"


def metric_text(metric: str, value: float | None) -> str:
    """A value of a metric with its unit; a dash for none."""
    if value is None:
        return "–"
    unit = unit_for(dimension_of(metric), [value])
    return f"{number(value / unit.factor)} {unit.name}".rstrip()


def number(value: float, digits: int = 3) -> str:
    """A number for people: significant digits, no exponent unless it needs one, a true minus."""
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if size >= 10**digits and size < 1e7:
        text = f"{value:,.0f}".replace(",", "\u202f")
    elif 1e-4 <= size < 1e7:
        places = max(0, digits - 1 - math.floor(math.log10(size)))
        text = f"{value:.{places}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        power = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        text = f"{mantissa}·10{power}"
    return text.replace("-", "−")


def counted(runs: Mapping[str, Any]) -> str:
    """The events that an invariant forbids, counted in runs."""
    events, several = runs["events"], runs["runs"]
    if runs["what"] != "packets":
        return f"{events:.0f} {runs['what']} in {several} runs"
    if events:
        return f"{number(events)} packets lost in {runs['runs_with']} of {several} runs"
    return f"0 packets lost in {several} runs"


def claim_unit(record: Mapping[str, Any], claim: Claim | None) -> Unit:
    """The unit in which a claim's measured number and bound are shown."""
    bound = record["bound"]
    numbers = [
        abs(float(value))
        for value in (record["measured"], bound["low"], bound["high"])
        if value is not None
    ]
    if bound["is"] == "zero":
        return Unit("%", 0.01)
    if record["unit"] is not None:
        dimension = dimension_of(str(record["metric"]))
        return unit_for(dimension if dimension != "share" else "number", numbers)
    plain = claim is not None and claim.by != "ratio" and claim.function is None
    direct = record.get("reduce") in ("each", "mean", "median", "min", "max")
    if plain and direct and dimension_of(str(record["metric"])) == "share":
        return Unit("% points" if claim is not None and claim.by else "%", 0.01)
    return Unit("", 1.0)


def claim_measured(record: Mapping[str, Any], unit: Unit) -> str:
    """A claim's measured number with its interval, or how many runs broke it."""
    if record["measured"] is None:
        return "–"
    if record.get("runs"):
        return counted(record["runs"])
    ends = [record["low"], record["high"]]
    low, high = ("–" if end is None else number(end / unit.factor) for end in ends)
    shown = f"{number(record['measured'] / unit.factor)} {unit.name}".rstrip()
    return f"{shown} [{low}, {high}]"


def claim_bound(bound: Mapping[str, Any], unit: Unit) -> str:
    """A claim's bound in a row of text."""
    if bound["is"] == "zero":
        return "zero"
    low, high = (
        None if end is None else f"{number(end / unit.factor)} {unit.name}".rstrip()
        for end in (bound["low"], bound["high"])
    )
    if low is None:
        return f"≤ {high}"
    return f"≥ {low}" if high is None else f"{low} … {high}"
