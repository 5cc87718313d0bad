"""A drawing node by node, for networks small enough to read."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from backwater.present.plot import COLOURS
from backwater.present.topology import paper
from backwater.present.topology.layout import FEW, Layout
from backwater.present.topology.network import UNLIMITED, DrawnFlow, Network

# More flows than this are listed in words.
MOST_LINES = 8
# More links of one rate, or queues of one size, are named once below the drawing.
MOST_EQUAL = 8
MARGIN = 46.0


def draw(net: Network, layout: Layout) -> str:
    """Every node, link, used queue and flow of a network."""
    places = {name: (x + MARGIN, y + MARGIN) for name, (x, y) in layout.places.items()}
    width = max(x for x, _ in places.values()) + MARGIN
    bottom = max(y for _, y in places.values()) + MARGIN
    small = layout.style == "tiers" or len(net.places) > FEW
    pairs = () if net.all_within_reach else net.within_reach
    parts = [_near(*places[a], *places[b]) for a, b in pairs]
    if not small:
        parts += [_hidden(*places[a], *places[b]) for a, b in net.hidden]
    for link in net.links:
        (ax, ay), (bx, by) = places[link.ends[0]], places[link.ends[1]]
        parts.append(
            f'<line class="wire" x1="{ax:.1f}" y1="{ay:.1f}" x2="{bx:.1f}" y2="{by:.1f}"/>'
        )
    lines = [flow for flow in net.flows if flow.name in layout.paths]
    drawn = lines if len(lines) <= MOST_LINES else []
    parts += _flow_lines(drawn, layout, places)
    queues = _queues(net, layout, places)
    parts += [_queue(net, queue, 3.0 if small else 4.6) for queue in queues]
    sizes = Counter(net.buffers[queue.port] for queue in queues)
    rates = Counter(paper.rate(link.rate_bps) for link in net.links)
    once = [
        *([_once(sizes, "queues of", "queue of")] if small or _equal(sizes) else []),
        *(
            [_once(Counter({UNLIMITED: free}), "queues:", "queue:")]
            if (free := sizes[UNLIMITED]) and not (small or _equal(sizes))
            else []
        ),
        *([_once(rates, "links of", "link of")] if small or _equal(rates) else []),
    ]
    if not small:
        labels = _Labels(places)
        if not _equal(sizes):
            # Many ports of one switch have no limit; a label each covers the drawing.
            _buffers(net, [one for one in queues if net.buffers[one.port] != UNLIMITED], labels)
        if not _equal(rates):
            _rates(net, places, labels)
        parts += labels.parts
    for name, kind in net.nodes.items():
        parts.append(_node(name, kind, net.watched.get(name), places[name], small))
    below, height, needed = paper.legend(net, drawn, bottom, [words for words in once if words])
    # A short name is centred on its node, a long one may stick out of the margin.
    return paper.frame(max(width, needed), height, [*parts, *below], paper.title(net))


def _near(ax: float, ay: float, bx: float, by: float) -> str:
    return f'<line class="near" x1="{ax:.1f}" y1="{ay:.1f}" x2="{bx:.1f}" y2="{by:.1f}"/>'


def _hidden(ax: float, ay: float, bx: float, by: float) -> str:
    """An arc, for a line would run through the station in between."""
    mx, my = (ax + bx) / 2 + (by - ay) * 0.22, (ay + by) / 2 - (bx - ax) * 0.22
    return f'<path class="hidden" d="M{ax:.1f} {ay:.1f}Q{mx:.1f} {my:.1f} {bx:.1f} {by:.1f}"/>'


def _equal(counts: Counter[str]) -> bool:
    return len(counts) == 1 and counts.total() > MOST_EQUAL


def _once(counts: Counter[str], several: str, one: str) -> str:
    return ", ".join(
        f"{count} {one if count == 1 else several} {words}" for words, count in counts.items()
    )


def _node(
    name: str, kind: str, watched: str | None, place: tuple[float, float], small: bool
) -> str:
    x, y = place
    half = max(15.0, len(name) * 4.1 + 6) if small else _half(name)
    tall = 12.0 if small else (18.0 if kind == "switch" else 14.0)
    corner = 3 if kind == "switch" else tall
    style = "box switch" if kind == "switch" else "box"
    style += " outlined" if watched else ""
    said = f"{kind} {name}" + (f", watched by {watched}" if watched else "")
    return (
        f'<g><title>{escape(said)}</title><rect class="{style}" '
        f'x="{x - half:.1f}" y="{y - tall:.1f}" width="{2 * half:.1f}" height="{2 * tall:.1f}" '
        f'rx="{corner}"/>{paper.text(x, y + 4.5, name)}</g>'
    )


class _Labels:
    """Labels, each where it covers nothing else."""

    def __init__(self, places: Mapping[str, tuple[float, float]]) -> None:
        self.taken = [
            (x - _half(name) - 2, y - 20, x + _half(name) + 2, y + 20)
            for name, (x, y) in places.items()
        ]
        self.parts: list[str] = []

    def keep_free(self, x: float, y: float, half: float) -> None:
        """Keeps labels away from a small mark."""
        self.taken.append((x - half, y - half, x + half, y + half))

    def put(self, words: str, candidates: Sequence[tuple[float, float, str]]) -> None:
        """Writes the words at the first free place; where none is free, nowhere."""
        wide = len(words) * paper.LETTER
        for x, y, anchor in candidates:
            left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
            box = (left, y - 9, left + wide, y + 3)
            if not any(
                box[0] < c and a < box[2] and box[1] < d and b < box[3] for a, b, c, d in self.taken
            ):
                self.taken.append(box)
                self.parts.append(
                    f'<rect class="back" x="{left - 1:.1f}" y="{y - 10:.1f}" '
                    f'width="{wide + 2:.1f}" height="13" rx="2"/>'
                )
                self.parts.append(paper.text(x, y, words, anchor, "faint"))
                return


def _half(name: str) -> float:
    return max(21.0, len(name) * 4.1 + 6)


def _beside_line(
    here: tuple[float, float],
    there: tuple[float, float],
    along: float,
    off: float,
    wide: float,
) -> tuple[float, float, str]:
    """A place for words next to a line, `off` pixels to its upper side (lower if negative)."""
    dx, dy = there[0] - here[0], there[1] - here[1]
    long = math.hypot(dx, dy) or 1.0
    nx, ny = dy / long, -dx / long
    if ny > 1e-9 or (abs(ny) <= 1e-9 and nx < 0):
        nx, ny = -nx, -ny
    middle = abs(nx) < 0.3
    if middle:
        # Centred words beside a slanted line need room for their width.
        off += math.copysign(abs(nx) * wide / 2, off)
    x, y = here[0] + dx * along + nx * off, here[1] + dy * along + ny * off + 4
    if middle:
        return x, y, "middle"
    return x, y, "start" if nx * off > 0 else "end"


def _rates(net: Network, places: Mapping[str, tuple[float, float]], labels: _Labels) -> None:
    for link in net.links:
        here, there = places[link.ends[0]], places[link.ends[1]]
        words = paper.rate(link.rate_bps)
        tries = [
            _beside_line(here, there, along, off, len(words) * paper.LETTER)
            for off in (11, -11, 17, -17)
            for along in (0.5, 0.42, 0.58)
        ]
        labels.put(words, tries)


@dataclass(frozen=True)
class _Queue:
    """A switch's egress queue that is drawn, and where."""

    port: str
    here: tuple[float, float]
    there: tuple[float, float]
    spot: tuple[float, float, float]


