"""Runs of genomes: a controller and a seed each, without text where the engine can do without."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from backwater import _native
from backwater.errors import Refusal, refusing
from backwater.model.scenario import written
from backwater.search import causes
from backwater.search.objectives import LOOK_MS, Objective, Seen
from backwater.search.settings import PS_PER_MS, Setting
from backwater.search.spaces import Genome, Space

# Figures that place an entry in the corpus, besides those of the objective.
CELL = ("rtt_p95_s", "rtt_min_s", "window_falls_to_least", "retransmitted_pkts")


@dataclass(frozen=True)
class Judged:
    """A genome with its score: the median over seeds, each seed's score, and what stands behind."""

    genome: Genome
    score: float | None
    scores: tuple[float | None, ...]
    figures: dict[str, float | None]
    fingerprints: tuple[str, ...]
    why: str | None = None

    @property
    def failed(self) -> bool:
        """Whether no run of it came to its end."""
        return self.why is not None and not any(int(one, 16) for one in self.fingerprints)

    @property
    def rank(self) -> tuple[float, Genome]:
        """Best first, when sorted; ties by genome."""
        return (-(self.score if self.score is not None else -float("inf")), self.genome)


# A run's figures, what was seen at its looks, and its fingerprint.
_Run = tuple[Sequence[float], Any, int]


@dataclass(frozen=True)
class Begun:
    """Runs of genomes that have begun."""

    runs: int
    # Of the first genome that is no scenario.
    refusal: Refusal | None
    # Waits for them, once.
    judged: Callable[[], list[Judged]]


