"""Worlds whose controllers are told what to do, stepped together on threads of the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from backwater import _native
from backwater.errors import Refusal, Unfinished, refusing
from backwater.model import arguments, scenario
from backwater.model.machine import available_cores

if TYPE_CHECKING:
    from backwater.model.builders import Scenario

Floats = NDArray[np.float64]

# The figures of an interval that an agent sees, in the order of the last axis of `seen`.
SEEN = tuple(_native.Worlds.columns())
COLUMN = {name: at for at, name in enumerate(SEEN)}
PS_PER_S = 1_000_000_000_000


@dataclass(frozen=True)
class Clock:
    """When an agent is asked: a kind of the engine's, its value, and the first steps."""

    kind: str
    value: float
    given_s: float = 0.0
    given_steps: int = 0


@dataclass(frozen=True)
class Start:
    """How an episode begins: the number of its scenario, changes of that, a clock.

    `told` are window in bytes and pacing in bit/s of each agent, before the first step; so many
    steps pass then `unseen`.
    """

    clock: Clock
    stage: int = 0
    patches: tuple[tuple[Any, ...], ...] = ()
    told: tuple[float, ...] = ()
    unseen: int = 0


@dataclass(frozen=True)
class Knob:
    """An option that moves in a run: bounds and start in seconds, shares, bytes or slots."""

    name: str
    low: float
    high: float
    first: float


class Worlds:
    """Places for worlds of some scenarios, each of which has as many agents as the others.

    `step` tells each agent a window in bytes and a pacing in bit/s, and advances each world by its
    clock. A window of NaN leaves the window as it is, and so does a pacing of NaN; a pacing of
    infinity is none. What the agents saw is in `seen`, one row of `SEEN` for each; `ended` says
    whose scenario is over. Both arrays are written in place. `knobs` name options of queues and
    mechanisms, such as `ports.S>R.queue.target`; `step` moves them, and one of NaN stays.

        worlds = Worlds(scenario, 8)
        worlds.reset({i: Start(Clock("every", 30e9)) for i in range(8)})
        worlds.step(np.full((8, 1, 2), np.nan))
    """

    def __init__(
        self,
        scenarios: Any,
        count: int,
        threads: int | None = None,
        seed: int | None = None,
        knobs: Sequence[str] = (),
    ) -> None:
        several = isinstance(scenarios, Sequence) and not isinstance(scenarios, str)
        self.count = arguments.whole(count, "count", 1, 1_000_000)
        self.threads = arguments.whole(threads or min(available_cores(), count), "threads", 1, 4096)
        read = [_resolved(one, seed) for one in (scenarios if several else [scenarios])]
        with refusing():
            self._native = _native.Worlds(read, self.count, self.threads, list(knobs))
            self.knobs = [Knob(*one) for one in self._native.knobs(0)]
        self.agents = self._native.agents(0)
        shape = (self.count, len(self.agents))
        self.seen: Floats = np.zeros((*shape, len(SEEN)))
        self.ended = np.zeros(self.count, dtype=np.bool_)
        self._shape = (*shape, 2)
        self._told: Floats = np.zeros((self.count, 2 * len(self.agents) + len(self.knobs)))
        # A view of the former: window and pacing of each agent, and the values of knobs.
        self._values: Floats = self._told[:, 2 * len(self.agents) :]

    def reset(self, starts: Mapping[int, Start]) -> None:
        """Begins episodes in some places, whatever was there before."""
        places = list(starts)
        made = [starts[place] for place in places]
        faults = self._native.reset(
            places,
            [one.stage for one in made],
            [list(one.patches) for one in made],
            [_clock(one.clock) for one in made],
            [(list(one.told), one.unseen) for one in made],
            self.seen.reshape(-1),
        )
        if faults:
            place, why = faults[0]
            raise Refusal(
                f"world {place} cannot begin: {why}",
                place=f"world {place}",
                fix="correct what was drawn for it; the other worlds have begun",
            )
        self.ended[places] = False

    def step(
        self,
        settings: Floats,
        mask: NDArray[np.bool_] | None = None,
        values: Floats | None = None,
    ) -> None:
        """Tells the agents, moves the knobs, advances the worlds, and looks.

        A mask names the worlds that move; `values` has a row for each world and a column for each
        knob.
        """
        if settings.shape != self._shape:
            raise Refusal(
                f"settings of the shape {settings.shape}, where {self._shape} is wanted",
                place="settings",
                fix="give window and pacing for each agent of each world",
            )
        every = np.ones(self.count, dtype=np.bool_) if mask is None else mask
        if self.knobs:
            self._turn(values, every)
        self._told[:, : 2 * len(self.agents)] = settings.reshape(self.count, -1)
        faults = self._native.step(self._told.reshape(-1), every, self.seen.reshape(-1), self.ended)
        if faults:
            place, why = faults[0]
            raise Unfinished(
                f"world {place}: {why}",
                place=f"world {place}",
                fix="reset it; the other worlds of the mask have made their step",
            )

    def _turn(self, values: Floats | None, mask: NDArray[np.bool_]) -> None:
        """Notes the values of knobs, or refuses the first that lies beyond its bounds."""
        if values is None:
            self._values[:] = np.nan
            return
        if values.shape != self._values.shape:
            raise Refusal(
                f"values of the shape {values.shape}, where {self._values.shape} is wanted",
                place="knobs",
                fix="give a value for each knob of each world",
            )
        for at, knob in enumerate(self.knobs):
            column = values[:, at]
            bad = ((column < knob.low) | (column > knob.high)) & mask
            if bad.any():
                world = int(np.flatnonzero(bad)[0])
                raise Refusal(
                    f"{column[world]:g} lies outside of {knob.low:g} to {knob.high:g}",
                    place=f"{knob.name}: world {world}",
                    fix="give a value between the bounds, or NaN to leave it",
                )
        self._values[:] = values

    def copy(self, source: int, to: int) -> None:
        """Puts a copy of a world in the middle of its episode into another place."""
        self._native.copy(source, to)
        self.seen[to], self.ended[to] = self.seen[source], self.ended[source]

    def fingerprint(self, place: int) -> str:
        """Equal fingerprints are equal runs up to the present."""
        return f"{self._native.fingerprint(place):016x}"

    def probe(self, place: int) -> dict[str, Any]:
        """Counters and gauges at the present, as of `backwater.World`."""
        return self._native.probe(place)

    def stopped(self, place: int) -> list[bool]:
        """Whether the sources of the agents' flows have ended."""
        return self._native.stopped(place)


def _clock(clock: Clock) -> tuple[str, float, int, int]:
    return clock.kind, clock.value, round(clock.given_s * PS_PER_S), clock.given_steps


def _resolved(
    what: str | Path | Mapping[str, Any] | Scenario | _native.Resolved, seed: int | None
) -> _native.Resolved:
    if isinstance(what, _native.Resolved):
        return what
    read, _ = scenario.read(what)
    with refusing():
        return read.resolve_once(seed)
