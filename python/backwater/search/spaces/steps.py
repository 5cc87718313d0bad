"""Steps of rate and delay with a queue, as AdvNet searches them.

A genome is [b1..bn, l1..ln, d1..dn, q]: rates in 500 kbit/s, delays each way in ms, durations in
50 ms and packets of queue in 100. After the last step the first rate holds, since a mahimahi trace
begins again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from backwater._native import Instants
from backwater.search import scenes, settings
from backwater.search.settings import Setting
from backwater.search.spaces.space import Bounds, Genome, Space

RATE_KBPS, STEP_MS, QUEUE = 500, 50, 100
# A packet of 1500 B each millisecond is 12 Mbit/s.
FULL_KBPS = 12_000
# How long the first rate holds after the last step: beyond the end of the run.
TAIL_MS = 200


class Steps(Space):
    """See the head of the file."""

    name = "steps"
    population = 15

    def __init__(self, count: int = 2) -> None:
        self.count = count
        rates, delays = [Bounds(1, 20, 10)] * count, [Bounds(1, 30, 20)] * count
        self._bounds = [*rates, *delays, *[Bounds(10, 40, 20)] * count, Bounds(1, 100, 1)]

    def scene(self) -> dict[str, Any]:
        """One flow, a trace link and delays each way."""
        return scenes.one()

    def options(self) -> Mapping[str, Any]:
        """The number of steps."""
        return {"steps": self.count}

    def bounds(self) -> list[Bounds]:
        """Those of AdvNet's data."""
        return self._bounds

    def seconds(self, genome: Genome) -> float:
        """The sum of the durations."""
        return sum(genome[2 * self.count : 3 * self.count]) * STEP_MS / 1000

    def chances_ms(self, genome: Genome) -> Instants:
        """An opportunity whenever 1500 B have come together."""
        n = self.count
        rates = [rate * RATE_KBPS for rate in (*genome[:n], genome[0])]
        lasts = [steps * STEP_MS for steps in genome[2 * n : 3 * n]]
        return Instants.filled(rates, [*lasts, TAIL_MS], FULL_KBPS)

    def settings(self, genome: Genome) -> list[Setting]:
        """Opportunities, delays both ways, the queue and the time."""
        n = self.count
        begins = [STEP_MS * sum(genome[2 * n : 2 * n + i]) for i in range(n)]
        delays = [delay * 1000 for delay in genome[n : 2 * n]]
        end = round(self.seconds(genome) * 1000)
        return [
            settings.duration(end),
            settings.opportunities("down", scenes.DOWN, self.chances_ms(genome)),
            settings.schedule("down", scenes.DOWN, begins, delays),
            settings.schedule("up", scenes.UP, begins, delays),
            settings.buffer("down", scenes.DOWN, genome[-1] * QUEUE),
        ]

    def constraints(self) -> list[str]:
        """Bounds of the genes."""
        return [
            f"{self.count} steps of 0.5 to 2 s with 0.5 to 10 Mbit/s and 1 to 30 ms each way",
            "a queue of 100 to 10,000 packets",
        ]

    def describe(self, genome: Genome) -> str:
        """Each step, and the queue."""
        n = self.count
        said = [
            f"{rate * RATE_KBPS / 1000:g} Mbit/s and {delay} ms for {lasts * STEP_MS / 1000:g} s"
            for rate, delay, lasts in zip(
                genome[:n], genome[n : 2 * n], genome[2 * n : 3 * n], strict=True
            )
        ]
        return f"{', then '.join(said)}; a queue of {genome[-1] * QUEUE} packets"

    def parts(self, genome: Genome) -> Iterator[tuple[str, Genome]]:
        """Without the change of rate, without that of delay, with the least queue."""
        n = self.count
        flat_rate = (*(genome[0],) * n, *genome[n:])
        flat_delay = (*genome[:n], *(genome[n],) * n, *genome[2 * n :])
        small = (*genome[:-1], 1)
        for name, other in (("rate-step", flat_rate), ("delay-step", flat_delay), ("queue", small)):
            if other != genome:
                yield name, other
