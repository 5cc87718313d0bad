"""Packets of one flow that come out of a network together reach programs in one write."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from live import LATE, TRIES, valid
from test_emulate import REASON, emulate, script

pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")

# 65 Mbit/s; an A-MPDU has at most 5.484 ms: 42 packets of 1040 B, 28 of 1500 B.
CELL = """
schema = "backwater/scenario/1"
duration = "60 s"
media.air.phy = { standard = "802.11n", mcs = 7, width = "20 MHz", streams = 1, guard = "0.8 us" }
media.air.mac = { access = "edca", rts = "off", aggregation = "a-mpdu" }
media.air.channel = { model = "disc", transmit = "100 m" }
nodes.D = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "4000 packets" }
nodes.B = { kind = "station", medium = "air", at = ["10 m", "0 m"], buffer = "4000 packets" }
flows.b = { from = "B", to = "D", source = { kind = "cbr", packet = "100 B", rate = "8 kbit/s" } }
"""
BURSTS, EACH = 60, 32
# A burst that takes its program longer comes in parts: a packet of 1040 B has 0.14 ms on the air.
MOMENT_S = 0.002
# Datagrams one by one, 32 in a moment and then nothing for 6 ms, in which 32 leave at 59 Mbit/s.
FEED = f"""
import json, socket, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.connect(("B", 9090))
time.sleep(0.5)
took = []
for burst in range({BURSTS}):
    began = time.monotonic()
    for number in range({EACH}):
        out.send(bytes([burst, number]) * 500)
    took.append(time.monotonic() - began)
    time.sleep(0.006)
json.dump(took, open("took.json", "w"))
time.sleep(0.3)
"""
TAKE = """
import json, socket
taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
taken.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 23)
taken.bind(("", 9090))
taken.settimeout(3)
found = []
try:
    while True:
        text = taken.recv(9000)
        found.append([text[0], text[1], text == text[:2] * 500])
except TimeoutError:
    pass
open("found.json", "w").write(json.dumps(found))
"""


def run(
    tmp_path: Path, sender: str, taker: str, option: str = "", arguments: str = ""
) -> dict[str, Any]:
    """The document of a cell in which one program sends to another."""
    (tmp_path / "cell.toml").write_text(CELL)
    send, take = script(tmp_path, "send.py", sender), script(tmp_path, "take.py", taker)
    words = ("scenario cell.toml", f"--attach 'D={send} {arguments}'", f"--attach 'B={take}'")
    ended = valid(lambda: emulate(tmp_path, f"--json {LATE} {option}", *words))
    assert ended.code == 0, ended.err
    document = ended.document
    assert document["run"]["conservation"]["ok"]
    return document


@pytest.mark.parametrize("option", ["", "--no-offload"])
def test_datagrams_of_an_aggregate_reach_a_program_in_one_write(
    tmp_path: Path, option: str
) -> None:
    for _ in range(TRIES):
        document = run(tmp_path, FEED, TAKE, option)
        took = json.loads((tmp_path / "took.json").read_text())
        if sum(one > MOMENT_S for one in took) <= BURSTS / 10:
            break
    else:
        pytest.skip(f"this machine is too busy: bursts took up to {max(took) * 1e3:.1f} ms to send")
    found = json.loads((tmp_path / "found.json").read_text())
    sent = [[burst, number] for burst in range(BURSTS) for number in range(EACH)]
    assert [one[:2] for one in found] == sent
    assert all(right for *_, right in found)
    certificate = document["certificate"]
    # They came one by one.
    assert certificate["super_pkts"] == 0
    if option:
        assert certificate["writes"] == certificate["given_pkts"]
    elif tuple(map(int, os.uname().release.split(".")[:2])) >= (6, 2):
        # A burst takes two PPDUs at least: the first leaves when the first of its packets is there.
        assert certificate["writes"] < certificate["given_pkts"] / 4
        assert certificate["writes"] >= BURSTS


# No super-packets leave the sender's kernel, so that each packet enters the network alone.
SEND = """
import hashlib, os, socket, subprocess, sys, time
subprocess.run(["ip", "link", "set", "dev", "bw-inside", "gso_max_segs", "1"], check=True)
time.sleep(0.5)
text = os.urandom(1 << 20) * 3
family = socket.AF_INET6 if sys.argv[1] == "6" else socket.AF_INET
found = socket.getaddrinfo("B", 9090, family, socket.SOCK_STREAM)
peer = socket.socket(family, socket.SOCK_STREAM)
peer.connect(found[0][4])
peer.sendall(text)
peer.shutdown(socket.SHUT_WR)
assert peer.recv(64) == hashlib.sha256(text).digest(), "other bytes came out"
"""
HASH = """
import hashlib, socket, time
server = socket.create_server(("::", 9090), family=socket.AF_INET6, dualstack_ipv6=True)
server.settimeout(20)
peer, _ = server.accept()
digest = hashlib.sha256()
while text := peer.recv(1 << 16):
    digest.update(text)
peer.sendall(digest.digest())
time.sleep(0.3)
"""


@pytest.mark.parametrize("version", ["4", "6"])
def test_a_stream_over_aggregates_comes_out_as_it_went_in(tmp_path: Path, version: str) -> None:
    document = run(tmp_path, SEND, HASH, arguments=version)
    certificate = document["certificate"]
    assert certificate["super_pkts"] == 0
    # 28 packets of data fill an A-MPDU; acknowledgements stay alone.
    assert certificate["given_pkts"] > (3 << 20) / 1448
    assert certificate["writes"] < certificate["given_pkts"] / 2
