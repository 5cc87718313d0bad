"""Which mechanisms work at an access point whose buffer is filled over a wire.

A notice there has to reach the switch as well as the stations. Whether it can is said when a world is built, so each
combination that works over the air is built.
"""

from __future__ import annotations

import json

from backwater import _native
from backwater.errors import Refusal, refusing
from backwater.model import scenario

# A host sends through a switch and an access point to two stations.
NETWORK = """
schema = "backwater/scenario/1"
duration = "1 s"
routing = { kind = "shortest-path" }
media.air.phy = { standard = "802.11g", data = "54 Mbit/s", control = "6 Mbit/s" }
media.air.mac = { access = "edca", rts = "off" }
media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m" }
nodes.H = { kind = "host" }
nodes.W = { kind = "switch" }
nodes.P = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "100 packets" }
nodes.S1 = { kind = "station", medium = "air", at = ["40 m", "0 m"], buffer = "100 packets" }
nodes.S2 = { kind = "station", medium = "air", at = ["0 m", "40 m"], buffer = "100 packets" }
links.hw = { ends = ["H", "W"], rate = "100 Mbit/s", delay = "1 us" }
links.wp = { ends = ["W", "P"], rate = "100 Mbit/s", delay = "1 us" }
ports."W>P" = { buffer = "100 kB" }
[flows]
f1 = { from = "H", to = "S1", ac = "BE", packet = "1500 B", source = { kind = "cbr", packet = "1500 B", rate = "20 Mbit/s" } }
f2 = { from = "H", to = "S2", ac = "BE", packet = "1500 B", source = { kind = "cbr", packet = "1500 B", rate = "20 Mbit/s" } }
"""
AT_THE_ACCESS_POINT = ("P",)
# Ports of the switch as well.
EVERYWHERE = ("*",)

Parts = tuple[str, str, str]


def refused(parts: Parts, at: tuple[str, ...]) -> Refusal | None:
    """Why a combination can't watch these places; None where it works."""
    detect, notify, respond = (f'{{ kind = "{part}" }}' for part in parts)
    places = ", ".join(f'"{one}"' for one in at)
    mechanism = f"at = [{places}], detect = {detect}, notify = {notify}, respond = {respond}"
    try:
        with refusing():
            read, _ = scenario.read(f"{NETWORK}\n[mechanisms]\nm = {{ {mechanism} }}\n")
            read.resolve(None).mechanisms()
    except Refusal as refusal:
        return refusal
    return None


def over_the_air() -> list[Parts]:
    """The combinations that work at stations with frames of their own, without classes of Python."""
    return [
        (row["detect"], row["notify"], row["respond"])
        for row in json.loads(_native.legal())
        if row["works"]
        and (row["medium"], row["carrier"]) == ("802.11", "management frame")
        and "python" not in (row["detect"], row["notify"], row["respond"])
    ]
