"""A search for options of a part that score better, by the genetic search of hunts.

Each trial passes the stage of 64 paths and, where its score is one of the best so far, the gates: a
variant that breaks one is no candidate. The log has every trial. What wins is then asked on paths
that nobody has seen, beside the part as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from backwater.errors import Refusal
from backwater.evolve.candidate import Candidate
from backwater.evolve.environments import Environment
from backwater.evolve.evaluate import Evaluated, Evaluator
from backwater.search.known import Known
from backwater.search.operators import METHODS
from backwater.search.spaces import Genome, Parts
from backwater.search.trials import Judged
from backwater.verdict.interval import interval

# Members of a generation, and the stage that scores a trial.
SIZE, STAGE = 12, 2
Progress = Callable[[int, int, float], None]


@dataclass(frozen=True)
class Tried:
    """A trial: options, score on the public paths, and why it is none."""

    options: dict[str, Any]
    score: float
    mean: float | None
    why: str | None
    fingerprint: str


@dataclass(frozen=True)
class Compared:
    """A variant and its part on the same sealed paths: means, and their difference."""

    paths: int
    variant: float
    part: float
    difference: float
    low: float | None
    high: float | None


def tune(
    part: str,
    vary: Sequence[str],
    evaluator: Evaluator,
    evals: int,
    seed: int,
    told: Progress | None = None,
) -> list[Tried]:
    """The trials in their order; the first is the part as it is."""
    space = Parts(vary, 0.0)
    if (why := space.unmet()) is not None:
        raise Refusal(why, place="--vary", fix="give an option two values or more")
    log = [_tried({}, part, evaluator, [])]
    known = Known()
    while len(known) + 1 < evals:
        size = min(SIZE, evals - 1)
        genomes = METHODS["ga"](space, seed, len(known) // size, known, size)
        for genome in genomes[: evals - 1 - len(known)]:
            log.append(_tried(_options(space, genome), part, evaluator, log))
            known.add([_judged(genome, log[-1])])
            if told is not None:
                told(len(log), evals, best(log).score)
    return log


def best(log: Sequence[Tried]) -> Tried:
    """The trial with the greatest score that breaks no gate, or the part as it is."""
    good = [one for one in log if one.why is None]
    return max(good, key=lambda one: one.score) if good else log[0]


def compare(
    part: str, found: Tried, evaluator: Evaluator, paths: Sequence[Environment], seconds: float
) -> Compared:
    """The variant beside the part on paths, each on the same ones."""
    both = [
        evaluator.utilities(Candidate(part, {"kind": part, **options}), paths, seconds)
        for options in (found.options, {})
    ]
    apart = interval([a - b for a, b in zip(*both, strict=True)])
    assert apart is not None, "there are paths"
    means = [sum(one) / len(one) for one in both]
    return Compared(len(paths), means[0], means[1], apart.mean, apart.low, apart.high)


def written(log: Sequence[Tried]) -> list[dict[str, Any]]:
    """As JSON."""
    return [asdict(one) for one in log]


def _options(space: Parts, genome: Genome) -> dict[str, Any]:
    pairs = zip(space.fields, genome, strict=True)
    return {name: values[gene] for (name, values), gene in pairs}


def _tried(options: dict[str, Any], part: str, evaluator: Evaluator, log: Sequence[Tried]) -> Tried:
    candidate = Candidate(part, {"kind": part, **options})
    found: Evaluated = evaluator.evaluate(candidate, last=STAGE)
    good = [one.score for one in log if one.why is None]
    # Gates cost runs: they are asked where the answer matters.
    if found.why is None and (not log or not good or found.value > max(good)):
        evaluator.judge_gates(candidate, found)
    mean = found.scores[-1].mean if found.scores else None
    return Tried(options, found.value, mean, found.why, found.fingerprint)


def _judged(genome: Genome, tried: Tried) -> Judged:
    score = tried.score if tried.why is None else None
    return Judged(genome, score, (score,), {}, (tried.fingerprint,), tried.why)
