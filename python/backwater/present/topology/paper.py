"""Code that `drawing` and `tiers` share: the page, its style, words and the legend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape

from backwater.present.numbers import number, unit_for
from backwater.present.plot import COLOURS
from backwater.present.topology.network import DrawnFlow, Network

# Width of a letter of the small labels, in pixels.
LETTER = 6.1
STYLE = """
.bw-topo text{font-size:13px;font-family:Helvetica,Arial,sans-serif;fill:var(--ink,#222)}
.bw-topo .faint{fill:var(--ink-2,#5a5a5a);font-size:11.5px}
.bw-topo .wire{stroke:var(--wire,#8a8f96);stroke-width:2;fill:none}
.bw-topo .near{stroke:var(--wire,#8a8f96);stroke-width:1;opacity:.45}
.bw-topo .hidden{stroke:#CC3311;stroke-width:1.2;stroke-dasharray:2 3;fill:none}
.bw-topo .box{fill:var(--paper-2,#f4f4f1);stroke:var(--ink-2,#5a5a5a);stroke-width:1.4}
.bw-topo .switch{fill:var(--paper-3,#e6e9ec)}
.bw-topo .queue{fill:var(--paper,#fff);stroke:var(--ink-2,#5a5a5a);stroke-width:1.2}
.bw-topo .watched{fill:#D55E00;stroke:#D55E00}
.bw-topo .outlined{stroke:#D55E00;stroke-width:2.6}
.bw-topo .flow{fill:none;stroke-width:1.8;stroke-dasharray:5 3}
.bw-topo .back{fill:var(--paper,#fff);opacity:.85}
"""


def frame(width: float, height: float, parts: Iterable[str], title: str, also: str = "") -> str:
    """A whole drawing; `also` is another class."""
    return (
        f'<svg class="{f"bw-topo {also}".strip()}" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>" + "".join(parts) + "</svg>"
    )


def text(x: float, y: float, words: str, anchor: str = "middle", kind: str = "") -> str:
    """Words at a place; `kind` is a class of the style."""
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{named}>{escape(words)}</text>'


def rate(bps: float) -> str:
    """A rate in the unit people use for it; a link without one follows a trace."""
    if bps == 0:
        return "trace"
    unit = unit_for("rate", [bps])
    return f"{number(bps / unit.factor)} {unit.name}"


def title(net: Network) -> str:
    """The title of the drawing, for screen readers."""
    if net.places:
        return f"Topology: {len(net.places)} stations"
    hosts, switches = len(net.of_kind("host")), len(net.of_kind("switch"))
    return f"Topology: {hosts} hosts, {switches} switches, {len(net.links)} links"


def legend(
    net: Network, drawn: Sequence[DrawnFlow], bottom: float, also: Sequence[str] = ()
) -> tuple[list[str], float, float]:
    """The legend of lines and marks; also the height of the whole and the width it needs."""
    parts: list[str] = []
    y = bottom + 14
    widest = 0.0

    def line(mark: str, words: str) -> None:
        nonlocal y, widest
        parts.append(f'<g transform="translate(12 {y:.1f})">{mark}</g>')
        parts.append(text(44, y + 4, words, "start", "faint"))
        widest = max(widest, 60 + len(words) * LETTER)
        y += 19

    for index, flow in enumerate(drawn):
        colour = COLOURS[index % len(COLOURS)]
        mark = f'<line class="flow" stroke="{colour}" x1="0" y1="0" x2="24" y2="0"/>'
        line(mark, f"{flow.name}: {flow.sender} → {flow.receiver}, {said(flow)}")
    if not drawn:
        for words, count in Counter(said(flow) for flow in net.flows).items():
            line("", f"{number(count, 6)} {'flow' if count == 1 else 'flows'}: {words}")
    by_name = Counter((words, _noun(net, place)) for place, words in net.watched.items())
    cells = "".join(
        f'<rect class="queue watched" x="{6 + i * 4.6:.1f}" y="-5.5" width="3.8" height="11"/>'
        for i in range(3)
    )
    outlined = '<rect class="box outlined" x="2" y="-6" width="20" height="12" rx="6"/>'
    for (words, noun), count in by_name.items():
        nouns = noun if count == 1 else f"{noun}s"
        line(outlined if noun == "station" else cells, f"{count} {nouns} watched by {words}")
    if net.all_within_reach:
        line("", f"all {len(net.places)} stations understand each other")
    elif net.within_reach:
        line('<line class="near" x1="0" y1="0" x2="24" y2="0"/>', "understand each other")
    if net.hidden:
        pairs = "pair is" if len(net.hidden) == 1 else "pairs are"
        words = f"{len(net.hidden)} {pairs} hidden from each other, with a receiver in common"
        line('<path class="hidden" d="M0 4Q12 -8 24 4"/>', words)
    for words in net.ranges:
        line("", words)
    for words in also:
        line("", words)
    return parts, y + 4, widest


def _noun(net: Network, place: str) -> str:
    return "station" if place in net.places else "port"


def said(flow: DrawnFlow) -> str:
    """A flow's traffic in words."""
    toward = {
        "random": ", each packet to a host at random",
        "permutation": ", each to one other host",
        "nearest": ", each to the nearest of several",
        "group": ", to all stations that hear it",
    }.get(flow.pattern, "")
    return f"{flow.traffic}, class {flow.priority}{toward}"
