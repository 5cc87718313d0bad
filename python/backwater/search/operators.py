"""Operators that propose genomes: a genetic algorithm, MAP-Elites, and the two searches beside.

Each is a function of the search's seed, the generation and what is known, so that a search that was
interrupted goes on as if it had not been.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backwater.search.corpus import cell
from backwater.search.draws import Draws
from backwater.search.known import Known
from backwater.search.spaces import Genome, Space
from backwater.search.trials import Judged

# Draws of a genome that is new before one is taken that is not.
_TRIES = 50
# ε-greedy: chance of a random genome, size of the elite, chance that a gene moves.
EPSILON, ELITE = 0.3, 10
# Generations after which the best of an island visits the next one.
VISIT = 5

Propose = Callable[[Space, int, int, Known, int], list[Genome]]


def random_search(
    space: Space, seed: int, generation: int, known: Known, size: int
) -> list[Genome]:
    """Genomes that know of nothing."""
    return _news(("random", seed, generation), known, size, lambda draws, _: space.draw(draws))


def greedy_search(
    space: Space, seed: int, generation: int, known: Known, size: int
) -> list[Genome]:
    """A random genome, or a neighbour of one of the best."""
    (elite,) = known.best(ELITE)

    def make(draws: Draws, _: int) -> Genome:
        if not elite or draws.unit() < EPSILON:
            return space.draw(draws)
        return space.mutate(draws.choice(elite).genome, draws)

    return _news(("eps", seed, generation), known, size, make)


def genetic_search(
    space: Space, seed: int, generation: int, known: Known, size: int
) -> list[Genome]:
    """Children of the best of each island, by tournament, crossover and mutation.

    Genome number i of every generation belongs to island i mod islands.
    """
    islands = space.islands if size >= 4 * space.islands else 1
    count = max(4, size // islands)
    pools = known.best(count, size, islands)
    if islands > 1 and generation % VISIT == 0:
        visited = [[*pool, *pools[(at + 1) % islands][:1]] for at, pool in enumerate(pools)]
        pools = [sorted(pool, key=lambda one: one.rank)[:count] for pool in visited]

    def make(draws: Draws, number: int) -> Genome:
        pool = pools[number % islands]
        if not pool:
            return space.draw(draws)
        one, other = _tournament(pool, draws), _tournament(pool, draws)
        return space.mutate(space.cross(one, other, draws), draws)

    return _news(("ga", seed, generation), known, size, make)


def elites_search(
    space: Space, seed: int, generation: int, known: Known, size: int
) -> list[Genome]:
    """MAP-Elites: a neighbour of the best of any kind of behaviour, the kind drawn first.

    A kind is a cell of the corpus. The first generation is random.
    """
    best = known.kinds(lambda one: cell(one.figures))
    elites = [best[kind].genome for kind in sorted(best)]

    def make(draws: Draws, _: int) -> Genome:
        return space.mutate(draws.choice(elites), draws) if elites else space.draw(draws)

    return _news(("map-elites", seed, generation), known, size, make)


def _tournament(pool: Sequence[Judged], draws: Draws) -> Genome:
    return min(draws.choice(pool), draws.choice(pool), key=lambda one: one.rank).genome


def _news(
    key: tuple[str, int, int], known: Known, size: int, make: Callable[[Draws, int], Genome]
) -> list[Genome]:
    """Genomes that differ from those that are known and from each other, as far as tries suffice.

    The key has the method, the search's seed and the generation. `make` takes draws and a number.
    """
    (name, seed, generation), fresh = key, set[Genome]()
    found = []
    for number in range(size):
        draws = Draws(seed, name, generation, number)
        for _ in range(_TRIES):
            genome = make(draws, number)
            if genome not in known.taken and genome not in fresh:
                break
        fresh.add(genome)
        found.append(genome)
    return found


METHODS: dict[str, Propose] = {
    "ga": genetic_search,
    "random": random_search,
    "eps": greedy_search,
    "map-elites": elites_search,
}
# These run beside every search.
BESIDE = ("random", "eps")
