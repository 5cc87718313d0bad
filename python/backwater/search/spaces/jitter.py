"""Delay that no queue causes, on the way of one of two flows, and bursts of acknowledgements.

A genome has the delay of data in each slot of 500 ms, then that of acknowledgements, in tenths of
the bound D, and the period of acknowledgements in tenths of the round trip; 0 is none. The order of
packets is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from backwater.errors import Refusal
from backwater.search import scenes, settings
from backwater.search.settings import Setting
from backwater.search.spaces.space import Bounds, Genome, Space

TOTAL_MS, SLOT_MS = 10_000, 500
SLOTS = TOTAL_MS // SLOT_MS
TENTHS = 10
RTT_US = 60_000


class Jitter(Space):
    """See the head of the file."""

    name = "jitter"
    port = scenes.SHARED

    def __init__(self, most_ms: int = 60) -> None:
        if not 1 <= most_ms <= 1000:
            raise Refusal(
                f"a bound of {most_ms} ms on jitter", place="--most", fix="give 1 to 1000 ms"
            )
        self.most = most_ms

    def scene(self) -> dict[str, Any]:
        """Two flows over one queue."""
        return scenes.pair(rtt_us=RTT_US)

    def options(self) -> Mapping[str, Any]:
        """The bound."""
        return {"most_ms": self.most}

    def bounds(self) -> list[Bounds]:
        """No delay is plain."""
        return [Bounds(0, TENTHS, 0)] * (2 * SLOTS + 1)

    def seconds(self, genome: Genome) -> float:
        """Always the same."""
        return TOTAL_MS / 1000

    def settings(self, genome: Genome) -> list[Setting]:
        """Delays both ways, and the period."""
        unit = self.most * 1000 // TENTHS
        made = []
        for link, port, genes in (
            ("a", "A>L", genome[:SLOTS]),
            ("a-back", "L>A", genome[SLOTS : 2 * SLOTS]),
        ):
            rows = [i for i in range(SLOTS) if i == 0 or genes[i] != genes[i - 1]]
            at_ms, delays = [i * SLOT_MS for i in rows], [genes[i] * unit for i in rows]
            made.append(settings.schedule(link, port, at_ms, delays))
        if genome[-1]:
            period = f"{genome[-1] * RTT_US // TENTHS} us"
            made.append(settings.field("links.a-back.boxes.1.period", period))
        return made

    def constraints(self) -> list[str]:
        """The bound, and that order is kept."""
        return [
            f"each packet of one flow is delayed by at most {self.most} ms each way; order is kept",
            "acknowledgements are held for at most one round trip of 60 ms",
        ]

    def describe(self, genome: Genome) -> str:
        """The changes of delay, and the period."""

        def changes(genes: Genome) -> int:
            return sum(a != b for a, b in zip((0, *genes), genes, strict=False))

        said = [
            f"steps of delay: {changes(genome[:SLOTS])} of data, "
            f"{changes(genome[SLOTS : 2 * SLOTS])} of acknowledgements",
        ]
        if genome[-1]:
            said.append(f"acknowledgements each {genome[-1] * RTT_US // TENTHS / 1000:g} ms")
        return ", ".join(said)

    def order(self, genome: Genome) -> tuple[float, ...]:
        """Changes first."""
        halves = (genome[:SLOTS], genome[SLOTS : 2 * SLOTS])
        pairs = [zip((0, *half), half, strict=False) for half in halves]
        changes = sum(a != b for pair in pairs for a, b in pair) + (genome[-1] > 0)
        return (changes, sum(genome))

    def simpler(self, genome: Genome) -> Iterator[Genome]:
        """Without one of the three, then with slots like their neighbours."""
        blank = (0,) * SLOTS
        data, acks, period = genome[:SLOTS], genome[SLOTS : 2 * SLOTS], genome[-1:]
        yield from ((*blank, *acks, *period), (*data, *blank, *period), (*data, *acks, 0))
        for first in (0, SLOTS):
            length = SLOTS
            while length:
                for low in range(first, first + SLOTS, length):
                    high = min(low + length, first + SLOTS)
                    for value in (0, genome[low - 1] if low > first else 0, genome[low]):
                        yield (*genome[:low], *(value,) * (high - low), *genome[high:])
                length //= 2

    def parts(self, genome: Genome) -> Iterator[tuple[str, Genome]]:
        """Without the delay of data, of acknowledgements, without the period."""
        blank = (0,) * SLOTS
        data, acks, period = genome[:SLOTS], genome[SLOTS : 2 * SLOTS], genome[-1:]
        for name, other in (
            ("data", (*blank, *acks, *period)),
            ("acknowledgements", (*data, *blank, *period)),
            ("period", (*data, *acks, 0)),
        ):
            if other != genome:
                yield name, other