def _queues(
    net: Network, layout: Layout, places: Mapping[str, tuple[float, float]]
) -> list[_Queue]:
    """The queues of switch ports that are watched or that are bottlenecks of flows.

    Between tiers there is room only for those that are watched.
    """
    small = layout.style == "tiers"
    slow = set() if small else _bottlenecks(net, layout.paths.values())
    found = []
    for link in net.links:
        for here, there in (link.ends, link.ends[::-1]):
            for port in (f"{here}>{there}", f"{here}>{there}#{link.name}"):
                drawn = port in net.watched or (here, there) in slow
                if drawn and port in net.buffers and net.nodes[here] == "switch":
                    spot = _queue_spot(places[here], places[there], small)
                    found.append(_Queue(port, places[here], places[there], spot))
    return found


def _bottlenecks(net: Network, paths: Iterable[Sequence[str]]) -> set[tuple[str, str]]:
    """The hops that carry less than all links together over which their flows come."""
    rates: defaultdict[tuple[str, str], float] = defaultdict(float)
    for link in net.links:
        for ends in (link.ends, link.ends[::-1]):
            rates[ends] += link.rate_bps
    feeders: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for path in paths:
        for before, here, there in zip(path, path[1:], path[2:], strict=False):
            feeders.setdefault((here, there), set()).add((before, here))
    # A trace link has no rate: it may always be the slow one.
    return {
        hop
        for hop, into in feeders.items()
        if not rates[hop] or sum(rates[one] for one in into) > rates[hop]
    }


