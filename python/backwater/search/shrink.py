"""Simplifies what was found: greedy, without chance, until nothing simpler is as bad."""

from __future__ import annotations

from collections.abc import Sequence

from backwater.search.spaces import Genome
from backwater.search.trials import Judged, Trials

# A simpler genome keeps this share of the score, under every seed of the search.
KEPT = 0.9
# Simpler genomes that are tried together.
BATCH = 16
# Runs that shrinking may take.
MOST_RUNS = 2_000


def shrink(trials: Trials, found: Judged, seeds: Sequence[int]) -> tuple[Judged, int]:
    """The simplest genome on the way, and how many genomes were tried."""
    space, best, least = trials.space, found, KEPT * (found.score or 0.0)
    refused: set[Genome] = set()
    tried, first = 0, trials.runs
    while True:
        order = space.order(best.genome)
        simpler = dict.fromkeys(
            genome
            for genome in space.simpler(best.genome)
            if genome not in refused and space.order(genome) < order
        )
        better = None
        todo = list(simpler)
        for at in range(0, len(todo), BATCH):
            if trials.runs - first >= MOST_RUNS:
                return best, tried
            batch = trials.judge(todo[at : at + BATCH], seeds)
            tried += len(batch)
            holds = [one for one in batch if all(s is not None and s >= least for s in one.scores)]
            refused.update(one.genome for one in batch if one not in holds)
            if holds:
                better = min(holds, key=lambda one: (space.order(one.genome), one.genome))
                break
        if better is None:
            return best, tried
        best = better
