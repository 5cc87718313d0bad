"""Packets of nobody in the same queue, as CC-Fuzz fuzzes traffic.

A genome has the cross packets of each 10 ms; their sum is bounded and not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from backwater._native import Counts
from backwater.errors import Refusal
from backwater.search import scenes, settings
from backwater.search.draws import Draws
from backwater.search.settings import Setting
from backwater.search.spaces.link import SHARES, counts, divided, spread
from backwater.search.spaces.space import Bounds, Genome, Space

TOTAL_MS, SLOT_MS = 5000, 10
SLOTS = TOTAL_MS // SLOT_MS
WINDOWS = (5, 20, 80, 200)
# Beyond that a run has no room.
MOST = 10**9


class Traffic(Space):
    """See the head of the file."""

    name = "traffic"

    def __init__(self, most: int = 2500) -> None:
        if not 1 <= most <= MOST:
            what = "no cross packet may be sent" if most < 1 else f"{most} cross packets in 5 s"
            raise Refusal(what, place="--most", fix=f"give 1 to {MOST}")
        self.most = most

    def scene(self) -> dict[str, Any]:
        """12 Mbit/s of packets, and a second flow of packets."""
        return scenes.crossed()

    def options(self) -> Mapping[str, Any]:
        """The most cross packets."""
        return {"most": self.most}

    def bounds(self) -> list[Bounds]:
        """Nothing in the way is plain."""
        return [Bounds(0, self.most, 0)] * SLOTS

    def seconds(self, genome: Genome) -> float:
        """Always the same."""
        return TOTAL_MS / 1000

    def settings(self, genome: Genome) -> list[Setting]:
        """Packets evenly within their slot."""
        return [settings.packets("cross", counts(genome).evenly(SLOT_MS * 1000), scenes.PACKET)]

    def constraints(self) -> list[str]:
        """How many packets there are."""
        return [f"at most {self.most} cross packets of 1500 B in {TOTAL_MS / 1000:g} s"]

    def describe(self, genome: Genome) -> str:
        """The number of packets and of bursts."""
        bursts = sum(b > 0 and a == 0 for a, b in zip((0, *genome), genome, strict=False))
        return f"{sum(genome)} cross packets in {bursts} bursts"

    def genome(self, values: str | Sequence[int]) -> Genome:
        """As the engine has it."""
        return counts(values)

    def draw(self, draws: Draws) -> Genome:
        """Any number of packets, distributed unevenly."""
        return spread(draws.between(0, self.most), SLOTS, draws)

    def knobs(self) -> int:
        """The number of packets, and the shares of a tree."""
        return 1 + SHARES

    def decoded(self, point: Sequence[float]) -> Genome:
        """So many packets, distributed by these shares."""
        return divided(round(point[0] * self.most), SLOTS, point[1:])

    def mutate(self, genome: Genome, draws: Draws) -> Genome:
        """A window with another number of packets, shifted, emptied, or repeated to the end."""
        made, length = counts(genome), draws.choice(WINDOWS)
        low = draws.below(SLOTS - length + 1)
        match draws.below(4):
            case 0:
                count = draws.between(0, 2 * made.sum(low, length) + length)
                made = made.with_part(low, spread(count, length, draws))
            case 1:
                made = made.rolled(low, length, draws.between(1, max(1, length // 2)))
            case 2:
                made = _without(made, low, length)
            case _:
                made = made.repeated(low, length)
        return made.at_most(self.most)

    def cross(self, one: Genome, other: Genome, draws: Draws) -> Genome:
        """A child of two, by two points, within the sum."""
        first, last = sorted((draws.below(SLOTS + 1), draws.below(SLOTS + 1)))
        return counts(one).spliced(counts(other), first, last).at_most(self.most)

    def simpler(self, genome: Genome) -> Iterator[Genome]:
        """Without halves, quarters and so on of the packets."""
        made, length = counts(genome), SLOTS // 2
        while length:
            for low in range(0, SLOTS, length):
                # The last ones of an odd division are shorter.
                if made.sum(low, min(length, SLOTS - low)):
                    yield _without(made, low, min(length, SLOTS - low))
            length //= 2

    def parts(self, genome: Genome) -> Iterator[tuple[str, Genome]]:
        """Without the packets of each second."""
        made = counts(genome)
        for number, low in enumerate(range(0, SLOTS, 100), 1):
            if made.sum(low, 100):
                yield f"second-{number}", _without(made, low, 100)


def _without(genome: Counts, low: int, length: int) -> Counts:
    return genome.with_part(low, Counts([0] * length))
