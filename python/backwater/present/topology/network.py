"""The part of a resolved scenario that a drawing shows."""

from __future__ import annotations

import itertools
import math
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from backwater.present.numbers import number, unit_for

# A queue with no other fields only drops what does not fit; a drawing names any other.
PLAIN = {"kind", "classes"}
# The size of a buffer that takes all.
UNLIMITED = "unlimited"
# More stations than this that all reach one another are named in words, not drawn line by line.
MOST_PAIRED = 8


@dataclass(frozen=True)
class DrawnLink:
    """A link between two nodes; its rate is 0 where a trace says when it may send."""

    name: str
    ends: tuple[str, str]
    rate_bps: float


@dataclass(frozen=True)
class DrawnFlow:
    """Packets from one host to another; `to` is empty where each packet draws its destination."""

    name: str
    sender: str
    receiver: str
    traffic: str
    priority: int
    pattern: str
    route: tuple[str, ...]


@dataclass(frozen=True)
class Network:
    """Nodes by name ("host", "switch" or "station"), links, buffers by port, what is watched.

    Stations have places in metres and, on a disc, others within reach. Two are hidden from each
    other that cannot sense each other and share a station that understands both.
    """

    nodes: Mapping[str, str]
    links: tuple[DrawnLink, ...]
    buffers: Mapping[str, str]
    watched: Mapping[str, str]
    flows: tuple[DrawnFlow, ...]
    places: Mapping[str, tuple[float, float]]
    within_reach: tuple[tuple[str, str], ...]
    hidden: tuple[tuple[str, str], ...]
    ranges: tuple[str, ...]

    @property
    def all_within_reach(self) -> bool:
        """Whether all of so many stations reach one another that a line each covers the drawing."""
        count = len(self.places)
        return count > MOST_PAIRED and len(self.within_reach) == count * (count - 1) // 2

    def neighbours(self) -> dict[str, list[str]]:
        """Each node's neighbours in the order of the links; beside wires also those by radio."""
        found: dict[str, list[str]] = {name: [] for name in self.nodes}
        radio = self.within_reach if self.links else ()
        for a, b in (*(link.ends for link in self.links), *radio):
            if b not in found[a]:
                found[a].append(b)
                found[b].append(a)
        return found

    def of_kind(self, kind: str) -> list[str]:
        """The nodes of a kind, in the scenario's order."""
        return [name for name, this in self.nodes.items() if this == kind]


def shortest(neighbours: Mapping[str, list[str]], start: str, goal: str) -> tuple[str, ...]:
    """A shortest path in hops, empty if there is none."""
    before: dict[str, str] = {start: start}
    waiting = deque([start])
    while waiting and goal not in before:
        here = waiting.popleft()
        for there in neighbours[here]:
            if there not in before:
                before[there] = here
                waiting.append(there)
    if goal not in before:
        return ()
    path = [goal]
    while path[-1] != start:
        path.append(before[path[-1]])
    return tuple(reversed(path))


def distances(neighbours: Mapping[str, list[str]], starts: Iterable[str]) -> dict[str, int]:
    """Hops to the nearest start."""
    found = dict.fromkeys(starts, 0)
    waiting = deque(found)
    while waiting:
        here = waiting.popleft()
        for there in neighbours[here]:
            if there not in found:
                found[there] = found[here] + 1
                waiting.append(there)
    return found


def read(resolved: Mapping[str, Any]) -> Network:
    """Takes nodes, links, ports, mechanisms and flows out of the canonical JSON.

    Its keys are sorted as text; here h2 stands before h10 again.
    """
    watched: dict[str, str] = {}
    for name, part in resolved["mechanisms"].items():
        parts = ", ".join(part[step]["kind"] for step in ("detect", "notify", "respond"))
        for port in part["at"]:
            said = f"{name} ({parts})"
            watched[port] = f"{watched[port]} and {said}" if port in watched else said
    nodes = dict(_natural(resolved["nodes"]))
    near = tuple(_within_reach(nodes, resolved["media"]))
    return Network(
        nodes={name: str(node["kind"]) for name, node in nodes.items()},
        places={name: (node["at_m"][0], node["at_m"][1]) for name, node in _stations(nodes)},
        within_reach=near,
        hidden=tuple(_hidden(nodes, resolved["media"], near)),
        ranges=tuple(_ranges(resolved["media"])),
        links=tuple(
            DrawnLink(name, (link["ends"][0], link["ends"][1]), _rate(link))
            for name, link in _natural(resolved["links"])
        ),
        buffers={
            name: _buffer(port)
            for name, port in resolved["ports"].items()
            # A radio has its buffer among the fields of its station.
            if any(key.startswith("buffer") for key in port)
        },
        watched=watched,
        flows=tuple(
            flow for name, part in _natural(resolved["flows"]) for flow in _flows(name, part)
        ),
    )


