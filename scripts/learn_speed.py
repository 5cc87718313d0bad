"""Steps a second of CPU of the environments, beside PCC-RL's own gym where its sources are given.

`python scripts/learn_speed.py [PCC-RL/src/gym]`. One thread; features and rewards are included.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from backwater.learn.clocks import clock
from backwater.learn.episodes import Episodes, Options
from backwater.learn.worlds import Start, Worlds
from backwater.search import settings

WORLDS = 512
# Packets of the window of the agents with data.
WINDOW = 60.0
# Seconds of CPU of a part of a measurement, and how many there are.
PART_S, PARTS = 0.1, 41


def scene(rate: str, busy: bool) -> dict[str, Any]:
    """One agent over a wire, with data without end or with none before the last second."""
    late = {} if busy else {"start": "999999 s"}
    return {
        "schema": "backwater/scenario/1",
        "duration": "1000000 s",
        "nodes": {"S": {"kind": "host"}, "R": {"kind": "host"}},
        "links": {"l": {"ends": ["S", "R"], "rate": rate, "delay": "10 ms"}},
        "ports": {"S>R": {"buffer": "100 packets"}},
        "flows": {
            "f": {
                "from": "S",
                "to": "R",
                "transport": "tcp",
                "controller": settings.driven(),
                "source": settings.endless(),
                **late,
            }
        },
    }


def rate(step: Callable[[], int]) -> float:
    """Steps a second of this thread's CPU, after one call that does not count.

    The median of parts: others who use the machine make some of them slow.
    """
    step()
    parts = []
    for _ in range(PARTS):
        made, began = 0, time.thread_time()
        while time.thread_time() - began < PART_S:
            made += step()
        parts.append(made / (time.thread_time() - began))
    return statistics.median(parts)


def ours(name: str, options: Options, answer: list[float]) -> None:
    """Steps of many worlds of ours on one thread."""
    episodes = Episodes(options, WORLDS)
    for place in range(WORLDS):
        episodes.seed(place, place)
    episodes.begin(range(WORLDS))
    every, answers = np.ones(WORLDS, dtype=np.bool_), np.tile(answer, (WORLDS, 1))

    def step() -> int:
        _, dead, over = episodes.step(answers, every)
        if (ended := np.flatnonzero(dead | over)).size:
            episodes.begin([int(place) for place in ended])
        return WORLDS

    print(f"{name}: {rate(step):,.0f} steps/s")


def bare() -> None:
    """Steps of idle worlds without features and rewards, and resets."""
    worlds = Worlds(scene("12 Mbit/s", False), WORLDS, threads=1)
    starts = {place: Start(clock("30 ms")) for place in range(WORLDS)}
    worlds.reset(starts)
    told = np.full((WORLDS, 1, 2), np.nan)

    def step() -> int:
        worlds.step(told)
        return WORLDS

    def reset() -> int:
        worlds.reset(starts)
        return WORLDS

    print(f"idle, without features: {rate(step):,.0f} steps/s")
    print(f"reset: {1e6 / rate(reset):.0f} us")


def theirs(folder: Path) -> None:
    """Steps of PCC-RL's environment, as it is: Gymnasium stands for the old gym."""
    import gymnasium

    sys.modules["gym"] = gymnasium
    for name in ("spaces", "utils.seeding", "envs.registration", "utils", "envs"):
        sys.modules[f"gym.{name}"] = importlib.import_module(f"gymnasium.{name}")
    sys.path.insert(0, str(folder))
    with contextlib.redirect_stdout(io.StringIO()):
        env = importlib.import_module("network_sim").SimulatedNetworkEnv()
        env.reset()
        zero = np.zeros(1)

        def step() -> int:
            if env.step(zero)[2]:
                env.reset()
            return 1

        found = rate(step)
    print(f"PCC-RL's gym: {found:,.0f} steps/s")


if __name__ == "__main__":
    ours("Aurora's paths", Options(threads=1), [0.0])
    for written in ("12 Mbit/s", "3 Mbit/s"):
        busy = Options(scenario=scene(written, True), action="absolute", threads=1)
        ours(f"{written}, a step of 30 ms", busy, [WINDOW, 0.0])
    ours("idle", Options(scenario=scene("12 Mbit/s", False), threads=1), [0.0])
    bare()
    if len(sys.argv) > 1:
        theirs(Path(sys.argv[1]))
