"""What a score cannot make up for. Each gate is a run or two, judged against a bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from backwater.search import settings
from backwater.tools.rfc9743 import BASELINES

# A victim keeps at least this share of what it gets beside one of its own kind.
VICTIM = 0.5
JAIN = 0.8
# Of a link that nobody shares, with a queue of one product.
WORK = 0.6
# Of packets, where a queue holds half a product.
LOST = 0.15
SECONDS = 30.0
# 10 Mbit/s and 40 ms: 33 packets are a product.
RATE, DELAY, PRODUCT = "10 Mbit/s", "20 ms", 33


@dataclass(frozen=True)
class Condition:
    """A bound and what was found."""

    name: str
    says: str
    found: float | None
    bound: float
    passed: bool


def _pair(first: Mapping[str, Any], second: Mapping[str, Any] | None, packets: int) -> Any:
    """Flows `a` and `b` over one queue, or `a` alone."""
    wire = {"rate": "1 Gbit/s", "delay": "0 s"}
    flows = {"a": first} | ({"b": second} if second is not None else {})
    return {
        "schema": "backwater/scenario/1",
        "duration": f"{SECONDS:g} s",
        "warmup": "5 s",
        "nodes": {
            **{name.upper(): {"kind": "host"} for name in flows},
            "W": {"kind": "switch"},
            "R": {"kind": "host"},
        },
        "links": {
            **{name: {"ends": [name.upper(), "W"], **wire} for name in flows},
            "out": {"ends": ["W", "R"], "rate": RATE, "delay": DELAY},
        },
        "ports": {"W>R": {"buffer": f"{packets} packets"}},
        "flows": {
            name: {
                "from": name.upper(),
                "to": "R",
                "transport": "tcp",
                "controller": dict(controller),
                "source": settings.endless(),
            }
            for name, controller in flows.items()
        },
    }


def scenarios(controller: Mapping[str, Any]) -> list[Any]:
    """The runs, in the order in which `judged` takes their documents."""
    victims: list[Any] = []
    for name in BASELINES:
        victim = {"kind": name}
        victims += [_pair(controller, victim, PRODUCT), _pair(victim, victim, PRODUCT)]
    alone = [_pair(controller, None, PRODUCT), _pair(controller, None, PRODUCT // 2)]
    return [*victims, _pair(controller, controller, PRODUCT), *alone]


def judged(documents: list[Any]) -> list[Condition]:
    """The gates of these runs. A run that failed passes none."""
    found: list[Condition] = []

    def flow(at: int, name: str, figure: str) -> float | None:
        document = documents[at]
        rows = document["flows"] if document is not None else []
        value = next((row[figure] for row in rows if row["id"] == name), None)
        return None if value is None else float(value)

    for at, name in enumerate(BASELINES):
        beside, own = (flow(2 * at + i, "b", "goodput_bps") for i in (0, 1))
        share = None if beside is None or not own else beside / own
        says = f"{name} keeps half of what it gets beside its own kind"
        found.append(_least(f"harm to {name}", says, share, VICTIM))
    at = 2 * len(BASELINES)
    both = [flow(at, name, "goodput_bps") for name in "ab"]
    known = [one for one in both if one is not None]
    total = sum(one * one for one in known)
    jain = sum(known) ** 2 / (2 * total) if len(known) == 2 and total else None
    found.append(_least("sharing", "two flows of its own share alike (Jain)", jain, JAIN))
    goodput = flow(at + 1, "a", "goodput_bps")
    work = None if goodput is None else goodput / (10e6 * 1448 / 1538)
    found.append(_least("work", "alone it uses the link", work, WORK))
    lost = flow(at + 2, "a", "loss")
    says = "it does not flood a short queue (share of packets lost)"
    passed = lost is not None and lost <= LOST
    found.append(Condition("flooding", says, lost, LOST, passed))
    return found


def _least(name: str, says: str, found: float | None, bound: float) -> Condition:
    return Condition(name, says, found, bound, found is not None and found >= bound)
