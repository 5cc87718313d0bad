"""Stable-Baselines3 and PufferLib take the environments as they are. Skipped without them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from backwater import learn

gymnasium = pytest.importorskip("gymnasium", reason="the extra `rl` is not installed")

SHORT: dict[str, Any] = {"action": "rate-delta-unit", "steps": 20, "threads": 1}


def library(name: str) -> Any:
    """The library, or a skip that says why. An import may fail for want of PyTorch, too."""
    why = f"{name} is not installed: it needs PyTorch, of 530 MB and more for Linux on PyPI"
    return pytest.importorskip(name, reason=why, exc_type=ImportError)


def test_stable_baselines_finds_nothing_wrong_and_trains() -> None:
    library("stable_baselines3")
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_checker import check_env
    from stable_baselines3.common.vec_env import VecMonitor

    from backwater.learn.stable_baselines import PathVecEnv

    check_env(gymnasium.make(learn.ID, **SHORT))
    envs = VecMonitor(PathVecEnv(4, **SHORT))
    model = PPO("MlpPolicy", envs, n_steps=32, batch_size=32, seed=1, device="cpu")
    before = [one.detach().clone() for one in model.policy.parameters()]
    model.learn(512)
    assert model.num_timesteps == 512
    assert any((a != b).any() for a, b in zip(before, model.policy.parameters(), strict=True))
    # An episode has 20 steps: 4 worlds end 6 times each in 128 steps.
    assert len(model.ep_info_buffer) == 24
    assert {one["l"] for one in model.ep_info_buffer} == {20}
    assert all(np.isfinite(one["r"]) for one in model.ep_info_buffer)


def test_stable_baselines_sees_what_gymnasium_sees() -> None:
    library("stable_baselines3")
    from backwater.learn.stable_baselines import PathVecEnv

    envs, other = PathVecEnv(3, **SHORT), gymnasium.make_vec(learn.ID, num_envs=3, **SHORT)
    envs.seed(7)
    seen, (beside, _) = envs.reset(), other.reset(seed=7)
    assert (seen == beside).all()
    zero = np.zeros((3, 1), dtype=np.float32)
    for _ in range(20):
        seen, rewards, over, infos = envs.step(zero)
        beside, gained, _, cut, _ = other.step(zero)
        assert (rewards == gained.astype(np.float32)).all()
        assert (over == cut).all()
    assert over.all()
    assert all(one["TimeLimit.truncated"] for one in infos)
    assert (np.stack([one["terminal_observation"] for one in infos]) == beside).all()


def test_pufferlib_steps_the_worlds_in_its_arrays() -> None:
    library("pufferlib")
    import pufferlib.vector

    from backwater.learn.puffer import PathPufferEnv

    options = {"num_envs": 3, **SHORT}
    envs = pufferlib.vector.make(PathPufferEnv, num_envs=1, env_kwargs=options)
    other = gymnasium.make_vec(learn.ID, num_envs=3, **SHORT)
    seen, (beside, _) = envs.reset(seed=7)[0], other.reset(seed=7)
    assert (seen == beside).all()
    zero = np.zeros((3, 1), dtype=np.float32)
    total = np.zeros(3)
    for _ in range(20):
        _, rewards, terminals, truncations, infos = envs.step(zero)
        gained = other.step(zero)[1]
        total += gained
        assert (rewards == gained.astype(np.float32)).all()
    assert truncations.all()
    assert not terminals.any()
    assert [one["episode_return"] for one in infos] == pytest.approx(total.tolist())
    envs.close()
