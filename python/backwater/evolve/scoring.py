"""From what a flow got to a score, and how far a score may be from that of all paths."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from backwater.evolve.environments import STRATA, Environment
from backwater.verdict.interval import interval

LEAST = -8.0
TAIL = 0.1


def utility(environment: Environment, flow: dict[str, Any]) -> float:
    """The logarithm of the share of the best goodput, less half that of 1 + p95 queueing / RTT.

    A flow without a delivery or a round trip has the least score.
    """
    goodput, late = flow["goodput_bps"], flow["rtt_p95_s"]
    least = environment.rtt_ms / 1000
    if not goodput or late is None:
        return LEAST
    queueing = max(0.0, late - least) / least
    score = math.log2(goodput / environment.best_bps) - 0.5 * math.log2(1.0 + queueing)
    return min(0.0, max(LEAST, score))


def total(documents: Sequence[Any]) -> str:
    """The sum of the fingerprints of runs, whatever their order; one that failed has none."""
    prints = [int(one["fingerprint"], 16) for one in documents if one is not None]
    return f"{sum(prints) % 2**64:016x}"


def tail(values: Sequence[float], shift: float = 0.0) -> float:
    """The mean of the lowest tenth; with a shift the tenth above that share, 0 beyond all."""
    ordered, count = sorted(values), len(values)
    total = 0.0
    # The quantile function, a step for each value and a last one at the greatest score.
    for at, value in enumerate([*ordered, 0.0]):
        low = max(at / count, shift)
        high = shift + TAIL if at == count else min((at + 1) / count, shift + TAIL)
        total += max(0.0, high - low) * value
    return total / TAIL


@dataclass(frozen=True)
class Score:
    """Of some environments."""

    value: float
    mean: float
    tail: float
    by_stratum: dict[str, float]
    # The interval of the mean, and the most that the score of all paths may be.
    low: float | None
    high: float | None
    upper: float
    count: int


def score(environments: Sequence[Environment], utilities: Sequence[float], alpha: float) -> Score:
    """The mean over strata of half the mean and half the mean of the worst tenth.

    `upper` bounds the score over all paths with the error `alpha`: half of it for the mean by
    Maurer and Pontil's bound (2009), half for the tails by that of Dvoretzky, Kiefer and Wolfowitz
    with Massart's constant (1990).
    """
    found: dict[str, list[float]] = {}
    for environment, value in zip(environments, utilities, strict=True):
        found.setdefault(environment.stratum, []).append(value)
    strata = [found[name] for name in STRATA if name in found]
    mean = sum(sum(one) / len(one) for one in strata) / len(strata)
    tails = [tail(one) for one in strata]
    each = alpha / 2 / len(strata)
    raised = [tail(one, math.sqrt(math.log(1 / each) / 2 / len(one))) for one in strata]
    above = sum(_above(one, each) for one in strata) / len(strata)
    between = interval(list(utilities))
    assert between is not None, "there are environments"
    return Score(
        value=0.5 * mean + 0.5 * sum(tails) / len(tails),
        mean=mean,
        tail=sum(tails) / len(tails),
        by_stratum={
            name: 0.5 * sum(found[name]) / len(found[name]) + 0.5 * tail(found[name])
            for name in STRATA
            if name in found
        },
        low=between.low,
        high=between.high,
        upper=0.5 * above + 0.5 * sum(raised) / len(raised),
        count=len(utilities),
    )


def _above(values: Sequence[float], alpha: float) -> float:
    """The most that the mean may be, at most 0."""
    count = len(values)
    if count < 2:
        return 0.0
    mean = sum(values) / count
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    said = math.log(2 / alpha)
    wide = math.sqrt(2 * variance * said / count) - 7 * LEAST * said / (3 * (count - 1))
    return min(0.0, mean + wide)
