"""Where to draw each node: along the flows, around a ring, or tier above tier."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from backwater.present.topology.network import Network, distances, shortest

COLUMN, ROW = 178.0, 84.0
# The least distance of rows beside a map, and how high they are together.
CLOSE, HIGH = 40.0, 480.0
# Largest side of a map; and a few stations stand further apart.
MAP, FEW = 640.0, 8


@dataclass(frozen=True)
class Layout:
    """Places of the nodes, and the paths of the flows that have one."""

    style: str
    places: Mapping[str, tuple[float, float]]
    paths: Mapping[str, tuple[str, ...]]


def lay_out(net: Network) -> Layout:
    """Chooses by shape: a map, a tree from left to right, a ring that is round, or tiers.

    Nodes without a place stand beside the map of those that have one.
    """
    neighbours = net.neighbours()
    paths = {
        flow.name: flow.route or shortest(neighbours, flow.sender, flow.receiver)
        for flow in net.flows
        if flow.receiver
    }
    paths = {name: path for name, path in paths.items() if len(path) > 1}
    if len(net.places) == len(net.nodes):
        return Layout("map", _map(net.places), paths)
    if net.places:
        return Layout("map", _beside_map(net), paths)
    core = _core(neighbours)
    if not core:
        return Layout("tree", _columns(net, neighbours, list(paths.values())), paths)
    if len(core) > 2 and all(len([n for n in neighbours[c] if n in core]) == 2 for c in core):
        return Layout("ring", _round(neighbours, core), paths)
    return Layout("tiers", _tiers(net, neighbours), paths)


def _map(places: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Metres to pixels, north up; near neighbours stay apart, and all fit on the page."""
    xs, ys = zip(*places.values(), strict=True)
    wide = max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0
    gaps = [math.dist(a, b) for a, b in itertools.combinations(places.values(), 2)]
    scale = min(MAP / wide, (COLUMN if len(places) <= FEW else ROW) / min(gaps, default=wide))
    return {name: ((x - min(xs)) * scale, (max(ys) - y) * scale) for name, (x, y) in places.items()}


def _beside_map(net: Network) -> dict[str, tuple[float, float]]:
    """The map of the stations, and to its right the other nodes, column by column.

    A node's column is its distance in links from the nearest station.
    """
    places = _map(net.places)
    right = max(x for x, _ in places.values())
    middle = (min(y for _, y in places.values()) + max(y for _, y in places.values())) / 2
    wires: dict[str, list[str]] = {name: [] for name in net.nodes}
    for link in net.links:
        a, b = link.ends
        wires[a].append(b)
        wires[b].append(a)
    links_away = distances(wires, net.places)
    others = [name for name in net.nodes if name not in places]
    # A node that no wire joins to a station stands in a column of its own.
    last = max(links_away.values()) + 1
    columns = grouped(others, lambda name: links_away.get(name, last))
    for column, names in columns.items():
        # Many rows stand closer, so that they are about as high as the map.
        step = max(CLOSE, min(ROW, HIGH / len(names)))
        for row, name in enumerate(names):
            y = middle + (row - (len(names) - 1) / 2) * step
            places[name] = (right + column * COLUMN, y)
    top = min(0.0, *(y for _, y in places.values()))
    return {name: (x, y - top) for name, (x, y) in places.items()}


def _core(neighbours: Mapping[str, list[str]]) -> list[str]:
    """The rest when leaves are cut again and again: empty for a tree."""
    degree = {name: len(near) for name, near in neighbours.items()}
    waiting = [name for name, count in degree.items() if count <= 1]
    cut: set[str] = set()
    while waiting:
        name = waiting.pop()
        cut.add(name)
        for near in neighbours[name]:
            degree[near] -= 1
            if degree[near] == 1 and near not in cut:
                waiting.append(near)
    return [name for name in neighbours if name not in cut]


def _columns(
    net: Network, neighbours: Mapping[str, list[str]], paths: Sequence[Sequence[str]]
) -> dict[str, tuple[float, float]]:
    level = _levels(net, neighbours, paths)
    columns: list[list[str]] = [[] for _ in range(max(level.values()) + 1)]
    for name in net.nodes:
        columns[level[name]].append(name)
    row: dict[str, float] = {}
    for column in columns:
        row.update({name: float(index) for index, name in enumerate(column)})
    # Alternate sweeps settle the order; the last one, to the right, the places.
    for sweep in range(7):
        forward = sweep % 2 == 0
        for column in columns if forward else reversed(columns):
            wish = {
                name: _mean(
                    [row[n] for n in neighbours[name] if (level[n] < level[name]) == forward],
                    row[name],
                )
                for name in column
            }
            column.sort(key=lambda name: wish[name])
            row.update(_apart(column, wish))
    top, bottom = min(row.values()), max(row.values())
    # Many rows stand closer, so that the drawing is no longer than a page.
    step = max(CLOSE, min(ROW, HIGH / max(1.0, bottom - top)))
    return {name: (level[name] * COLUMN, (row[name] - top) * step) for name in net.nodes}


