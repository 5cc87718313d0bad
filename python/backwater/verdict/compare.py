"""How a case is compared with its partner."""

from __future__ import annotations

import math

BY = ("ratio", "difference", "harm")
# More of these is better for a flow; less of anything else.
MORE_IS_BETTER = ("goodput_bps", "throughput_bps", "jain", "score_ln", "power", "utilisation")


def compare(value: float, other: float, by: str, metric: str) -> float | None:
    """One value against another: ratio, difference, or the harm to what was alone in the other.

    Harm (Ware et al., HotNets 2019) is (x - y) / x where more is better and (y - x) / y where less
    is: x alone, y with a competitor. 1 is the most; what is below 0 is no harm.
    """
    if by == "difference":
        return value - other
    if by == "harm":
        more = metric.endswith(MORE_IS_BETTER)
        gone, whole = (other - value, other) if more else (value - other, value)
        # The reference is zero.
        return gone / whole if whole else (0.0 if gone == 0 else -math.inf)
    if other == 0:
        return None if value == 0 else math.copysign(math.inf, value)
    return value / other
