"""Scenarios with known places, into which spaces write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from backwater.errors import Refusal
from backwater.search import settings
from backwater.tools.contest_runs import SATURATED
from backwater.tools.rfc9743 import BASELINES

DOWN, UP = "S>R", "R>S"
# The port that both flows of a pair share.
SHARED = "L>M"
# Bytes of an IP packet of data.
PACKET = 1500


def one(rate_mbps: int = 12, one_way_us: int = 20_000, packets: int = 60) -> dict[str, Any]:
    """One flow `f` over a trace link, as mahimahi has it, with a schedule of delay each way."""
    return {
        "schema": "backwater/scenario/1",
        "duration": "5 s",
        "nodes": {"S": {"kind": "host"}, "R": {"kind": "host"}},
        "links": {
            "down": _trace(rate_mbps, one_way_us, packets),
            "up": _back("R", "S", one_way_us),
        },
        "flows": {"f": _flow("S", "R", SATURATED)},
    }


def crossed(rate_mbps: int = 12, one_way_us: int = 20_000, packets: int = 60) -> dict[str, Any]:
    """The same with packets of nobody, `cross`, in the same queue."""
    scene = one(rate_mbps, one_way_us, packets)
    source = settings.listed([0], PACKET)
    scene["flows"]["cross"] = {"from": "S", "to": "R", "source": source}
    return scene


def pair(rate_mbps: int = 12, rtt_us: int = 60_000, packets: int = 240) -> dict[str, Any]:
    """Flows `a` and `b` over one queue.

    Packets of `a` pass a schedule of delay each way; its acknowledgements can be held.
    """
    wire = {"rate": "1 Gbit/s", "delay": "0 s"}
    half = f"{rtt_us / 2000:g} ms"
    flat = {"kind": "schedule", "at_ms": [0], "delay_us": [0]}
    held = {"kind": "hold", "period": "1 us"}
    return {
        "schema": "backwater/scenario/1",
        "duration": "10 s",
        "nodes": {
            **{name: {"kind": "host"} for name in ("A", "B", "C", "D")},
            **{name: {"kind": "switch"} for name in ("L", "M")},
        },
        "links": {
            "a": {"from": "A", "to": "L", **wire, "boxes": [flat]},
            "a-back": {"from": "L", "to": "A", **wire, "boxes": [flat, held]},
            "b": {"ends": ["B", "L"], **wire},
            "shared": {"from": "L", "to": "M", "rate": f"{rate_mbps} Mbit/s", "delay": half},
            "back": {"from": "M", "to": "L", "rate": "1 Gbit/s", "delay": half},
            "c": {"ends": ["M", "C"], **wire},
            "d": {"ends": ["M", "D"], **wire},
        },
        "ports": {SHARED: {"buffer": f"{packets} packets"}},
        "flows": {
            "a": _flow("A", "C", SATURATED),
            "b": _flow("B", "D", SATURATED),
        },
    }


def of_file(path: Path) -> dict[str, Any]:
    """The scenario of a file, as tables."""
    from backwater.model.scenario import read_text
    from backwater.study.toml_text import Toml

    text = read_text(path)
    if path.suffix != ".json":
        return Toml.parse(text, str(path)).data
    try:
        found: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise Refusal(f"this is not JSON: {error}", place=str(path), fix="correct it") from error
    return found


def _trace(rate_mbps: int, one_way_us: int, packets: int) -> dict[str, Any]:
    return {
        "from": "S",
        "to": "R",
        "kind": "trace",
        "trace": {"kind": "constant", "rate": f"{rate_mbps} Mbit/s"},
        "buffer": f"{packets} packets",
        "boxes": [{"kind": "schedule", "at_ms": [0], "delay_us": [one_way_us]}],
    }


def _back(start: str, end: str, one_way_us: int) -> dict[str, Any]:
    return {
        "from": start,
        "to": end,
        "rate": "1 Gbit/s",
        "delay": "0 s",
        "boxes": [{"kind": "schedule", "at_ms": [0], "delay_us": [one_way_us]}],
    }


def _flow(start: str, end: str, source: dict[str, Any]) -> dict[str, Any]:
    return {
        "from": start,
        "to": end,
        "transport": "tcp",
        "controller": {"kind": BASELINES[1]},
        "source": source,
    }
