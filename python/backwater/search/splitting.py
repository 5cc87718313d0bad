"""The chance of a rare event by multilevel splitting: a question, its stages, and what they say.

The engine runs the stages (`crates/scenario/src/rare.rs`). Here a question is read, and the
replicates become an estimate (`rare_event`), also those of RESTART (`restarting`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backwater import _native
from backwater.errors import Refusal, nearest, refusing
from backwater.model import arguments, quantity, scenario
from backwater.model.machine import available_cores
from backwater.search import rare_event, restarting
from backwater.search.rare_event import Level, RareEvent

if TYPE_CHECKING:
    from backwater.model.builders import Scenario

TERMS = ("waiting", "bytes", "lost")
# Replicates that scatter so many times as much as independent stages would are worth a warning.
# Copies of one run share what was drawn before, such as the next arrival. That alone makes them
# scatter up to twice as much, and some good scores more than that: it is a hint, and no test.
TRAPPED = 3.0
# From so many replicates on their scatter is known well enough for that.
ENOUGH = 10


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
    restart: int | Sequence[int] | None = None,
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
    Without it a run counts from `after` on. It has failed at `to`, by default the scenario's end.

    `score` rises on the way to the event; left out, it is the event's own sum. Runs that reach one
    of its `levels` are copied with new random streams. A pilot sets levels that about a fifth
    of the runs reach. The estimate has the right mean whatever score and levels are; a bad score
    scatters, which `warnings` tell.

    Stages begin with a fixed number of `runs` each. With `restart` there are no stages (RESTART):
    a run that passes a level goes on as so many runs, and copies end below the level where they
    began. `runs` are the first runs; 4 or 5 at a pilot's levels keeps about as many at each.

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
    effort = {
        "level": whole(level, "level", 1, most),
        "seed": whole(seed, "seed", 0, most),
        "runs": whole(runs, "runs", 10, 1_000_000),
        "replicates": whole(replicates, "replicates", 2, 10000),
    }
    each = None if restart is None else _each(restart)
    found_levels, by_stages, by_restart = _run(
        resolved,
        event=happens,
        score=rises,
        empty=emptied,
        span_ps=span,
        levels=None if levels is None else _levels(levels),
        restart=each,
        workers=arguments.whole_or_none(workers, "workers", 1, 4096) or available_cores(),
        **effort,
    )
    terms = {"event": happens, "score": rises, "empty": emptied}
    at = {"after_ps": span[0], "to_ps": span[1], "levels": found_levels, "restart": each}
    asked = {"scenario": name, **_said_of(overrides, terms), **at, **effort}
    if each is None:
        return _estimate(found_levels, by_stages, effort["runs"], asked)
    each = each * len(found_levels) if len(each) == 1 else each
    return restarting.estimate(found_levels, each, by_restart, effort["runs"], asked)


def _said_of(overrides: Mapping[str, Any], terms: Mapping[str, Any]) -> dict[str, Any]:
    """Overrides and terms as a document has them."""
    said = {key: [_said(term) for term in some] for key, some in terms.items()}
    return {"set": {path: scenario.written(one) for path, one in overrides.items()}, **said}


def _resolved(what: Any, overrides: Mapping[str, Any]) -> tuple[_native.Resolved, str, int]:
    read, name = scenario.read(what)
    with refusing():
        for path, value in overrides.items():
            read.set(path, scenario.written(value), f"set {path}")
        resolved = read.resolve_once(None)
        return resolved, name, _native.World.of(resolved).end_ps


def _run(resolved: _native.Resolved, **asked: Any) -> tuple[list[int], list[Any], list[Any]]:
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
    known = [one for one in table if one.hits]
    told = rare_event.estimated(
        values,
        table,
        math.sqrt(sum((1 - one.share) / (one.share * runs) for one in known)),
        _each_plain(found, table),
        sum(sum(each) + before for _, each, before, _ in found),
        next((one[3] for one in found if one[3] is not None), None),
        asked,
    )
    return replace(told, warnings=tuple(_warnings(values, told.scatter, table)))


def _each_plain(found: Sequence[Any], table: Sequence[Level]) -> float:
    """Events of a plain run, which goes through a stage as often as it reaches its level."""
    reaches, each = 1.0, 0.0
    for at, one in enumerate(table):
        served = sum(events[at] for _, events, _, _ in found if len(events) > at)
        each += reaches * served / max(1, one.runs)
        reaches *= one.share
    return each


def _warnings(values: Sequence[float], scatter: float, table: Sequence[Level]) -> list[str]:
    said = []
    if len(values) >= ENOUGH and scatter > TRAPPED:
        said.append(
            f"replicates scatter {scatter:.1f} times as much as independent stages would: the score"
            " may be high where the event is not near; take a score that rises on all ways to the"
            " event, or more runs"
        )
    return said + rare_event.missed(values, table)


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


def _each(restart: int | Sequence[int]) -> list[int]:
    listed = list(restart) if isinstance(restart, Sequence) else [restart]
    if not listed:
        fix = "give one number for all levels, or one for each"
        raise Refusal("there is no number of runs", place="restart", fix=fix)
    return [arguments.whole(one, "restart", 1, 1000) for one in listed]


def _instant(at: int | str, place: str) -> int:
    read = quantity.picoseconds(at) if isinstance(at, str) else None
    if isinstance(at, str) and (read is None or read < 0):
        raise Refusal(f"`{at}` is not a time", place=place, fix='write "10 s", or picoseconds')
    return arguments.whole(at if read is None else read, place, 0, arguments.MOST_SEED)
