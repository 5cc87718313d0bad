"""A mesh as the peers' program `mesh` reads it, from the resolved scenario of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from backwater._native import Resolved

#: IP bytes of the only size of packet that the program sends.
PACKET = 1500


def network(scenario: Resolved) -> str:
    """One medium of stations under the physical channel, and even flows over radio hops alone."""
    form = json.loads(scenario.canonical)
    number = list(form["nodes"]).index
    flows = json.loads(scenario.ways())["flows"]
    powers = json.loads(scenario.powers())
    (medium,) = form["media"].values()
    lines = [_channel(medium["channel"]), _mac(medium)]
    lines += map(_room, form["nodes"].values())
    for sender, heard in powers.items():
        lines += [f"link {number(sender)} {number(to)} {dbm:.9g}" for to, dbm in heard.items()]
    hops = [hop for flow in flows for hop in flow["hops"]]
    rates = {(number(hop["from"]), number(hop["to"]), hop["rate_bps"]) for hop in hops}
    lines += [f"rate {at} {to} {bps // 1_000_000}" for at, to, bps in sorted(rates)]
    ways = {way for flow in flows for way in _ways(flow, number)}
    lines += [f"way {at} {to} {after}" for at, to, after in sorted(ways)]
    for flow in flows:
        at, to = flow["hops"][0]["from"], flow["hops"][-1]["to"]
        source = form["flows"][flow["flow"].split("/")[0]]["source"]
        sent = source["packet_B"], source["jitter"], source["phase"]
        assert sent == (PACKET, 0, "random"), "what the program sends"
        lines.append(f"flow {number(at)} {number(to)} {source['rate_bps']}")
    return "\n".join(lines) + "\n"


def _channel(channel: dict[str, Any]) -> str:
    levels = (channel[f"{name}_dBm"] for name in ("noise", "energy_detect", "preamble_detect"))
    micros = 1e6 * channel["propagation_s"]
    return " ".join(map(str, ("channel", *levels, channel["capture"], f"{micros:g}")))


def _mac(medium: dict[str, Any]) -> str:
    mac = medium["mac"]
    mandatory = int(medium["phy"]["answer"] == "mandatory")
    return f"mac {mac['retry_short']} {mac['retry_long']} {mandatory}"


def _room(station: dict[str, Any]) -> str:
    """Packets, all of one size: in all, of the station's own, and of others."""
    held = station.get("buffer_B")
    room, step = (station["buffer_pkts"], 1) if held is None else (held, PACKET)
    share = station["own_share"]
    others = 1 - share if share < 1 else 1
    return f"station {room // step} {int(room * share) // step} {int(room * others) // step}"


def _ways(flow: dict[str, Any], number: Any) -> Iterator[tuple[int, int, int]]:
    """Where each station of a flow's way sends what goes to its end."""
    end = number(flow["hops"][-1]["to"])
    for hop in flow["hops"]:
        yield number(hop["from"]), end, number(hop["to"])
