"""Functions from the cases of a seed to one number, for claims that no reduction expresses."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


class Metrics(Protocol):
    """The metrics of one case."""

    def get(self, at: tuple[str, str], /) -> float | None:
        """The metric of a (scope, name); None if it has no such metric, or no value."""

    def drops(self) -> Mapping[tuple[str, str], float | None]:
        """Packets lost by (scope, cause)."""


def value_of(metrics: Metrics, metric: str, scope: str) -> float | None:
    """A metric of a case. Drops that never happened have no row and are 0.

    The scope of drops may be a pattern; the metric `dropped_pkts` is the sum over causes.
    """
    if scope.startswith("drops:"):
        return _drops(metrics, scope, metric)
    return metrics.get((scope, metric))


def _drops(metrics: Metrics, scope: str, metric: str) -> float:
    return sum(
        value or 0.0
        for (at, cause), value in metrics.drops().items()
        if fnmatch.fnmatchcase(at, scope) and metric in (cause, "dropped_pkts")
    )


@dataclass(frozen=True)
class Function:
    """One row."""

    compute: Callable[[Iterable[Metrics], Mapping[str, Any]], float | None]
    args: tuple[str, ...]
    summary: str


def _drop_share(cases: Iterable[Metrics], args: Mapping[str, Any]) -> float | None:
    here = everywhere = 0.0
    for metrics in cases:
        for (at, _), pkts in metrics.drops().items():
            everywhere += pkts or 0.0
            if any(fnmatch.fnmatchcase(at, f"drops:{place}") for place in _list(args["places"])):
                here += pkts or 0.0
    return here / everywhere if everywhere else None


def _least_share(cases: Iterable[Metrics], args: Mapping[str, Any]) -> float | None:
    return _worst(cases, args, lambda shares: min(shares) * len(shares) / math.fsum(shares))


def _jain(cases: Iterable[Metrics], args: Mapping[str, Any]) -> float | None:
    def index(shares: list[float]) -> float:
        squares = math.fsum(share * share for share in shares)
        return math.fsum(shares) ** 2 / (len(shares) * squares)

    return _worst(cases, args, index)


def _quotient(cases: Iterable[Metrics], args: Mapping[str, Any]) -> float | None:
    pairs = [
        (metrics.get((args["of"], args["metric"])), metrics.get((args["by"], args["divisor"])))
        for metrics in cases
    ]
    known = [(over, under) for over, under in pairs if over is not None and under]
    return sum(over / under for over, under in known) / len(known) if known else None


def _scope_ratio(cases: Iterable[Metrics], args: Mapping[str, Any]) -> float | None:
    def total(metrics: Metrics, scopes: Any) -> float:
        return sum(value_of(metrics, args["metric"], scope) or 0.0 for scope in _list(scopes))

    above = below = 0.0
    for metrics in cases:
        above += total(metrics, args["of"])
        below += total(metrics, args["to"])
    if below:
        return above / below
    return math.inf if above else None


def _worst(
    cases: Iterable[Metrics], args: Mapping[str, Any], of: Callable[[list[float]], float]
) -> float | None:
    """The least over the cases of a function of the flows' goodputs."""
    found = []
    for metrics in cases:
        known = [metrics.get((f"flow:{flow}", "goodput_bps")) for flow in _list(args["flows"])]
        shares = [share for share in known if share is not None]
        if len(shares) == len(known) and any(shares):
            found.append(of(shares))
    return min(found, default=None)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


FUNCTIONS: dict[str, Function] = {
    "drop_share": Function(
        _drop_share,
        ("places",),
        "share of all packets dropped in the chosen cases that were dropped at these places",
    ),
    "least_share": Function(
        _least_share,
        ("flows",),
        "the least of these flows' goodputs over their mean, in the worst of the chosen cases",
    ),
    "quotient": Function(
        _quotient,
        ("metric", "of", "divisor", "by"),
        "`metric` of the scope `of` over `divisor` of the scope `by`, mean over the chosen cases",
    ),
    "scope_ratio": Function(
        _scope_ratio,
        ("metric", "of", "to"),
        "a metric in the scopes `of` over that in the scopes `to`, each summed, and over the "
        "chosen cases",
    ),
    "jain_of": Function(
        _jain,
        ("flows",),
        "Jain's index of these flows' goodputs, in the worst of the chosen cases",
    ),
}

# Functions whose number is 1 where two things are equal.
RATIOS = ("scope_ratio",)
