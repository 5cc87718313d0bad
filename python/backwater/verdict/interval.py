"""Confidence intervals of a mean over seeds: Student's t, two-sided, 95 %."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

LEVEL = 0.95
# The most seeds that are named as needed.
MOST_SEEDS = 100_000


@dataclass(frozen=True)
class Interval:
    """A mean and its 95 % interval; `low` and `high` are None where `n` cannot give one."""

    mean: float
    low: float | None
    high: float | None
    n: int
    deviation: float = 0.0


def interval(values: Sequence[float], *, exact: bool = False) -> Interval | None:
    """The 95 % interval of the mean of independent values; None without any value.

    One value has no interval, unless it is `exact`: then it is a point. An infinite value makes
    the mean infinite, and the interval with it.
    """
    n = len(values)
    if n == 0:
        return None
    if any(math.isinf(value) for value in values):
        mean = math.inf if math.inf in values else -math.inf
        return Interval(mean, mean, mean, n)
    mean = math.fsum(values) / n
    if n == 1:
        return Interval(mean, mean, mean, 1) if exact else Interval(mean, None, None, 1)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    if min(values) == max(values):
        # Rounding of the mean must not open an interval between equal values.
        return Interval(values[0], values[0], values[0], n)
    half = t_quantile(n - 1) * deviation / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, n, deviation)


def seeds_to_decide(deviation: float, distance: float, at_least: int = 2) -> int | None:
    """The fewest seeds whose half-width is below the distance of the mean from the bound.

    It takes mean and deviation as they are now, so it is a forecast. None when the mean lies on
    the bound, or so near that more than MOST_SEEDS would be needed.
    """
    if deviation == 0:
        return at_least
    if distance <= 0:
        return None

    def decides(n: int) -> bool:
        return t_quantile(n - 1) * deviation / math.sqrt(n) < distance

    if not decides(MOST_SEEDS):
        return None
    low, high = max(2, at_least), MOST_SEEDS
    while low < high:
        middle = (low + high) // 2
        if decides(middle):
            high = middle
        else:
            low = middle + 1
    return low


@lru_cache(maxsize=4096)
def t_quantile(freedom: int) -> float:
    """The 0.975 quantile of Student's t."""
    if freedom > 1000:
        # Cornish-Fisher (Abramowitz & Stegun 26.7.5); its error here is below 1e-9.
        z = 1.959963984540054
        first = (z**3 + z) / 4
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        return z + first / freedom + second / freedom**2
    low, high = 1.9, 13.0
    for _ in range(60):
        middle = (low + high) / 2
        if _inside(middle, freedom) < LEVEL:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _inside(t: float, freedom: int) -> float:
    """P(|T| < t) in closed form (Abramowitz & Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine = math.cos(angle)
    odd = freedom % 2 == 1
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(3 if odd else 2, freedom - 1, 2):
        term *= cosine**2 * ((k - 1) / k)
        total += term
    if odd:
        return 2 / math.pi * (angle + math.sin(angle) * total)
    return math.sin(angle) * total
