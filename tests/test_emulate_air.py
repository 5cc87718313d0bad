"""Real programs at stations: a mesh that tells of congestion, a cell with explicit feedback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from test_emulate import REASON, TAKE, emulate, script

pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")

# D is nine times as fast as C, which forwards to B and has room for 200 kB.
MESH = """
schema = "backwater/scenario/1"
duration = "60 s"
routing = { kind = "shortest-path" }
media.air.phy = { standard = "802.11g", data = "54 Mbit/s", control = "6 Mbit/s" }
media.air.mac = { access = "edca", rts = "on", ac.BE = { txop = "6 ms" } }
media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m" }
nodes.B = { kind = "station", medium = "air", at = ["-180 m", "0 m"] }
nodes.D = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "2 MB" }
nodes.C.kind = "station"
nodes.C.medium = "air"
nodes.C.at = ["-90 m", "0 m"]
nodes.C.rate = "6 Mbit/s"
nodes.C.buffer = "256 kB"
nodes.C.own_share = "20 %"
mechanisms.cc = { recipe = "lscc", at = ["*"], notify = { cast = "each" } }
flows.b = { from = "B", to = "C", source = { kind = "cbr", packet = "100 B", rate = "8 kbit/s" } }
"""
BURST = """
import socket, time
time.sleep(1)
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
voice = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
voice.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 0xC0)
voice.sendto(b"x", ("B", 9090))
for number in range(600):
    out.sendto(b"x" * 1400, ("B", 9090))
    time.sleep(0.0005)
"""


@pytest.mark.parametrize("told", [True, False])
def test_notices_hold_real_packets_where_a_relay_would_lose_them(
    tmp_path: Path, told: bool
) -> None:
    (tmp_path / "mesh.toml").write_text(MESH if told else MESH.replace('"lscc"', '"none"'))
    burst = script(tmp_path, "burst.py", BURST)
    take = script(tmp_path, "take.py", TAKE)
    ended = emulate(
        tmp_path,
        "--json --late 9 scenario mesh.toml",
        f"--attach 'D={burst}'",
        f"--attach 'B={take}'",
    )
    assert ended.code == 0, ended.err
    run = ended.document["run"]
    lost = {row["place"]: row["pkts"] for row in run["drops"] if row["flow"] == "D>B"}
    assert run["conservation"]["ok"]
    # As flows of the scenario, best effort; CS6 goes as voice.
    entered = {flow["id"]: (flow["class"], flow["entered_pkts"]) for flow in run["flows"]}
    assert entered["D>B"] == (1, 600)
    assert entered["D>B#3"] == (3, 1)
    # Of 857 kB in 0.3 s or more C forwards 4 Mbit/s, and 205 kB fit.
    assert lost.get("D>C", 0) == 0
    if told:
        assert lost.get("C>B", 0) == 0
    else:
        assert lost["C>B"] > 100


CELL = """
schema = "backwater/scenario/1"
duration = "60 s"
media.air.phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }
media.air.mac = { access = "dcf", rts = "on" }
media.air.channel = { model = "disc", transmit = "100 m" }
topology.kind = "wlan"
topology.stations = 2
topology.fixed = 2
topology.medium = "air"
topology.wire_rate = "1 Gbit/s"
topology.wire_delay = "2 ms"
ports."AP>air" = { buffer = "50 packets", stamp = { kind = "iacp" } }
flows.f.from = "d1"
flows.f.to = "s1"
flows.f.packet = "1300 B"
flows.f.transport = "tcp"
flows.f.controller = { kind = "iacp" }
flows.f.source = { kind = "bulk" }
"""
STREAM = """
import socket, sys, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
begun = time.monotonic()
for number in range(750):
    due = begun + number * 0.004
    time.sleep(max(0, due - time.monotonic()))
    if sys.argv[1] == "send":
        out.sendto(b"x" * 1000, ("s2", 9090))
time.sleep(0.5)
"""


def cell(tmp_path: Path, what: str) -> dict[str, Any]:
    """A run of 3.5 s in which a program sends 2 Mbit/s to a station, or waits."""
    (tmp_path / "cell.toml").write_text(CELL)
    stream = script(tmp_path, "stream.py", STREAM)
    take = script(tmp_path, "take.py", TAKE)
    ended = emulate(
        tmp_path,
        "--json --late 9 --unmodelled 1 scenario cell.toml",
        f"--attach 's2={take}'",
        f"--attach 'd2={stream} {what}'",
    )
    assert ended.code == 0, ended.err
    run: dict[str, Any] = ended.document["run"]
    assert run["conservation"]["ok"]
    return run


def test_a_flow_with_feedback_gives_way_to_real_packets(tmp_path: Path) -> None:
    flows = {
        what: {flow["id"]: flow for flow in cell(tmp_path, what)["flows"]}
        for what in ("send", "wait")
    }
    beside, alone = flows["send"]["f"], flows["wait"]["f"]
    # The same in simulation, 2 Mbit/s as a flow of its own: 1.5 Mbit/s beside it, 2.1 alone.
    assert 600 < flows["send"]["d2>s2"]["delivered_pkts"] <= 750
    assert 0.3 < beside["goodput_bps"] / alone["goodput_bps"] < 0.9
