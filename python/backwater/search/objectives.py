"""How bad a run was: regrets against what was possible, from 0 to 1, or `gap` from -1 to 1.

An objective is a row of `OBJECTIVES`: the figures that it needs of the target's run and of the
reference's, and a function of both. No value is None: such a run has no score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from backwater.errors import Refusal, nearest
from backwater.search.scenes import DOWN, PACKET

# Bytes of the application in a packet of 1500 B, as TCP with timestamps has it.
PAYLOAD = 1448
LOOK_MS = 100
# What stands for the name of the flow that is judged.
_FLOW = "{flow}"


@dataclass(frozen=True)
class Seen:
    """The result of a run: figures by name, and of each look the bytes and windows of all flows."""

    figures: Mapping[str, float]
    # Looks by flow: bytes delivered in order since the beginning, and the window.
    delivered: Sequence[Sequence[float]]
    windows: Sequence[Sequence[float]]
    seconds: float
    chances_ms: Any
    fingerprint: str
    # The flow that is judged.
    flow: str = "f"

    def of_flow(self, name: str) -> float | None:
        """A figure of the flow that is judged."""
        return self.value(f"flows.{self.flow}.{name}")

    def value(self, name: str) -> float | None:
        """A figure; None without a value."""
        found = self.figures.get(name, math.nan)
        return None if math.isnan(found) else found


Score = Callable[[Seen, Seen | None], float | None]


@dataclass(frozen=True)
class Objective:
    """See the head of the file."""

    name: str
    says: str
    score: Score
    figures: tuple[str, ...] = ()
    looks: bool = False
    against: bool = False
    # Flows that its scene needs; the first is judged.
    flows: tuple[str, ...] = ("f",)
    # The flow that is compared with what it has in a second run, without the one that is judged.
    victim: str | None = None
    # The metric, scope and bound of a claim for a score, if the document has one.
    claim: Mapping[str, Any] = field(default_factory=dict)


def _clipped(value: float | None) -> float | None:
    return None if value is None else min(1.0, max(0.0, value))


def _possible_bps(seen: Seen) -> float | None:
    """The rate at which the link could have carried the target's bytes, beside those of others."""
    capacity = seen.value(f"ports.{DOWN}.capacity_bps")
    if capacity is None:
        return None
    cross = seen.value("flows.cross.goodput_bps") or 0.0
    return max(0.0, capacity * PACKET / (PACKET + 4) - cross)


def _waste(seen: Seen, _: Seen | None) -> float | None:
    if "flows.cross.goodput_bps" not in seen.figures:
        used = seen.value(f"ports.{DOWN}.utilisation")
        return None if used is None else _clipped(1 - used)
    possible, goodput = _possible_bps(seen), seen.of_flow("goodput_bps")
    if not possible or goodput is None:
        return None
    return _clipped(1 - goodput * PACKET / PAYLOAD / possible)


def _gap(seen: Seen, other: Seen | None) -> float | None:
    mine = seen.of_flow("goodput_bps")
    theirs = None if other is None else other.of_flow("goodput_bps")
    if mine is None or theirs is None or not max(mine, theirs):
        return None
    return (theirs - mine) / max(mine, theirs)


def _utility(seen: Seen) -> float | None:
    goodput, loss = seen.of_flow("goodput_bps"), seen.of_flow("loss")
    delay = seen.of_flow("delay_queue_s")
    if goodput is None or loss is None or delay is None:
        return None
    fast = min(goodput / 50e6, 1.0)
    prompt = min(0.005 / max(delay, 1e-9), 1.0)
    return 0.4 * fast + 0.4 * prompt + 0.2 * min(1 / (100 * loss + 1e-6), 1.0)


def _utility_gap(seen: Seen, other: Seen | None) -> float | None:
    mine = _utility(seen)
    theirs = None if other is None else _utility(other)
    return None if mine is None or theirs is None else theirs - mine


def _increments(values: Sequence[float]) -> list[float]:
    return [after - before for before, after in zip((0.0, *values), values, strict=False)]


