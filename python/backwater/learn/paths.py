"""Scenarios that environments draw, one for each episode.

`aurora` has the ranges in which PCC-RL trains, `genet` those of Genet's (SIGCOMM 2022), and `Given`
is any scenario, of which an episode draws the seed alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from backwater.errors import Refusal
from backwater.learn.episode_draws import Draws
from backwater.search import settings
from backwater.search.settings import Setting

DOWN, UP = "S>R", "R>S"
# Bytes of a packet, of the same in a frame and on the wire, and of its payload in a datagram.
PACKET, FRAME, WIRE, PAYLOAD = 1500, 1514, 1538, 1424


@dataclass(frozen=True)
class Path:
    """The values that were drawn: numbers for people, changes of the scenario, its beginning."""

    values: Mapping[str, float]
    settings: tuple[Setting, ...]
    # Packets a second; none where a path has no rate of its own.
    capacity_pps: float | None
    least_rtt_s: float | None = None
    start_pps: float | None = None
    steps: int | None = None
    given_s: float = 0.0
    seed: int = 0
    told: dict[str, float] = field(default_factory=dict)

    def patches(self) -> tuple[tuple[Any, ...], ...]:
        """The changes as the engine takes them."""
        found = tuple(one.patch for one in self.settings if one.patch is not None)
        return (("seed", self.seed), *found)


class Paths(Protocol):
    """A distribution of paths."""

    def scene(self) -> Any:
        """The scenario that draws change."""

    def draw(self, draws: Draws, fixed: Mapping[str, float]) -> Path:
        """A path; values in `fixed` are taken and not drawn."""


def scenario_of(paths: Paths, path: Path) -> dict[str, Any]:
    """The scenario of a drawn path, for `backwater.run` with another controller."""
    return settings.applied(paths.scene(), path.settings)


def _scene(down: dict[str, Any], seconds: int) -> dict[str, Any]:
    box = {"kind": "schedule", "at_ms": [0], "delay_us": [1000]}
    wire = {"rate": "10 Gbit/s", "delay": "0 s"}
    return {
        "schema": "backwater/scenario/1",
        "duration": f"{seconds} s",
        "nodes": {"S": {"kind": "host"}, "R": {"kind": "host"}},
        "links": {
            "down": {"from": "S", "to": "R", **down, "boxes": [dict(box)]},
            "up": {"from": "R", "to": "S", **wire, "boxes": [dict(box)]},
        },
        "flows": {
            "f": {
                "from": "S",
                "to": "R",
                "transport": "datagram",
                "frame": f"{FRAME} B",
                "controller": settings.driven(),
                "source": settings.endless(),
            }
        },
    }


def _drawn(
    draws: Draws, fixed: Mapping[str, float], ranges: Mapping[str, tuple[float, float]]
) -> dict[str, float]:
    """A value of each range. All are drawn, so that fixing one moves no other."""
    unknown = [name for name in fixed if name not in ranges]
    if unknown:
        raise Refusal(
            f"a path has no `{unknown[0]}`",
            place="options: path",
            nearest=list(ranges),
            fix=f"give some of {', '.join(ranges)}",
        )
    found = {name: draws.between(low, high) for name, (low, high) in ranges.items()}
    return found | dict(fixed)


class Aurora:
    """A wire with a queue, and loss before it, as PCC-RL's simulator has it.

    A packet takes the latency of each direction and what the queue holds; its own transmission is
    part of the latency here, so that both have the same round trip. 400 steps.
    """

    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "capacity_pps": (100.0, 500.0),
        "latency_s": (0.05, 0.5),
        "log_queue": (0.0, 8.0),
        "loss": (0.0, 0.05),
        "start": (0.3, 1.5),
    }

    def scene(self) -> dict[str, Any]:
        """As long as the slowest episode: its queue takes 30 s to drain."""
        scene = _scene({"rate": "1 Mbit/s", "delay": "0 s"}, 20_000)
        return scene | {"ports": {DOWN: {"buffer": "2 packets"}}}

    def draw(self, draws: Draws, fixed: Mapping[str, float]) -> Path:
        """See `ranges`; the queue is 1 + floor(exp(log_queue)) packets."""
        seed = draws.whole()
        values = _drawn(draws, fixed, self.ranges)
        pps, latency = values["capacity_pps"], values["latency_s"]
        rate = round(pps * WIRE * 8)
        queue = 1 + math.floor(math.exp(values["log_queue"]))
        service = WIRE * 8e6 / rate
        there = [max(0, round(latency * 1e6 - service))]
        back = [round(latency * 1e6)]
        return Path(
            values | {"queue": float(queue)},
            (
                settings.rate("down", rate),
                Setting(("buffer", DOWN, queue), {f"ports.{DOWN}.buffer": f"{queue} packets"}),
                settings.schedule("down", DOWN, [0], there, [round(values["loss"] * 1e6)]),
                settings.schedule("up", UP, [0], back),
            ),
            capacity_pps=pps,
            least_rtt_s=2 * latency,
            start_pps=values["start"] * pps,
            steps=400,
            given_s=3 * latency,
            seed=seed,
        )


class Genet:
    """A rate that changes from time to time, as Genet draws it. 30 s.

    A change of 0 s is none; else each rate is drawn anew between `least` and `bandwidth_mbps`.
    """

    seconds = 30
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "bandwidth_mbps": (0.1, 100.0),
        "least": (0.0, 1.0),
        "delay_ms": (2.0, 200.0),
        "queue_bdp": (0.2, 3.0),
        "loss": (0.0, 0.05),
        "change_s": (0.0, 15.0),
    }

    def scene(self) -> dict[str, Any]:
        """A trace link, whose rates are listed."""
        trace = {"kind": "rates", "at_ms": [0], "rate_bps": [1_000_000]}
        return _scene({"kind": "trace", "trace": trace, "buffer": "2 packets"}, self.seconds)

    def draw(self, draws: Draws, fixed: Mapping[str, float]) -> Path:
        """See `ranges`; a queue has at least two packets, and the delay is that of a direction."""
        seed = draws.whole()
        values = _drawn(draws, fixed, self.ranges)
        most = values["bandwidth_mbps"]
        low = 0.1 + values["least"] * max(0.0, most - 0.1)
        every = values["change_s"]
        count = 1 if every < 0.001 else math.ceil(self.seconds / every)
        at_ms = sorted({round(1000 * every * i) for i in range(min(count, 30_000))})
        rates = [round(1e6 * draws.between(min(low, most), most)) for _ in at_ms]
        if len(at_ms) == 1:
            rates = [round(1e6 * most)]
        mean = sum(rates) / len(rates)
        delay = values["delay_ms"]
        product = mean * 2 * delay / 1000 / 8 / PACKET
        queue = max(2, round(values["queue_bdp"] * product))
        lost = [round(values["loss"] * 1e6)]
        return Path(
            values | {"queue": float(queue)},
            (
                settings.rates("down", DOWN, at_ms, rates),
                settings.buffer("down", DOWN, queue),
                settings.schedule("down", DOWN, [0], [round(1000 * delay)], lost),
                settings.schedule("up", UP, [0], [round(1000 * delay)]),
            ),
            capacity_pps=mean / 8 / PACKET,
            least_rtt_s=2 * delay / 1000,
            start_pps=0.3 * mean / 8 / PACKET,
            given_s=2 * delay / 1000,
            seed=seed,
        )


class Given:
    """Any scenario; an episode draws its seed. `capacity_pps` is for rewards that need it."""

    def __init__(self, scenario: Any, capacity_pps: float | None = None) -> None:
        self._scenario, self._capacity = scenario, capacity_pps

    def scene(self) -> Any:
        """The scenario."""
        return self._scenario

    def draw(self, draws: Draws, fixed: Mapping[str, float]) -> Path:
        """The seed alone."""
        if fixed:
            raise Refusal(
                "nothing of this path is drawn",
                place="options: path",
                fix="change the scenario, or take `aurora` or `genet`",
            )
        return Path({}, (), self._capacity, given_s=0.1, seed=draws.whole())


PATHS: dict[str, type[Aurora] | type[Genet]] = {"aurora": Aurora, "genet": Genet}
