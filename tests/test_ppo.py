"""The trainer, on tasks whose best policy is known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backwater.errors import Refusal
from command import call

gymnasium = pytest.importorskip("gymnasium", reason="the extra `rl` is not installed")

from gymnasium import spaces  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

from backwater.learn import curriculum, training  # noqa: E402
from backwater.learn.episode_draws import Draws  # noqa: E402
from backwater.learn.episodes import Options  # noqa: E402
from backwater.learn.paths import Aurora  # noqa: E402
from backwater.learn.ppo import Policy, Settings, train  # noqa: E402

COUNT = 16
QUICK = Settings(layers=(16,), rollout=32, batch=128, rate=3e-3)


class Follow:
    """The best action is what is seen. A step that resets pays for the worst action instead."""

    def __init__(self, words: bool = False, trap: float = 0.0) -> None:
        self.num_envs, self.trap, self._words = COUNT, trap, words
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_observation_space = spaces.Box(-1.0, 1.0, (1,))
        box = spaces.Box(-3.0, 3.0, (1,))
        self.single_action_space: Any = spaces.Discrete(2) if words else box

    def reset(self, seed: int) -> tuple[Any, dict[str, Any]]:
        self._draws = np.random.default_rng(seed)
        self._step, self._over = np.arange(COUNT) % 5, np.zeros(COUNT, dtype=bool)
        return self._look(), {}

    def _look(self) -> Any:
        self._seen = self._draws.uniform(-1, 1, COUNT)
        return self._seen[:, None].astype(np.float32)

    def step(self, actions: Any) -> tuple[Any, ...]:
        action = np.asarray(actions, dtype=np.float64).reshape(-1)
        wanted = (self._seen > 0) * 1.0 if self._words else self._seen
        gained = np.where(self._over, self.trap * (action + wanted), -((action - wanted) ** 2))
        self._step = np.where(self._over, 0, self._step + 1)
        self._over = self._step >= 5
        dead = np.zeros(COUNT, dtype=bool)
        return self._look(), gained, dead, self._over.copy(), {}


def miss(policy: Policy, words: bool = False) -> float:
    """The mean distance from the best action."""
    seen = np.linspace(-1, 1, 101)
    best = (seen > 0) * 1.0 if words else seen
    return float(np.abs(policy.act(seen[:, None])[:, 0] - best).mean())


def test_it_learns_what_is_best_and_not_what_a_step_that_resets_pays() -> None:
    untrained = Policy(1, 1, 0, (16,), 1)
    assert miss(untrained) > 0.4
    trained = train(Follow(), 40_000, settings=QUICK)
    assert miss(trained.policy) < 0.1
    # One step in six resets. Learned of, it would pull the action away from what is seen.
    trapped = train(Follow(trap=20.0), 40_000, settings=QUICK)
    assert miss(trapped.policy) < 0.1
    # Steps that reset are not among those that count.
    assert trained.steps < 40_000 + COUNT * QUICK.rollout


def test_it_learns_to_choose_a_word() -> None:
    trained = train(Follow(words=True), 20_000, settings=QUICK)
    assert miss(trained.policy, words=True) < 0.05


class Level(Follow):
    """An action raises a level that nothing shows. It costs 30 at once, and earns the level."""

    length = 200

    def reset(self, seed: int) -> tuple[Any, dict[str, Any]]:
        self._level, self._at = np.zeros(COUNT), 0
        return np.zeros((COUNT, 1), dtype=np.float32), {}

    def step(self, actions: Any) -> tuple[Any, ...]:
        action = np.clip(np.asarray(actions, dtype=np.float64).reshape(-1), -1, 1)
        self._level += action
        gained = self._level - 30 * action
        self._at += 1
        over = np.full(COUNT, self._at == self.length)
        if over.all():
            self._level, self._at = np.zeros(COUNT), 0
        return np.zeros((COUNT, 1), dtype=np.float32), gained, np.zeros(COUNT, dtype=bool), over, {}


def test_what_is_earned_late_counts_where_no_observation_shows_it() -> None:
    """Of 200 steps at a discount of 0.99 a unit earns 56.7 on average, which is more than 30.

    100 (1 - (1 - 0.99^200) / 2) = 56.7. A critic that is trusted after 0.95^k sees at most
    1 / (1 - 0.99 * 0.95) = 16.8 of it, and goes the other way.
    """
    ends = {}
    for lam in (Settings().lam, 0.95):
        settings = Settings(layers=(8,), rollout=Level.length, batch=400, rate=3e-3, lam=lam)
        trained = train(Level(), 64_000, settings=settings)
        ends[lam] = float(trained.policy.act(np.zeros((1, 1)))[0, 0])
    assert ends[Settings().lam] > 0.3
    assert ends[0.95] < -0.3


class Cut(Follow):
    """One unit a step for ever, cut short after five; what is seen tells nothing."""

    def step(self, actions: Any) -> tuple[Any, ...]:
        seen, _, dead, over, infos = super().step(actions)
        return seen, np.ones(COUNT), dead, over, infos


def test_an_episode_that_was_cut_short_counts_on() -> None:
    """Its value is 1 / (1 - 0.9) = 10 units at each instant, not the 2.7 of 5 steps on average."""
    from backwater.learn.ppo import Trainer

    settings = Settings(layers=(16,), rollout=32, batch=128, rate=3e-3, discount=0.9)
    trainer = Trainer(Cut(), settings, 1)
    for _ in range(120):
        trainer.round(3e-3)
    unit = 1.0 / np.sqrt(trainer._returns.var[0] + 1e-8)
    values = trainer.value(np.linspace(-1.5, 1.5, 11)[:, None])[:, 0]
    # The unit moves as returns are seen.
    assert values.mean() / unit == pytest.approx(10.0, rel=0.1)


def test_the_policy_is_the_one_that_its_judge_liked_best() -> None:
    """Asked three times, it likes the first one best; that one is kept as it was then."""
    asked: list[float] = []
    likes = iter((2.0, 1.0, 0.0))

    def judge(policy: Policy) -> float:
        asked.append(miss(policy))
        return next(likes)

    found = train(Follow(), 1_200, settings=QUICK, judge=judge, every=1)
    assert len(asked) == 3
    assert found.earned == 2.0
    assert 0 < found.at < found.steps
    assert miss(found.policy) == asked[0] != asked[2]


def test_equal_seeds_give_equal_policies_and_a_file_keeps_one(tmp_path: Path) -> None:
    first, again, other = (train(Follow(), 2_000, seed=s, settings=QUICK) for s in (3, 3, 4))
    sights = np.linspace(-1, 1, 7)[:, None]
    assert (first.policy.act(sights) == again.policy.act(sights)).all()
    assert (first.policy.act(sights) != other.policy.act(sights)).any()
    first.policy.save(tmp_path / "policy.npz")
    kept = Policy.load(tmp_path / "policy.npz")
    assert (kept.act(sights) == first.policy.act(sights)).all()
    (tmp_path / "no.npz").write_text("no")
    with pytest.raises(Refusal, match="is no policy"):
        Policy.load(tmp_path / "no.npz")


def test_the_search_finds_where_a_known_gap_is_widest() -> None:
    """The point that it gives is the best of the fifteen that it asked for, all in their ranges."""
    ranges = {"a": (2.0, 10.0), "b": (0.0, 1.0)}
    asked: list[Mapping[str, float]] = []

    def gap(at: Mapping[str, float]) -> float:
        asked.append(at)
        return -((at["a"] / 10.0 - 0.3) ** 2) - (at["b"] - 0.2) ** 2

    point, found = curriculum.widest(ranges, gap, 1)
    assert len(asked) == 15
    assert all(2.0 <= one["a"] <= 10.0 and 0.0 <= one["b"] <= 1.0 for one in asked)
    assert found == max(gap(one) for one in list(asked)) == gap(point)
    assert curriculum.widest(ranges, gap, 1)[0] == point != curriculum.widest(ranges, gap, 2)[0]
    # The bound trusts what is known: at a point it is the value, and far from all it is wide.
    points, values = np.array([[0.2, 0.2], [0.8, 0.8]]), np.array([1.0, -1.0])
    near, far = curriculum.bound(points, values, np.array([[0.2, 0.2], [0.2, 1.0]]))
    assert near == pytest.approx(1.0, abs=0.1)
    assert far > 10.0


def test_found_paths_are_drawn_with_their_shares() -> None:
    """The last one 0.3 of all, the one before it 0.3 of the rest: 0.21."""
    paths = curriculum.Focused(Aurora())
    paths.found += [{"loss": 0.01, "start": 1.0}, {"loss": 0.02, "start": 1.0}]
    drawn = [paths.draw(Draws(7, number), {}).values for number in range(4000)]
    for loss, share in ((0.02, 0.3), (0.01, 0.21)):
        counted = sum(one["loss"] == loss for one in drawn) / 4000
        # Four standard errors.
        assert counted == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 4000))
    assert all(one["loss"] == 0.04 for one in (paths.draw(Draws(7, 1), {"loss": 0.04}).values,))


def test_a_curriculum_trains_on_paths_that_it_found() -> None:
    settings = Settings(layers=(8,), rollout=11, batch=22)
    options = Options(steps=10, threads=1)
    trained, found = training.learn_by_curriculum(options, 2, 60, 1, settings, None, each=20)
    assert trained.steps >= 60
    assert len(found) == 2
    for one in found:
        assert 100 <= one["capacity_pps"] <= 500
    with pytest.raises(Refusal, match="no curriculum `gent`"):
        training.learner("gent")
    with pytest.raises(Refusal, match="a scenario has one"):
        curriculum.focused(Options(scenario={}))
    with pytest.raises(Refusal, match="constant rate"):
        curriculum.focused(Options(action="mvfst"))


def test_the_command_trains_and_says_what_the_policy_earns(tmp_path: Path) -> None:
    file = tmp_path / "policy.npz"
    line = ["train", "--steps", "600", "--worlds", "4", "--judged", "3", "--out", str(file)]
    document = call(*line, "--json", cwd=tmp_path).document
    assert document["steps"] >= 500
    assert document["held_out"]["episodes"] == 3
    # 3 episodes of the closed form: its mean is 851 and its deviation 440 over all paths.
    assert 0 < document["constant_rate"]["mean"] < 1800
    assert Policy.load(file).width == 30
    refused = call("train", "--out", "policy.txt", cwd=tmp_path)
    assert refused.code == 2
    assert "name a .npz" in refused.err