def _stations(nodes: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((name, node) for name, node in nodes.items() if node["kind"] == "station")


def _within_reach(nodes: Mapping[str, Any], media: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for (a, here), (b, there) in itertools.combinations(_stations(nodes), 2):
        reach = media[here["medium"]]["channel"].get("transmit_m", 0.0)
        if here["medium"] == there["medium"] and math.dist(here["at_m"], there["at_m"]) <= reach:
            yield a, b


def _hidden(
    nodes: Mapping[str, Any], media: Mapping[str, Any], near: Iterable[tuple[str, str]]
) -> list[tuple[str, str]]:
    around: dict[str, list[str]] = {}
    for a, b in near:
        around.setdefault(a, []).append(b)
        around.setdefault(b, []).append(a)
    found = set()
    for name in nodes:
        for a, b in itertools.combinations(around.get(name, []), 2):
            here, there = nodes[a], nodes[b]
            sensed = media[here["medium"]]["channel"]["sense_m"]
            if math.dist(here["at_m"], there["at_m"]) > sensed:
                found.add((a, b) if a < b else (b, a))
    return sorted(found)


def _ranges(media: Mapping[str, Any]) -> Iterator[str]:
    """How far the radios of each medium on a disc reach."""
    for name, medium in media.items():
        channel = medium["channel"]
        if "transmit_m" in channel:
            of = f"{name}: " if len(media) > 1 else ""
            yield (
                f"{of}understood up to {number(channel['transmit_m'])} m, "
                f"sensed up to {number(channel['sense_m'])} m"
            )


def _rate(link: Mapping[str, Any]) -> float:
    """The rate of a plain wire, or of the slower of two directions."""
    if "ways" not in link:
        return float(link["rate_bps"])
    return min(map(_way_rate, link["ways"]))


def _way_rate(way: Mapping[str, Any]) -> float:
    """The rate of one direction: that of all slots where it sends in some of them."""
    if frames := way.get("medium"):
        return float(frames["slots"] * frames["slot_B"] * 8 / frames["frame_s"])
    return float(way.get("rate_bps", 0))


def _natural(table: Mapping[str, Any]) -> list[tuple[str, Any]]:
    def order(item: tuple[str, Any]) -> list[tuple[bool, int, str]]:
        parts = re.split(r"(\d+)", item[0])
        return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]

    return sorted(table.items(), key=order)


def _buffer(port: Mapping[str, Any]) -> str:
    """The size of a buffer, and the kind of a queue that has more to set than its classes."""
    queue = port.get("queue", {})
    return _size(port) + (f", {queue['kind']}" if queue.keys() - PLAIN else "")


def _size(port: Mapping[str, Any]) -> str:
    if "buffer_B" in port:
        unit = unit_for("size", [port["buffer_B"]])
        return f"{number(port['buffer_B'] / unit.factor)} {unit.name}"
    if "buffer_pkts" in port:
        return f"{number(port['buffer_pkts'], 6)} packets"
    return str(port["buffer"])


def _flows(name: str, part: Mapping[str, Any]) -> Iterator[DrawnFlow]:
    traffic, priority = str(part["source"]["kind"]), int(part["class"])
    single = part["to"][0] if part["pattern"] == "one" else ""
    for sender in part["from"]:
        route = tuple(part.get("route") or ())
        named = f"{name}/{sender}" if part["each"] else name
        yield DrawnFlow(named, sender, single, traffic, priority, part["pattern"], route)
