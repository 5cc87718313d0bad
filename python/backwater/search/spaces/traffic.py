"""Packets of nobody in the same queue, as CC-Fuzz fuzzes traffic.

A genome has the cross packets of each 10 ms; their sum is bounded and not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from backwater.errors import Refusal
from backwater.search import scenes, settings
from backwater.search.draws import Draws
from backwater.search.settings import Setting
from backwater.search.spaces.link import SHARES, divided, spread
from backwater.search.spaces.space import Bounds, Genome, Space

TOTAL_MS, SLOT_MS = 5000, 10
SLOTS = TOTAL_MS // SLOT_MS
WINDOWS = (5, 20, 80, 200)


class Traffic(Space):
    """See the head of the file."""

    name = "traffic"

    def __init__(self, most: int = 2500) -> None:
        if most < 1:
            raise Refusal("no cross packet may be sent", place="--most", fix="give at least 1")
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
        import numpy as np

        counts, slot_us = np.asarray(genome), SLOT_MS * 1000
        first = np.repeat(np.cumsum(counts) - counts, counts)
        place = np.arange(int(counts.sum())) - first
        at_us = np.repeat(np.arange(SLOTS) * slot_us, counts)
        at_us += place * slot_us // np.repeat(counts, counts)
        return [settings.packets("cross", at_us, scenes.PACKET)]

    def constraints(self) -> list[str]:
        """How many packets there are."""
        return [f"at most {self.most} cross packets of 1500 B in {TOTAL_MS / 1000:g} s"]

    def describe(self, genome: Genome) -> str:
        """The number of packets and of bursts."""
        bursts = sum(b > 0 and a == 0 for a, b in zip((0, *genome), genome, strict=False))
        return f"{sum(genome)} cross packets in {bursts} bursts"

    def draw(self, draws: Draws) -> Genome:
        """Any number of packets, distributed unevenly."""
        return tuple(spread(draws.between(0, self.most), SLOTS, draws).tolist())

    def knobs(self) -> int:
        """The number of packets, and the shares of a tree."""
        return 1 + SHARES

    def decoded(self, point: Sequence[float]) -> Genome:
        """So many packets, distributed by these shares."""
        return tuple(divided(round(point[0] * self.most), SLOTS, point[1:]).tolist())

    def mutate(self, genome: Genome, draws: Draws) -> Genome:
        """A window with another number of packets, shifted, emptied, or repeated to the end."""
        made, length = list(genome), draws.choice(WINDOWS)
        low = draws.below(SLOTS - length + 1)
        window = made[low : low + length]
        match draws.below(4):
            case 0:
                count = draws.between(0, 2 * sum(window) + length)
                made[low : low + length] = spread(count, length, draws).tolist()
            case 1:
                by = draws.between(1, max(1, length // 2))
                made[low : low + length] = window[by:] + window[:by]
            case 2:
                made[low : low + length] = [0] * length
            case _:
                for at in range(low + length, SLOTS):
                    made[at] = made[at - length]
        return self._kept(made)

    def cross(self, one: Genome, other: Genome, draws: Draws) -> Genome:
        """A child of two, by two points, within the sum."""
        return self._kept(list(super().cross(one, other, draws)))

    def _kept(self, made: list[int]) -> Genome:
        left, found = self.most, []
        for count in made:
            found.append(min(count, left))
            left -= found[-1]
        return tuple(found)

    def simpler(self, genome: Genome) -> Iterator[Genome]:
        """Without halves, quarters and so on of the packets."""
        length = SLOTS // 2
        while length:
            for low in range(0, SLOTS, length):
                if any(genome[low : low + length]):
                    yield genome[:low] + (0,) * length + genome[low + length :]
            length //= 2

    def parts(self, genome: Genome) -> Iterator[tuple[str, Genome]]:
        """Without the packets of each second."""
        for number, low in enumerate(range(0, SLOTS, 100), 1):
            if any(genome[low : low + 100]):
                yield f"second-{number}", genome[:low] + (0,) * 100 + genome[low + 100 :]
