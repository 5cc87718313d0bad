"""How the cases of one seed become one number."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Sequence

# (number on the axis, value of the metric), in the order of the axis.
Curve = Sequence[tuple[float, float]]


def increasing(curve: Curve) -> tuple[float, float]:
    """Adjacent pairs that increase, and all pairs: equal values are no growth."""
    values = [y for _, y in curve]
    return sum(b > a for a, b in itertools.pairwise(values)), len(values) - 1


def decreasing(curve: Curve) -> tuple[float, float]:
    """Adjacent pairs that decrease, and all pairs."""
    return increasing(_mirrored(curve))


def non_decreasing(curve: Curve) -> tuple[float, float]:
    """Adjacent pairs that don't decrease, and all pairs."""
    falling, every = decreasing(curve)
    return every - falling, every


def non_increasing(curve: Curve) -> tuple[float, float]:
    """Adjacent pairs that don't increase, and all pairs."""
    return non_decreasing(_mirrored(curve))


def _mirrored(curve: Curve) -> Curve:
    return [(x, -y) for x, y in curve]


def argmax(curve: Curve) -> float | None:
    """Where on the axis the metric is largest; the first among equals."""
    return max(curve, key=lambda point: point[1])[0]


def slope(curve: Curve) -> float | None:
    """Least-squares slope."""
    xs, ys = zip(*curve, strict=True)
    middle_x, middle_y = statistics.fmean(xs), statistics.fmean(ys)
    spread = math.fsum((x - middle_x) ** 2 for x in xs)
    return math.fsum((x - middle_x) * (y - middle_y) for x, y in curve) / spread


def spearman(curve: Curve) -> float | None:
    """Spearman's rank correlation; a constant curve has none."""
    xs, ys = zip(*curve, strict=True)
    ranked = list(zip(_ranks(xs), _ranks(ys), strict=True))
    middle = (len(ranked) + 1) / 2
    across = math.fsum((a - middle) * (b - middle) for a, b in ranked)
    spread = math.fsum((a - middle) ** 2 for a, _ in ranked)
    height = math.fsum((b - middle) ** 2 for _, b in ranked)
    return None if spread == 0 or height == 0 else across / math.sqrt(spread * height)


def roughness(curve: Curve) -> float | None:
    """Sum of the steps over the range, less 1: 0 for a monotonic curve."""
    values = [y for _, y in curve]
    span = max(values) - min(values)
    if span == 0:
        return 0.0
    way = math.fsum(abs(b - a) for a, b in itertools.pairwise(values))
    return max(0.0, way / span - 1)


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    first = {value: ordered.index(value) for value in set(values)}
    return [first[value] + (ordered.count(value) + 1) / 2 for value in values]


# Over cases in any order.
PLAIN: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "min": min,
    "max": max,
}
# Along an axis: pairs counted over all curves of a seed.
PAIRS: dict[str, Callable[[Curve], tuple[float, float]]] = {
    "increasing": increasing,
    "decreasing": decreasing,
    "non_decreasing": non_decreasing,
    "non_increasing": non_increasing,
}
# Along an axis: one number for each curve, then their mean.
CURVES: dict[str, Callable[[Curve], float | None]] = {
    "argmax": argmax,
    "slope": slope,
    "spearman": spearman,
    "roughness": roughness,
}
# Reductions whose result is in the axis's or in no unit, and need numbers on the axis.
NUMERIC = frozenset({"argmax", "slope"})
ALONG = frozenset(PAIRS) | frozenset(CURVES)
REDUCTIONS = ("each", *PLAIN, *PAIRS, *CURVES, "count")
