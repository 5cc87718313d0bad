"""Worlds that are stepped, and the environments of Gymnasium and PettingZoo around them."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np
import pytest

import backwater
from backwater import learn
from backwater.errors import BackwaterError, Refusal
from backwater.learn.clocks import clock
from backwater.learn.episodes import Episodes, Options
from backwater.learn.paths import PATHS, scenario_of
from backwater.learn.worlds import COLUMN, Clock, Start, Worlds

MSS = 1448


def lonely(**flow: Any) -> dict[str, Any]:
    """One flow over a wire of 12 Mbit/s, 20 ms there and back."""
    return {
        "schema": "backwater/scenario/1",
        "duration": "20 s",
        "nodes": {"S": {"kind": "host"}, "R": {"kind": "host"}},
        "links": {"l": {"ends": ["S", "R"], "rate": "12 Mbit/s", "delay": "10 ms"}},
        "ports": {"S>R": {"buffer": "30 packets"}},
        "flows": {
            "f": {
                "from": "S",
                "to": "R",
                "transport": "tcp",
                "controller": {"kind": "agent"},
                "source": {"kind": "bulk"},
                **flow,
            }
        },
    }


def shared(count: int = 2) -> dict[str, Any]:
    """Agents `f0`, `f1`, … over one queue; the first one's source ends after 3 s."""
    scene = lonely()
    flow = scene["flows"].pop("f")
    scene["nodes"] = {"R": {"kind": "host"}, "W": {"kind": "switch"}}
    scene["links"] = {"out": {"ends": ["W", "R"], "rate": "12 Mbit/s", "delay": "10 ms"}}
    scene["ports"] = {"W>R": {"buffer": "30 packets"}}
    for number in range(count):
        host = f"S{number}"
        scene["nodes"][host] = {"kind": "host"}
        scene["links"][host] = {"ends": [host, "W"], "rate": "1 Gbit/s", "delay": "1 us"}
        scene["flows"][f"f{number}"] = flow | {"from": host}
    scene["flows"]["f0"] = flow | {"from": "S0", "stop": "3 s"}
    return scene


def run(options: Options, count: int, steps: int, answer: float = 0.0) -> Episodes:
    """Some steps of environments with seeds 0, 1, …"""
    episodes = Episodes(options, count)
    for place in range(count):
        episodes.seed(place, place)
    episodes.begin(range(count))
    every = np.ones(count, dtype=np.bool_)
    for _ in range(steps):
        episodes.step(np.full((count, 1), answer), every)
    return episodes


@pytest.mark.parametrize("recovery", ["newreno", "sack"])
def test_an_agent_that_copies_new_reno_has_its_fingerprint(recovery: str) -> None:
    """Its window is New Reno's at each acknowledgement, taken from a world beside it."""
    other = backwater.World(lonely(recovery=recovery, controller={"kind": "newreno"}))
    worlds = Worlds(lonely(recovery=recovery), 1)
    worlds.reset({0: Start(Clock("acks", 1.0))})
    told = np.full((1, 1, 2), np.nan)
    asked = 0
    while not worlds.ended[0]:
        worlds.step(told)
        other.advance(round(worlds.seen[0, 0, COLUMN["now_s"]] * 1e12))
        told[0, 0, 0] = other.probe()["flows"]["f"]["window_B"]
        asked += 1
    losses = other.probe()["drops_pkts"]
    assert asked > 10_000
    assert sum(losses.values()) > 10
    assert worlds.fingerprint(0) == other.fingerprint
    # A window of another size is another run.
    worlds.reset({0: Start(Clock("acks", 1.0))})
    told[:] = [[[20 * MSS, np.nan]]]
    while not worlds.ended[0]:
        worlds.step(told)
    assert worlds.fingerprint(0) != other.fingerprint


