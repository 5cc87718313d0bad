"""`gymnasium.make_vec("backwater/Path-v0", num_envs=…)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import Space, spaces
from gymnasium.logger import warn
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from backwater.errors import Refusal
from backwater.learn.episodes import Bools, Episodes, Options
from backwater.learn.features import BITS

KNOWN = ("reset_mask", "path")


def space_of_actions(episodes: Episodes) -> Space[Any]:
    """The space of an agent's answers."""
    actions = episodes.actions
    if actions.words:
        return spaces.Discrete(actions.words)
    low, high = (np.array(bound, dtype=np.float32) for bound in (actions.low, actions.high))
    return spaces.Box(low, high, dtype=np.float32)


def space_of_observations(episodes: Episodes) -> spaces.Box:
    """The space of what an agent sees."""
    low, high = episodes.features.bounds
    return spaces.Box(low, high, dtype=np.float32)


class PathVectorEnv(VectorEnv[Any, Any, Any]):
    """Worlds with one agent each; keywords besides these are those of `episodes.Options`.

    The end of an episode is a truncation; `stall_limit_s` without an acknowledgement is a
    termination. `copy=False` gives views of two arrays that alternate.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **options: Any,
    ) -> None:
        self.num_envs, self._copy = num_envs, copy
        mode = AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": mode, "render_modes": []}
        self._mode, self.render_mode = mode, None
        self.episodes = Episodes(Options(**options), num_envs)
        if self.episodes.shape[1] != 1:
            raise Refusal(
                f"the scenario has {self.episodes.shape[1]} agents",
                place="scenario",
                fix="take backwater.learn.parallel, or one agent",
            )
        self.single_observation_space = space_of_observations(self.episodes)
        self.single_action_space = space_of_actions(self.episodes)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.zeros(num_envs, dtype=np.bool_)
        self._seeded = self._ready = False
        shape = (num_envs, *(self.single_observation_space.shape or ()))
        self._buffers = [np.zeros(shape, dtype=np.float32) for _ in range(2)]

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begins episodes: all, or those of `options["reset_mask"]`.

        A whole number seeds environment i with `seed` + i. `options["path"]` fixes drawn values.
        """
        given = dict(options or {})
        mask = self._mask(given.pop("reset_mask", None))
        fixed = given.pop("path", None)
        for name in given:
            warn(f"there is no option `{name}` of a reset; there are {', '.join(KNOWN)}")
        self._seed(seed, mask)
        places = [int(i) for i in np.flatnonzero(mask)]
        self.episodes.begin(places, fixed)
        self._over[mask] = False
        self._ready = True
        return self._observations(), self._reset_info(mask)

    def _mask(self, given: Any) -> Bools:
        if given is None:
            return np.ones(self.num_envs, dtype=np.bool_)
        good = isinstance(given, np.ndarray) and given.dtype == np.bool_
        if not good or given.shape != (self.num_envs,) or not given.any():
            raise Refusal(
                "a reset_mask is an array of flags, one for each environment, one of them true",
                place="options: reset_mask",
                fix="give numpy.array([True, …])",
            )
        if not self._ready and not given.all():
            raise Refusal(
                "the first reset is one of all environments",
                place="options: reset_mask",
                fix="reset without a mask first",
            )
        found: Bools = given
        return found

    def _seed(self, seed: int | Sequence[int | None] | None, mask: Bools) -> None:
        if seed is None and not self._seeded:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        if seed is None:
            return
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
            seed = [int(seed) + place for place in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise Refusal(
                f"{len(seed)} seeds for {self.num_envs} environments",
                place="seed",
                fix="give one seed, or one for each",
            )
        self._seeded = True
        for place, one in enumerate(seed):
            if mask[place] and one is not None:
                self.episodes.seed(place, one)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """A step of each environment, as Gymnasium has it."""
        if not self._ready:
            raise Refusal("there is no episode yet", place="step", fix="call reset first")
        begin = np.zeros(self.num_envs, dtype=np.bool_)
        if self._over.any():
            if self._mode != AutoresetMode.NEXT_STEP:
                raise Refusal(
                    f"the episode of environment {int(np.flatnonzero(self._over)[0])} is over",
                    place="step",
                    fix='reset it by options={"reset_mask": …}',
                )
            begin = self._over.copy()
        answers = self._ignored(actions, begin)
        rewards, terminations, truncations = self.episodes.step(answers, ~begin)
        if begin.any():
            self.episodes.begin([int(i) for i in np.flatnonzero(begin)])
        over = terminations | truncations
        infos = self._step_info(~begin, over)
        if begin.any():
            infos |= self._reset_info(begin)
        self._over = over
        if over.any() and self._mode == AutoresetMode.SAME_STEP:
            self._same_step(over, infos)
        return self._observations(), rewards[:, 0], terminations, truncations, infos

    def _ignored(self, actions: Any, begin: Bools) -> Any:
        """The action of a step that resets is ignored, whatever it is."""
        if not begin.any():
            return actions
        given = np.array(actions, dtype=np.float64)
        if given.shape[:1] == begin.shape:
            given[begin] = self.episodes.actions.low or 0.0
        return given

    def _same_step(self, over: Bools, infos: dict[str, Any]) -> None:
        """Begins the next episodes at once; what ended is in the infos."""
        last = self.episodes.observations()[:, 0]
        final = np.full(self.num_envs, None, dtype=object)
        for place in np.flatnonzero(over):
            final[place] = last[place]
        ended = {}
        for name in [name for name in infos if not name.startswith("_")]:
            told = infos.get(f"_{name}", np.ones(self.num_envs, dtype=np.bool_))
            ended[name], ended[f"_{name}"] = infos[name].copy(), told & over
        self.episodes.begin([int(i) for i in np.flatnonzero(over)])
        self._over = np.zeros(self.num_envs, dtype=np.bool_)
        infos |= self._reset_info(over)
        infos |= {"final_obs": final, "_final_obs": over.copy()}
        infos |= {"final_info": ended, "_final_info": over.copy()}

    def _observations(self) -> NDArray[np.float32]:
        found = self.episodes.observations()[:, 0]
        if self._copy:
            return found
        self._buffers.reverse()
        np.copyto(self._buffers[0], found)
        return self._buffers[0]

    def _reset_info(self, mask: Bools) -> dict[str, Any]:
        """The values that were drawn."""
        infos: dict[str, Any] = {}
        for place in np.flatnonzero(mask):
            path = self.episodes.drawn[place]
            for name, value in path.values.items() if path is not None else ():
                infos.setdefault(name, np.zeros(self.num_envs))[place] = value
                infos.setdefault(f"_{name}", np.zeros(self.num_envs, dtype=np.bool_))[place] = True
        return infos

    def _step_info(self, moved: Bools, over: Bools) -> dict[str, Any]:
        infos: dict[str, Any] = {"dt_s": self.episodes.column("dt_s")[:, 0].copy()}
        infos["_dt_s"] = moved.copy()
        if self.episodes.options.info == "full":
            infos |= self._full(moved)
        if over.any():
            prints = np.zeros(self.num_envs, dtype=np.uint64)
            for place in np.flatnonzero(over):
                prints[place] = int(self.episodes.worlds.fingerprint(int(place)), 16)
            infos |= {"fingerprint": prints, "_fingerprint": over.copy()}
        return infos

    def _full(self, moved: Bools) -> dict[str, Any]:
        column = self.episodes.column
        dt = np.maximum(column("dt_s")[:, 0], 1e-12)
        packets = column("acked_B")[:, 0] / np.maximum(column("mss_B")[:, 0], 1.0)
        found = {
            "now_s": column("now_s")[:, 0].copy(),
            "goodput_bps": packets * BITS / dt,
            "rtt_ms": 1000.0 * column("rtt_mean_s")[:, 0],
        }
        return found | {f"_{name}": moved.copy() for name in found}

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing stays open."""
