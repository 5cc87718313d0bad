"""The base of all spaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backwater import _native
from backwater._native import Instants
from backwater.search.draws import Draws
from backwater.search.scenes import DOWN
from backwater.search.settings import Setting

# Whole numbers that have a hash and an order: a tuple, or `_native.Counts` where they are many.
Genome = Sequence[int]
# Chance that a gene is drawn anew where a space has nothing better.
RESAMPLED = 0.2


@dataclass(frozen=True)
class Bounds:
    """The least and the largest value of a gene, and the one that means nothing out of the way."""

    low: int
    high: int
    plain: int


class Space:
    """Genomes of whole numbers within bounds, as many as `bounds` has. Others override more."""

    # Its name on the command line.
    name: str
    # The port whose queue a finding shows, if its scene has it.
    port: str | None = DOWN
    # Genomes of a generation.
    population = 24
    # Groups that rarely meet.
    islands = 1

    def scene(self) -> dict[str, Any]:
        """The scenario that is searched where only a controller is named."""
        raise NotImplementedError

    def bounds(self) -> list[Bounds]:
        """Of each gene."""
        raise NotImplementedError

    def settings(self, genome: Genome) -> list[Setting]:
        """The changes that a genome makes."""
        raise NotImplementedError

    def seconds(self, genome: Genome) -> float:
        """How long its run takes."""
        raise NotImplementedError

    def constraints(self) -> list[str]:
        """The conditions that every genome keeps, in words."""
        raise NotImplementedError

    def describe(self, genome: Genome) -> str:
        """A genome in words."""
        raise NotImplementedError

    def chances_ms(self, genome: Genome) -> Instants | None:
        """When the link could send, in ms; None for a link that always can."""
        return None

    def unmet(self) -> str | None:
        """Why no genome meets the constraints; None if some do."""
        return None

    def genome(self, values: str | Sequence[int]) -> Genome:
        """The genome of a list, or of one that is packed."""
        return tuple(_native.unpack(values).tolist() if isinstance(values, str) else values)

    def draw(self, draws: Draws) -> Genome:
        """Any genome."""
        return tuple(draws.between(gene.low, gene.high) for gene in self.bounds())

    def mutate(self, genome: Genome, draws: Draws) -> Genome:
        """One near another."""
        return tuple(
            draws.between(gene.low, gene.high) if draws.unit() < RESAMPLED else value
            for gene, value in zip(self.bounds(), genome, strict=True)
        )

    def cross(self, one: Genome, other: Genome, draws: Draws) -> Genome:
        """A child of two, by two points."""
        first, last = sorted((draws.below(len(one) + 1), draws.below(len(one) + 1)))
        return (*one[:first], *other[first:last], *one[last:])

    def knobs(self) -> int:
        """How many numbers between 0 and 1 describe a genome to an optimiser."""
        return len(self.bounds())

    def decoded(self, point: Sequence[float]) -> Genome:
        """The genome of so many numbers between 0 and 1."""
        return tuple(
            min(gene.high, gene.low + int(at * (gene.high - gene.low + 1)))
            for gene, at in zip(self.bounds(), point, strict=True)
        )

    def order(self, genome: Genome) -> tuple[float, ...]:
        """Smaller is simpler: how many genes are not plain, and how far they are from it."""
        pairs = list(zip(self.bounds(), genome, strict=True))
        moved = sum(value != gene.plain for gene, value in pairs)
        far = sum(abs(value - gene.plain) for gene, value in pairs)
        return (moved, far, sum(len(str(value).rstrip("0")) for value in genome))

    def simpler(self, genome: Genome) -> Iterator[Genome]:
        """Genomes that may be simpler, the boldest first."""
        for index, (gene, value) in enumerate(zip(self.bounds(), genome, strict=True)):
            middle = (
                (value + gene.plain) // 2 if value > gene.plain else -(-(value + gene.plain) // 2)
            )
            for simple in (gene.plain, middle, round_125(value)):
                if gene.low <= simple <= gene.high and simple != value:
                    yield (*genome[:index], simple, *genome[index + 1 :])

    def parts(self, genome: Genome) -> Iterator[tuple[str, Genome]]:
        """The genome without each of what makes it up, named: what an ablation tries."""
        for index, (gene, value) in enumerate(zip(self.bounds(), genome, strict=True)):
            if value != gene.plain:
                yield f"gene-{index + 1}", (*genome[:index], gene.plain, *genome[index + 1 :])

    def options(self) -> Mapping[str, Any]:
        """The choices of a person in this space, for the archive."""
        return {}


def round_125(value: int) -> int:
    """The nearest of 1, 2, 5, 10, 20, 50 and so on."""
    if value < 1:
        return value
    power = int(10 ** (len(str(value)) - 1))
    return min((step * power for step in (1, 2, 5, 10)), key=lambda near: (abs(near - value), near))
