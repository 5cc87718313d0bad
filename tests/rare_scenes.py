"""Rare events whose chances are known: scenarios, questions, closed forms and solved chains."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import backwater

# Opportunities are Poisson: the rate returns to its middle at once and stays there.
COX = {
    "kind": "cox",
    "volatility": "1 bit/s",
    "reversion": 20,
    "sticky": "0 %",
    "outage": "1 ms",
    "burst": 1,
}
FRAME = 1518


def served(start: str, end: str, each_second: int) -> dict[str, Any]:
    """A link whose service times are exponential."""
    trace = COX | {"peak": f"{2 * each_second * 8 * 1504} bit/s"}
    ends = {"from": start, "to": end, "kind": "trace", "clock": "exact"}
    return ends | {"queue": {"kind": "infinite"}, "trace": trace}


def wire(start: str, end: str) -> dict[str, Any]:
    """A link that is never busy for long."""
    return {"from": start, "to": end, "rate": "1 Gbit/s", "delay": "0 s"}


def poisson(each_second: float) -> dict[str, Any]:
    """Arrivals."""
    rate = f"{round(each_second * 8 * 1500)} bit/s"
    return {"kind": "poisson", "packet": "1500 B", "rate": rate}


def queue(arrivals: int, services: int) -> dict[str, Any]:
    """M/M/1."""
    return {
        "schema": "backwater/scenario/1",
        "duration": "100000 s",
        "nodes": {"S": {"kind": "host"}, "D": {"kind": "host"}},
        "links": {"q": served("S", "D", services), "back": wire("D", "S")},
        "flows": {"f": {"from": "S", "to": "D", "source": poisson(arrivals)}},
    }


def ruin(load: float, level: int) -> float:
    """M/M/1 has one packet and reaches a level before it is empty."""
    return (1 / load - 1) / (load**-level - 1)


def constant(load: float) -> dict[str, Any]:
    """M/D/1: a packet takes 1 ms, 1538 B at 12.304 Mbit/s."""
    link = {"ends": ["S", "D"], "rate": "12304 kbit/s", "delay": "0 s"}
    return queue(0, 1) | {
        "links": {"q": link},
        "ports": {"S>D": {"buffer": "1000 packets"}},
        "flows": {"f": {"from": "S", "to": "D", "source": poisson(load * 1000)}},
    }


def services(load: float, level: int, gap: float = 0.0) -> float:
    """M/D/1 reaches a level from the beginning of the first service: the chain of services, solved.

    A frame's room is free when its last bit has left, a `gap` before the next service may begin: 12
    of 1538 B. A queue that is empty then has ended, and arrivals in the gap find one less.
    """

    def come(time: float, count: int) -> float:
        mean = load * time
        return math.exp(-mean) * mean**count / math.factorial(count)

    matrix, known = np.eye(level - 1), np.zeros(level - 1)
    for here in range(1, level):
        for more in range(level + 40):
            chance, left = come(1 - gap, more), here + more - 1
            if left + 1 >= level:
                known[here - 1] += chance
            elif left or not gap:
                for last in range(level + 40 if gap else 1):
                    if left + last >= level:
                        known[here - 1] += chance * come(gap, last)
                    elif left + last:
                        matrix[here - 1, left + last - 1] -= chance * come(gap, last)
    return float(np.linalg.solve(matrix, known)[0])


def tandem(arrivals: int, first: int, second: int) -> dict[str, Any]:
    """Two M/M/1, one behind the other."""
    nodes = {"S": {"kind": "host"}, "M": {"kind": "switch"}, "D": {"kind": "host"}}
    links = {"a": served("S", "M", first), "b": served("M", "D", second)}
    links |= {"c": wire("D", "M"), "d": wire("M", "S")}
    return queue(arrivals, first) | {"nodes": nodes, "links": links}


def tandem_chance(arrivals: int, first: int, second: int, level: int) -> float:
    """The second queue reaches a level before both are empty: the chain of their jumps, solved."""
    room = 60
    size = (room + 1) * level
    matrix, known = np.eye(size), np.zeros(size)
    for one in range(room + 1):
        for other in range(level):
            if one == other == 0:
                continue
            here = one * level + other
            total = arrivals + first * (one > 0) + second * (other > 0)
            matrix[here, min(one + 1, room) * level + other] -= arrivals / total
            if one and other + 1 == level:
                known[here] += first / total
            elif one:
                matrix[here, (one - 1) * level + other + 1] -= first / total
            if other:
                matrix[here, one * level + other - 1] -= second / total
    return float(np.linalg.solve(matrix, known)[level])


def incast(window_ms: int) -> dict[str, Any]:
    """Four hosts send a packet each at an instant of a window. It takes 1 ms; three find room."""
    interval = f"{1500 * 8 * 1000 // window_ms} bit/s"
    source = {"kind": "cbr", "packet": "1500 B", "rate": interval, "phase": "random"}
    hosts = [f"S{n}" for n in range(4)]
    nodes = {name: {"kind": "host"} for name in [*hosts, "D"]} | {"W": {"kind": "switch"}}
    links = {
        name.lower(): {"ends": [name, "W"], "rate": "100 Gbit/s", "delay": "0 s"} for name in hosts
    }
    links["d"] = {"ends": ["W", "D"], "rate": "12208 kbit/s", "delay": "0 s"}
    flow = {"to": "D", "source": source, "stop": f"{window_ms} ms"}
    return {
        "schema": "backwater/scenario/1",
        "duration": "1 s",
        "nodes": nodes,
        "links": links,
        "ports": {"W>D": {"buffer": "3 packets"}},
        "flows": {name.lower(): flow | {"from": name} for name in hosts},
    }


def close(window_ms: int) -> float:
    """Four instants of a window lie within a packet's time of each other."""
    x = 1 / window_ms
    return 4 * x**3 - 3 * x**4


