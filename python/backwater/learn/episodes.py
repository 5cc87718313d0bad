"""Episodes in many places: draws, steps, observations, rewards and ends, in NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backwater import _native
from backwater.errors import Refusal
from backwater.learn.actions import ACTIONS, FREE, Actions
from backwater.learn.clocks import clock
from backwater.learn.episode_draws import Draws
from backwater.learn.features import DEFAULT, Features, Seen
from backwater.learn.paths import PATHS, PAYLOAD, Given, Path, Paths
from backwater.learn.rewards import NEED_CAPACITY, Known, Reward, reward
from backwater.learn.worlds import COLUMN, Start, Worlds
from backwater.model import arguments

Bools = NDArray[np.bool_]
# Steps of PCC-RL that pass before an episode is seen, and those that have a given length.
UNSEEN = 2
# Where steps of a rate begin on a path that has no start of its own.
FIRST_PPS = 100.0


@dataclass(frozen=True)
class Options:
    """The settings of an environment, besides the number of its worlds."""

    path: str | Paths = "aurora"
    scenario: Any = None
    clock: str | None = None
    action: str | None = None
    features: Sequence[str] = DEFAULT
    history: int = 10
    reward: str | Reward = "aurora"
    steps: int | None = None
    stall_limit_s: float | None = None
    capacity_pps: float | None = None
    info: str = "brief"
    knobs: Sequence[str] = ()
    threads: int | None = None

    def paths(self) -> Paths:
        """The distribution of its paths."""
        if self.scenario is not None:
            return Given(self.scenario, self.capacity_pps)
        if not isinstance(self.path, str):
            return self.path
        if self.path not in PATHS:
            raise Refusal(
                f"there are no paths `{self.path}`",
                place="path",
                nearest=list(PATHS),
                fix=f"write one of {', '.join(PATHS)}, or give a scenario",
            )
        return PATHS[self.path]()

    def actions(self) -> Actions:
        """The kind of its answers: rates for paths with a start, windows for a scenario."""
        name = self.action or ("rate-delta" if self.scenario is None else "cwnd-log2")
        if name not in ACTIONS:
            raise Refusal(
                f"there are no actions `{name}`",
                place="action",
                nearest=list(ACTIONS),
                fix=f"write one of {', '.join(ACTIONS)}",
            )
        return ACTIONS[name]


class Episodes:
    """See the head of the file. Arrays have a row for each place, and in it one for each agent."""

    def __init__(self, options: Options, count: int) -> None:
        self.options, self.paths = options, options.paths()
        self.features = Features(options.features, options.history)
        actions, self._reward = options.actions(), reward(options.reward)
        self.worlds = Worlds(self.paths.scene(), count, options.threads, knobs=options.knobs)
        self.actions = actions.beside(self.worlds.knobs)
        if options.info not in ("brief", "full"):
            raise Refusal(f"info is {options.info!r}", place="info", fix='write "brief" or "full"')
        agents = len(self.worlds.agents)
        self.shape = (count, agents)
        width = len(self.features.names)
        self._history = np.zeros((*self.shape, options.history, width), dtype=np.float32)
        self._rates = np.zeros(self.shape)
        self._known = Known(np.zeros(self.shape), np.zeros(self.shape), agents)
        self._limits = np.zeros(count, dtype=np.int64)
        self.steps = np.zeros(count, dtype=np.int64)
        self._seeds = [0] * count
        self._numbers = [-1] * count
        self.drawn: list[Path | None] = [None] * count

    def seed(self, place: int, seed: int) -> None:
        """The next episode of a place is the first of this seed."""
        self._seeds[place] = arguments.whole(seed, "seed", 0, arguments.MOST_SEED)
        self._numbers[place] = -1

    def begin(self, places: Sequence[int], fixed: Mapping[str, float] | None = None) -> None:
        """Begins an episode in each of these places."""
        starts = {}
        for place in places:
            self._numbers[place] += 1
            draws = Draws(self._seeds[place], self._numbers[place])
            path = self.paths.draw(draws, fixed or {})
            starts[place] = self._start(place, path)
        self.worlds.reset(starts)
        at = list(places)
        self.steps[at] = 0
        self._history[at] = self.features.empty

    def _start(self, place: int, path: Path) -> Start:
        self.drawn[place] = path
        named = self.options.reward if isinstance(self.options.reward, str) else ""
        if path.capacity_pps is None and named in NEED_CAPACITY:
            raise Refusal(
                f"the reward `{named}` needs the capacity of the path, which a scenario has not",
                place="reward",
                fix="give capacity_pps, or take `aurora` or `mvfst`",
            )
        self._known.capacity_pps[place] = path.capacity_pps or np.nan
        self._known.least_rtt_s[place] = path.least_rtt_s or np.nan
        limit = self.options.steps or path.steps
        self._limits[place] = np.iinfo(np.int64).max if limit is None else limit
        unseen = UNSEEN if path.steps is not None else 0
        written = self.options.clock or ("0.5 rtt" if self.options.scenario is None else "30 ms")
        when = clock(written, path.given_s, unseen + 1)
        rate = path.start_pps
        self._rates[place] = FIRST_PPS if rate is None else rate
        if rate is None or not self.actions.name.startswith("rate-delta"):
            return Start(when, 0, path.patches())
        told = (FREE * PAYLOAD, rate * PAYLOAD * 8) * self.shape[1]
        return Start(when, 0, path.patches(), told, unseen)

    def step(self, answers: Any, mask: Bools) -> tuple[NDArray[Any], Bools, Bools]:
        """Steps the places of a mask. Gives rewards, terminations and truncations."""
        given = self.actions.checked(answers, self.shape)
        # Only those that move remember what they were told. Indexing by a mask copies, so a step of
        # all goes without: of idle worlds the arrays here cost more than the worlds.
        whole = bool(mask.all())
        rates = self._rates if whole else self._rates.copy()
        told = self.actions.settings(given, rates, self.worlds.seen)
        if not whole:
            np.copyto(self._rates, rates, where=mask[:, None])
        self.worlds.step(told, mask, self._values(given))
        seen = Seen(self.worlds.seen)
        found = self.features.of(seen)
        moved = self._history if whole else self._history[mask]
        moved[:, :, :-1] = moved[:, :, 1:]
        moved[:, :, -1] = found if whole else found[mask]
        if not whole:
            self._history[mask] = moved
        self.steps += mask
        rewards = self._reward(seen, self._known)
        if not whole:
            rewards = np.where(mask[:, None], rewards, 0.0)
        stalled = np.zeros(self.shape[0], dtype=np.bool_)
        if self.options.stall_limit_s is not None:
            silent = self.worlds.seen[..., COLUMN["silence_s"]] >= self.options.stall_limit_s
            stalled = silent.all(axis=1) & mask
        over = (self.worlds.ended | (self.steps >= self._limits)) & mask & ~stalled
        return rewards, stalled, over

    def _values(self, given: Any) -> Any:
        """The values of knobs, which belong to no agent: the first one's answer has them."""
        if not self.actions.knobs:
            return None
        knobs = self.worlds.knobs
        low, high = ([getattr(knob, end) for knob in knobs] for end in ("low", "high"))
        return np.clip(given[:, 0, -self.actions.knobs :], low, high)

    def hold(self, pps: Any) -> None:
        """From now on the rates to which steps of a rate apply, one for each agent."""
        np.copyto(self._rates, np.asarray(pps, dtype=np.float64))

    def observations(self) -> NDArray[np.float32]:
        """A row for each agent, the newest features last. A copy."""
        rows: NDArray[np.float32] = self._history.reshape(*self.shape, -1).copy()
        return rows

    def column(self, name: str) -> NDArray[np.float64]:
        """A column of what agents saw."""
        found: NDArray[np.float64] = self.worlds.seen[..., COLUMN[name]]
        return found

    @property
    def engine(self) -> str:
        """The engine on whose sources a result depends."""
        return _native.engine_id()
