"""Knobs as actions: one that is moved changes the run, one beyond its bounds is refused."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from backwater.errors import Refusal
from backwater.learn.clocks import clock
from backwater.learn.episodes import Episodes, Options
from backwater.learn.worlds import COLUMN, Start, Worlds
from test_learn import MSS, lonely


def managed(**aqm: Any) -> dict[str, Any]:
    """An agent over a wire of 12 Mbit/s whose queue is managed."""
    scene = lonely()
    scene["ports"] = {"S>R": {"buffer": "200 packets", "queue": aqm}}
    return scene


def paused(high: str = "80 %") -> dict[str, Any]:
    """A sender that a switch stops by PAUSE before its queue of 50 kB is full."""
    scene = lonely()
    scene["nodes"]["W"] = {"kind": "switch"}
    scene["links"] = {
        "in": {"ends": ["S", "W"], "rate": "100 Mbit/s", "delay": "1 us"},
        "out": {"ends": ["W", "R"], "rate": "12 Mbit/s", "delay": "10 ms"},
    }
    scene["ports"] = {"W>R": {"buffer": "50 kB"}, "S>W": {"buffer": "1 MB"}}
    detect = {"high": high, "low": "10 %"}
    scene["mechanisms"] = {"bp": {"recipe": "pause", "at": ["W>R"], "detect": detect}}
    return scene


def shared_memory(xoff: str = "60 kB") -> dict[str, Any]:
    """The same by PFC, for what the switch holds of what came in."""
    scene = paused()
    detect = {"kind": "ingress-watermark", "xoff": xoff, "xon": "5 kB"}
    scene["ports"]["W>R"] = {"buffer": "200 kB"}
    scene["mechanisms"]["bp"] = {"recipe": "pfc", "at": ["W>S"], "detect": detect}
    return scene


def air(aifsn: int = 3) -> dict[str, Any]:
    """Two stations that send to a third; the second has an AIFSN of its own."""
    data = {"rate": "4 Mbit/s", "packet": "1500 B"}
    of = {"kind": "station", "medium": "air"}
    return {
        "schema": "backwater/scenario/1",
        "duration": "5 s",
        "nodes": {
            "A": {**of, "at": ["0 m", "0 m"]},
            "B": {**of, "at": ["5 m", "0 m"], "ac": {"BE": {"aifsn": aifsn}}},
            "C": {**of, "at": ["0 m", "5 m"]},
        },
        "media": {
            "air": {
                "phy": {"standard": "802.11b", "data": "11 Mbit/s", "control": "1 Mbit/s"},
                "mac": {"access": "edca", "rts": "off"},
                "channel": {"model": "disc", "transmit": "100 m"},
            }
        },
        "flows": {
            "f": {
                "from": "A",
                "to": "C",
                "transport": "tcp",
                "controller": {"kind": "agent"},
                "source": {"kind": "bulk"},
            },
            "cross": {"from": "B", "to": "C", "source": {"kind": "cbr", **data}},
        },
    }


CASES = [
    (managed(kind="codel"), "ports.S>R.queue.target", 0.001, managed(kind="codel", target="1 ms")),
    (
        managed(kind="fq-codel"),
        "ports.S>R.queue.target",
        0.02,
        managed(kind="fq-codel", target="20 ms"),
    ),
    (
        managed(kind="pie"),
        "ports.S>R.queue.reference",
        0.003,
        managed(kind="pie", reference="3 ms"),
    ),
    (
        managed(kind="dualpi2", period="5 ms"),
        "ports.S>R.queue.target",
        0.003,
        managed(kind="dualpi2", period="5 ms", target="3 ms"),
    ),
    (paused(), "mechanisms.bp.high", 0.3, paused("30 %")),
    (shared_memory(), "mechanisms.bp.xoff", 30_000.0, shared_memory("30 kB")),
    (air(), "nodes.B.ac.BE.aifsn", 9.0, air(9)),
]
NAMES = [case[1].split(".")[-1] + f"-{number}" for number, case in enumerate(CASES)]


def driven(scene: Any, knobs: list[str], value: float | None, steps: int = 60) -> Worlds:
    """A world whose agent has a window of 60 packets, and whose knob is moved at its beginning."""
    worlds = Worlds(scene, 1, threads=1, knobs=knobs)
    worlds.reset({0: Start(clock("50 ms"))})
    told = np.array([[[60.0 * MSS, np.nan]]])
    values = None if value is None else np.array([[value]])
    for _ in range(steps):
        worlds.step(told, values=values)
    return worlds


@pytest.mark.parametrize(("scene", "knob", "value", "written"), CASES, ids=NAMES)
def test_a_knob_that_is_moved_at_the_beginning_is_as_if_it_had_been_written(
    scene: Any, knob: str, value: float, written: Any
) -> None:
    turned, plain = driven(scene, [knob], value), driven(scene, [], None)
    other = driven(written, [], None)
    assert turned.knobs[0].name == knob
    # A fingerprint counts that parameters of a station moved, so what is seen is compared.
    assert (turned.seen == other.seen).all()
    assert turned.probe(0) == other.probe(0)
    if "aifsn" in knob:
        assert (turned.seen != plain.seen).any()
    else:
        assert turned.fingerprint(0) == other.fingerprint(0) != plain.fingerprint(0)
    # Where it stands is no change, and neither is a knob that nobody moves.
    first = turned.knobs[0].first
    for same in (first, np.nan, None):
        assert driven(scene, [knob], same).fingerprint(0) == plain.fingerprint(0)


def test_a_knob_that_is_moved_in_a_run_acts_from_then_on() -> None:
    """A window of 60 packets keeps the queue at the high mark of PAUSE: 40 kB, then 15 kB."""
    worlds = Worlds(paused(), 2, threads=1, knobs=["mechanisms.bp.high"])
    worlds.reset({place: Start(clock("50 ms")) for place in range(2)})
    told = np.full((2, 1, 2), np.nan)
    told[:, :, 0] = 60.0 * MSS
    for _ in range(40):
        worlds.step(told)
    assert worlds.fingerprint(0) == worlds.fingerprint(1)
    held = [[], []]  # type: list[list[float]]
    values = np.array([[np.nan], [0.3]])
    for _ in range(100):
        worlds.step(told, values=values)
        for place in range(2):
            held[place].append(worlds.probe(place)["ports"]["W>R"]["held_B"])
    # Frames that still come after the mark: the frame on the wire and the one behind it.
    assert 30_000 < max(held[0]) <= 40_000 + 3 * 1538
    assert 10_000 < max(held[1]) <= 15_000 + 3 * 1538


@pytest.mark.parametrize(
    ("knob", "match", "scene"),
    [
        ("ports.S>R.queue.interval", "`target` can", managed(kind="codel")),
        ("ports.S>R.queue.target", "that may move", managed(kind="red")),
        ("ports.S>X.queue.target", "no port", managed(kind="codel")),
        ("mechanisms.no.high", "no mechanism", paused()),
        ("mechanisms.bp.low", "`high` can", paused()),
        ("nodes.B.ac.BE.cw_min", "no `BE.cw_min`", air()),
        ("nodes.Z.ac.BE.aifsn", "no station `Z`", air()),
        ("speed", "names no knob", paused()),
    ],
)
def test_what_is_no_knob_is_refused(knob: str, match: str, scene: Any) -> None:
    with pytest.raises(Refusal, match=match) as refused:
        Worlds(scene, 1, knobs=[knob])
    assert f"`{knob}`" in str(refused.value)
    assert refused.value.fix
    twice = ["mechanisms.bp.high"] * 2
    with pytest.raises(Refusal, match="named twice"):
        Worlds(paused(), 1, knobs=twice)


def test_a_station_whose_mechanism_moves_its_parameters_has_no_such_knob() -> None:
    scene = air()
    scene["mechanisms"] = {"bp": {"recipe": "aifsn", "at": ["C"]}}
    with pytest.raises(Refusal, match="a mechanism moves"):
        Worlds(scene, 1, knobs=["nodes.B.ac.BE.aifsn"])


def test_a_value_beyond_the_bounds_is_refused_and_moves_nothing() -> None:
    worlds = driven(paused(), ["mechanisms.bp.high"], None, steps=3)
    before, told = worlds.fingerprint(0), np.full((1, 1, 2), np.nan)
    for bad in (0.05, 1.01, -1.0, np.inf):
        with pytest.raises(Refusal, match=r"outside of 0\.1 to 1") as refused:
            worlds.step(told, values=np.array([[bad]]))
        assert refused.value.place == "mechanisms.bp.high: world 0"
    with pytest.raises(Refusal, match="shape"):
        worlds.step(told, values=np.array([0.5, 0.5]))
    assert worlds.fingerprint(0) == before


def test_knobs_are_the_last_numbers_of_an_action() -> None:
    scene = managed(kind="codel")
    knobs = ["ports.S>R.queue.target"]
    gymnasium = pytest.importorskip("gymnasium", reason="the extra `rl` is not installed")
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make("backwater/Path-v0", scenario=scene, knobs=knobs)
    assert env.action_space.shape == (2,)
    assert env.action_space.low.tolist() == pytest.approx([-2.0, 1e-6])
    assert env.action_space.high.tolist() == [2.0, 100.0]
    check_env(env.unwrapped)
    short, long = (
        Episodes(Options(scenario=copy.deepcopy(scene), action="hold", knobs=knobs, threads=1), 1)
        for _ in range(2)
    )
    for episodes, target in ((short, 0.0005), (long, 1.0)):
        episodes.seed(0, 1)
        episodes.begin([0])
        for _ in range(50):
            episodes.step([[target]], np.ones(1, dtype=np.bool_))
        # The agent is left alone.
        assert episodes.column("window_B")[0, 0] == 10 * MSS
    with pytest.raises(Refusal, match="outside"):
        short.step([[200.0]], np.ones(1, dtype=np.bool_))
    with pytest.raises(Refusal, match="outside"):
        short.step([[np.nan]], np.ones(1, dtype=np.bool_))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"action": "hold"}, "no knob to move"),
        ({"action": "mvfst", "knobs": ["ports.S>R.queue.target"]}, "answers with a word"),
    ],
)
def test_actions_that_do_not_go_together_are_refused(options: Any, match: str) -> None:
    with pytest.raises(Refusal, match=match):
        Episodes(Options(scenario=managed(kind="codel"), **options), 1)


def test_several_agents_have_no_knobs() -> None:
    pytest.importorskip("pettingzoo", reason="the extra `rl` is not installed")
    from backwater import learn

    with pytest.raises(Refusal, match="none of several agents"):
        learn.parallel(managed(kind="codel"), knobs=["ports.S>R.queue.target"])


@pytest.mark.parametrize("scene", [air(), shared_memory()], ids=["air", "fabric"])
def test_any_scenario_is_an_environment(scene: Any) -> None:
    """Gymnasium's own checks on stations, and on switches with PFC; two runs of a seed are one."""
    gymnasium = pytest.importorskip("gymnasium", reason="the extra `rl` is not installed")
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make("backwater/Path-v0", scenario=scene, steps=40, clock="20 ms")
    check_env(env.unwrapped)
    rewards = []
    for _ in range(2):
        env.reset(seed=3)
        rewards.append([env.step(np.array([0.3], dtype=np.float32))[1] for _ in range(40)])
    assert rewards[0] == rewards[1]
    assert len(set(rewards[0])) > 5
    assert COLUMN["acked_B"] is not None
