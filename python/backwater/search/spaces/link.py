"""Opportunities of a link whose sum is kept, as CC-Fuzz fuzzes links.

A genome has the opportunities of each millisecond. `spread` divides a number of them between two
halves, not quite evenly, and so on down to 8 ms.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from backwater import _native
from backwater.errors import Refusal
from backwater.search import scenes, settings
from backwater.search.draws import Draws
from backwater.search.settings import Setting
from backwater.search.spaces.space import (
    Bounds,
    Counts,
    Genome,
    Space,
    counts_of,
    increments,
)

TOTAL_MS = 5000
UNEVEN = 0.5
LEAST_MS = 8
WINDOWS_MS = (50, 200, 800, 2000)
# Shares of a tree of halves of halves, by which an optimiser describes a distribution.
SHARES = 63


def spread(count: int, length: int, draws: Draws) -> Any:
    """`count` opportunities over so many milliseconds, not quite evenly, as an array."""
    return _native.spread(count, length, UNEVEN, LEAST_MS, draws.unit)


def divided(count: int, length: int, shares: Sequence[float]) -> Any:
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


def _even_parts(counts: Sequence[int], lengths: Sequence[int]) -> Any:
    """Parts one after another, each with its opportunities evenly."""
    import numpy as np

    sizes = np.asarray(lengths)
    ends = np.cumsum(sizes)
    place = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes)
    each, size = np.repeat(counts, sizes), np.repeat(sizes, sizes)
    return each * (place + 1) // size - each * place // size


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

    def chances_ms(self, genome: Genome) -> Any:
        """Each as often as it has opportunities; those of the first come in the second one."""
        import numpy as np

        return np.repeat(np.arange(1, TOTAL_MS + 1, dtype=np.uint64), counts_of(genome))

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

    def draw(self, draws: Draws) -> Genome:
        """A fresh distribution within the slack."""
        return self._kept(spread(self.count, TOTAL_MS, draws))

    def knobs(self) -> int:
        """The shares of a tree: its last parts have 78 or 79 ms."""
        return SHARES

    def decoded(self, point: Sequence[float]) -> Genome:
        """Distributed by these shares, within the slack."""
        return self._kept(divided(self.count, TOTAL_MS, point))

    def mutate(self, genome: Genome, draws: Draws) -> Genome:
        """A window distributed anew, shifted, smoothed, or exchanged for another."""
        import numpy as np

        made, length = counts_of(genome).copy(), draws.choice(WINDOWS_MS)
        low = draws.below(TOTAL_MS - length + 1)
        window = made[low : low + length].copy()
        match draws.below(4):
            case 0:
                made[low : low + length] = spread(int(window.sum()), length, draws)
            case 1:
                by = draws.between(1, max(1, length // 2))
                made[low : low + length] = np.roll(window, -by)
            case 2:
                made[low : low + length] = _smooth(window, draws.between(1, 20))
            case _:
                other = draws.below(TOTAL_MS - length + 1)
                if abs(other - low) >= length:
                    made[low : low + length] = made[other : other + length]
                    made[other : other + length] = window
        return self._kept(made)

    def cross(self, one: Genome, other: Genome, draws: Draws) -> Genome:
        """The first part of one and the rest of another, cut where both have sent as much."""
        import numpy as np

        first, second = np.cumsum(counts_of(one)), np.cumsum(counts_of(other))
        places = np.flatnonzero((first == second) & (first > 0) & (first < self.count))
        if not len(places):
            return one
        cut = int(places[draws.below(len(places))]) + 1
        return Counts.of(np.concatenate((counts_of(one)[:cut], counts_of(other)[cut:])))

    def _kept(self, made: Any) -> Genome:
        """Within the slack: what comes too soon waits, what comes too late is brought forward."""
        import numpy as np

        least, most = self._sums
        return Counts.of(increments(np.minimum(np.maximum(np.cumsum(made), least), most)))

    @cached_property
    def _sums(self) -> tuple[Any, Any]:
        """The least and the largest sum up to the end of each millisecond."""
        import numpy as np

        ends = np.arange(1, TOTAL_MS + 1)
        most = self.count * ends // TOTAL_MS
        least = np.maximum(0, -(-self.count * (ends - self.slack) // TOTAL_MS))
        return least, most

    def order(self, genome: Genome) -> tuple[float, ...]:
        """The number of runs of equal counts, then how far they vary."""
        changes = sum(a != b for a, b in itertools.pairwise(genome))
        variation = sum(abs(a - b) for a, b in itertools.pairwise(genome))
        return (changes, variation)

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
        import numpy as np

        made, place = counts_of(genome).copy(), np.arange(length)
        count = int(made[low : low + length].sum())
        made[low : low + length] = count * (place + 1) // length - count * place // length
        return self._kept(made)


def _smooth(window: Any, half: int) -> Any:
    """A moving mean whose sum is kept: the running sum is averaged and rounded."""
    import numpy as np

    length = len(window)
    sums = np.concatenate(([0], np.cumsum(window)))
    totals = np.concatenate(([0], np.cumsum(sums)))
    at = np.arange(length + 1)
    near = np.minimum(half, np.minimum(at, length - at))
    means = (totals[at + near + 1] - totals[at - near]) // (2 * near + 1)
    return np.diff(np.maximum.accumulate(means))
