"""Stage 4: a search for a path on which a candidate gets far less than a reference.

A genome is a path of two steps of rate, loss and delay, as `backwater hunt --space steps` has it.
Its score is (reference - candidate) / the greater of both goodputs. The paths run as documents, so
that a class is searched like a part of the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backwater.evolve.scoring import total
from backwater.model.builders import Controller
from backwater.search import settings
from backwater.search.known import Known
from backwater.search.operators import METHODS
from backwater.search.spaces import Genome, Steps
from backwater.search.trials import Judged

# Runs of the candidate, and members of a generation.
EVALS, SIZE = 2_000, 40
# The share of the reference's goodput that a candidate keeps at least, wherever that is sent.
KEEPS = 0.1
REFERENCE = Controller.cubic().table()
SEED = 1

Run = Callable[[Sequence[Any]], tuple[list[Any], list[str]]]


@dataclass(frozen=True)
class Attacked:
    """The worst path that was found."""

    says: str
    gap: float
    candidate_bps: float
    reference_bps: float
    evals: int
    # The sum of those of both runs.
    fingerprint: str

    @property
    def passed(self) -> bool:
        """Whether the candidate keeps its share even there."""
        return self.gap <= 1.0 - KEEPS


def attack(controller: Mapping[str, Any], run: Run, evals: int = EVALS) -> Attacked | None:
    """Searches with so many runs of the candidate. None where no path has a score."""
    space = Steps(2)
    known = Known()
    size = min(SIZE, evals)
    while len(known) < evals:
        genomes = METHODS["ga"](space, SEED, len(known) // size, known, size)
        known.add(_judged(space, genomes[: evals - len(known)], controller, run))
    scored = sorted((one for one in known if one.score is not None), key=lambda one: one.rank)
    if not scored:
        return None
    worst = scored[0]
    return Attacked(
        space.describe(worst.genome),
        float(worst.score or 0.0),
        float(worst.figures["candidate_bps"] or 0.0),
        float(worst.figures["reference_bps"] or 0.0),
        len(known),
        worst.fingerprints[0],
    )


def _judged(
    space: Steps, genomes: Sequence[Genome], controller: Mapping[str, Any], run: Run
) -> list[Judged]:
    """Scores of genomes in their order. A run of the candidate that fails gets nothing."""
    scenes = [
        scene(space, genome, table) for genome in genomes for table in (controller, REFERENCE)
    ]
    documents, _ = run(scenes)
    found = []
    for at, genome in enumerate(genomes):
        mine, theirs = (_goodput(document) for document in documents[2 * at : 2 * at + 2])
        most = max(mine, theirs)
        gap = (theirs - mine) / most if most else None
        figures: dict[str, float | None] = {"candidate_bps": mine, "reference_bps": theirs}
        prints = (total(documents[2 * at : 2 * at + 2]),)
        found.append(Judged(genome, gap, (gap,), figures, prints))
    return found


def scene(space: Steps, genome: Genome, controller: Mapping[str, Any]) -> dict[str, Any]:
    """A controller on the path of a genome."""
    made = settings.applied(space.scene(), space.settings(genome))
    made["flows"]["f"]["controller"] = dict(controller)
    return made


def _goodput(document: Any) -> float:
    return float(document["flows"][0]["goodput_bps"] or 0.0) if document is not None else 0.0
