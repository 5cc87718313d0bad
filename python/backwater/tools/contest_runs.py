"""The contest: controllers against one another over cellular links, one flow at a time."""

from __future__ import annotations

import itertools
import json
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import Refusal, from_native
from backwater.model import arguments, controller_file, trace_file
from backwater.model import workers as processes
from backwater.model.invariants import broken
from backwater.model.machine import available_cores
from backwater.model.tables import tables
from backwater.tools import matching_stamp

# A flow that always has data.
SATURATED = {"kind": "bulk"}
# The default traces: the contest's own, and a pair that it did not have.
TRACES = (
    ("Verizon-LTE-short.up", "Verizon-LTE-short.down"),
    ("ATT-LTE-driving-2016.up", "ATT-LTE-driving-2016.down"),
)
# Models of the four files, by `backwater trace fit`, for where the files are absent.
MODELS: dict[str, dict[str, Any]] = {
    "model-up": {
        "kind": "cox",
        "peak": "12 Mbit/s",
        "volatility": "3.33 Mbit/s",
        "reversion": 0.14,
        "sticky": "5.76 %",
        "outage": "525 ms",
        "burst": 1.22,
    },
    "model-down": {
        "kind": "cox",
        "peak": "10 Mbit/s",
        "volatility": "2.22 Mbit/s",
        "reversion": 0,
        "sticky": "2.67 %",
        "outage": "546 ms",
        "burst": 1.61,
    },
    "driving-model-up": {
        "kind": "cox",
        "peak": "4.29 Mbit/s",
        "volatility": "3.15 Mbit/s",
        "reversion": 0,
        "sticky": "5.8 %",
        "outage": "963 ms",
        "burst": 1.72,
    },
    "driving-model-down": {
        "kind": "cox",
        "peak": "9.84 Mbit/s",
        "volatility": "2.87 Mbit/s",
        "reversion": 0,
        "sticky": "35.2 %",
        "outage": "158 ms",
        "burst": 2.02,
    },
}
# The recording that each is a model of.
MODEL_OF = dict(zip(MODELS, itertools.chain(*TRACES), strict=True))
HELD_OUT = ("driving-model-up", "driving-model-down")
# Silence after which a sender sends one packet, for every entrant that of the contest's own sender:
# who asks sooner after an outage wins by that alone.
SILENCE = "1 s"
DELAY = "20 ms"
# How much later all leaves in a second run, to show what the scheduling of a live one would move.
SHIFT = "0.5 ms"


@dataclass(frozen=True)
class Direction:
    """A direction: the trace that data take, and the one that acknowledgements take."""

    name: str
    data: str
    acks: str
    held_out: bool


@dataclass(frozen=True)
class Entry:
    """One run of a controller."""

    controller: str
    direction: Direction
    seed: int
    metrics: Mapping[str, float | None]
    # Of the same run where all leaves half a millisecond later; only for the first seed.
    shifted: Mapping[str, float | None] | None = None

    @property
    def score(self) -> float | None:
        """Ln of what the link carried in Mbit/s over the age in ms."""
        return score_of(self.metrics)

    @property
    def moved(self) -> float | None:
        """By how much half a millisecond of scheduling moves the score."""
        here, there = self.score, score_of(self.shifted or {})
        return None if here is None or there is None else abs(here - there)


def score_of(metrics: Mapping[str, float | None]) -> float | None:
    """The score that ranks; none where nothing arrived.

    The score of 2013 divides what arrived by the time at which the newest packet was made. A queue
    of a minute makes that less than the run took, and the throughput more than the link's.
    """
    throughput, age = metrics.get("link_throughput_bps"), metrics.get("age_p95_s")
    if not throughput or not age:
        return None
    return math.log(throughput / 1e6 / (age * 1e3))


@dataclass(frozen=True)
class Standing:
    """A controller over the directions of one kind: means over runs."""

    controller: str
    score: float | None
    throughput_bps: float | None
    utilisation: float | None
    delay_s: float | None
    # The score and the throughput of 2013.
    score_2013: float | None
    throughput_2013_bps: float | None
    power: float | None
    # The most that half a millisecond of scheduling moved the score of a run.
    moved: float | None
    runs: int
    failed: int