Case = tuple[dict[str, Any], dict[str, Any], float]


def cases() -> dict[str, Case]:
    """Scenario, question and chance, by name."""
    waits, holds, last = "waiting:S>D", "bytes:S>D", "waiting:M>D"
    both = ["waiting:S>M", last]
    asked: dict[str, Any]
    found: dict[str, Case] = {}
    for level in (20, 30):
        asked = {"event": waits, "level": level, "empty": waits, "after": "2 s"}
        found[f"M/M/1, load 0.5, {level}"] = (queue(5, 10), asked, ruin(0.5, level))
    for load, level in ((0.7, 10), (0.7, 20), (0.7, 30), (0.5, 10), (0.5, 20)):
        asked = {"event": holds, "level": level * FRAME, "empty": holds}
        found[f"M/D/1, load {load}, {level}"] = (constant(load), asked, services(load, level))
    rates, level = (10, 30, 32), 14
    asked = {"event": last, "level": level, "score": both, "empty": both, "after": "2 s"}
    found[f"tandem, rates {rates}, {level}"] = (tandem(*rates), asked, tandem_chance(*rates, level))
    for window in (2, 4, 8):
        asked = {"event": "lost", "level": 1, "score": "bytes:W>D", "to": "0.1 s", "levels": [2000]}
        found[f"incast, window of {window} packets"] = (incast(window), asked, close(window))
    return found


def covered(
    case: Case, wholes: int, runs: int, replicates: int, restart: int | None = None
) -> tuple[int, int, list[backwater.RareEvent]]:
    """How many intervals have the chance, how many that are half as wide, and all estimates."""
    scene, asked, chance = case
    more = {name: value for name, value in asked.items() if name not in ("event", "level")}
    more |= {"runs": runs, "replicates": replicates, "workers": 1}
    more |= {} if restart is None else {"restart": restart}
    found = [
        backwater.rare(scene, asked["event"], asked["level"], **more, seed=seed)
        for seed in range(1, wholes + 1)
    ]
    whole = sum(one.low <= chance <= one.high for one in found)
    # Without a hit there is a bound and no interval to halve.
    half = sum(
        one.chance > 0
        and math.sqrt(one.low * one.chance) <= chance <= math.sqrt(one.high * one.chance)
        for one in found
    )
    return whole, half, found