def test_many_worlds_are_as_many_single_ones_on_any_number_of_threads() -> None:
    count, steps = 9, 60
    singles = []
    for place in range(count):
        alone = Episodes(Options(threads=1), 1)
        alone.seed(0, place)
        alone.begin([0])
        for step in range(steps):
            alone.step(np.full((1, 1), np.sin(step + place)), np.ones(1, dtype=np.bool_))
        singles.append((alone.observations()[0], alone.worlds.fingerprint(0)))
    for threads in (1, 2, 8):
        together = Episodes(Options(threads=threads), count)
        for place in range(count):
            together.seed(place, place)
        # In another order, and some of them later than others.
        together.begin([8, 3, 5])
        together.begin([0, 1, 2, 4, 6, 7])
        for step in range(steps):
            answers = np.sin(step + np.arange(count))[:, None]
            together.step(answers, np.ones(count, dtype=np.bool_))
        for place, (seen, fingerprint) in enumerate(singles):
            assert together.observations()[place].tobytes() == seen.tobytes()
            assert together.worlds.fingerprint(place) == fingerprint


def test_a_constant_rate_earns_its_closed_form_in_each_aurora_episode() -> None:
    """0.95 of the capacity: 0.4 (10 (0.95 bw (1 - p) - 1/L) - 2000 L - 2000 p) in 400 steps."""
    episodes = Episodes(Options(threads=1), 30)
    for place in range(30):
        episodes.seed(place, place)
    episodes.begin(range(30))
    drawn = [path.values for path in episodes.drawn if path is not None]
    episodes.hold([[0.95 * one["capacity_pps"]] for one in drawn])
    earned, every = np.zeros(30), np.ones(30, dtype=np.bool_)
    for _ in range(400):
        rewards, stalled, over = episodes.step(np.zeros((30, 1)), every)
        earned += rewards[:, 0]
    assert over.all()
    assert not stalled.any()
    expected = [
        0.4
        * (
            10 * (0.95 * one["capacity_pps"] * (1 - one["loss"]) - 1 / one["latency_s"])
            - 2000 * one["latency_s"]
            - 2000 * one["loss"]
        )
        for one in drawn
    ]
    assert np.abs(earned - expected).max() < 15


def test_a_drawn_path_is_a_scenario_that_runs_alike() -> None:
    """The scenario of a path, run with a fixed window, carries what the path's rate allows."""
    for name, make in PATHS.items():
        episodes = run(Options(path=name, threads=1), 1, 0)
        path = episodes.drawn[0]
        assert path is not None
        scene = scenario_of(make(), path)
        scene["flows"]["f"]["controller"] = {"kind": "cubic"}
        result = backwater.run(scene | {"duration": "10 s"}, seed=path.seed)
        goodput = result.metrics["goodput_bps"]
        assert goodput is not None
        assert path.capacity_pps is not None
        assert 0 < goodput / 8 / 1424 < 1.5 * path.capacity_pps, name


def test_the_window_of_an_agent_is_what_it_gets() -> None:
    """10 segments a round, which takes 20 ms, a segment and an ACK: 14480 B in 21.08 ms."""
    worlds = Worlds(lonely(delayed_ack="0 s"), 1)
    worlds.reset({0: Start(Clock("every", 1e12))})
    told = np.array([[[10.0 * MSS, np.inf]]])
    for _ in range(3):
        worlds.step(told)
    seen = worlds.seen[0, 0]
    expected = 10 * MSS / (0.02 + (1538 + 84) * 8 / 12e6)
    assert seen[COLUMN["acked_B"]] == pytest.approx(expected, rel=0.01)
    worlds.step(np.array([[[100.0 * MSS, 3e6]]]))
    # 3 Mbit/s of payload.
    assert worlds.seen[0, 0, COLUMN["sent_B"]] == pytest.approx(3e6 / 8, rel=0.01)


def test_a_copy_in_the_middle_of_an_episode_goes_on_alike_and_alone() -> None:
    worlds = Worlds(lonely(), 2)
    every = Clock("every", 50e9)
    worlds.reset({0: Start(every), 1: Start(every)})
    told = np.full((2, 1, 2), np.nan)
    told[:, 0, 0] = [40.0 * MSS, 4.0 * MSS]
    for _ in range(20):
        worlds.step(told)
    assert worlds.fingerprint(0) != worlds.fingerprint(1)
    worlds.copy(0, 1)
    told[1] = told[0]
    worlds.step(told)
    assert worlds.fingerprint(0) == worlds.fingerprint(1)
    assert (worlds.seen[0] == worlds.seen[1]).all()
    told[1, 0, 0] = 4.0 * MSS
    worlds.step(told)
    assert worlds.fingerprint(0) != worlds.fingerprint(1)


