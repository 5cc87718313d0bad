"""Constant paths in the ranges in which learned controllers were trained and tested.

A genome is [rate in 100 kbit/s, delay each way in ms, queue in tenths of the bandwidth-delay
product, loss in 0.1 %]. The ranges are those of Genet (SIGCOMM 2022), up to 50 Mbit/s.
"""

from __future__ import annotations

from typing import Any

from backwater._native import Instants
from backwater.search import scenes, settings
from backwater.search.settings import Setting
from backwater.search.spaces.space import Bounds, Genome, Space
from backwater.search.spaces.steps import FULL_KBPS

TOTAL_MS = 10_000


class Path(Space):
    """See the head of the file."""

    name = "path"

    def scene(self) -> dict[str, Any]:
        """One flow, a trace link and delays each way."""
        return scenes.one() | {"duration": f"{TOTAL_MS} ms"}

    def bounds(self) -> list[Bounds]:
        """12 Mbit/s, 20 ms, one product and no loss are plain."""
        return [Bounds(1, 500, 120), Bounds(1, 100, 20), Bounds(2, 30, 10), Bounds(0, 50, 0)]

    def seconds(self, genome: Genome) -> float:
        """Always the same."""
        return TOTAL_MS / 1000

    def queue(self, genome: Genome) -> int:
        """Packets of the queue, at least 2."""
        rate, delay, tenths, _ = genome
        return max(2, rate * 100_000 * 2 * delay * tenths // (8 * scenes.PACKET * 10_000))

    def chances_ms(self, genome: Genome) -> Instants:
        """An opportunity whenever 1500 B have come together."""
        return Instants.filled([genome[0] * 100], [TOTAL_MS], FULL_KBPS)

    def settings(self, genome: Genome) -> list[Setting]:
        """The rate, the delay each way, the loss of data, and the queue."""
        delay, loss = genome[1] * 1000, genome[3] * 1000
        return [
            settings.opportunities("down", scenes.DOWN, self.chances_ms(genome)),
            settings.schedule("down", scenes.DOWN, [0], [delay], [loss]),
            settings.schedule("up", scenes.UP, [0], [delay]),
            settings.buffer("down", scenes.DOWN, self.queue(genome)),
        ]

    def constraints(self) -> list[str]:
        """Bounds of the genes."""
        return ["0.1 to 50 Mbit/s, 1 to 100 ms each way, a queue of 0.2 to 3 products, loss to 5 %"]

    def describe(self, genome: Genome) -> str:
        """All four."""
        rate, delay, _, loss = genome
        return (
            f"{rate / 10:g} Mbit/s, {delay} ms each way, a queue of {self.queue(genome)} packets, "
            f"{loss / 10:g} % of loss"
        )