def _queue_spot(
    here: tuple[float, float], there: tuple[float, float], small: bool
) -> tuple[float, float, float]:
    dx, dy = there[0] - here[0], there[1] - here[1]
    long = math.hypot(dx, dy) or 1.0
    away = 22.0 if small else 42.0 - 10.0 * abs(dy) / long
    return (
        here[0] + dx / long * away,
        here[1] + dy / long * away,
        math.degrees(math.atan2(dy, dx)),
    )


def _queue(net: Network, queue: _Queue, size: float) -> str:
    watched = net.watched.get(queue.port)
    said = f"port {queue.port}: {net.buffers[queue.port]}"
    said += f", watched by {watched}" if watched else ""
    x, y, turn = queue.spot
    cells = "".join(
        f'<rect class="queue{" watched" if watched else ""}" x="{(i - 1.5) * size:.1f}" '
        f'y="{-size * 1.2:.1f}" width="{size - 0.8:.1f}" height="{size * 2.4:.1f}"/>'
        for i in range(3)
    )
    return (
        f"<g><title>{escape(said)}</title>"
        f'<g transform="translate({x:.1f} {y:.1f}) rotate({turn:.1f})">{cells}</g></g>'
    )


def _buffers(net: Network, queues: Sequence[_Queue], labels: _Labels) -> None:
    for queue in queues:
        labels.keep_free(*queue.spot[:2], 8)
    for queue in queues:
        words = net.buffers[queue.port]
        (ax, ay), (bx, by) = queue.here, queue.there
        at = math.hypot(queue.spot[0] - ax, queue.spot[1] - ay) / (
            math.hypot(bx - ax, by - ay) or 1
        )
        tries = [
            _beside_line(queue.here, queue.there, at + more, off, len(words) * paper.LETTER)
            for off in (-15, 14, -19, 18)
            for more in (0.0, 0.06, 0.12)
        ]
        labels.put(words, tries)


def _flow_lines(
    flows: Sequence[DrawnFlow], layout: Layout, places: Mapping[str, tuple[float, float]]
) -> list[str]:
    parts = []
    for index, flow in enumerate(flows):
        offset = (index - (len(flows) - 1) / 2) * 3.4
        path = [places[name] for name in layout.paths[flow.name]]
        shifted = _beside(path, offset)
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shifted)
        colour = COLOURS[index % len(COLOURS)]
        parts.append(
            f"<g><title>flow {escape(flow.name)}: {escape(flow.sender)} to "
            f"{escape(flow.receiver)}</title>"
            f'<polyline class="flow" stroke="{colour}" points="{points}"/></g>'
        )
    return parts


def _beside(path: Sequence[tuple[float, float]], offset: float) -> list[tuple[float, float]]:
    """The same path moved sideways, so that flows on one link stay apart."""
    moved = []
    for index, (x, y) in enumerate(path):
        (ax, ay) = path[max(index - 1, 0)]
        (bx, by) = path[min(index + 1, len(path) - 1)]
        long = math.hypot(bx - ax, by - ay) or 1.0
        moved.append((x - (by - ay) / long * offset, y + (bx - ax) / long * offset))
    return moved