def _levels(
    net: Network, neighbours: Mapping[str, list[str]], paths: Sequence[Sequence[str]]
) -> dict[str, int]:
    """Column of each node: as late as the longest path of flows through it."""
    after: dict[str, set[str]] = {name: set() for name in net.nodes}
    for path in paths:
        for here, there in itertools.pairwise(path):
            if not _reaches(after, there, here):
                after[here].add(there)
    used = [name for name in net.nodes if after[name] or any(name in s for s in after.values())]
    if not used:
        return distances(neighbours, [next(iter(net.nodes))])
    level = dict.fromkeys(used, 0)
    for _ in used:
        for here in used:
            for there in after[here]:
                level[there] = max(level[there], level[here] + 1)
    entered = {there for some in after.values() for there in some}
    for name in used:
        if name not in entered:
            level[name] = min(level[there] for there in after[name]) - 1
    for name, hops in distances(neighbours, used).items():
        if name not in level:
            near = next(n for n in neighbours[name] if n in level)
            level[name] = level[near] + (1 if hops else 0)
    lowest = min(level.values())
    return {name: value - lowest for name, value in level.items()}


def _reaches(after: Mapping[str, set[str]], start: str, goal: str) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        if here == goal:
            return True
        fresh = after[here] - seen
        seen |= fresh
        waiting.extend(fresh)
    return False


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _apart(column: Sequence[str], wish: Mapping[str, float]) -> dict[str, float]:
    """At least one row apart, as near to the wanted rows as possible, with the same mean."""
    placed: list[float] = []
    for name in column:
        placed.append(max(wish[name], placed[-1] + 1) if placed else wish[name])
    shift = _mean([wish[name] for name in column], 0.0) - _mean(placed, 0.0)
    return {name: place + shift for name, place in zip(column, placed, strict=True)}


def _round(
    neighbours: Mapping[str, list[str]], core: Sequence[str]
) -> dict[str, tuple[float, float]]:
    inside = set(core)
    order = [core[0]]
    while len(order) < len(core):
        order.append(next(n for n in neighbours[order[-1]] if n in inside and n not in order))
    radius = max(105.0, len(order) * 118.0 / math.tau)
    places: dict[str, tuple[float, float]] = {}

    def spread(name: str, angle: float, width: float, distance: float) -> None:
        places[name] = (distance * math.sin(angle), -distance * math.cos(angle))
        outer = [n for n in neighbours[name] if n not in places and n not in inside]
        for index, leaf in enumerate(outer):
            part = width / len(outer)
            spread(leaf, angle - width / 2 + part * (index + 0.5), part, distance + 112)

    slice_ = math.tau / len(order)
    for index, name in enumerate(order):
        spread(name, index * slice_, slice_ * 0.9, radius)
    left = min(x for x, _ in places.values())
    top = min(y for _, y in places.values())
    return {name: (x - left, y - top) for name, (x, y) in places.items()}


def tier_of(net: Network, neighbours: Mapping[str, list[str]]) -> dict[str, int]:
    """0 for hosts, for a switch its hops to the nearest host."""
    hosts = net.of_kind("host")
    hops = distances(neighbours, hosts)
    return {name: hops.get(name, 1) for name in net.nodes}


def _tiers(net: Network, neighbours: Mapping[str, list[str]]) -> dict[str, tuple[float, float]]:
    tier = tier_of(net, neighbours)
    rows: dict[int, list[str]] = {}
    for name in net.nodes:
        rows.setdefault(tier[name], []).append(name)
    width = max(len(row) for row in rows.values()) * 72.0
    places = {}
    for level, row in rows.items():
        step = width / len(row)
        for index, name in enumerate(row):
            places[name] = (step * (index + 0.5), (max(rows) - level) * ROW * 1.5)
    left = min(x for x, _ in places.values())
    return {name: (x - left, y) for name, (x, y) in places.items()}


def grouped(names: Sequence[str], key: Callable[[str], int]) -> dict[int, list[str]]:
    """Names by a number, in order of the number."""
    found: dict[int, list[str]] = {}
    for name in names:
        found.setdefault(key(name), []).append(name)
    return dict(sorted(found.items()))
