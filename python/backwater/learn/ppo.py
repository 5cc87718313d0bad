"""Proximal policy optimisation (Schulman et al. 2017) in NumPy, for any `VectorEnv` of Gymnasium.

Two networks of tanh layers, a Gaussian of each action with a deviation of its own, or a category.
After CleanRL's continuous PPO, with two differences: a step that only resets an environment is left
out, and an episode that was cut short counts on with the value of its last observation. PyTorch is
not used, since its only wheels on PyPI for Linux bring CUDA along, and networks of this size gain
nothing from it. Equal seeds give equal policies on one kind of processor.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backwater.errors import Refusal

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    """Of the trainer. The layers and the discount are those with which PCC-RL trains.

    A step of a rate is felt for the rest of an episode, and no feature shows the rate. So the value
    of an observation can't tell what the step will earn: with `lam` below 1, which trusts it after
    some 1 / (1 - discount * lam) steps, a policy learns to slow down, since the shorter queue shows
    at once and the lost throughput later. A rollout is an episode of Aurora's and its reset.
    """

    layers: tuple[int, ...] = (32, 16)
    rollout: int = 401
    epochs: int = 4
    batch: int = 512
    rate: float = 1e-3
    discount: float = 0.99
    lam: float = 1.0
    clip: float = 0.2
    entropy: float = 0.0
    norm: float = 0.5


class Network:
    """Layers of tanh, the last one linear, with the state of Adam."""

    def __init__(self, sizes: tuple[int, ...], last: float, draws: np.random.Generator) -> None:
        self.values: list[Array] = []
        for at, (wide, high) in enumerate(pairwise(sizes)):
            gain = last if at == len(sizes) - 2 else np.sqrt(2.0)
            self.values += [_orthogonal(draws, wide, high) * gain, np.zeros(high)]
        self._kept: list[Array] = []

    def __call__(self, given: Array) -> Array:
        """The output of each row. What `gradients` needs is kept."""
        self._kept = [given]
        for at in range(0, len(self.values), 2):
            given = given @ self.values[at] + self.values[at + 1]
            if at + 2 < len(self.values):
                given = np.tanh(given)
                self._kept.append(given)
        return given

    def gradients(self, above: Array) -> list[Array]:
        """Of every value, from that of the output of the last call."""
        found: list[Array] = []
        for at in reversed(range(0, len(self.values), 2)):
            below = self._kept[at // 2]
            found = [below.T @ above, above.sum(axis=0), *found]
            if at:
                above = (above @ self.values[at].T) * (1.0 - below**2)
        return found


def _orthogonal(draws: np.random.Generator, wide: int, high: int) -> Array:
    tall = draws.standard_normal((max(wide, high), min(wide, high)))
    q, r = np.linalg.qr(tall)
    q = q * np.sign(np.diag(r))
    return np.ascontiguousarray(q if wide >= high else q.T)


class Adam:
    """Kingma and Ba 2015, with gradients cut to a norm."""

    def __init__(self, values: list[Array], norm: float) -> None:
        self._values, self._norm, self._count = values, norm, 0
        self._first = [np.zeros_like(value) for value in values]
        self._second = [np.zeros_like(value) for value in values]

    def step(self, gradients: list[Array], rate: float) -> None:
        """Moves the values in place."""
        self._count += 1
        length = float(np.sqrt(sum(float((one**2).sum()) for one in gradients)))
        scale = min(1.0, self._norm / (length + 1e-8))
        for value, first, second, found in zip(
            self._values, self._first, self._second, gradients, strict=True
        ):
            cut = found * scale
            first += 0.1 * (cut - first)
            second += 0.001 * (cut**2 - second)
            unbiased = first / (1 - 0.9**self._count)
            spread = np.sqrt(second / (1 - 0.999**self._count))
            value -= rate * unbiased / (spread + 1e-5)


class Running:
    """Mean and variance so far."""

    def __init__(self, width: int) -> None:
        self.mean, self.var, self.count = np.zeros(width), np.ones(width), 1e-4

    def see(self, rows: Array) -> None:
        """Takes rows into account."""
        if not len(rows):
            return
        mean, var, count = rows.mean(axis=0), rows.var(axis=0), len(rows)
        total = self.count + count
        apart = mean - self.mean
        self.mean = self.mean + apart * count / total
        joint = self.var * self.count + var * count
        self.var = (joint + apart**2 * self.count * count / total) / total
        self.count = total

    def scaled(self, rows: Array) -> Array:
        """Rows with mean 0 and variance 1, cut at 10."""
        return np.clip((rows - self.mean) / np.sqrt(self.var + 1e-8), -10, 10)


class Policy:
    """The learned policy: observations in, actions out."""

    def __init__(self, width: int, actions: int, words: int, layers: tuple[int, ...], seed: int):
        draws = np.random.default_rng(seed)
        self.width, self.actions, self.words, self.layers = width, actions, words, layers
        self.mean = Network((width, *layers, words or actions), 0.01, draws)
        self.spread = np.zeros(actions)
        self.seen = Running(width)
        self.draws = draws

    def sight(self, observations: Any, new: Any = None) -> Array:
        """Observations as networks take them; those that `new` marks count in the scale."""
        rows = np.asarray(observations, dtype=np.float64)
        if new is not None:
            self.seen.see(rows[new])
        return self.seen.scaled(rows)

    def act(self, observations: Any, sure: bool = True) -> Array:
        """An action for each row: the likeliest, or one that is drawn."""
        out = self.mean(self.sight(observations))
        if self.words:
            gumbel = 0.0 if sure else self.draws.gumbel(size=out.shape)
            word: Array = np.argmax(out + gumbel, axis=1).astype(np.float64)[:, None]
            return word
        noise = 0.0 if sure else self.draws.standard_normal(out.shape) * np.exp(self.spread)
        return out + noise

    def log(self, out: Array, taken: Array) -> Array:
        """The logarithm of how likely what was taken is."""
        if self.words:
            likely = _log_softmax(out)
            of_word: Array = np.take_along_axis(likely, taken.astype(np.int64), axis=1)[:, 0]
            return of_word
        apart = (taken - out) / np.exp(self.spread)
        whole = -0.5 * apart**2 - self.spread - 0.5 * np.log(2 * np.pi)
        return np.asarray(whole.sum(axis=1))

    def gradients(self, out: Array, taken: Array, weight: Array) -> list[Array]:
        """Of the sum of weights times that logarithm."""
        if self.words:
            above = -np.exp(_log_softmax(out))
            np.put_along_axis(
                above,
                taken.astype(np.int64),
                1.0 + np.take_along_axis(above, taken.astype(np.int64), axis=1),
                axis=1,
            )
            return [*self.mean.gradients(above * weight[:, None]), np.zeros(self.actions)]
        apart = (taken - out) / np.exp(self.spread)
        above = apart / np.exp(self.spread) * weight[:, None]
        return [*self.mean.gradients(above), ((apart**2 - 1.0) * weight[:, None]).sum(axis=0)]

    def save(self, path: Path) -> None:
        """Writes it as a file of NumPy."""
        shape = json.dumps([self.width, self.actions, self.words, list(self.layers)])
        arrays: dict[str, Any] = {f"v{at}": value for at, value in enumerate(self.mean.values)}
        with path.open("wb") as file:
            np.savez(
                file,
                shape=np.array(shape),
                spread=self.spread,
                seen=np.stack([self.seen.mean, self.seen.var]),
                **arrays,
            )

    @staticmethod
    def load(path: Path) -> Policy:
        """Reads what `save` wrote."""
        try:
            with np.load(path, allow_pickle=False) as file:
                width, actions, words, layers = json.loads(str(file["shape"]))
                policy = Policy(width, actions, words, tuple(layers), 0)
                policy.mean.values = [file[f"v{at}"] for at in range(len(policy.mean.values))]
                policy.spread = file["spread"]
                policy.seen.mean, policy.seen.var = file["seen"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Refusal(
                f"`{path}` is no policy: {error}",
                place=str(path),
                fix="give a file that `backwater train` wrote",
            ) from error
        return policy


def _log_softmax(rows: Array) -> Array:
    shifted = rows - rows.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


@dataclass
class Trained:
    """A policy, and the mean return of the episodes that ended in each round of training."""

    policy: Policy
    returns: list[float] = field(default_factory=list)
    steps: int = 0
    # The reward of the policy where it was judged, and after how many steps; none without a judge.
    earned: float | None = None
    at: int = 0
    settings: dict[str, Any] = field(default_factory=dict)


class Trainer:
    """Trains a policy on an environment."""

    def __init__(self, envs: Any, settings: Settings, seed: int) -> None:
        self.envs, self.settings = envs, settings
        space = envs.single_action_space
        words = int(getattr(space, "n", 0))
        actions = 1 if words else int(np.prod(space.shape))
        width = int(np.prod(envs.single_observation_space.shape))
        self.policy = Policy(width, actions, words, settings.layers, seed)
        draws = np.random.default_rng(seed + 1)
        self.value = Network((width, *settings.layers, 1), 1.0, draws)
        self._draws = draws
        self._adam = Adam([*self.policy.mean.values, self.policy.spread], settings.norm)
        self._critic = Adam(self.value.values, settings.norm)
        self._returns = Running(1)
        self._sofar = np.zeros(envs.num_envs)
        self._discounted = np.zeros(envs.num_envs)
        self._over = np.zeros(envs.num_envs, dtype=np.bool_)
        self._now, _ = envs.reset(seed=seed)

    def round(self, rate: float) -> tuple[int, list[float]]:
        """Collects a rollout and learns of it. Gives steps, and returns of episodes that ended."""
        s, count = self.settings, self.envs.num_envs
        wide = (s.rollout, count)
        sights = np.zeros((s.rollout, count, self.policy.width))
        taken = np.zeros((*wide, self.policy.actions))
        rewards, values, after = np.zeros(wide), np.zeros(wide), np.zeros(wide)
        real, over = np.zeros(wide, dtype=np.bool_), np.zeros(wide, dtype=np.bool_)
        ended: list[float] = []
        for at in range(s.rollout):
            real[at] = ~self._over
            sights[at] = self.policy.sight(self._now, real[at])
            taken[at] = self.policy.act(self._now, sure=False)
            values[at] = self.value(sights[at])[:, 0]
            self._now, gained, dead, cut, _ = self.envs.step(self._fit(taken[at]))
            # The last observation of an episode is the one that comes with its end.
            nexts = self.value(self.policy.sight(self._now))[:, 0]
            after[at] = np.where(dead, 0.0, nexts)
            over[at] = dead | cut
            rewards[at] = self._scaled(gained, real[at], over[at])
            self._sofar += gained
            ended += self._sofar[over[at]].tolist()
            self._sofar[over[at]] = 0.0
            self._over = over[at] & (self.envs.metadata["autoreset_mode"].value == "NextStep")
        gains = self._advantages(rewards, values, after, over)
        keep = real.reshape(-1)
        self._learn(
            sights.reshape(-1, self.policy.width)[keep],
            taken.reshape(-1, self.policy.actions)[keep],
            gains.reshape(-1)[keep],
            (gains + values).reshape(-1)[keep],
            rate,
        )
        return int(keep.sum()), ended

    def _fit(self, taken: Array) -> Any:
        if self.policy.words:
            return taken[:, 0].astype(np.int64)
        space = self.envs.single_action_space
        return np.clip(taken, space.low, space.high).astype(np.float32)

    def _scaled(self, gained: Array, real: NDArray[np.bool_], over: NDArray[np.bool_]) -> Array:
        """Rewards over the deviation of discounted returns, cut at 10.

        A queue that nobody drains costs a hundred times what a good step earns, and would drown it.
        """
        self._discounted = self._discounted * self.settings.discount + gained
        self._returns.see(self._discounted[real][:, None])
        self._discounted[over] = 0.0
        return np.asarray(np.clip(gained / np.sqrt(self._returns.var[0] + 1e-8), -10, 10))

    def _advantages(self, rewards: Array, values: Array, after: Array, over: Any) -> Array:
        """Generalised advantages (Schulman et al. 2016)."""
        s, gains, later = self.settings, np.zeros_like(rewards), np.zeros(rewards.shape[1])
        for at in reversed(range(len(rewards))):
            apart = rewards[at] + s.discount * after[at] - values[at]
            later = apart + s.discount * s.lam * later * ~over[at]
            gains[at] = later
        return gains

    def _learn(self, sights: Array, taken: Array, gains: Array, wanted: Array, rate: float) -> None:
        s = self.settings
        old = self.policy.log(self.policy.mean(sights), taken)
        for _ in range(s.epochs):
            order = self._draws.permutation(len(sights))
            for first in range(0, len(order), s.batch):
                at = order[first : first + s.batch]
                gain = (gains[at] - gains[at].mean()) / (gains[at].std() + 1e-8)
                out = self.policy.mean(sights[at])
                ratio = np.exp(self.policy.log(out, taken[at]) - old[at])
                # The clipped objective has no slope where it is clipped.
                free = np.where(gain > 0, ratio < 1 + s.clip, ratio > 1 - s.clip)
                weight = -gain * ratio * free / len(at)
                slopes = self.policy.gradients(out, taken[at], weight)
                if not self.policy.words:
                    slopes[-1] = slopes[-1] - s.entropy
                self._adam.step(slopes, rate)
                apart = self.value(sights[at])[:, 0] - wanted[at]
                self._critic.step(self.value.gradients(apart[:, None] / len(at)), rate)


def train(
    envs: Any,
    steps: int,
    *,
    seed: int = 1,
    settings: Settings | None = None,
    told: Callable[[int, float], None] | None = None,
    judge: Callable[[Policy], float] | None = None,
    every: int = 8,
    between: Callable[[Policy], None] | None = None,
    each: int = 0,
) -> Trained:
    """Trains for so many steps, those that reset left out. `told` hears of each round.

    With a `judge` the policy is the one that it liked best, asked after each `every` rounds and at
    the end: what a policy earns may fall again while it is trained. `between` is called after the
    round that passes each `each` steps, and may change what the environments draw.
    """
    chosen = settings or Settings()
    trainer = Trainer(envs, chosen, seed)
    found = Trained(trainer.policy, settings=asdict(chosen))
    while found.steps < steps:
        left = 1.0 - found.steps / steps
        made, ended = trainer.round(chosen.rate * left)
        due = each > 0 and found.steps // each < (found.steps + made) // each
        found.steps += made
        if between is not None and due and found.steps < steps:
            between(trainer.policy)
        mean = float(np.mean(ended)) if ended else float("nan")
        found.returns.append(mean)
        if told is not None:
            told(found.steps, mean)
        asked = len(found.returns) % every == 0 or found.steps >= steps
        if judge is not None and asked:
            earned = judge(trainer.policy)
            if found.earned is None or earned > found.earned:
                found.earned, found.at = earned, found.steps
                found.policy = copy.deepcopy(trainer.policy)
    return found
