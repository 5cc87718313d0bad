"""Several agents in one world, as PettingZoo has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from gymnasium import Space
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from backwater.errors import Refusal
from backwater.learn.episodes import Episodes, Options
from backwater.learn.vector import space_of_actions, space_of_observations


class Parallel(ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """Agents are the flows of a scenario with such a controller; they act at common instants.

    A flow whose source has ended leaves `agents`. Keywords are those of `episodes.Options`, without
    `path`; the clock is a time.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "backwater_parallel_v0", "render_modes": []}

    def __init__(self, scenario: Any, *, clock: str = "30 ms", **options: Any) -> None:
        if clock.split()[-1] in ("rtt", "round", "ack", "acks"):
            raise Refusal(
                f"agents act at common instants, and `{clock}` is each one's own",
                place="clock",
                fix='write a time, such as "30 ms"',
            )
        if options.get("knobs"):
            raise Refusal(
                "a knob belongs to none of several agents",
                place="knobs",
                fix="take gymnasium.make_vec and a scenario with one agent",
            )
        self.episodes = Episodes(Options(scenario=scenario, clock=clock, **options), 1)
        self.render_mode = None
        self.possible_agents = list(self.episodes.worlds.agents)
        self.agents: list[str] = []
        self._actions = {name: space_of_actions(self.episodes) for name in self.possible_agents}
        self._sights = {name: space_of_observations(self.episodes) for name in self.possible_agents}
        self._seeded = False

    def observation_space(self, agent: str) -> Space[Any]:
        """The space of an agent's observations."""
        return self._sights[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """The space of its answers."""
        return self._actions[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins an episode."""
        if seed is None and not self._seeded:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        if seed is not None:
            self.episodes.seed(0, seed)
            self._seeded = True
        self.episodes.begin([0])
        self.agents = list(self.possible_agents)
        return self._observations(), {name: {} for name in self.agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """A step of all agents."""
        missing = [name for name in self.agents if name not in actions]
        if missing or not self.agents:
            raise Refusal(
                f"there is no action of `{missing[0]}`" if missing else "all agents have left",
                place="actions",
                fix="give one for each of `agents`" if missing else "call reset",
            )
        low = self.episodes.actions.low or (0.0,)
        given = np.tile(np.array(low), (1, len(self.possible_agents), 1))
        for at, name in enumerate(self.possible_agents):
            if name in self.agents:
                given[0, at] = actions[name]
            elif not self.episodes.actions.words:
                # Who has left has nothing to send, whatever it is told.
                given[0, at] = np.clip(0.0, low, self.episodes.actions.high)
        rewards, terminations, truncations = self.episodes.step(given, np.ones(1, dtype=np.bool_))
        acting, stopped = list(self.agents), self.episodes.worlds.stopped(0)
        gone = dict(zip(self.possible_agents, stopped, strict=True))
        seen = self._observations()
        score = dict(zip(self.possible_agents, rewards[0], strict=True))
        dead, over = bool(terminations[0]), bool(truncations[0])
        left = {name: over or gone[name] for name in acting}
        dt_s = float(self.episodes.column("dt_s")[0, 0])
        self.agents = [name for name in acting if not (dead or left[name])]
        return (
            seen,
            {name: float(score[name]) for name in acting},
            dict.fromkeys(acting, dead),
            left,
            {name: {"dt_s": dt_s} for name in acting},
        )

    def state(self) -> NDArray[np.float32]:
        """The observations of all agents."""
        rows: NDArray[np.float32] = self.episodes.observations()[0]
        return rows

    def _observations(self) -> dict[str, Any]:
        rows = self.episodes.observations()[0]
        named = zip(self.possible_agents, rows, strict=True)
        return {name: row for name, row in named if name in self.agents}
