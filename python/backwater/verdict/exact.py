"""Intervals of 95 % that hold however the values are distributed: shares, quantiles, rare losses.

Student's t takes means for normal. A share of a few runs, a median or a 99th percentile over runs
and losses that come in episodes are not: these intervals count runs instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

from backwater.verdict.interval import Interval

# The chance with which each of the two sides may miss.
TAIL = 0.025
# A loss comes with others: so many packets are taken for one episode where none was seen.
EPISODE = 50.0
# The next episode may be larger than the largest that was seen. With this factor the intervals
# cover single losses, bursts and heavy-tailed bursts in 95 % of all samples (tests/test_exact.py).
LARGER = 1.5


def share(hits: int, runs: int) -> Interval:
    """Clopper and Pearson's interval of the share of runs with a property."""
    if hits == 0:
        return Interval(0.0, 0.0, 1 - TAIL ** (1 / runs), runs)
    if hits == runs:
        return Interval(1.0, TAIL ** (1 / runs), 1.0, runs)
    low = _root(lambda p: 1 - _binomial(hits - 1, runs, p) - TAIL)
    high = _root(lambda p: TAIL - _binomial(hits, runs, p))
    return Interval(hits / runs, low, high, runs)


def quantile(values: Sequence[float], level: float) -> Interval:
    """A quantile over runs, between two of the runs in order; without ends where they are too few.

    The number of runs below the quantile is binomial, whatever the distribution.
    """
    ordered = sorted(values)
    n = len(ordered)
    at = max(1, math.ceil(level * n))
    middle = ordered[at - 1]
    if level == 0.5 and n % 2 == 0:
        middle = (ordered[n // 2 - 1] + ordered[n // 2]) / 2
    below = [r for r in range(1, n + 1) if _binomial(r - 1, n, level) <= TAIL]
    above = [r for r in range(1, n + 1) if 1 - _binomial(r - 1, n, level) <= TAIL]
    if not below or not above:
        return Interval(middle, None, None, n)
    return Interval(middle, ordered[max(below) - 1], ordered[min(above) - 1], n)


def runs_for_quantile(level: float) -> int:
    """The fewest runs that give a quantile an interval."""
    rare = min(level, 1 - level)
    return math.ceil(math.log(TAIL) / math.log(1 - rare))


def rare(events: Sequence[float], trials: float, most: float = 1.0) -> Interval:
    """The share of trials with an event, from the events of independent runs; `most` is the limit.

    A run that lost anything is one episode, independent of others, whose size is what it lost (the
    gamma interval of Fay and Feuer, Statistics in Medicine 16, 1997).
    """
    total = math.fsum(events)
    square = math.fsum(one * one for one in events)
    low = 0.0
    if total > 0:
        low = square / total * gamma_quantile(TAIL, total * total / square)
    largest = max(EPISODE, LARGER * max(events))
    more, wider = total + largest, square + largest * largest
    high = wider / more * gamma_quantile(1 - TAIL, more * more / wider)
    return Interval(total / trials, low / trials, min(most, high / trials), len(events))


def gamma_quantile(level: float, shape: float) -> float:
    """The quantile of the gamma distribution of scale 1."""
    low, high = 0.0, shape + 20 * math.sqrt(shape) + 20
    for _ in range(60):
        middle = (low + high) / 2
        if _gamma(shape, middle) < level:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _gamma(shape: float, x: float) -> float:
    """P(X < x) by its series, or its continued fraction (Abramowitz & Stegun 6.5.29 and 6.5.31)."""
    if x <= 0:
        return 0.0
    scale = math.exp(shape * math.log(x) - x - math.lgamma(shape))
    if x < shape + 1:
        term = total = 1 / shape
        k = shape
        while term > total * 1e-15:
            k += 1
            term *= x / k
            total += term
        return total * scale
    b, c, d = x + 1 - shape, 1e300, 1 / (x + 1 - shape)
    fraction = d
    for i in range(1, 10_000):
        a = -i * (i - shape)
        b += 2
        d = 1 / (a * d + b)
        c = b + a / c
        fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return 1 - scale * fraction


@lru_cache(maxsize=65536)
def _binomial(most: int, n: int, p: float) -> float:
    """P(X <= most) of n trials."""
    if most >= n:
        return 1.0
    if p <= 0 or p >= 1:
        return 1.0 if p <= 0 else 0.0
    log, odds = math.log(p), math.log1p(-p)
    return math.fsum(
        math.exp(
            math.lgamma(n + 1)
            - math.lgamma(k + 1)
            - math.lgamma(n - k + 1)
            + k * log
            + (n - k) * odds
        )
        for k in range(most + 1)
    )


def _root(function: Callable[[float], float]) -> float:
    """Where an increasing function of a share is nought."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if function(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