def test_clocks() -> None:
    assert clock("30 ms") == Clock("every", 30e9)
    assert clock("1 round") == Clock("round", 1.0)
    assert clock("4 acks") == Clock("acks", 4.0)
    assert clock("0.5 rtt", 3.0, 2) == Clock("rtt", 0.5, 3.0, 2)
    for bad in ("0 acks", "soon", "-1 ms", "0 s", "0 rtt"):
        with pytest.raises(Refusal, match="no clock"):
            clock(bad)
    # At the end of a round nothing leaves between question and answer.
    worlds = Worlds(lonely(delayed_ack="0 s"), 1)
    worlds.reset({0: Start(clock("1 round"))})
    for _ in range(10):
        worlds.step(np.array([[[10.0 * MSS, np.inf]]]))
    assert worlds.seen[0, 0, COLUMN["dt_s"]] == pytest.approx(0.02108, rel=0.01)


@pytest.mark.parametrize(
    ("answers", "match"),
    [
        (np.full((2, 1), np.nan), "outside"),
        (np.full((2, 1), 1e13), "outside"),
        (np.zeros((3, 1)), "shape"),
    ],
)
def test_actions_that_are_none_are_refused_with_their_place(answers: Any, match: str) -> None:
    episodes = run(Options(threads=1), 2, 1)
    before = episodes.worlds.fingerprint(0)
    with pytest.raises(Refusal, match=match) as refused:
        episodes.step(answers, np.ones(2, dtype=np.bool_))
    assert refused.value.place is not None
    assert refused.value.place.startswith("actions")
    assert episodes.worlds.fingerprint(0) == before


def test_a_world_that_has_ended_is_named_and_the_others_go_on() -> None:
    worlds = Worlds(lonely(), 2)
    worlds.reset({0: Start(Clock("every", 1e12)), 1: Start(Clock("every", 1e11))})
    told = np.full((2, 1, 2), np.nan)
    for _ in range(20):
        worlds.step(told)
    assert worlds.ended.tolist() == [True, False]
    with pytest.raises(BackwaterError, match="world 0: its episode has ended"):
        worlds.step(told)
    assert worlds.seen[1, 0, COLUMN["now_s"]] == pytest.approx(2.1)


def test_two_threads_in_one_object_are_told_so() -> None:
    """On a busy machine a step may end before this thread looks: then another is begun."""
    worlds = Worlds(lonely(), 1, threads=1)
    told = np.array([[[30.0 * MSS, np.inf]]])
    failed: list[str] = []
    for _ in range(50):
        worlds.reset({0: Start(Clock("every", 19e12))})
        thread = threading.Thread(target=lambda: worlds.step(told))
        thread.start()
        while not failed and thread.is_alive():
            try:
                worlds.fingerprint(0)
            except RuntimeError as error:
                failed.append(str(error))
        thread.join()
        if failed:
            break
    assert failed
    assert "another thread" in failed[0]


def test_an_agent_that_nobody_drives_is_refused() -> None:
    for act in (lambda: backwater.run(lonely()), lambda: backwater.World(lonely())):
        with pytest.raises(Refusal, match="come from outside") as refused:
            act()
        assert "backwater.learn" in str(refused.value)
    with pytest.raises(Refusal, match="no flow has a controller that is driven"):
        Worlds(lonely(controller={"kind": "cubic"}), 1)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"path": "aurore"}, "no paths"),
        ({"reward": "happy"}, "no reward"),
        ({"features": ["send rat"]}, "no feature"),
        ({"action": "jump"}, "no actions"),
        ({"info": "all"}, "info"),
        ({"scenario": "x = 1\n"}, "x"),
    ],
)
def test_what_an_environment_is_not_is_refused(options: dict[str, Any], match: str) -> None:
    with pytest.raises(Refusal, match=match):
        Episodes(Options(**options), 1)


def test_a_reward_that_needs_a_capacity_says_so() -> None:
    with pytest.raises(Refusal, match="capacity"):
        run(Options(scenario=lonely(), reward="genet", action="cwnd-log2"), 1, 0)
    with pytest.raises(Refusal, match="no `speed`"):
        Episodes(Options(), 1).begin([0], {"speed": 1.0})


def test_registering() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="the extra `rl` is not installed")
    assert learn.ID in gymnasium.registry
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        envs = gymnasium.make_vec(learn.ID, num_envs=2)
    assert envs.num_envs == 2
