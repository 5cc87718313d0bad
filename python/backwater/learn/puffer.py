"""Worlds as a native environment of PufferLib: it reads and writes the arrays of that library.

    import pufferlib.vector
    from backwater.learn.puffer import PathPufferEnv

    envs = pufferlib.vector.make(PathPufferEnv, num_envs=1, env_kwargs={"num_envs": 64})

An environment that has ended begins again in the same step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from pufferlib import PufferEnv

from backwater.learn.vector import PathVectorEnv


class PathPufferEnv(PufferEnv):  # type: ignore[misc,unused-ignore]
    """Keywords besides these are those of `episodes.Options`."""

    def __init__(
        self, num_envs: int = 1, buf: Any = None, seed: int | None = None, **options: Any
    ) -> None:
        self.many = PathVectorEnv(num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **options)
        self.single_observation_space = self.many.single_observation_space
        self.single_action_space = self.many.single_action_space
        self.num_agents, self.render_mode, self._seed = num_envs, None, seed
        self._earned = np.zeros(num_envs)
        super().__init__(buf)

    def reset(self, seed: int | None = None) -> Any:
        """Begins an episode in each."""
        seen, _ = self.many.reset(seed=self._seed if seed is None else seed)
        self.observations[:] = seen
        self._earned[:] = 0.0
        return self.observations, []

    def step(self, actions: Any) -> Any:
        """A step of each. The infos have the return of episodes that ended."""
        shape = (self.num_agents, *(self.single_action_space.shape or ()))
        seen, rewards, dead, cut, _ = self.many.step(np.asarray(actions).reshape(shape))
        self.observations[:], self.rewards[:] = seen, rewards
        self.terminals[:], self.truncations[:] = dead, cut
        self._earned += rewards
        over = dead | cut
        ended = [{"episode_return": float(earned)} for earned in self._earned[over]]
        self._earned[over] = 0.0
        return self.observations, self.rewards, self.terminals, self.truncations, ended

    def close(self) -> None:
        """Nothing stays open."""
        self.many.close()