class Trials:
    """Evaluates genomes of a space on a scene with one controller or two."""

    def __init__(
        self,
        read: _native.Scenario,
        space: Space,
        objective: Objective,
        controllers: Sequence[Mapping[str, Any] | None],
        flows: Sequence[str],
        workers: int,
        elsewhere: Callable[..., Any] | None = None,
    ) -> None:
        """`elsewhere` runs trials in place of the threads here, as `model.cluster.Trials` does."""
        self.space, self.objective, self.workers = space, objective, workers
        self._elsewhere = elsewhere
        self.runs = 0
        self._threads: _native.Trials | None = None
        self._templates: dict[tuple[int, str], _native.Resolved] = {}
        self._reads = []
        for controller in controllers:
            copy = read.copy()
            with refusing():
                for flow in flows if controller is not None else ():
                    path = f"flows.{flow}.controller"
                    copy.set(path, written(controller), f"--target {flow}")
            self._reads.append(copy)
        if objective.victim is not None:
            self._reads.append(_without(self._reads[0], objective.flows[0]))
        self._cell = [f"flows.{flow}.{name}" for flow in flows[:1] for name in CELL]
        wanted = [*objective.figures, *self._cell]
        if objective.name == "waste" and space.name == "traffic":
            wanted.append("flows.cross.goodput_bps")
        self.figures = list(dict.fromkeys(wanted))

    @property
    def sides(self) -> int:
        """Runs of a genome and seed: one, or two with a reference."""
        return len(self._reads)

    @property
    def ahead(self) -> int:
        """Batches that run at once, so that no thread waits between one and the next."""
        return 2 if self.workers > 1 and self._elsewhere is None else 1

    def judge(self, genomes: Sequence[Genome], seeds: Sequence[int]) -> list[Judged]:
        """Scores of genomes, in their order, whatever the number of threads."""
        return self.begin(genomes, seeds).judged()

    def begin(self, genomes: Sequence[Genome], seeds: Sequence[int]) -> Begun:
        """Begins the runs of genomes, behind those that were begun before."""
        settings = {genome: self.space.settings(genome) for genome in dict.fromkeys(genomes)}
        templates, refused = self._read(settings)
        sound = [genome for genome in genomes if genome not in refused]
        todo = [
            (genome, seed, side) for genome in sound for seed in seeds for side in range(self.sides)
        ]
        ran = self._begin(settings, templates, todo)
        self.runs += len(todo)

        def judged() -> list[Judged]:
            runs, whys = ran()
            each = len(seeds) * self.sides
            done = {
                genome: self._judged(genome, runs[at : at + each], _first(whys, at, each))
                for at, genome in zip(range(0, len(runs), each), sound, strict=True)
            }
            for genome, why in refused.items():
                figures = dict.fromkeys(self.figures)
                done[genome] = Judged(genome, None, (None,) * len(seeds), figures, (), why.what)
            return [done[genome] for genome in genomes]

        return Begun(len(todo), next(iter(refused.values()), None), judged)

    def _begin(
        self,
        settings: Mapping[Genome, Sequence[Setting]],
        templates: Mapping[Genome, Sequence[_native.Resolved]],
        todo: Sequence[tuple[Genome, int, int]],
    ) -> Callable[[], tuple[list[_Run], dict[int, str]]]:
        """Begins all that is to be done. The function gives the runs, and why some failed."""
        bases = [templates[genome][side] for genome, _, side in todo]
        ours = [at for at, base in enumerate(bases) if not base.hosted]
        patches = [_patches(settings[todo[at][0]], todo[at][1]) for at in ours]
        found = self._begin_ours([bases[at] for at in ours], patches)

        def ran() -> tuple[list[_Run], dict[int, str]]:
            rows, looks, prints, _, failed = found()
            runs = dict(zip(ours, zip(rows, looks, prints, strict=True), strict=True))
            whys = {ours[place]: why for place, why in failed}
            for side in range(self.sides if len(ours) < len(todo) else 0):
                theirs = [at for at, one in enumerate(bases) if one.hosted and todo[at][2] == side]
                changes = [(_fields(settings[todo[at][0]]), todo[at][1]) for at in theirs]
                *columns, failed = self._run_theirs(side, changes)
                runs |= zip(theirs, zip(*columns, strict=True), strict=True)
                whys |= {theirs[place]: why for place, why in failed}
            return [runs[at] for at in range(len(todo))], whys

        return ran

    @property
    def _looks(self) -> tuple[int, list[str]] | None:
        """How often a run is looked at, and at which flows."""
        goal = self.objective
        return (LOOK_MS * PS_PER_MS, list(goal.flows)) if goal.looks else None

    def _begin_ours(self, bases: list[Any], patches: list[Any]) -> Callable[[], Any]:
        if not bases:
            return lambda: ([], [], [], [], [])
        if self._elsewhere is not None:
            return partial(self._elsewhere, bases, patches, self.figures, self._looks)
        if self._threads is None:
            self._threads = _native.Trials(self.workers)
        return self._threads.begin(bases, patches, self.figures, self._looks).found

    def _run_theirs(self, side: int, changes: list[tuple[dict[str, Any], int]]) -> Any:
        """Runs with a class of the user's."""
        from backwater.search import hosted

        if self._elsewhere is not None:
            what, fix = "a class of your own runs on this machine alone", "leave --dask out"
            raise Refusal(what, place="--dask", fix=fix)
        read = self._reads[side]
        return hosted.tried(read, changes, self.figures, self._looks, self.workers)

    def _read(
        self, settings: Mapping[Genome, Sequence[Setting]]
    ) -> tuple[dict[Genome, list[_native.Resolved]], dict[Genome, Refusal]]:
        """The scenarios of genomes, and those that are none: a cabling may leave a host alone."""
        found, refused = {}, {}
        for genome, changes in settings.items():
            try:
                found[genome] = [self._template(side, changes) for side in range(self.sides)]
            except Refusal as why:
                refused[genome] = why
        return found, refused

    def _template(self, side: int, settings: Sequence[Setting]) -> _native.Resolved:
        """The scenario with those changes that only text can make; each is read once."""
        fields = {k: v for one in settings if one.patch is None for k, v in one.fields.items()}
        key = (side, json.dumps(fields, sort_keys=True) if fields else "")
        if key not in self._templates:
            if len(self._templates) > 1000:
                self._templates.clear()
            copy = self._reads[side].copy()
            with refusing():
                for path, value in fields.items():
                    copy.set(path, written(value), f"set {path}")
                self._templates[key] = copy.resolve_once(None)
        return self._templates[key]

    def _seen(self, genome: Genome, run: _Run) -> Seen:
        row, looks, fingerprint = run
        flows, goal = len(self.objective.flows), self.objective
        delivered, windows, chances = [], [], None
        if goal.looks:
            chances = self.space.chances_ms(genome)
            grid = _grid(looks, flows)
            delivered, windows = ([grid[:, f, k].tolist() for f in range(flows)] for k in (0, 1))
        return Seen(
            figures=dict(zip(self.figures, row, strict=True)),
            delivered=delivered,
            windows=windows,
            seconds=self.space.seconds(genome),
            chances_ms=None if chances is None else chances.array(),
            fingerprint=f"{fingerprint:016x}",
            flow=goal.flows[0] if flows else "",
        )

    def _judged(self, genome: Genome, runs: Sequence[_Run], why: str | None) -> Judged:
        seen = [self._seen(genome, run) for run in runs]
        scores: list[float | None] = []
        for at in range(0, len(seen), self.sides):
            other = seen[at + 1] if self.sides > 1 else None
            scores.append(None if why else _finite(self.objective.score(seen[at], other)))
        known = [one for one in scores if one is not None]
        score = statistics.median(known) if len(known) == len(scores) else None
        figures = {name: _finite(value) for name, value in seen[0].figures.items()}
        prints = tuple(one.fingerprint for one in seen[:: self.sides])
        if score is None and why is None:
            why = f"the objective `{self.objective.name}` has no value"
        return Judged(genome, score, tuple(scores), figures, prints, why)


def _grid(looks: Any, flows: int) -> Any:
    import numpy as np

    return np.asarray(looks).reshape(-1, flows, 2)


def _first(whys: Mapping[int, str], begin: int, count: int) -> str | None:
    """Why the first of some runs failed that did."""
    numbers = range(begin, begin + count) if whys else ()
    return next((whys[number] for number in numbers if number in whys), None)


def _without(read: _native.Scenario, flow: str) -> _native.Scenario:
    """The same in which a flow never begins."""
    copy = read.copy()
    with refusing():
        end_s = json.loads(copy.resolve_once(None).canonical)["duration_s"]
        for path, value in causes.never(flow, end_s).items():
            copy.set(path, written(value), f"without {flow}")
    return copy


def _patches(settings: Sequence[Setting], seed: int) -> list[tuple[Any, ...]]:
    return [("seed", seed), *(one.patch for one in settings if one.patch is not None)]


def _fields(settings: Sequence[Setting]) -> dict[str, Any]:
    return {path: value for one in settings for path, value in one.fields.items()}


def _finite(value: float | None) -> float | None:
    """A value that has an order and a form in JSON; None for the others."""
    return value if value is not None and math.isfinite(value) else None
