"""Opportunities of a link whose sum is kept, as CC-Fuzz fuzzes links.

A genome has the opportunities of each millisecond. `spread` divides a number of them between two
halves, not quite evenly, and so on down to 8 ms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from backwater._native import Counts, Instants
from backwater.errors import Refusal
from backwater.search import scenes, settings
from backwater.search.draws import Draws
from backwater.search.settings import Setting
from backwater.search.spaces.space import Bounds, Genome, Space

TOTAL_MS = 5000
UNEVEN = 0.5
LEAST_MS = 8
WINDOWS_MS = (50, 200, 800, 2000)
# Shares of a tree of halves of halves, by which an optimiser describes a distribution.
SHARES = 63


def counts(values: str | Sequence[int]) -> Counts:
    """A genome of many numbers from any form of it."""
    if isinstance(values, str):
        return Counts.unpacked(values)
    return values if isinstance(values, Counts) else Counts(values)


def spread(count: int, length: int, draws: Draws) -> Counts:
    """`count` opportunities over so many milliseconds, not quite evenly."""
    return Counts.spread(count, length, UNEVEN, LEAST_MS, draws)


def divided(count: int, length: int, shares: Sequence[float]) -> Counts:
    """`count` opportunities over so many milliseconds, by the share of each left half.

    Share i divides a part whose halves have the shares 2 i + 1 and 2 i + 2. Parts without a share
    are even.
    """
    parts = [(count, length)]
    for share in shares:
        count, length = parts.pop(0)
        left = round(count * share)
        parts += [(left, length // 2), (count - left, length - length // 2)]
    # The last row of the tree lies in order of time, since the tree is whole.
    return _even_parts([one for one, _ in parts], [one for _, one in parts])


def _even_parts(parts: Sequence[int], lengths: Sequence[int]) -> Counts:
    """Parts one after another, each with its opportunities evenly."""
    import numpy as np

    sizes = np.asarray(lengths)
    ends = np.cumsum(sizes)
    place = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes)
    each, size = np.repeat(parts, sizes), np.repeat(sizes, sizes)
    return Counts((each * (place + 1) // size - each * place // size).astype(np.uint32))


class Link(Space):
    """See the head of the file."""

    name = "link"
    population = 24
    islands = 4

    def __init__(self, slack_ms: int = 100) -> None:
        if slack_ms < 1:
            raise Refusal(
                f"a slack of {slack_ms} ms leaves nothing to search",
                place="--slack",
                fix="give at least 1 ms",
            )
        self.slack = slack_ms
        self.count = TOTAL_MS

    def scene(self) -> dict[str, Any]:
        """12 Mbit/s of packets, 40 ms and 60 packets."""
        return scenes.one()

    def options(self) -> Mapping[str, Any]:
        """The slack."""
        return {"slack_ms": self.slack}

    def bounds(self) -> list[Bounds]:
        """One opportunity each millisecond is the even link."""
        return [Bounds(0, TOTAL_MS, 1)] * TOTAL_MS

    def seconds(self, genome: Genome) -> float:
        """Always the same."""
        return TOTAL_MS / 1000

    def chances_ms(self, genome: Genome) -> Instants:
        """Each as often as it has opportunities; those of the first come in the second one."""
        return counts(genome).ends()

    def settings(self, genome: Genome) -> list[Setting]:
        """The opportunities."""
        return [settings.opportunities("down", scenes.DOWN, self.chances_ms(genome))]

    def constraints(self) -> list[str]:
        """The sum, and how far it may lag or lead."""
        return [
            f"{self.count} opportunities of 1504 B in {TOTAL_MS / 1000:g} s, at whole milliseconds",
            f"the sum up to any instant lies between C·t - {self.slack} ms·C and C·t",
        ]

    def describe(self, genome: Genome) -> str:
        """The longest outage, and the largest burst."""
        longest = length = 0
        for count in genome:
            length = 0 if count else length + 1
            longest = max(longest, length)
        return f"the longest outage lasts {longest} ms, the largest burst has {max(genome)} packets"

    def genome(self, values: str | Sequence[int]) -> Genome:
        """As the engine has it."""
        return counts(values)

    def draw(self, draws: Draws) -> Genome:
        """A fresh distribution within the slack."""
        return spread(self.count, TOTAL_MS, draws).within(self.slack)

    def knobs(self) -> int:
        """The shares of a tree: its last parts have 78 or 79 ms."""
        return SHARES

    def decoded(self, point: Sequence[float]) -> Genome:
        """Distributed by these shares, within the slack."""
        return divided(self.count, TOTAL_MS, point).within(self.slack)

    def mutate(self, genome: Genome, draws: Draws) -> Genome:
        """A window distributed anew, shifted, smoothed, or exchanged for another.

        What then comes too soon for the slack waits, what comes too late is brought forward.
        """
        made, length = counts(genome), draws.choice(WINDOWS_MS)
        low = draws.below(TOTAL_MS - length + 1)
        match draws.below(4):
            case 0:
                made = made.with_part(low, spread(made.sum(low, length), length, draws))
            case 1:
                made = made.rolled(low, length, draws.between(1, max(1, length // 2)))
            case 2:
                made = made.smooth(low, length, draws.between(1, 20))
            case _:
                made = made.exchanged(low, draws.below(TOTAL_MS - length + 1), length)
        return made.within(self.slack)

    def cross(self, one: Genome, other: Genome, draws: Draws) -> Genome:
        """The first part of one and the rest of another, cut where both have sent as much."""
        return counts(one).crossed(counts(other), draws)

    def order(self, genome: Genome) -> tuple[float, ...]:
        """The number of runs of equal counts, then how far they vary."""
        return counts(genome).variation()

    def simpler(self, genome: Genome) -> Iterator[Genome]:
        """Windows that become even, the largest first."""
        for length in (2500, 1250, 625, 312, 156, 78):
            for low in range(0, TOTAL_MS - length + 1, length):
                yield self._even(genome, low, length)

    def parts(self, genome: Genome) -> Iterator[tuple[str, Genome]]:
        """Each second of the run made even."""
        for number, low in enumerate(range(0, TOTAL_MS, 1000), 1):
            if (even := self._even(genome, low, 1000)) != genome:
                yield f"second-{number}", even

    def _even(self, genome: Genome, low: int, length: int) -> Genome:
        """The same with a window made even."""
        return counts(genome).even(low, length).within(self.slack)
