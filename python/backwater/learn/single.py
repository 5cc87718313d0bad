"""`gymnasium.make("backwater/Path-v0")`: one environment, the same as one of many."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import Env
from gymnasium.vector import AutoresetMode

from backwater.learn.vector import PathVectorEnv


class PathEnv(Env[Any, Any]):
    """Keywords are those of `episodes.Options`."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 -- as Gymnasium has it

    def __init__(self, *, render_mode: str | None = None, **options: Any) -> None:
        self.render_mode = render_mode
        self.many = PathVectorEnv(1, autoreset_mode=AutoresetMode.DISABLED, **options)
        self.observation_space = self.many.single_observation_space
        self.action_space = self.many.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins the first episode of a seed, or the next one of the seed before."""
        super().reset(seed=seed)
        observations, infos = self.many.reset(seed=seed, options=options)
        return observations[0], _plain(infos)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """A step."""
        answers = np.asarray(action)[None]
        seen, rewards, terminations, truncations, infos = self.many.step(answers)
        over = bool(terminations[0]), bool(truncations[0])
        return seen[0], float(rewards[0]), *over, _plain(infos)


def _plain(infos: dict[str, Any]) -> dict[str, Any]:
    """The values of the only environment."""
    named = (name for name in infos if not name.startswith("_"))
    return {name: infos[name][0].item() for name in named if infos[f"_{name}"][0]}
