"""A drawing of a resolved scenario: nodes, links with their rates, watched ports, flows.

`network` reads the canonical JSON, `layout` places the nodes, `drawing` and `tiers` draw small and
large networks on the `paper` that both share.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backwater.present.topology import drawing, layout, network, tiers

# Beyond this many nodes a person sees tiers, not nodes.
MOST_NODES = 48


def svg(resolved: Mapping[str, Any]) -> str:
    """Draws a resolved scenario; the text is complete SVG that takes colours from the page."""
    net = network.read(resolved)
    if len(net.nodes) > MOST_NODES:
        return tiers.draw(net)
    return drawing.draw(net, layout.lay_out(net))
