"""The 95 % interval of Jain's index over runs.

1 less the index is about the variance of the flows' shares, so it is gamma-distributed rather than
normal: with two flows chi-squared of one degree, whose mean of three runs Student's t covers in
82 %. The cube root of a gamma variable is nearly normal (Wilson and Hilferty 1931). The mean then
has an interval of generalised pivots (Krishnamoorthy, Mathew, Mukherjee, Technometrics 50, 2008).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from statistics import NormalDist

from backwater.verdict.exact import TAIL, gamma_quantile
from backwater.verdict.interval import Interval
from backwater.verdict.interval import interval as of_mean

# Points of each of the two distributions over which the pivot is spread.
_POINTS = 80


def interval(values: Sequence[float]) -> Interval:
    """The interval of the mean index; equal values are a point, and one value has none."""
    plain = of_mean(values)
    assert plain is not None, "there is a value"
    n = len(values)
    if n < 2 or plain.deviation == 0 or max(values) > 1:
        return plain
    roots = [(1 - value) ** (1 / 3) for value in values]
    middle = math.fsum(roots) / n
    squares = math.fsum((root - middle) ** 2 for root in roots)
    normal, chi = _draws(n)
    # How many of all pairs lie below the lower end, and as many above the upper one.
    outside = round(TAIL * (len(normal) * len(chi) - 1))

    def means(w: float, down: bool) -> Iterator[float]:
        """The pivots of one draw of the variance, in order: they fall with the normal draw."""
        scale = math.sqrt(squares / (w * n))
        for z in normal if down else reversed(normal):
            yield _gamma_mean(middle - z * scale, squares / w)

    upwards = heapq.merge(*(means(w, down=False) for w in chi))
    downwards = heapq.merge(*(means(w, down=True) for w in chi), reverse=True)
    low, high = (next(islice(found, outside, None)) for found in (upwards, downwards))
    low_index = max(0.0, min(1 - high, plain.mean))
    return Interval(plain.mean, low_index, max(1 - low, plain.mean), n, plain.deviation)


def _gamma_mean(middle: float, variance: float) -> float:
    """The mean of a variable whose cube root is normal."""
    half = middle / 2
    return max(0.0, half + math.sqrt(half * half + variance)) ** 3


@lru_cache(maxsize=64)
def _draws(n: int) -> tuple[list[float], list[float]]:
    """Draws of a standard normal and of a chi-squared of n - 1 degrees, evenly over each."""
    shares = [(i + 0.5) / _POINTS for i in range(_POINTS)]
    normal = [NormalDist().inv_cdf(share) for share in shares]
    chi = [2 * gamma_quantile(share, (n - 1) / 2) for share in shares]
    return normal, chi
