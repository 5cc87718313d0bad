"""A search from its request to its finding."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backwater.errors import Refusal, Unfinished
from backwater.search import archive as files
from backwater.search.archive import Archive
from backwater.search.draws import Draws
from backwater.search.operators import BESIDE
from backwater.search.optimisers import OPTIMISERS
from backwater.search.request import HuntRequest
from backwater.search.rounds import Method, Progress, search
from backwater.search.shrink import shrink
from backwater.search.trials import Begun, Judged, Trials

SEEDS = (1, 2, 3)
FRESH = tuple(range(101, 117))
# A score holds if what is likely at least is this share of what was found.
HELD = 0.8
# How many of the best of each method are scored again.
BEST = 3


@dataclass
class Found:
    """The result of a search."""

    request: HuntRequest
    archive: Path
    # Runs of one controller and one seed, all told; of them those of this call.
    runs: int
    fresh_runs: int
    wall_s: float
    deterministic: bool
    # The best score of each method, and how many generations it had.
    methods: dict[str, tuple[float | None, int]]
    best: Judged | None
    best_method: str | None
    held: dict[str, Any] | None
    shrunk: Judged | None
    shrunk_held: dict[str, Any] | None
    dropped: int = 0
    failures: list[str] = field(default_factory=list)


def hunt(
    request: HuntRequest,
    trials: Trials,
    folder: Path,
    progress: Progress | None = None,
    until_s: float | None = None,
) -> Found:
    """Searches, or goes on where a search was interrupted."""
    if (why := request.space.unmet()) is not None:
        raise Refusal(why, place="--space", fix="widen the space or its constraints")
    if request.corpus and request.search in OPTIMISERS:
        what = f"`{request.search}` begins with points of its own, not with a corpus"
        raise Refusal(what, place="--corpus", fix="leave it out, or search with ga or map-elites")
    began, archive = time.monotonic(), Archive(folder, request.written())
    seeds = _seeds(archive, trials, request)
    wanted = _wanted(request.search)
    searched = [Method(name, request, archive, len(seeds) * trials.sides) for name in wanted]
    until = None if until_s is None else began + until_s
    search(searched, trials, seeds, progress, until)
    known = {one.name: one.known for one in searched if len(one.known)}
    if not any(one.score is not None for members in known.values() for one in members):
        why = next((m.why for members in known.values() for m in members if m.why), None)
        what = f"no run has a score: {why}" if why else "no run has a score"
        fails = any(one.fails for one in searched)
        fix = "correct the target" if fails else "choose another objective or space"
        raise Unfinished(what, place=request.what if fails else request.objective, fix=fix)
    best, winner, held, dropped = _rescored(known, trials, archive)
    shrunk, again = None, None
    if request.shrink and best is not None:
        shrunk, again = _shrunk(best, trials, archive, seeds)
    failures = [m.why for members in known.values() for m in members if m.why]
    return Found(
        request=request,
        archive=archive.path,
        runs=sum(line["runs"] for line in archive.lines if "runs" in line),
        fresh_runs=trials.runs,
        wall_s=time.monotonic() - began,
        deterministic=len(seeds) == 1,
        methods={one.name: (one.known.top(), one.ended) for one in searched if one.name in known},
        best=best,
        best_method=winner,
        held=held,
        shrunk=shrunk,
        shrunk_held=again,
        dropped=dropped,
        failures=list(dict.fromkeys(failures)),
    )


def _wanted(search: str) -> list[str]:
    """The search that is asked for, and those beside it; genetic search beside a baseline."""
    others = ("ga", *BESIDE) if search in BESIDE else BESIDE
    return [search, *(method for method in others if method != search)]


def _seeds(archive: Archive, trials: Trials, request: HuntRequest) -> tuple[int, ...]:
    """One seed where none makes a difference, which some genomes show."""
    for line in archive.of("seeds"):
        return tuple(line["seeds"])
    genomes = [request.space.draw(Draws(request.seed, "seeds", n)) for n in range(3)]
    before = trials.runs
    judged = [one for one in trials.judge(genomes, SEEDS[:2]) if one.fingerprints]
    alike = all(len(set(one.fingerprints)) == 1 and not one.why for one in judged)
    alike = alike and bool(judged)
    # The reference may draw where the target does not.
    alike = alike and all(len(set(one.scores)) == 1 for one in judged)
    seeds = SEEDS[:1] if alike else SEEDS
    runs = trials.runs - before
    archive.append({"what": "seeds", "seeds": list(seeds), "runs": runs})
    return seeds


def _rescored(
    known: Mapping[str, Iterable[Judged]], trials: Trials, archive: Archive
) -> tuple[Judged | None, str | None, dict[str, Any] | None, int]:
    """The best that holds on fresh seeds, of the best of each method."""
    done = {line["method"] for line in archive.of("rescored")}
    running: list[tuple[str, list[Judged], Begun]] = []
    for method in (method for method in known if method not in done):
        scored = [one for one in known[method] if one.score is not None]
        best = sorted(scored, key=lambda one: one.rank)[:BEST]
        running.append((method, best, trials.begin([one.genome for one in best], FRESH)))
    for method, best, begun in running:
        rows = [
            {"genome": files.shown(one.genome), "score": one.score, **interval(again, one.score)}
            for one, again in zip(best, begun.judged(), strict=True)
        ]
        runs = len(best) * len(FRESH) * trials.sides
        archive.append({"what": "rescored", "method": method, "rows": rows, "runs": runs})
    lines = list(archive.of("rescored"))
    found = [(line["method"], row) for line in lines for row in line["rows"]]
    holding = [(method, row) for method, row in found if row["holds"]]
    if not holding:
        return None, None, None, len(found)
    genome_of = trials.space.genome
    method, row = max(
        holding, key=lambda one: (one[1]["mean"], [-x for x in genome_of(one[1]["genome"])])
    )
    genome = genome_of(row["genome"])
    member = next(one for one in known[method] if one.genome == genome)
    return member, method, row, len(found) - len(holding)


def interval(again: Judged, found: float | None) -> dict[str, Any]:
    """Mean over fresh seeds, what is likely at least, and whether that is near what was found."""
    scores = [one for one in again.scores if one is not None]
    if len(scores) < len(again.scores):
        return {"mean": None, "least": None, "sd": None, "holds": False, "deterministic": False}
    mean, deviation = statistics.fmean(scores), statistics.stdev(scores)
    alike = len(set(again.fingerprints)) == 1
    least = mean - 2 * deviation / math.sqrt(len(scores))
    return {
        "mean": mean,
        "sd": deviation,
        "least": least,
        # Where the score is 0 nothing was found.
        "holds": found is not None and found > 0 and least >= HELD * found,
        "deterministic": alike,
    }


def _shrunk(
    best: Judged, trials: Trials, archive: Archive, seeds: Sequence[int]
) -> tuple[Judged, dict[str, Any]]:
    lines = list(archive.of("shrunk"))
    if not lines:
        before = trials.runs
        simple, tried = shrink(trials, best, seeds)
        again = interval(trials.judge([simple.genome], FRESH)[0], simple.score)
        if not again["holds"]:
            simple, again = best, interval(trials.judge([best.genome], FRESH)[0], best.score)
        runs = trials.runs - before
        line = {"what": "shrunk", "member": files.written(simple), "tried": tried, "runs": runs}
        archive.append(line | {"rescored": again})
        lines = list(archive.of("shrunk"))
    return files.read(lines[0]["member"], trials.space), lines[0]["rescored"]
