"""The estimate of a rare event: interval, a comparison with plain runs, and warnings."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backwater import _native
from backwater.verdict.interval import t_quantile

SCHEMA = "backwater/rare/1"
# Seed, copies, instant and fingerprint, as the engine gives them.
Example = tuple[int, list[tuple[int, int]], int, str]


@dataclass(frozen=True)
class Level:
    """A stage: the level that its runs had to reach, and how many did in all replicates.

    `level` is None in the last stage, whose level is the event.
    """

    level: int | None
    runs: int
    hits: int

    @property
    def share(self) -> float:
        """The share of the runs that reached it."""
        return self.hits / self.runs if self.runs else 0.0


@dataclass(frozen=True)
class RareEvent:
    """The result of splitting for a rare event.

    `chance` is the mean of `replicates`, and `low` to `high` its interval of 95 %. Where no
    replicate saw the event, `chance` is 0 and `high` an upper bound.
    """

    chance: float
    low: float
    high: float
    relative_error: float
    replicates: tuple[float, ...]
    levels: tuple[Level, ...]
    scatter: float
    events: int
    plain_events: float | None
    warnings: tuple[str, ...]
    example: Mapping[str, Any] | None
    asked: Mapping[str, Any]

    @property
    def document(self) -> dict[str, Any]:
        """Everything as `backwater rare --json` prints it."""
        return {
            "schema": SCHEMA,
            "version": _native.version(),
            "engine": _native.engine_id(),
            "asked": dict(self.asked),
            "chance": self.chance,
            "interval_95": [self.low, self.high],
            "relative_error": self.relative_error,
            "replicates": list(self.replicates),
            "levels": [
                {"level": one.level, "runs": one.runs, "hits": one.hits, "share": one.share}
                for one in self.levels
            ],
            "scatter": self.scatter,
            "events": self.events,
            "plain_events": self.plain_events,
            "warnings": list(self.warnings),
            "example": None if self.example is None else dict(self.example),
        }


def estimated(
    values: Sequence[float],
    table: Sequence[Level],
    theory: float,
    each_plain: float,
    events: int,
    example: Example | None,
    asked: Mapping[str, Any],
) -> RareEvent:
    """An estimate of replicates, without warnings.

    `theory` is the relative error that one replicate should have, `each_plain` the events that a
    plain run serves.
    """
    chance = statistics.fmean(values)
    if chance == 0:
        low, high, error, scatter = 0.0, _bound(table), math.inf, 0.0
    else:
        low, high, error, scatter = _interval(values, chance, theory)
    known = chance not in (0, 1) and error > 0
    return RareEvent(
        chance=chance,
        low=low,
        high=high,
        relative_error=error,
        replicates=tuple(values),
        levels=tuple(table),
        scatter=scatter,
        events=events,
        plain_events=each_plain * (1 - chance) / (chance * error**2) if known else None,
        warnings=(),
        example=None if example is None else _written(*example),
        asked=asked,
    )


def _interval(
    values: Sequence[float], chance: float, theory: float
) -> tuple[float, float, float, float]:
    """A log-normal interval, the relative error behind it, and scatter over what theory says.

    The relative error is the larger of that of the replicates and that of theory.
    """
    n = len(values)
    spread = statistics.stdev(values) / chance
    error = max(spread, theory) / math.sqrt(n)
    wide = t_quantile(n - 1) * math.sqrt(math.log1p(error**2))
    scatter = spread / theory if theory > 0 else 1.0
    return chance * math.exp(-wide), min(1.0, chance * math.exp(wide)), error, scatter


def _bound(table: Sequence[Level]) -> float:
    """The rule of three at the stage that nobody left, times the shares before it."""
    product = 1.0
    for one in table:
        if one.hits == 0:
            return min(1.0, product * 3 / max(1, one.runs))
        product *= one.share
    # Each stage was left by some replicate, and all by none.
    return min(1.0, 3 * product)


def missed(values: Sequence[float], table: Sequence[Level]) -> list[str]:
    """Warnings where replicates did not see the event."""
    none = sum(value == 0 for value in values)
    if none and none < len(values):
        return [
            f"{none} of {len(values)} replicates did not see the event: the interval is rough;"
            " take more runs, or more levels"
        ]
    if none:
        stage = next((one for one in table if one.hits == 0), table[-1])
        where = "the event" if stage.level is None else f"the level {stage.level}"
        return [f"no replicate reached {where}: `high` is a bound; take more runs"]
    return []


def _written(seed: int, steps: list[tuple[int, int]], at_ps: int, fingerprint: str) -> Any:
    return {
        "seed": seed,
        "lineage": [{"at_ps": at, "reseed": key, "redraw": True} for at, key in steps],
        "at_ps": at_ps,
        "fingerprint": fingerprint,
    }
