"""The chance of a rare event by multilevel splitting: levels, replicates, and what they say.

The engine runs the stages (`crates/scenario/src/rare.rs`). Here a question is read, and the
replicates become an estimate with an interval, a comparison with plain runs, and warnings.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backwater import _native
from backwater.errors import Refusal, nearest, refusing
from backwater.model import arguments, quantity, scenario
from backwater.model.machine import available_cores
from backwater.verdict.interval import t_quantile

if TYPE_CHECKING:
    from backwater.model.builders import Scenario

SCHEMA = "backwater/rare/1"
TERMS = ("waiting", "bytes", "lost")
# Replicates that scatter so many times as much as independent stages would are worth a warning.
# Copies of one run share what was drawn before, such as the next arrival. That alone makes them
# scatter up to twice as much, and some good scores more than that: it is a hint, and no test.
TRAPPED = 3.0
# From so many replicates on their scatter is known well enough for that.
ENOUGH = 10


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


def rare(
    what: str | Path | Mapping[str, Any] | Scenario,
    event: str | Sequence[str],
    level: int,
    *,
    score: str | Sequence[str] | None = None,
    empty: str | Sequence[str] = (),
    after: int | str = 0,
    to: int | str | None = None,
    levels: Sequence[int] | None = None,
    runs: int = 1000,
    replicates: int = 20,
    seed: int = 1,
    set: Mapping[str, Any] | None = None,  # noqa: A002 -- the name of the command's option
    workers: int | None = None,
) -> RareEvent:
    """The chance that a sum of counters reaches a level, by multilevel splitting.

    A counter is `waiting:PORT` (data frames that wait at a port), `bytes:PORT` (bytes that a port
    holds, the frame in transmission included) or `lost` (packets lost since the run began).

    With `empty` a run counts from the instant at which something comes to those places after they
    were empty, and has failed when they are empty again: the chance is that of a busy period.
    Without it a run counts from `after` on. It has failed at `to`, which is the scenario's end if
    left out.

    `score` rises on the way to the event; left out, it is the event's own sum. Runs that reach one
    of its `levels` are copied with new random streams. A pilot sets levels that about a fifth
    of the runs reach. The estimate has the right mean whatever score and levels are; a bad score
    scatters, which `warnings` tell.

        found = backwater.rare("queue.toml", "waiting:S>D", 20, empty="waiting:S>D", after="2 s")
        print(found.chance, found.low, found.high)
    """
    most, whole = arguments.MOST_SEED, arguments.whole
    overrides = arguments.table(set, "set", "give paths and values")
    resolved, name, end_ps = _resolved(what, overrides)
    happens = _terms(event, "event")
    rises = happens if score is None else _terms(score, "score")
    emptied = _terms(empty, "empty")
    span = (_instant(after, "after"), end_ps if to is None else _instant(to, "to"))
    runs, replicates = whole(runs, "runs", 10, 1_000_000), whole(replicates, "replicates", 2, 10000)
    found_levels, found = _run(
        resolved,
        event=happens,
        level=whole(level, "level", 1, most),
        score=rises,
        empty=emptied,
        span_ps=span,
        levels=None if levels is None else _levels(levels),
        seed=whole(seed, "seed", 0, most),
        runs=runs,
        replicates=replicates,
        workers=arguments.whole_or_none(workers, "workers", 1, 4096) or available_cores(),
    )
    asked = {
        "scenario": name,
        "set": {path: scenario.written(value) for path, value in overrides.items()},
        "event": [_said(term) for term in happens],
        "level": level,
        "score": [_said(term) for term in rises],
        "empty": [_said(term) for term in emptied],
        "after_ps": span[0],
        "to_ps": span[1],
        "levels": found_levels,
        "seed": seed,
        "runs": runs,
        "replicates": replicates,
    }
    return _estimate(found_levels, found, runs, asked)


def _resolved(what: Any, overrides: Mapping[str, Any]) -> tuple[_native.Resolved, str, int]:
    read, name = scenario.read(what)
    with refusing():
        for path, value in overrides.items():
            read.set(path, scenario.written(value), f"set {path}")
        resolved = read.resolve_once(None)
        return resolved, name, _native.World.of(resolved).end_ps


def _run(resolved: _native.Resolved, **asked: Any) -> tuple[list[int], list[Any]]:
    with refusing():
        return _native.rare(resolved, **asked)


def _estimate(
    levels: Sequence[int], found: Sequence[Any], runs: int, asked: Mapping[str, Any]
) -> RareEvent:
    # A replicate that ended early has no hit in its last stage.
    values = [math.prod(hit / runs for hit in hits) for hits, *_ in found]
    table = [
        Level(
            level,
            runs=runs * sum(len(hits) > at for hits, *_ in found),
            hits=sum(hits[at] for hits, *_ in found if len(hits) > at),
        )
        for at, level in enumerate([*levels, None])
    ]
    chance = statistics.fmean(values)
    events = sum(sum(each) + before for _, each, before, _ in found)
    example = next((_example(one[3]) for one in found if one[3] is not None), None)
    if chance == 0:
        low, high, error, scatter = 0.0, _bound(table), math.inf, 0.0
    else:
        low, high, error, scatter = _interval(values, chance, table, runs)
    return RareEvent(
        chance=chance,
        low=low,
        high=high,
        relative_error=error,
        replicates=tuple(values),
        levels=tuple(table),
        scatter=scatter,
        events=events,
        plain_events=_plain(found, table, chance, error),
        warnings=tuple(_warnings(values, scatter, table)),
        example=example,
        asked=asked,
    )


def _interval(
    values: Sequence[float], chance: float, table: Sequence[Level], runs: int
) -> tuple[float, float, float, float]:
    """A log-normal interval, the relative error behind it, and scatter over independent stages'.

    The relative error is the larger of that of the replicates and that of independent stages.
    """
    n = len(values)
    spread = statistics.stdev(values) / chance
    theory = math.sqrt(sum((1 - one.share) / (one.share * runs) for one in table))
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


def _plain(
    found: Sequence[Any], table: Sequence[Level], chance: float, error: float
) -> float | None:
    """Events that plain runs would serve for the same relative error.

    A plain run goes through a stage as often as it reaches its level.
    """
    if chance in (0, 1) or error == 0:
        return None
    reaches, each = 1.0, 0.0
    for at, one in enumerate(table):
        served = sum(events[at] for _, events, _, _ in found if len(events) > at)
        each += reaches * served / one.runs
        reaches *= one.share
    return each * (1 - chance) / (chance * error**2)


def _warnings(values: Sequence[float], scatter: float, table: Sequence[Level]) -> list[str]:
    said = []
    if len(values) >= ENOUGH and scatter > TRAPPED:
        said.append(
            f"replicates scatter {scatter:.1f} times as much as independent stages would: the score"
            " may be high where the event is not near; take a score that rises on all ways to the"
            " event, or more runs"
        )
    missed = sum(value == 0 for value in values)
    if missed and missed < len(values):
        said.append(
            f"{missed} of {len(values)} replicates did not see the event: the interval is rough;"
            " take more runs, or more levels"
        )
    if missed == len(values):
        stage = next((one for one in table if one.hits == 0), table[-1])
        where = "the event" if stage.level is None else f"the level {stage.level}"
        said.append(f"no replicate reached {where}: `high` is a bound; take more runs")
    return said


def _example(one: tuple[int, list[tuple[int, int]], int, str]) -> dict[str, Any]:
    seed, steps, at_ps, fingerprint = one
    return {
        "seed": seed,
        "lineage": [{"at_ps": at, "reseed": key, "redraw": True} for at, key in steps],
        "at_ps": at_ps,
        "fingerprint": fingerprint,
    }


def _terms(written: str | Sequence[str], place: str) -> list[tuple[str, str]]:
    listed = [written] if isinstance(written, str) else list(written)
    return [_term(one, place) for one in listed]


def _term(written: Any, place: str) -> tuple[str, str]:
    kind, colon, port = written.partition(":") if isinstance(written, str) else ("", "", "")
    if kind not in TERMS or (kind == "lost") != (colon == "") or (colon and not port):
        raise Refusal(
            f"`{written}` is no counter",
            place=place,
            nearest=nearest(kind, TERMS),
            fix="write waiting:PORT, bytes:PORT or lost",
        )
    return kind, port


def _said(term: tuple[str, str]) -> str:
    kind, port = term
    return f"{kind}:{port}" if port else kind


def _levels(levels: Sequence[int]) -> list[int]:
    read = [arguments.whole(one, "levels", 1, arguments.MOST_SEED) for one in levels]
    if read != sorted({*read}):
        raise Refusal(
            "levels do not rise", place="levels", fix="give each one once, the lowest first"
        )
    return read


def _instant(at: int | str, place: str) -> int:
    read = quantity.picoseconds(at) if isinstance(at, str) else None
    if isinstance(at, str) and (read is None or read < 0):
        raise Refusal(f"`{at}` is not a time", place=place, fix='write "10 s", or picoseconds')
    return arguments.whole(at if read is None else read, place, 0, arguments.MOST_SEED)
