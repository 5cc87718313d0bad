"""Runs of genomes: a controller and a seed each, without text where the engine can do without."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backwater import _native
from backwater.errors import Refusal, refusing
from backwater.model.scenario import written
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
        # Of the last genome that was no scenario.
        self.refusal: Refusal | None = None
        self._templates: dict[tuple[int, str], _native.Resolved] = {}
        self._reads = []
        for controller in controllers:
            copy = read.copy()
            with refusing():
                for flow in flows if controller is not None else ():
                    path = f"flows.{flow}.controller"
                    copy.set(path, written(controller), f"--target {flow}")
            self._reads.append(copy)
        self._cell = [f"flows.{flow}.{name}" for flow in flows[:1] for name in CELL]
        wanted = [*objective.figures, *self._cell]
        if objective.name == "waste" and space.name == "traffic":
            wanted.append("flows.cross.goodput_bps")
        self.figures = list(dict.fromkeys(wanted))

    @property
    def sides(self) -> int:
        """Runs of a genome and seed: one, or two with a reference."""
        return len(self._reads)

    def judge(self, genomes: Sequence[Genome], seeds: Sequence[int]) -> list[Judged]:
        """Scores of genomes, in their order, whatever the number of threads."""
        settings = {genome: self.space.settings(genome) for genome in dict.fromkeys(genomes)}
        refused = self._refused(settings)
        sound = [genome for genome in genomes if genome not in refused]
        todo = [
            (genome, seed, side) for genome in sound for seed in seeds for side in range(self.sides)
        ]
        table, looks, prints, whys = self._run(settings, todo)
        self.runs += len(todo)
        seen = [
            self._seen(genome, table[row], looks[row], int(prints[row]))
            for row, (genome, _, _) in enumerate(todo)
        ]
        each = len(seeds) * self.sides
        done = {
            genome: self._judged(genome, seen[at * each : (at + 1) * each], whys, at * each)
            for at, genome in enumerate(sound)
        }
        nothing = (None,) * len(seeds)
        for genome, why in refused.items():
            figures = dict.fromkeys(self.figures)
            done[genome] = Judged(genome, None, nothing, figures, (), why.what)
        return [done[genome] for genome in genomes]

    def _run(
        self,
        settings: Mapping[Genome, Sequence[Setting]],
        todo: Sequence[tuple[Genome, int, int]],
    ) -> tuple[Any, Any, Any, dict[int, str]]:
        """Rows of figures, looks, fingerprints, and why runs failed, of all that is to be done."""
        import numpy as np

        bases = [self._template(side, settings[genome]) for genome, _, side in todo]
        rows, looks = np.full((len(todo), len(self.figures)), np.nan), [np.empty(0)] * len(todo)
        prints = [0] * len(todo)
        whys: dict[int, str] = {}
        ours = [at for at, base in enumerate(bases) if not base.hosted]
        if ours:
            found = self._run_ours(
                [bases[at] for at in ours],
                [_patches(settings[todo[at][0]], todo[at][1]) for at in ours],
            )
            rows[ours] = found[0].reshape(len(ours), len(self.figures))
            for place, at in enumerate(ours):
                looks[at], prints[at] = found[1][place], int(found[2][place])
            whys |= {ours[place]: why for place, why in found[4]}
        for side in range(self.sides):
            theirs = [at for at, base in enumerate(bases) if base.hosted and todo[at][2] == side]
            if theirs:
                changes = [(_fields(settings[todo[at][0]]), todo[at][1]) for at in theirs]
                values, marks, failed = self._run_theirs(side, changes)
                rows[theirs] = values
                for place, at in enumerate(theirs):
                    prints[at] = marks[place]
                whys |= {theirs[place]: why for place, why in failed}
        return rows, looks, prints, whys

    def _run_ours(self, bases: list[Any], patches: list[Any]) -> Any:
        every = LOOK_MS * PS_PER_MS if self.objective.looks else None
        if self._elsewhere is None:
            return _native.trials(bases, patches, self.figures, self.workers, every)
        return self._elsewhere(bases, patches, self.figures, every)

    def _run_theirs(self, side: int, changes: list[tuple[dict[str, Any], int]]) -> Any:
        """Runs with a class of the user's, which only documents tell of."""
        from backwater.search import hosted

        if self.objective.looks:
            raise Refusal(
                f"`{self.objective.name}` looks at a run while it lasts, which a class of your own"
                " does not allow",
                place="--objective",
                fix="take waste, gap, utility-gap, delay, starve, deadlock or metric:FIGURE",
            )
        if self._elsewhere is not None:
            what, fix = "a class of your own runs on this machine alone", "leave --dask out"
            raise Refusal(what, place="--dask", fix=fix)
        return hosted.tried(self._reads[side], changes, self.figures, self.workers)

    def _refused(self, settings: Mapping[Genome, Sequence[Setting]]) -> dict[Genome, Refusal]:
        """Genomes that are no scenario, such as a cabling that leaves a host alone."""
        found = {}
        for genome, changes in settings.items():
            try:
                for side in range(self.sides):
                    self._template(side, changes)
            except Refusal as why:
                found[genome] = why
        if found:
            self.refusal = next(iter(found.values()))
        return found

    def _template(self, side: int, settings: Sequence[Setting]) -> _native.Resolved:
        """The scenario with those changes that only text can make; each is read once."""
        fields = {k: v for one in settings if one.patch is None for k, v in one.fields.items()}
        key = (side, json.dumps(fields, sort_keys=True))
        if key not in self._templates:
            if len(self._templates) > 1000:
                self._templates.clear()
            copy = self._reads[side].copy()
            with refusing():
                for path, value in fields.items():
                    copy.set(path, written(value), f"set {path}")
                self._templates[key] = copy.resolve_once(None)
        return self._templates[key]

    def _seen(self, genome: Genome, row: Any, looks: Any, fingerprint: int) -> Seen:
        flows = max(1, len(self.objective.flows))
        grid = looks.reshape(-1, flows, 2) if len(looks) else None
        by_flow = [] if grid is None else list(range(flows))
        return Seen(
            figures=dict(zip(self.figures, (float(x) for x in row), strict=True)),
            delivered=[] if grid is None else [grid[:, f, 0].tolist() for f in by_flow],
            windows=[] if grid is None else [grid[:, f, 1].tolist() for f in by_flow],
            seconds=self.space.seconds(genome),
            chances_ms=self.space.chances_ms(genome) if self.objective.looks else None,
            fingerprint=f"{fingerprint:016x}",
        )

    def _judged(
        self, genome: Genome, seen: Sequence[Seen], whys: Mapping[int, str], first: int
    ) -> Judged:
        why = next((whys[first + i] for i in range(len(seen)) if first + i in whys), None)
        scores: list[float | None] = []
        for at in range(0, len(seen), self.sides):
            other = seen[at + 1] if self.sides > 1 else None
            scores.append(None if why else _finite(self.objective.score(seen[at], other)))
        known = [one for one in scores if one is not None]
        score = statistics.median(known) if len(known) == len(scores) else None
        figures = {name: _finite(seen[0].value(name)) for name in self.figures}
        prints = tuple(one.fingerprint for one in seen[:: self.sides])
        if score is None and why is None:
            why = f"the objective `{self.objective.name}` has no value"
        return Judged(genome, score, tuple(scores), figures, prints, why)


def _patches(settings: Sequence[Setting], seed: int) -> list[tuple[Any, ...]]:
    return [("seed", seed), *(one.patch for one in settings if one.patch is not None)]


def _fields(settings: Sequence[Setting]) -> dict[str, Any]:
    return {path: value for one in settings for path, value in one.fields.items()}


def _finite(value: float | None) -> float | None:
    """A value that has an order and a form in JSON; None for the others."""
    return value if value is not None and math.isfinite(value) else None
