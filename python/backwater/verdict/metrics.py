"""The metrics of a case, as claims and figures read them."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from typing import Any, Protocol


class Metrics(Protocol):
    """The metrics of one case."""

    def get(self, at: tuple[str, str], /) -> float | None:
        """The metric of a (scope, name); None if it has no such metric, or no value."""

    def drops(self) -> Mapping[tuple[str, str], float | None]:
        """Packets lost by (scope, cause)."""

    def by_flow(self, metric: str, /) -> Mapping[str, float | None]:
        """A metric of every flow, by the flow's name."""


def several(scope: str) -> bool:
    """Whether a scope is a pattern whose places are added up."""
    return scope.startswith("drops:") or (scope.startswith("flow:") and "*" in scope)


def value_of(metrics: Metrics, metric: str, scope: str) -> float | None:
    """A metric of a case. Drops that never happened have no row and are 0.

    The scope of drops and of flows may be a pattern; the metric `dropped_pkts` of drops is the sum
    over causes.
    """
    if scope.startswith("drops:"):
        return _drops(metrics, scope, metric)
    if several(scope):
        known = goodputs(metrics, scope.partition(":")[2], metric).values()
        return sum(known) if known else None
    return metrics.get((scope, metric))


def goodputs(metrics: Metrics, flows: Any, metric: str = "goodput_bps") -> dict[str, float]:
    """A metric of the flows that one of these patterns names; the goodput if none is named."""
    return {
        name: value
        for name, value in metrics.by_flow(metric).items()
        if value is not None and any(fnmatch.fnmatchcase(name, one) for one in listed(flows))
    }


def _drops(metrics: Metrics, scope: str, metric: str) -> float:
    return sum(
        value or 0.0
        for (at, cause), value in metrics.drops().items()
        if fnmatch.fnmatchcase(at, scope) and metric in (cause, "dropped_pkts")
    )


def listed(value: Any) -> list[Any]:
    """A value alone is a list of one."""
    return value if isinstance(value, list) else [value]