def said_of(direction: Direction) -> str:
    """The name of a direction for people: the recording, or the one whose model it is."""
    recording = MODEL_OF.get(direction.data)
    return direction.name if recording is None else f"model of {recording}"


def traces_said(entries: Iterable[Entry], held_out: bool) -> str:
    """Over which traces the standings of a kind are, both directions of a pair under one name."""
    mine = (said_of(e.direction) for e in entries if e.direction.held_out is held_out)
    names = dict.fromkeys(one.removesuffix(".up").removesuffix(".down") for one in mine)
    return f"{'held-out' if held_out else 'known'} traces: {', '.join(names)}"


def controllers() -> list[str]:
    """The ids of the controllers without required options that need no driver."""
    rows = [row for row in tables()["controllers"] if not row.get("driven")]
    return [row["id"] for row in rows if not any(o["required"] for o in row["options"])]


def entrants() -> list[str]:
    """Those that can take part: a sender whose stamp needs a capacity has none over a trace."""
    return [name for name in controllers() if not matching_stamp.needs_capacity(name)]


def directions(
    pairs: Sequence[tuple[str, str]], held_out: Sequence[tuple[str, str]]
) -> list[Direction]:
    """Both directions of every pair (up, down)."""
    found = []
    for kind, some in ((False, pairs), (True, held_out)):
        for up, down in some:
            found.append(Direction(Path(down).name, down, up, kind))
            found.append(Direction(Path(up).name, up, down, kind))
    return found


def default_directions() -> list[Direction]:
    """The contest's traces, and one pair held out; models in place of what is absent."""
    known, unknown = TRACES
    if all(trace_file.present(name) for name in known):
        return directions([known], [unknown if all(map(trace_file.present, unknown)) else HELD_OUT])
    return directions([("model-up", "model-down")], [HELD_OUT])


def scenario(
    controller: str, direction: Direction, duration_s: float, late: str | None = None
) -> dict[str, Any]:
    """A flow of datagrams over a link that behaves as cellsim's, as in the 2013 contest.

    The controller is the id of one, or a file's; that of explicit feedback has its stamp.
    `late` is how much too late its sender wakes up: all that it sends leaves so much later.
    """
    kind = (
        controller_file.table(controller)
        if controller_file.is_file(controller)
        else {"kind": controller}
    )

    def link(here: str, there: str, trace: str) -> dict[str, Any]:
        return {
            "from": here,
            "to": there,
            "kind": "trace",
            # A recorded trace that is shorter than the run begins again.
            "trace": MODELS.get(trace, trace),
            "emulator": "cellsim-2013",
            "delay": DELAY,
            "queue": {"kind": "infinite"},
        }

    flow = {
        "from": "S",
        "to": "R",
        "transport": "datagram",
        "frame": "1514 B",
        "silence": SILENCE,
        "controller": kind,
        "source": SATURATED,
    }
    data = link("S", "R", direction.data)
    if late is not None:
        # A clock of milliseconds would hide it.
        data |= {"boxes": [{"kind": "delay", "delay": late}], "clock": "exact"}
    stamp = matching_stamp.on_trace(controller)
    return {
        "schema": "backwater/scenario/1",
        "duration": f"{duration_s} s",
        **({} if stamp is None else {"ports": {"S>R": {"stamp": stamp}}}),
        "nodes": {"S": {"kind": "host"}, "R": {"kind": "host"}},
        "links": {"data": data, "acks": link("R", "S", direction.acks)},
        "flows": {"f": flow},
    }


