"""A network in letters, for a terminal: each node once, with its links, queues and flows."""

from __future__ import annotations

from backwater.present.topology.network import Network
from backwater.present.topology.paper import rate, said


def lines(net: Network) -> list[str]:
    """One block for each node that forwards or is alone, then the flows."""
    found = []
    ends = {name: [link for link in net.links if name in link.ends] for name in net.nodes}
    centres = [name for name in net.nodes if net.nodes[name] != "host" or not ends[name]]
    for name in centres:
        found.append(f"{name} ({net.nodes[name]}){_place(net, name)}")
        for index, link in enumerate(ends[name]):
            other = link.ends[1] if link.ends[0] == name else link.ends[0]
            branch = "└" if index == len(ends[name]) - 1 else "├"
            found.append(f" {branch}─ {rate(link.rate_bps)} ── {other}{_port(net, name, other)}")
        heard = [b if a == name else a for a, b in net.within_reach if name in (a, b)]
        if heard:
            found.append(f"    hears {', '.join(sorted(heard))}")
    found += [
        f"{link.ends[0]} ── {rate(link.rate_bps)} ── {link.ends[1]}"
        for link in net.links
        if not set(link.ends) & set(centres)
    ]
    found.append("")
    found += [f"{flow.name}: {flow.sender} → {flow.receiver}, {said(flow)}" for flow in net.flows]
    return found


def _place(net: Network, name: str) -> str:
    if name not in net.places:
        return ""
    x, y = net.places[name]
    return f" at {x:g} m, {y:g} m"


def _port(net: Network, here: str, there: str) -> str:
    port = f"{here}>{there}"
    facts = [net.buffers[port]] if port in net.buffers else []
    facts += [f"watched by {net.watched[port]}"] if port in net.watched else []
    return f"   [{port}: {', '.join(facts)}]" if facts else ""