def _low_window(seen: Seen, _: Seen | None) -> float | None:
    possible = _possible_bps(seen)
    if not possible or not seen.delivered:
        return None
    parts = sorted(_increments(seen.delivered[0]))
    lowest = parts[: max(1, len(parts) // 5)]
    rate = sum(lowest) * 8 / (len(lowest) * LOOK_MS / 1000)
    return _clipped(1 - rate * PACKET / PAYLOAD / possible)


def _delay(seen: Seen, _: Seen | None) -> float | None:
    slow, least = seen.of_flow("rtt_p95_s"), seen.of_flow("rtt_min_s")
    full, possible = seen.value(f"ports.{DOWN}.queue_max_B"), _possible_bps(seen)
    if slow is None or least is None or not full or not possible:
        return None
    return _clipped((slow - least) / (full * 8 / possible))


def _starve(seen: Seen, _: Seen | None) -> float | None:
    shares = [seen.value(f"flows.{name}.goodput_bps") for name in ("a", "b")]
    if None in shares or not (total := sum(x for x in shares if x is not None)):
        return None
    return 1 - 2 * min(x for x in shares if x is not None) / total


def _violation(seen: Seen, _: Seen | None) -> float | None:
    kept = [seen.value(law) for law in _LAWS]
    return None if None in kept else float(0 in kept)


def _harm(seen: Seen, alone: Seen | None) -> float | None:
    beside = seen.value("flows.b.goodput_bps")
    most = None if alone is None else alone.value("flows.b.goodput_bps")
    return None if beside is None or not most else _clipped(1 - beside / most)


def _stall(seen: Seen, _: Seen | None) -> float | None:
    if not seen.delivered:
        return None
    longest = length = 0
    could = None if seen.chances_ms is None else _slots(seen.chances_ms)
    for number, bytes_ in enumerate(_increments(seen.delivered[0])):
        if bytes_:
            length = 0
        elif could is None or number in could:
            length += 1
        longest = max(longest, length)
    # A scenario of one's own may go on when the space has nothing more to change.
    lasts = max(seen.seconds, len(seen.delivered[0]) * LOOK_MS / 1000)
    return _clipped(longest * LOOK_MS / 1000 / lasts)


def _slots(chances_ms: Any) -> set[int]:
    """The looks before which the link could send."""
    import numpy as np

    slots = (np.asarray(chances_ms, dtype=np.int64) - 1) // LOOK_MS
    return set(np.unique(slots).tolist())


def _unstable(seen: Seen, _: Seen | None) -> float | None:
    if not seen.windows or not (last := list(seen.windows[0])[-len(seen.windows[0]) // 3 :]):
        return None
    return None if not max(last) else _clipped((max(last) - min(last)) / max(last))


def _deadlock(seen: Seen, _: Seen | None) -> float | None:
    return float(not math.isnan(seen.figures["metrics.deadlock_at_s"]))


# Each is 1 in a run that keeps what every run must keep.
_LAWS = ("conservation.ok", "sanity.ok")
_RATES = (
    "flows.{flow}.goodput_bps",
    f"ports.{DOWN}.capacity_bps",
    f"ports.{DOWN}.utilisation",
)

OBJECTIVES: dict[str, Objective] = {
    one.name: one
    for one in (
        Objective(
            "waste",
            "the share of what the link could carry that it did not carry",
            _waste,
            _RATES,
            claim={
                "metric": "utilisation",
                "scope": f"port:{DOWN}",
                "most": lambda score: 1 - score,
            },
        ),
        Objective(
            "gap",
            "how much less goodput the target has than the reference, over the larger of both",
            _gap,
            _RATES,
            against=True,
            claim={
                "metric": "goodput_bps",
                "scope": "flow:{flow}",
                "ratio": lambda score: 1 - score,
            },
        ),
        Objective(
            "utility-gap",
            "how much less 0.4 throughput + 0.4 latency + 0.2 loss it has than the reference",
            _utility_gap,
            (*_RATES, "flows.{flow}.loss", "flows.{flow}.delay_queue_s"),
            against=True,
        ),
        Objective(
            "low-window",
            "what the worst fifth of intervals of 100 ms lacks of what was possible",
            _low_window,
            _RATES,
            looks=True,
        ),
        Objective(
            "delay",
            "the 95th percentile of queueing delay over the time in which the queue drains",
            _delay,
            (
                *_RATES,
                "flows.{flow}.rtt_p95_s",
                "flows.{flow}.rtt_min_s",
                f"ports.{DOWN}.queue_max_B",
            ),
        ),
        Objective(
            "starve",
            "1 less twice the smaller share of two flows",
            _starve,
            ("flows.a.goodput_bps", "flows.b.goodput_bps"),
            flows=("a", "b"),
            claim={"function": "scope_ratio", "flows": ("a", "b")},
        ),
        Objective(
            "violation",
            "1 where a run loses count of packets or its figures contradict each other, else 0",
            _violation,
            _LAWS,
            flows=(),
        ),
        Objective(
            "harm",
            "the share of what flow b has alone that it lacks beside flow a",
            _harm,
            ("flows.b.goodput_bps",),
            flows=("a",),
            victim="b",
        ),
        Objective(
            "stall",
            "the longest time without a delivery although the link could send, over the run",
            _stall,
            _RATES,
            looks=True,
        ),
        Objective(
            "unstable",
            "by how much the window moves in the last third of the run, over its largest value",
            _unstable,
            _RATES,
            looks=True,
        ),
    )
}


def objective(name: str, flow: str) -> Objective:
    """The objective of a name, or of any figure of the document, such as `metric:metrics.loss`.

    `flow` is judged, where the objective does not name flows of its own.
    """
    if name.startswith("metric:"):
        figure = name.partition(":")[2]

        def score(seen: Seen, _: Seen | None) -> float | None:
            return seen.value(figure)

        return Objective(name, f"the figure {figure}", score, (figure,), flows=())
    if name == "deadlock":
        says = "1 where a cycle of pauses was found, else 0"
        return Objective(name, says, _deadlock, ("metrics.deadlock_at_s",), flows=())
    if name not in OBJECTIVES:
        near = nearest(name, OBJECTIVES) or list(OBJECTIVES)
        fix = "name one of these, `deadlock`, or `metric:` and a figure such as metrics.loss"
        raise Refusal(f"there is no objective `{name}`", place="--objective", nearest=near, fix=fix)
    found = OBJECTIVES[name]
    return replace(
        found,
        figures=tuple(figure.replace(_FLOW, flow) for figure in found.figures),
        flows=tuple(flow if one == "f" else one for one in found.flows),
        claim={
            key: value.replace(_FLOW, flow) if isinstance(value, str) else value
            for key, value in found.claim.items()
        },
    )