@dataclass
class Contest:
    """The runs of a contest and its standings."""

    entries: list[Entry]
    # Runs that failed, for example because a class raised an exception.
    failures: list[str]
    # Runs whose numbers are not valid.
    broken: list[str]
    cpu_s: float = 0.0

    def standings(self, held_out: bool) -> list[Standing]:
        """Controllers over the directions that are held out, or over the others, the best first."""
        names = dict.fromkeys(entry.controller for entry in self.entries)
        found = [self._standing(name, held_out) for name in names]
        ranked = [one for one in found if one.runs]
        return sorted(ranked, key=lambda one: -math.inf if one.score is None else one.score)[::-1]

    def _standing(self, name: str, held_out: bool) -> Standing:
        mine = [
            e for e in self.entries if e.controller == name and e.direction.held_out is held_out
        ]

        def mean(values: Iterable[float | None]) -> float | None:
            known = [value for value in values if value is not None]
            return statistics.fmean(known) if known and len(known) == len(mine) else None

        def of(metric: str) -> float | None:
            return mean(entry.metrics.get(metric) for entry in mine)

        return Standing(
            controller=name,
            score=mean(entry.score for entry in mine),
            throughput_bps=of("link_throughput_bps"),
            utilisation=of("utilisation"),
            delay_s=of("age_p95_s"),
            score_2013=of("score_ln"),
            throughput_2013_bps=of("cell_throughput_bps"),
            power=of("power"),
            moved=max((e.moved for e in mine if e.moved is not None), default=None),
            runs=len(mine),
            failed=sum(entry.score is None for entry in mine),
        )


def _said(refusal: Refusal, controller: str, direction: Direction, duration_s: float) -> Refusal:
    """A refusal of a run's scenario, which nobody wrote, with what the person asked for."""
    return Refusal(
        refusal.what,
        place=f"contest of {controller} over {said_of(direction)}, {duration_s:g} s",
        nearest=refusal.nearest,
        fix=refusal.fix,
    )


def places(standings: Sequence[Standing]) -> dict[str, int]:
    """The place of each controller, from 1."""
    return {one.controller: place for place, one in enumerate(standings, 1)}


def pareto(standings: Sequence[Standing]) -> set[str]:
    """The Pareto frontier: no other is better in both throughput and delay."""
    points = {
        one.controller: (one.throughput_bps, -one.delay_s)
        for one in standings
        if one.throughput_bps is not None and one.delay_s is not None
    }

    def beaten(mine: tuple[float, float]) -> bool:
        others = (point for point in points.values() if point != mine)
        return any(other[0] >= mine[0] and other[1] >= mine[1] for other in others)

    return {name for name, point in points.items() if not beaten(point)}


def run(
    names: Sequence[str],
    some: Sequence[Direction],
    seeds: Sequence[int],
    duration_s: float,
    workers: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    *,
    max_wall_s: float | None = None,
    max_memory: str | None = None,
) -> Contest:
    """Every controller over every direction under every seed; the budget is that of each run."""
    plan: list[tuple[str, Direction, int, str | None]] = []
    resolved: list[_native.Resolved] = []
    workers = arguments.whole_or_none(workers, "workers", 1, arguments.MOST_WORKERS)
    arguments.cases(len(names) * len(some), len(seeds), None)
    for name, direction, late in itertools.product(names, some, (None, SHIFT)):
        text = json.dumps(scenario(name, direction, duration_s, late))
        try:
            read = _native.Scenario.from_json(text, f"contest of {name}", None)
            for seed in seeds if late is None else seeds[:1]:
                one = read.resolve(seed)
                processes.check(one)
                plan.append((name, direction, seed, late))
                resolved.append(one)
        except _native.ScenarioError as error:
            raise _said(from_native(error), name, direction, duration_s) from error
    if not plan:
        raise Refusal("the contest has no run", fix="name a controller and a trace")
    contest = Contest([], [], [])
    found: dict[int, Mapping[str, float | None]] = {}

    def commit(index: int, document: str | None, error: str | None) -> None:
        name, direction, seed, late = plan[index]
        which = f"{name} over {said_of(direction)}, seed {seed}"
        found[index] = {}
        if late is not None:
            which += f", {late} late"
        if document is None:
            contest.failures.append(f"{which}: {error}")
        else:
            parsed = json.loads(document)
            found[index] = parsed["metrics"]
            contest.cpu_s += parsed["cost"]["cpu_s"]
            if wrong := broken(parsed):
                contest.broken.append(f"{which}: {wrong}")
        progress(len(found), len(plan))

    progress(0, len(plan))
    processes.run_batch(
        resolved,
        workers or available_cores(),
        commit,
        max_wall_s=max_wall_s,
        max_memory=max_memory,
    )
    later = {plan[index][:3]: found[index] for index in found if plan[index][3]}
    contest.entries = [
        Entry(*plan[index][:3], found[index], later.get(plan[index][:3]))
        for index in sorted(found)
        if plan[index][3] is None
    ]
    return contest
