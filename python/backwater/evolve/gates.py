"""Gates that a good score cannot replace. Each gate is a run or two, judged against a bound."""

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
RATE_BPS = 10_000_000
# Of the link, 3 s after an outage of 2 s. A timeout of 1 s that doubles comes back 3 s after it.
AFTER = 0.5
# After an outage, and where a twentieth of the rate is left, figures count from here on.
OUTAGE_MS, BACK_MS, COUNT_FROM = 10_000, 12_000, "15 s"


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


def _stepped(first: Mapping[str, Any], at_ms: list[int], rate_bps: list[int]) -> Any:
    """Flow `a` alone over a link whose rate changes, with half a product of queue."""
    made = _pair(first, None, PRODUCT // 2)
    trace = {"kind": "rates", "at_ms": at_ms, "rate_bps": rate_bps}
    half = {"kind": "delay", "delay": DELAY}
    wire = {"rate": "1 Gbit/s", "delay": "0 s"}
    del made["links"]["out"], made["ports"]["W>R"]
    down = {"kind": "trace", "trace": trace, "buffer": f"{PRODUCT // 2} packets"}
    made["links"]["down"] = {"from": "W", "to": "R", **down, "boxes": [half]}
    made["links"]["up"] = {"from": "R", "to": "W", **wire, "boxes": [half]}
    return made | {"warmup": COUNT_FROM}


def scenarios(controller: Mapping[str, Any]) -> list[Any]:
    """The runs, in the order in which `judged` takes their documents."""
    victims: list[Any] = []
    for name in BASELINES:
        victim = {"kind": name}
        victims += [_pair(controller, victim, PRODUCT), _pair(victim, victim, PRODUCT)]
    alone = [_pair(controller, None, PRODUCT), _pair(controller, None, PRODUCT // 2)]
    outage = _stepped(controller, [0, OUTAGE_MS, BACK_MS], [RATE_BPS, 1_000, RATE_BPS])
    fallen = _stepped(controller, [0, OUTAGE_MS], [RATE_BPS, RATE_BPS // 20])
    return [*victims, _pair(controller, controller, PRODUCT), *alone, outage, fallen]


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
    says = "it does not flood a short queue (share of packets lost)"
    found.append(_most("flooding", says, flow(at + 2, "a", "loss"), LOST))
    again = flow(at + 3, "a", "goodput_bps")
    share = None if again is None else again / (RATE_BPS * 1448 / 1504)
    found.append(_least("stall", "it uses half of a link that was away for 2 s", share, AFTER))
    says = "it sends less where a twentieth of the rate is left (share of packets lost)"
    found.append(_most("back-off", says, flow(at + 4, "a", "loss"), LOST))
    return found


def _most(name: str, says: str, found: float | None, bound: float) -> Condition:
    return Condition(name, says, found, bound, found is not None and found <= bound)


def _least(name: str, says: str, found: float | None, bound: float) -> Condition:
    return Condition(name, says, found, bound, found is not None and found >= bound)
