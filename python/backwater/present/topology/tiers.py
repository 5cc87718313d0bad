"""A drawing tier by tier, with numbers, for networks too large to draw node by node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from backwater.present.numbers import number
from backwater.present.topology import paper
from backwater.present.topology.layout import grouped, tier_of
from backwater.present.topology.network import Network

# Where the boxes begin, and how far they reach.
LEFT, SPAN = 215.0, 580.0
MOST_BOXES = 8


def draw(net: Network) -> str:
    """Tier above tier, with numbers where there are too many nodes to draw."""
    neighbours = net.neighbours()
    tier = tier_of(net, neighbours)
    rows = grouped(list(net.nodes), tier.__getitem__)
    top = max(rows)
    width, gap = LEFT + SPAN + 15, 104.0
    where = {level: 40 + (top - level) * gap for level in rows}
    between: Counter[tuple[int, int, str]] = Counter()
    for link in net.links:
        a, b = sorted(tier[name] for name in link.ends)
        between[a, b, paper.rate(link.rate_bps)] += 1
    parts: list[str] = []
    by_pair: dict[tuple[int, int], list[str]] = {}
    for (a, b, rate), count in sorted(between.items()):
        by_pair.setdefault((a, b), []).append(
            f"{number(count, 6)} {'link' if count == 1 else 'links'} of {rate}"
        )
    for (a, b), words in by_pair.items():
        if a == b:
            joined = "joined by " + ", ".join(words)
            parts.append(paper.text(LEFT - 15, where[a] + 23, joined, "end", "faint"))
            continue
        # A host has one link, a switch several.
        ends = (len(rows[b]), where[b]), (len(rows[a]), where[a])
        parts += _fan(*ends, straight=a == 0)
        y = (where[a] + where[b]) / 2 + 4
        said = ", ".join(words)
        if a == 0 and len(rows[0]) % len(rows[b]) == 0:
            said += f", {len(rows[0]) // len(rows[b])} for each switch"
        parts.append(
            f'<rect class="back" x="{LEFT + SPAN / 2 - len(said) * 3.4:.1f}" y="{y - 13:.1f}" '
            f'width="{len(said) * 6.8:.1f}" height="18"/>'
        )
        parts.append(paper.text(LEFT + SPAN / 2, y, said, kind="faint"))
    for level, some in rows.items():
        parts.append(
            paper.text(LEFT - 15, where[level] + 5, _tier_name(level, top, len(some)), "end")
        )
        parts += _boxes(some, net, where[level])
    below, height, needed = paper.legend(net, [], max(where.values()) + 40)
    return paper.frame(max(width, needed), height, [*parts, *below], paper.title(net))


def _tier_name(level: int, top: int, count: int) -> str:
    names = {
        1: ("switches",),
        2: ("leaf switches", "spine switches"),
        3: ("edge switches", "aggregation switches", "core switches"),
    }
    if level == 0:
        word = "hosts"
    else:
        named = names.get(top)
        word = named[level - 1] if named else f"switches {level} hops from a host"
    return f"{number(count, 6)} {word}"


def _boxes(some: Sequence[str], net: Network, y: float) -> list[str]:
    many = len(some) > MOST_BOXES
    shown = [*some[:4], *some[-3:]] if many else list(some)
    step = SPAN / min(len(some), MOST_BOXES)
    parts = [paper.text(LEFT + step * 4.5, y + 4, "…")] if many else []
    for name, x in zip(shown, _spots(len(some)), strict=True):
        switch = net.nodes[name] == "switch"
        half = min(max(18.0, len(name) * 3.6 + 6), step / 2 - 2)
        short = name if len(name) * 6.6 < 2 * half else name[: int(half / 3.6) - 1] + "…"
        parts.append(
            f'<g><title>{escape(name)}</title><rect class="{"box switch" if switch else "box"}" '
            f'x="{x - half:.1f}" y="{y - 13:.1f}" width="{2 * half:.1f}" height="26" '
            f'rx="{3 if switch else 13}"/>{paper.text(x, y + 4, short, kind="faint")}</g>'
        )
    return parts


def _spots(count: int) -> list[float]:
    """Where the boxes of a row stand; a long row has a gap for those left out."""
    shown = min(count, MOST_BOXES)
    gap = 4 if count > MOST_BOXES else None
    return [LEFT + SPAN * (i + 0.5) / shown for i in range(shown) if i != gap]


def _fan(above: tuple[int, float], below: tuple[int, float], straight: bool) -> list[str]:
    """Lines between two rows, each given by its number of nodes and its height."""
    upper, lower = _spots(above[0]), _spots(below[0])
    if straight:
        pairs = [(min(upper, key=lambda x: abs(x - spot)), spot) for spot in lower]
    else:
        pairs = [(a, b) for a in upper[::2] for b in lower[::2]]
    return [
        f'<line class="wire" x1="{a:.1f}" y1="{above[1] + 13:.1f}" '
        f'x2="{b:.1f}" y2="{below[1] - 13:.1f}" opacity=".45"/>'
        for a, b in pairs
    ]
