"""A drawing of a resolved scenario: nodes, links with their rates, watched ports, flows.

`network` reads the canonical JSON, `layout` places the nodes, `drawing` and `tiers` draw small and
large networks on the `paper` that both share.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backwater.present.topology import drawing, layout, network, tiers
from backwater.present.topology import letters as in_letters

# Beyond this many nodes a person sees tiers, not nodes.
MOST_NODES = 48


def svg(resolved: Mapping[str, Any]) -> str:
    """Draws a resolved scenario; the text is complete SVG that takes colours from the page."""
    net = network.read(resolved)
    if len(net.nodes) > MOST_NODES:
        return tiers.draw(net)
    return drawing.draw(net, layout.lay_out(net))


def letters(resolved: Mapping[str, Any]) -> list[str]:
    """A resolved scenario as lines for a terminal."""
    return in_letters.lines(network.read(resolved))


def write(resolved: Mapping[str, Any], path: Path) -> None:
    """Writes the drawing as .svg or .png, in colours for white paper."""
    drawn = re.sub(r"var\(--[\w-]+,\s*([^)]+)\)", r"\1", svg(resolved))
    if path.suffix == ".svg":
        path.write_text(drawn, encoding="utf-8")
        return
    import vl_convert

    paper = re.sub(
        r"(<svg[^>]*>)", r'\1<rect width="100%" height="100%" fill="white"/>', drawn, count=1
    )
    path.write_bytes(vl_convert.svg_to_png(paper, scale=2))
