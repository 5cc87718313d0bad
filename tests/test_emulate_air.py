"""Real programs at stations: a mesh that tells of congestion, a cell with explicit feedback."""

from __future__ import annotations

from pathlib import Path

import pytest

import backwater
from live import LATE, NEAR, NOTE, lost, of, replayed
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
# 1000 packets a second, which D can always send and C cannot: in 0.6 s C loses 304 to 312 of them,
# whichever the backoffs. If the program sent as fast as it can, D and C would contend for 0.3 s and
# backoffs alone would make that 349 to 403. A program that falls behind catches up on 20 ms at
# most, so that a busy machine makes the burst longer and not denser.
BURST = (
    NOTE
    + """
import socket
time.sleep(1)
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
voice = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
voice.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 0xC0)
voice.sendto(b"x", ("B", 9090))
due = time.monotonic()
for number in range(600):
    due = max(due, time.monotonic() - 0.02) + 0.001
    time.sleep(max(0, due - time.monotonic()))
    note()
    out.sendto(b"x" * 1400, ("B", 9090))
"""
)


@pytest.mark.parametrize("told", [True, False])
def test_notices_hold_real_packets_where_a_relay_would_lose_them(
    tmp_path: Path, told: bool
) -> None:
    mesh = MESH if told else MESH.replace('"lscc"', '"none"')
    (tmp_path / "mesh.toml").write_text(mesh)
    burst = script(tmp_path, "burst.py", BURST)
    take = script(tmp_path, "take.py", TAKE)
    words = ("scenario mesh.toml", f"--attach 'D={burst}'", f"--attach 'B={take}'")
    ended = emulate(tmp_path, f"--json {LATE}", *words)
    assert ended.code == 0, ended.err
    run = ended.document["run"]
    assert run["conservation"]["ok"]
    # As flows of the scenario, best effort; CS6 goes as voice.
    entered = {flow["id"]: (flow["class"], flow["entered_pkts"]) for flow in run["flows"]}
    assert entered["D>B"] == (1, 600)
    assert entered["D>B#3"] == (3, 1)
    simulated = replayed(tmp_path, mesh, ("D", "B"), 1428)
    assert lost(run, "D>B", "D>C") == lost(simulated, "live", "D>C") == 0
    at_relay = lost(run, "D>B", "C>B"), lost(simulated, "live", "C>B")
    assert abs(at_relay[0] - at_relay[1]) <= NEAR
    if told:
        assert at_relay == (0, 0)
    elif at_relay[1] <= 100:
        pytest.skip("the program sent so slowly that the relay could forward nearly all")


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
STREAM = (
    NOTE
    + """
import socket
time.sleep(1)
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
begun = time.monotonic()
for number in range(750):
    due = begun + number * 0.004
    time.sleep(max(0, due - time.monotonic()))
    note()
    out.sendto(b"x" * 1000, ("s2", 9090))
time.sleep(0.5)
"""
)


def test_a_flow_with_feedback_gives_way_to_real_packets(tmp_path: Path) -> None:
    (tmp_path / "cell.toml").write_text(CELL)
    stream = script(tmp_path, "stream.py", STREAM)
    take = script(tmp_path, "take.py", TAKE)
    words = ("scenario cell.toml", f"--attach 's2={take}'", f"--attach 'd2={stream}'")
    ended = emulate(tmp_path, f"--json {LATE}", *words)
    assert ended.code == 0, ended.err
    run = ended.document["run"]
    assert run["conservation"]["ok"]
    taken = of(run, "d2>s2")
    assert taken["entered_pkts"] == 750
    assert taken["delivered_pkts"] + taken["dropped_pkts"] <= 750
    assert taken["delivered_pkts"] > 0
    # How many are lost depends on how evenly the program sends: bursts meet a full buffer.
    # Alone the flow has more, in the same time.
    lasted = {"duration": f"{run['duration_s']:.3f} s"}
    alone = backwater.run(tmp_path / "cell.toml", set=lasted, columns=False)
    assert 0.3 < of(run, "f")["goodput_bps"] / of(alone.document, "f")["goodput_bps"] < 0.95
