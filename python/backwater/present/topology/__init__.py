"""A drawing of a resolved scenario: nodes, links with their rates, watched ports, flows.

`network` reads the canonical JSON, `layout` places the nodes, `drawing` and `tiers` draw small and
large networks on the `paper` that both share; `mesh` draws the trees of a mesh on its map.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backwater.model.outputs import save
from backwater.present.topology import drawing, layout, mesh, network, tiers
from backwater.present.topology import letters as in_letters

if TYPE_CHECKING:
    from backwater import _native

# Beyond this many nodes a person sees tiers, not nodes.
MOST_NODES = 48


def seen(resolved: _native.Resolved) -> dict[str, Any]:
    """The input of drawings: a scenario's canonical JSON, and `ways` where flows follow trees."""
    found: dict[str, Any] = json.loads(resolved.canonical)
    if has_trees(found):
        found["ways"] = json.loads(resolved.ways())
    return found


def has_trees(resolved: Mapping[str, Any]) -> bool:
    """Whether the flows of a scenario follow trees that are rooted at gateways."""
    return bool(resolved.get("routing", {}).get("kind") == "airtime-tree")


def svg(resolved: Mapping[str, Any]) -> str:
    """Draws a resolved scenario; the text is complete SVG that takes colours from the page."""
    net = network.read(resolved)
    tree = mesh.read(resolved) if len(net.places) == len(net.nodes) > layout.FEW else None
    if tree is not None:
        return mesh.draw(net, tree, layout.lay_out(net).places)
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
        from backwater.present.svg_fonts import embedded

        save(path, embedded(drawn))
        return
    import vl_convert

    paper = re.sub(
        r"(<svg[^>]*>)", r'\1<rect width="100%" height="100%" fill="white"/>', drawn, count=1
    )
    save(path, vl_convert.svg_to_png(paper, scale=2))
