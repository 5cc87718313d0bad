"""The checks of Gymnasium and PettingZoo themselves, and what they leave open."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from backwater import learn
from backwater.errors import Refusal
from test_learn import lonely, shared

gymnasium = pytest.importorskip("gymnasium", reason="the extra `rl` is not installed")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

SHORT = {"steps": 5, "threads": 1}


def many(count: int = 3, **options: Any) -> Any:
    """Environments of five steps."""
    return gymnasium.make_vec(learn.ID, num_envs=count, **(SHORT | options))


def nothing(envs: Any) -> Any:
    """The rate as it is, for each."""
    return np.zeros(envs.action_space.shape, dtype=np.float32)


@pytest.mark.parametrize(
    "options",
    [
        {"action": "rate-delta-unit"},
        {"path": "genet", "action": "rate-delta-unit", "reward": "genet"},
        {"action": "mvfst", "clock": "100 ms", "reward": "mvfst"},
        {"scenario": lonely(), "clock": "1 round", "action": "rate-delta-unit"},
    ],
)
def test_gymnasium_finds_nothing_wrong_with_one(options: dict[str, Any]) -> None:
    env = gymnasium.make(learn.ID, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


def test_one_is_the_first_of_many() -> None:
    one, envs = gymnasium.make(learn.ID, **SHORT), many()
    first, _ = one.reset(seed=4)
    together, _ = envs.reset(seed=4)
    assert (first == together[0]).all()
    for _ in range(5):
        alone = one.step(np.zeros(1, dtype=np.float32))
        beside = envs.step(nothing(envs))
        assert (alone[0] == beside[0][0]).all()
        assert alone[1] == beside[1][0]
    assert alone[3]
    assert beside[3].all()
    assert alone[4]["fingerprint"] == beside[4]["fingerprint"][0]


def test_what_comes_has_the_types_that_gymnasium_wants() -> None:
    envs = many()
    seen, infos = envs.reset(seed=1)
    assert seen.dtype == np.float32
    assert seen.shape == (3, 30)
    assert envs.observation_space.contains(seen)
    assert (infos["_loss"] == [True] * 3).all()
    seen, rewards, terminations, truncations, infos = envs.step(nothing(envs))
    assert rewards.dtype == np.float64
    assert terminations.dtype == truncations.dtype == np.bool_
    assert (infos["dt_s"] > 0).all()
    assert "rtt_ms" not in infos
    full = many(info="full")
    full.reset(seed=1)
    infos = full.step(nothing(full))[4]
    assert (infos["rtt_ms"] >= 100).all()
    assert infos["_goodput_bps"].all()


def ended(envs: Any, seed: int = 7) -> Any:
    """The step in which all episodes end."""
    envs.reset(seed=seed)
    for _ in range(4):
        last = envs.step(nothing(envs))
        assert not last[3].any()
    return envs.step(nothing(envs))


def test_next_step_resets_a_step_later_and_ignores_its_action() -> None:
    envs = many()
    over = ended(envs)
    assert over[3].all()
    assert over[4]["_fingerprint"].all()
    mad = np.full(envs.action_space.shape, np.nan, dtype=np.float32)
    seen, rewards, _, truncations, infos = envs.step(mad)
    assert (rewards == 0).all()
    assert not truncations.any()
    assert not infos["_dt_s"].any()
    assert infos["_loss"].all()
    assert (seen.reshape(3, 10, 3) == [0, 1, 1]).all()
    assert envs.step(nothing(envs))[4]["_dt_s"].all()


def test_same_step_gives_what_ended_in_the_infos() -> None:
    envs, other = many(autoreset_mode=AutoresetMode.SAME_STEP), many()
    seen, rewards, _, truncations, infos = ended(envs)
    last = ended(other)
    assert truncations.all()
    assert (rewards == last[1]).all()
    assert infos["final_obs"].dtype == object
    assert (np.stack(infos["final_obs"]) == last[0]).all()
    assert (infos["final_info"]["fingerprint"] == last[4]["fingerprint"]).all()
    # The observation is the beginning of the next episode, as one step later in the other mode.
    assert (seen == other.step(nothing(other))[0]).all()
    assert (infos["loss"] != 0).all()


def test_disabled_wants_a_mask_and_leaves_the_others_as_they_are() -> None:
    envs = many(autoreset_mode=AutoresetMode.DISABLED)
    ended(envs)
    with pytest.raises(Refusal, match="environment 0 is over"):
        envs.step(nothing(envs))
    options = {"reset_mask": np.array([True, True, True])}
    envs.reset(options=options)
    assert list(options) == ["reset_mask"]
    for _ in range(2):
        before = envs.step(nothing(envs))[0]
    seen, _ = envs.reset(seed=7, options={"reset_mask": np.array([False, True, False])})
    assert (seen[[0, 2]] == before[[0, 2]]).all()
    # A masked reset seeds with seed + own index.
    fresh, _ = many().reset(seed=7)
    assert (seen[1] == fresh[1]).all()
    after = envs.step(nothing(envs))
    assert not after[3].any()
    for bad in (np.zeros(3, dtype=bool), [True] * 3, np.ones(2, dtype=bool)):
        with pytest.raises(Refusal, match="reset_mask"):
            envs.reset(options={"reset_mask": bad})


def test_seeds_and_paths() -> None:
    envs = many()
    _, first = envs.reset(seed=3)
    _, second = envs.reset()
    _, again = envs.reset(seed=[3, None, 5])
    assert (first["latency_s"] != second["latency_s"]).all()
    assert (again["latency_s"][[0, 2]] == first["latency_s"][[0, 2]]).all()
    assert again["latency_s"][1] not in (first["latency_s"][1], second["latency_s"][1])
    _, held = envs.reset(seed=3, options={"path": {"loss": 0.01}})
    assert (held["loss"] == 0.01).all()
    assert (held["latency_s"] == first["latency_s"]).all()
    with pytest.warns(UserWarning, match="no option `speed`"):
        envs.reset(options={"speed": 1})
    with pytest.raises(Refusal, match="2 seeds for 3"):
        envs.reset(seed=[1, 2])
    with pytest.raises(Refusal, match="call reset first"):
        many().step(nothing(envs))


def test_views_alternate_and_copies_stay() -> None:
    envs, views = many(), many(copy=False)
    kept, _ = envs.reset(seed=1)
    before = kept.copy()
    envs.step(nothing(envs))
    assert (kept == before).all()
    views.reset(seed=1)
    first = views.step(nothing(views))[0]
    held = first.copy()
    assert views.step(nothing(views))[0] is not first
    assert (first == held).all()
    assert views.step(nothing(views))[0] is first


def test_a_silent_path_terminates() -> None:
    """All data are lost: no acknowledgement comes, and after a second the episode is dead."""
    envs = many(1, stall_limit_s=1.0, steps=100)
    envs.reset(seed=1, options={"path": {"loss": 1.0, "latency_s": 0.1}})
    for _ in range(20):
        _, _, terminations, truncations, _ = envs.step(nothing(envs))
        if terminations.any():
            break
    assert terminations.all()
    assert not truncations.any()


def test_the_wrappers_of_gymnasium_count_episodes() -> None:
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(many())
    infos = ended(envs)[4]
    assert infos["episode"]["l"].tolist() == [5] * 3


def test_pettingzoo_finds_nothing_wrong() -> None:
    tests: Any = pytest.importorskip("pettingzoo.test", reason="the extra `rl` is not installed")

    def make() -> Any:
        return learn.parallel(shared(3), action="rate-delta-unit")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*there is no option.*")
        tests.parallel_api_test(make(), num_cycles=1000)
        tests.parallel_seed_test(make, num_cycles=50)


def test_a_flow_that_has_ended_leaves() -> None:
    pytest.importorskip("pettingzoo", reason="the extra `rl` is not installed")
    env = learn.parallel(shared(2), clock="100 ms")
    env.reset(seed=1)
    assert env.agents == ["f0", "f1"]
    zero = np.zeros(1, dtype=np.float32)
    for _ in range(30):
        told = env.step(dict.fromkeys(env.agents, zero))
    assert env.agents == ["f1"]
    assert told[3] == {"f0": True, "f1": False}
    assert env.state().shape == (2, 30)
    assert set(env.step({"f1": zero})[0]) == {"f1"}
    with pytest.raises(Refusal, match="no action of `f1`"):
        env.step({})
    with pytest.raises(Refusal, match="common instants"):
        learn.parallel(shared(2), clock="0.5 rtt")
