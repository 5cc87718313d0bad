"""What replicates of RESTART say (`crates/scenario/src/restart.rs` runs them)."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from backwater.search import rare_event
from backwater.search.rare_event import Level, RareEvent

# First runs that count as much as these if they counted equally are too few for an interval.
FEW = 20


def estimate(
    levels: Sequence[int],
    each: Sequence[int],
    found: Sequence[Any],
    runs: int,
    asked: Mapping[str, Any],
) -> RareEvent:
    """The estimate of replicates with so many first `runs`; `each` is what a run goes on as."""
    products = list(itertools.accumulate([1, *each], operator.mul))
    values = [_counted(hits, products) / runs for hits, *_ in found]
    table = _table(levels, each, found, runs)
    first, total = runs * len(values), math.fsum(values) * runs
    squares = math.fsum(one[4] for one in found)
    # First runs are independent: the relative error of the mean of one replicate's.
    theory = math.sqrt(max(0.0, squares * first / total**2 - 1) / runs) if total else 0.0
    told = rare_event.estimated(
        values,
        table,
        theory,
        math.fsum(_counted(events, products) for _, _, events, *_ in found) / first,
        sum(sum(events) + before for _, _, events, before, *_ in found),
        next((one[5] for one in found if one[5] is not None), None),
        asked,
    )
    warnings = rare_event.missed(values, table)
    if total and total**2 / squares < FEW:
        warnings.insert(
            0,
            f"what {first} first runs count is as uneven as if {total**2 / squares:.0f} of them had"
            " the event and the others not: the interval is rough; take more runs, or a score that"
            " rises on all ways to the event",
        )
    return replace(told, warnings=tuple(warnings))


def _counted(numbers: Sequence[int], products: Sequence[int]) -> float:
    return math.fsum(one / of for one, of in zip(numbers, products, strict=True))


def _table(
    levels: Sequence[int], each: Sequence[int], found: Sequence[Any], runs: int
) -> list[Level]:
    """How often each level was passed, of the runs that began at the one below."""
    passed = [sum(one[1][at] for one in found) for at in range(len(levels))]
    began = [runs * len(found), *(a * b for a, b in zip(passed, each, strict=True))]
    hits = [*passed, sum(sum(one[0]) for one in found)]
    rows = zip([*levels, None], began, hits, strict=True)
    return [Level(level, runs=of, hits=count) for level, of, count in rows]
