"""Changes of a running emulation over its control socket."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from test_emulate import REASON, emulate, script

pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")

# Asks over the socket, and sends a datagram before and after; the receiver is outside.
ASK = """
import json, os, socket, sys, time
control = socket.socket(socket.AF_UNIX)
control.connect("control")
lines = control.makefile("rw")
def ask(what):
    lines.write(json.dumps(what) + "\\n")
    lines.flush()
    return json.loads(lines.readline())
assert os.stat("control").st_mode & 0o777 == 0o600
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
def trip():
    begun = time.monotonic()
    out.sendto(b"x" * 1000, (os.environ["MAHIMAHI_BASE"], 9090))
    out.recv(2000)
    return time.monotonic() - begun
answers = [ask({"show": True})]
trips = [trip()]
for one in json.loads(sys.argv[1]):
    answers.append(ask(one))
trips.append(trip())
json.dump([answers, trips], open("said", "w"))
"""
ECHO = """
import json
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 9090))
s.settimeout(15)
for _ in range(2):
    text, whence = s.recvfrom(2000)
    s.sendto(text, whence)
"""
BOX = [{"kind": "delay", "delay": "40 ms"}]


def test_delays_and_rates_change_while_programs_run(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = [
        {"set": {"links.up2.boxes": BOX, "links.down2.boxes": BOX}},
        {"set": {"links.up1.rate": "5 Mbit/s"}},
        {"set": {"links.up1.rte": "5 Mbit/s"}},
        {"set": {"links.up1.rate": "6 Mbit/s", "links.up2.boxes": []}},
        {"rate": "5 Mbit/s"},
        {"show": True},
    ]
    ended = emulate(
        tmp_path,
        "--late 9 --json --control control delay 20 rate 10Mbit/s 10Mbit/s",
        beside=script(tmp_path, "echo.py", ECHO),
        program=f"{script(tmp_path, 'ask.py', ASK)} '{json.dumps(asked)}'",
    )
    assert ended.code == 0, ended.err
    answers, (before, after) = json.loads((tmp_path / "said").read_text())
    # Two ways of 20 ms, then of 40 ms.
    assert before >= 0.040
    assert after >= 0.080
    done = [answer for answer in answers if "changed" in answer]
    assert [one["changed"]["set"] for one in done] == [one["set"] for one in asked[:2]]
    refused = [answer["error"] for answer in answers if "error" in answer]
    said = ("matches nothing", "would be others", "neither `show` nor `set`")
    assert len(refused) == len(said)
    assert all(words in error["what"] for words, error in zip(said, refused, strict=True))
    assert all(error["place"] and error["fix"] for error in refused)
    # The rate of 6 Mbit/s came with what was refused.
    rates = {way["name"]: way["rate_bps"] for way in answers[-1]["links"]["down1"]["ways"]}
    assert rates["up1"] == 5e6
    assert [change["set"] for change in ended.document["changes"]] == [
        one["set"] for one in asked[:2]
    ]
    assert not (tmp_path / "control").exists()


TALK = """
import json, socket
said = []
for line in (b"x" * 60_000 + b"\\n", b"y" * 70_000):
    control = socket.socket(socket.AF_UNIX)
    control.connect("control")
    control.sendall(line)
    answers = control.makefile()
    said.append(answers.readline())
json.dump(said, open("said", "w"))
"""


def test_a_long_line_is_answered_with_its_beginning_or_the_reason(tmp_path: Path) -> None:
    talk = script(tmp_path, "talk.py", TALK)
    ended = emulate(tmp_path, "--late 9 --control control delay 1", program=talk)
    assert ended.code == 0, ended.err
    word, line = (json.loads(one)["error"] for one in json.loads((tmp_path / "said").read_text()))
    assert "neither `show` nor `set`" in word["what"]
    assert len(word["place"]) < 100
    assert word["place"].endswith(" ...")
    assert "65536 bytes" in line["what"]
    assert line["fix"]


def test_a_socket_that_a_killed_emulator_left_is_replaced(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "control"))
    ended = emulate(tmp_path, "--late 9 --control control delay 1", program="test -S control")
    assert ended.code == 0, ended.err
    assert not (tmp_path / "control").exists()


def test_a_path_in_use_is_refused_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "control"
    path.write_text("mine")
    ended = emulate(tmp_path, "--control control delay 1", program="touch ran")
    assert (ended.code, path.read_text()) == (2, "mine")
    assert "there is a file that is no socket" in ended.err
    path.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen()
        ended = emulate(tmp_path, "--control control delay 1", program="touch ran")
        assert ended.code == 2
        assert "another emulator listens there" in ended.err
    assert not (tmp_path / "ran").exists()


# Sends to the network outside for three seconds and a half, 100 datagrams of 1000 B a second.
SEND = """
import os, socket, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for n in range(350):
    out.sendto(b"x" * 972, (os.environ["MAHIMAHI_BASE"], 9090))
    time.sleep(0.01)
"""
# A browser beside the emulator: reads the address, the page, its rows, and asks as another host.
BROWSE = """
import http.client, json, re, time
while not (found := re.search(r"http://127.0.0.1:([0-9]+)/", open("told").read())):
    time.sleep(0.05)
port = int(found[1])
def get(target, host=None):
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    asked.request("GET", target, headers={} if host is None else {"Host": host})
    answer = asked.getresponse()
    return answer.status, answer.read().decode()
said = {"page": get("/"), "other": get("/rows?from=0", "other.example")}
rows = []
while len(rows) < 5:
    rows += json.loads(get(f"/rows?from={len(rows)}")[1])
    time.sleep(0.2)
json.dump({**said, "rows": rows}, open("said", "w"))
"""


def test_a_page_follows_an_emulation(tmp_path: Path) -> None:
    # 500 opportunities a second, of 1504 B each as in mahimahi: 6.016 Mbit/s.
    (tmp_path / "even").write_text("".join(f"{2 * n}\n" for n in range(1, 501)))
    (tmp_path / "told").write_text("")
    ended = emulate(
        tmp_path,
        "--live-page --late 9 delay 20 link even even 2>told",
        beside=script(tmp_path, "browse.py", BROWSE),
        program=script(tmp_path, "send.py", SEND),
        broken=True,
    )
    told = (tmp_path / "told").read_text()
    assert ended.code == 0, told
    said = json.loads((tmp_path / "said").read_text())
    status, page = said["page"]
    assert status == 200
    assert "connect-src 'self'" in page
    assert said["other"][0] == 403
    rows = said["rows"]
    assert [row["t_s"] for row in rows[:5]] == [0.5, 1.0, 1.5, 2.0, 2.5]
    capacities = {
        one["capacity_bps"]
        for row in rows
        for one in row["ports"].values()
        if "capacity_bps" in one
    }
    assert capacities == {6.016e6}
    # 972 B with their headers are 1000 B: 0.8 Mbit/s, 20 ms on the way and up to one opportunity.
    going = rows[3]["flows"]
    rate, delay = max((one["goodput_bps"], one["delay_mean_s"]) for one in going.values())
    assert rate == pytest.approx(0.8e6, rel=0.25)
    assert 0.020 <= delay <= 0.040
