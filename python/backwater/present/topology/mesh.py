"""A map of a mesh whose flows go along trees to gateways: places, tree, rates and load."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from backwater.present.numbers import number
from backwater.present.topology import paper
from backwater.present.topology.network import Network

MARGIN = 30.0
RADIUS, SQUARE = 7.5, 10.0
# A letter, also on a narrow screen, where the style of a report draws letters larger.
LETTER = 7.0
# The fields of a source that sends at a constant rate.
CONSTANT = {"jitter", "kind", "packet_B", "phase", "rate_bps"}
# Upper ends of the steps of a colour, Mbit/s; the last takes what is faster.
RATES = ((9.0, "#CC3311"), (18.0, "#B35C00"), (36.0, "#0077BB"), (math.inf, "#008866"))
# Upper ends of the steps of a filling, shares of the time.
LOADS = ((0.4, 0.0), (0.7, 0.25), (1.0, 0.55), (math.inf, 1.0))
LOAD = "#EE7733"
STYLE = """
.bw-topo .hop{fill:none;stroke-linecap:round}
.bw-topo .ground{fill:var(--paper,#fff);stroke:var(--ink-2,#5a5a5a);stroke-width:1.4}
.bw-topo .gateway{stroke:var(--ink,#222);stroke-width:2.6}
.bw-topo .busiest{fill:none;stroke:#CC3311;stroke-width:2.4;stroke-dasharray:4 2.5}
.bw-topo .named{font-size:10.5px;paint-order:stroke;stroke:var(--paper,#fff);stroke-width:3px}
.bw-topo .speed{font-size:10px;fill:var(--ink-2,#5a5a5a)}
.bw-topo .speed{paint-order:stroke;stroke:var(--paper,#fff);stroke-width:3px}
"""


@dataclass(frozen=True)
class Hop:
    """A tree link: its rate, and the share of time that its packets ask for in both directions."""

    ends: tuple[str, str]
    rate_bps: float
    share: float | None


@dataclass(frozen=True)
class Tree:
    """The links that flows take, and what is asked of the medium where each station senses it.

    A source without a constant rate, or with TCP, asks for what it gets: then there are no shares.
    """

    hops: tuple[Hop, ...]
    roots: frozenset[str]
    around: Mapping[str, float]

    @property
    def busiest(self) -> str | None:
        """The station in whose neighbourhood most is asked for."""
        return max(self.around, key=self.around.__getitem__) if self.around else None


def read(resolved: Mapping[str, Any]) -> Tree | None:
    """The tree of a scenario whose flows all go over radio hops; None for another."""
    ways = resolved.get("ways")
    if ways is None or not ways["flows"]:
        return None
    rates: dict[tuple[str, str], float] = {}
    shares: defaultdict[tuple[str, str], float] = defaultdict(float)
    for flow in ways["flows"]:
        per_s = _packets_per_s(resolved["flows"][flow["flow"].partition("/")[0]])
        for hop in flow["hops"]:
            a, b = sorted((hop["from"], hop["to"]))
            rates[a, b] = min(hop["rate_bps"], rates.get((a, b), math.inf))
            shares[a, b] += per_s * hop["cycle_s"]
    known = not any(math.isnan(share) for share in shares.values())
    return Tree(
        hops=tuple(
            Hop(ends, rate, shares[ends] if known else None) for ends, rate in rates.items()
        ),
        roots=frozenset(resolved["routing"]["roots"]),
        around=dict(_around(ways["senses"], shares)) if known else {},
    )


def _packets_per_s(flow: Mapping[str, Any]) -> float:
    source = flow["source"]
    if source.keys() != CONSTANT or flow["transport"] != "udp":
        return math.nan
    return float(source["rate_bps"]) / (8.0 * float(source["packet_B"]))


def _around(
    senses: Mapping[str, list[str]], shares: Mapping[tuple[str, str], float]
) -> Iterator[tuple[str, float]]:
    """The time that all links with an end in a station's carrier-sense range ask for."""
    for station, others in senses.items():
        near = {station, *others}
        yield station, math.fsum(s for ends, s in shares.items() if not near.isdisjoint(ends))


def draw(net: Network, tree: Tree, places: Mapping[str, tuple[float, float]]) -> str:
    """The map, and below it what its marks mean."""
    at = {name: (x + MARGIN, y + MARGIN) for name, (x, y) in places.items()}
    first = [hop for hop in tree.hops if not tree.roots.isdisjoint(hop.ends)]
    later = [hop for hop in tree.hops if tree.roots.isdisjoint(hop.ends)]
    parts = [f"<style>{STYLE}</style>"]
    parts += [_line(hop, at, wide=3.6) for hop in first]
    parts += [_line(hop, at, wide=1.7) for hop in later]
    parts += _speeds(tree, at)
    parts += [_node(name, tree, at) for name in net.nodes]
    bottom = max(y for _, y in at.values()) + MARGIN
    below, height, needed = _legend(net, tree, bottom)
    beside = [at[name][0] + 15 + len(name) * LETTER for name in at if _is_beside(name, at)]
    width = max(max(x for x, _ in at.values()) + MARGIN, needed, *beside)
    return paper.frame(width, height, [*parts, *below], paper.title(net), "bw-map")


def _line(hop: Hop, at: Mapping[str, tuple[float, float]], wide: float) -> str:
    (ax, ay), (bx, by) = at[hop.ends[0]], at[hop.ends[1]]
    said = f"{hop.ends[0]} – {hop.ends[1]}: {paper.rate(hop.rate_bps)}"
    said += "" if hop.share is None else f", asked for {_percent(hop.share)} of the time"
    return (
        f'<g><title>{escape(said)}</title><line class="hop" stroke="{_colour(hop.rate_bps)}" '
        f'stroke-width="{wide}" x1="{ax:.1f}" y1="{ay:.1f}" x2="{bx:.1f}" y2="{by:.1f}"/></g>'
    )


def _speeds(tree: Tree, at: Mapping[str, tuple[float, float]]) -> list[str]:
    """The rates on links that have room for one, each where it covers no other."""
    parts: list[str] = []
    # Half the height of a mark or a number, and that of the number to come.
    taken: list[tuple[float, float, float]] = []
    for name, (x, y) in at.items():
        taken.append((x, y, 16 if name in tree.roots else 12))
        # Its name, on its right or above it, in letters of a narrow screen.
        if _is_beside(name, at):
            taken += [(x + 15 + LETTER * letter, y, 13) for letter in range(0, len(name) + 1, 2)]
        else:
            taken.append((x, y - (19 if name in tree.roots else 15), 13))
    for hop in tree.hops:
        (ax, ay), (bx, by) = at[hop.ends[0]], at[hop.ends[1]]
        if math.hypot(bx - ax, by - ay) < 40.0:
            continue
        for along in (0.5, 0.35, 0.65, 0.25, 0.75):
            spot = (ax + (bx - ax) * along, ay + (by - ay) * along)
            if all(abs(spot[0] - x) > 15 or abs(spot[1] - y) > high for x, y, high in taken):
                taken.append((*spot, 12))
                words = number(hop.rate_bps / 1e6)
                parts.append(paper.text(spot[0], spot[1] + 3.5, words, "middle", "speed"))
                break
    return parts


def _node(name: str, tree: Tree, at: Mapping[str, tuple[float, float]]) -> str:
    x, y = at[name]
    asked = tree.around.get(name)
    gateway = name in tree.roots
    said = f"{'gateway' if gateway else 'station'} {name}"
    said += "" if asked is None else f", {_percent(asked)} of the time asked for around it"
    parts = [_shape("ground gateway" if gateway else "ground", x, y, gateway)]
    if asked is not None and (full := _filling(asked)):
        parts.append(_shape("", x, y, gateway, f' fill="{LOAD}" fill-opacity="{full}"'))
    if name == tree.busiest:
        parts.append(f'<circle class="busiest" cx="{x:.1f}" cy="{y:.1f}" r="14"/>')
    if _is_beside(name, at):
        parts.append(paper.text(x + 15, y + 4, name, "start", "named"))
    else:
        parts.append(paper.text(x, y - (15 if gateway else 11), name, "middle", "named"))
    return f"<g><title>{escape(said)}</title>{''.join(parts)}</g>"


def _is_beside(name: str, at: Mapping[str, tuple[float, float]]) -> bool:
    """Whether a node has its name on its right, since another lies above it."""
    x, y = at[name]
    return any(abs(x - a) < 20 and 0 < y - b < 32 for a, b in at.values())


def _shape(kind: str, x: float, y: float, square: bool, also: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    if square:
        return (
            f'<rect{named}{also} x="{x - SQUARE:.1f}" y="{y - SQUARE:.1f}" '
            f'width="{2 * SQUARE}" height="{2 * SQUARE}"/>'
        )
    return f'<circle{named}{also} cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}"/>'


def _legend(net: Network, tree: Tree, bottom: float) -> tuple[list[str], float, float]:
    """The legend of colours, widths and fillings; also the height and the needed width."""
    parts: list[str] = []
    y, widest = bottom + 6, 0.0

    def line(mark: str, words: str) -> None:
        nonlocal y, widest
        parts.append(f'<g transform="translate(12 {y:.1f})">{mark}</g>')
        parts.append(paper.text(52, y + 4, words, "start", "faint"))
        widest = max(widest, 52 + len(words) * LETTER)
        y += 21

    steps = {_colour(hop.rate_bps) for hop in tree.hops}
    for words, colour in zip(_between(RATES, "Mbit/s"), (c for _, c in RATES), strict=True):
        if colour in steps:
            line(_sample(colour, 2.6), f"tree link of {words}")
    line(_sample("var(--ink-2,#5a5a5a)", 3.6), "thick: link to a gateway")
    line(_sample("var(--ink-2,#5a5a5a)", 1.7), "thin: link between stations")
    line(paper.text(16, 4, "24", "middle", "speed"), "rate of a link, Mbit/s")
    line(_shape("ground gateway", 16, 0, True), f"gateway ({len(tree.roots)})")
    if not tree.around:
        line(_shape("ground", 16, 0, False), f"station ({len(net.nodes) - len(tree.roots)})")
    for words, (_, full) in zip(_between(LOADS, "%", 100.0), LOADS, strict=True):
        if tree.around:
            filled = _shape("", 16, 0, False, f' fill="{LOAD}" fill-opacity="{full}"')
            asks = f"{words} of the time is asked for where the station senses"
            line(_shape("ground", 16, 0, False) + filled, asks)
    if tree.busiest is not None:
        share = _percent(tree.around[tree.busiest])
        words = f"busiest neighbourhood: {tree.busiest}, {share} of the time"
        line('<circle class="busiest" cx="16" cy="0" r="9"/>', words)
    return parts, y + 4, widest


def _sample(colour: str, wide: float) -> str:
    return (
        f'<line class="hop" stroke="{colour}" stroke-width="{wide}" x1="2" y1="0" x2="30" y2="0"/>'
    )


def _between(steps: tuple[tuple[float, object], ...], unit: str, factor: float = 1.0) -> list[str]:
    """The ranges of the steps in words."""
    ends = [f"{number(end * factor)} {unit}" for end, _ in steps[:-1]]
    middle = [f"more than {low}, up to {high}" for low, high in itertools.pairwise(ends)]
    return [f"up to {ends[0]}", *middle, f"more than {ends[-1]}"]


def _colour(bps: float) -> str:
    return next(colour for end, colour in RATES if bps <= end * 1e6)


def _filling(share: float) -> float:
    return next(full for end, full in LOADS if share <= end)


def _percent(share: float) -> str:
    return f"{number(share * 100)} %"
