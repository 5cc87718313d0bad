"""Functions that hold cases against numbers that were published, one for each label of an axis."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from backwater.verdict.across import Case
from backwater.verdict.reduce import spearman

_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def rank_correlation(cases: Sequence[Case], args: Mapping[str, Any]) -> float | None:
    """Spearman's rank correlation of a metric with the numbers that begin the labels."""
    pairs = list(_pairs(cases, args))
    return spearman(pairs) if len(pairs) > 1 else None


def median_difference(cases: Sequence[Case], args: Mapping[str, Any]) -> float | None:
    """The median of how far a metric is from the numbers that begin the labels."""
    return statistics.median([abs(a - b) for a, b in _pairs(cases, args)] or [0.0])


def _pairs(cases: Sequence[Case], args: Mapping[str, Any]) -> Iterator[tuple[float, float]]:
    for labels, metrics in cases:
        said = _NUMBER.match(labels[args["axis"]])
        measured = metrics.get((args["of"], args["metric"]))
        if said is not None and measured is not None:
            yield float(said[0]), measured
