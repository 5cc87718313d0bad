"""Worlds as the vectorised environment of Stable-Baselines3, for its `PPO`, `SAC` and others.

    from stable_baselines3 import PPO
    from backwater.learn.stable_baselines import PathVecEnv

    model = PPO("MlpPolicy", PathVecEnv(64, action="rate-delta-unit"))
    model.learn(100_000)

An environment that has ended begins again in the same step. Its last observation is in the infos.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from backwater.learn.vector import PathVectorEnv


class PathVecEnv(VecEnv):  # type: ignore[misc,unused-ignore]
    """Keywords are those of `episodes.Options`."""

    def __init__(self, num_envs: int = 1, **options: Any) -> None:
        self.many = PathVectorEnv(num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **options)
        self.render_mode = None
        self._answers: Any = None
        space, actions = self.many.single_observation_space, self.many.single_action_space
        super().__init__(num_envs, space, actions)

    def reset(self) -> Any:
        """Begins an episode in each; `seed` was called before, or the episodes that follow."""
        seeds = None if all(one is None for one in self._seeds) else list(self._seeds)
        observations, infos = self.many.reset(seed=seeds)
        self.reset_infos = [self._one(infos, place) for place in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: Any) -> None:
        """The answers for the next step."""
        self._answers = actions

    def step_wait(self) -> Any:
        """Observations, rewards, flags of ends, and a dict for each environment."""
        seen, rewards, dead, cut, infos = self.many.step(self._answers)
        over = dead | cut
        told: list[dict[str, Any]] = []
        for place in range(self.num_envs):
            one = self._one(infos, place)
            one["TimeLimit.truncated"] = bool(cut[place] and not dead[place])
            if over[place]:
                one["terminal_observation"] = infos["final_obs"][place]
            told.append(one)
        return seen, rewards.astype(np.float32), over, told

    def _one(self, infos: dict[str, Any], place: int) -> dict[str, Any]:
        """The information about an environment."""
        plain = [name for name in infos if not name.startswith(("_", "final_"))]
        return {name: infos[name][place] for name in plain if infos[f"_{name}"][place]}

    def close(self) -> None:
        """Nothing stays open."""
        self.many.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The same for each: they are one object."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Of all, since they are one object."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """The result of one call, for each."""
        found = getattr(self.many, method_name)(*args, **kwargs)
        return [found for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> Sequence[bool]:
        """None of them is."""
        return [False for _ in self._get_indices(indices)]
