"""Operators that propose genomes: a genetic algorithm, MAP-Elites, and the two searches beside.

Each is a function of the search's seed, the generation and what is known, so that a search that was
interrupted goes on as if it had not been.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backwater.search.corpus import cell
from backwater.search.draws import Draws
from backwater.search.spaces import Genome, Space
from backwater.search.trials import Judged

# Draws of a genome that is new before one is taken that is not.
_TRIES = 50
# ε-greedy: chance of a random genome, size of the elite, chance that a gene moves.
EPSILON, ELITE = 0.3, 10
# Generations after which the best of an island visits the next one.
VISIT = 5

Propose = Callable[[Space, int, int, Sequence[Judged], int], list[Genome]]


def random_search(
    space: Space, seed: int, generation: int, known: Sequence[Judged], size: int
) -> list[Genome]:
    """Genomes that know of nothing."""
    taken = {one.genome for one in known}
    found: list[Genome] = []
    for number in range(size):
        found.append(_new(space, Draws(seed, "random", generation, number), taken, space.draw))
    return found


def greedy_search(
    space: Space, seed: int, generation: int, known: Sequence[Judged], size: int
) -> list[Genome]:
    """A random genome, or a neighbour of one of the best."""
    taken = {one.genome for one in known}
    elite = sorted(known, key=lambda one: one.rank)[:ELITE]

    def make(draws: Draws) -> Genome:
        if not elite or draws.unit() < EPSILON:
            return space.draw(draws)
        return space.mutate(draws.choice(elite).genome, draws)

    return [
        _new(space, Draws(seed, "eps", generation, number), taken, make) for number in range(size)
    ]


def genetic_search(
    space: Space, seed: int, generation: int, known: Sequence[Judged], size: int
) -> list[Genome]:
    """Children of the best of each island, by tournament, crossover and mutation.

    Genome number i of every generation belongs to island i mod islands.
    """
    taken = {one.genome for one in known}
    islands = space.islands if size >= 4 * space.islands else 1
    ranked = [
        sorted(
            (one for place, one in enumerate(known) if place % size % islands == island),
            key=lambda one: one.rank,
        )
        for island in range(islands)
    ]
    pools = [list(members) for members in ranked]
    if islands > 1 and generation % VISIT == 0:
        for island, pool in enumerate(pools):
            pool += ranked[(island + 1) % islands][:1]
            pool.sort(key=lambda one: one.rank)
    found: list[Genome] = []
    for number in range(size):
        best = pools[number % islands][: max(4, size // islands)]

        def make(draws: Draws, pool: Sequence[Judged] = best) -> Genome:
            if not pool:
                return space.draw(draws)
            one, other = _tournament(pool, draws), _tournament(pool, draws)
            return space.mutate(space.cross(one, other, draws), draws)

        found.append(_new(space, Draws(seed, "ga", generation, number), taken, make))
    return found


def elites_search(
    space: Space, seed: int, generation: int, known: Sequence[Judged], size: int
) -> list[Genome]:
    """MAP-Elites: a neighbour of the best of any kind of behaviour, the kind drawn first.

    A kind is a cell of the corpus. The first generation is random.
    """
    taken = {one.genome for one in known}
    best: dict[tuple[int, ...], Judged] = {}
    for one in known:
        if one.score is not None:
            kind = cell(one.figures)
            best[kind] = min(best.get(kind, one), one, key=lambda judged: judged.rank)
    elites = [best[kind].genome for kind in sorted(best)]

    def make(draws: Draws) -> Genome:
        return space.mutate(draws.choice(elites), draws) if elites else space.draw(draws)

    return [
        _new(space, Draws(seed, "map-elites", generation, number), taken, make)
        for number in range(size)
    ]


def _tournament(pool: Sequence[Judged], draws: Draws) -> Genome:
    return min(draws.choice(pool), draws.choice(pool), key=lambda one: one.rank).genome


def _new(space: Space, draws: Draws, taken: set[Genome], make: Callable[[Draws], Genome]) -> Genome:
    for _ in range(_TRIES):
        genome = make(draws)
        if genome not in taken:
            break
    taken.add(genome)
    return genome


METHODS: dict[str, Propose] = {
    "ga": genetic_search,
    "random": random_search,
    "eps": greedy_search,
    "map-elites": elites_search,
}
# These run beside every search.
BESIDE = ("random", "eps")
