"""Records of an emulation: packets as they left, and where it sleeps between them."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest

from command import HANGS_S
from live import valid
from test_emulate import BACKWATER, ECHO, NETWORK, REASON, Ended, emulate, script

pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")

# A megabyte over TCP to a server that the kernel runs, and its answer.
CLIENT = """
import os, socket
with socket.create_connection((os.environ["MAHIMAHI_BASE"], 9091), timeout=30) as to:
    to.sendall(b"u" * 300_000)
    to.shutdown(socket.SHUT_WR)
    got = 0
    while block := to.recv(65536):
        got += len(block)
assert got == 1_000_000, got
"""
SERVER = """
import socket
with socket.create_server(("", 9091)) as door:
    door.settimeout(30)
    to, _ = door.accept()
    got = 0
    while block := to.recv(65536):
        got += len(block)
    assert got == 300_000, got
    to.sendall(b"d" * 1_000_000)
    to.close()
"""


def run(folder: Path, words: str) -> Ended:
    return emulate(
        folder,
        words,
        beside=script(folder, "server.py", SERVER),
        program=script(folder, "client.py", CLIENT),
    )


def fields(folder: Path, *names: str) -> list[list[str]]:
    """Fields of each TCP packet, by tshark, which verifies checksums."""
    words = [word for name in names for word in ("-e", name)]
    checks = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
    ran = subprocess.run(
        ["tshark", "-r", "left.pcapng", *checks, "-Y", "tcp", "-T", "fields", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.split("\t") for line in ran.stdout.splitlines()]


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_a_capture_holds_the_packets_themselves_as_they_left(tmp_path: Path) -> None:
    ended = run(tmp_path, "--json --pcap left.pcapng delay 5 rate 20Mbit/s 20Mbit/s")
    assert ended.code == 0, ended.err
    names = ("tcp.srcport", "tcp.dstport", "tcp.len", "tcp.checksum.status", "ip.len")
    rows = fields(tmp_path, *names)
    # 1 is "Good". A frame of the model holds no checksum and ports of its own.
    assert {row[3] for row in rows} == {"1"}
    # No packet is longer than the links carry, though programs hand over up to 64 KiB.
    assert max(int(row[4]) for row in rows) <= 1500
    down = sum(int(row[2]) for row in rows if row[0] == "9091")
    up = sum(int(row[2]) for row in rows if row[1] == "9091")
    assert (up, down) == (300_000, 1_000_000)
    said = subprocess.run(
        ["tshark", "-r", "left.pcapng", "-q", "-z", "conv,tcp"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.count(":9091") == 1
    assert ended.document["recording"]["lost_events"] == 0


@pytest.mark.parametrize(
    ("words", "sleeps"),
    [
        ("delay 5 rate 24Mbit/s 24Mbit/s", True),
        ("delay 5 rate 24Mbit/s 25Mbit/s", False),
        ("delay 5", False),
        ("delay 5 rate 12Mbit/s 12Mbit/s rate 1Gbit/s 1Gbit/s", True),
        ("link slow slow", True),
        ("link slow fast", False),
        ("--exact delay 5 rate 1Mbit/s 1Mbit/s", False),
        ("--low-cpu delay 5", True),
        ("--late 0.0005 delay 5 rate 1Mbit/s 1Mbit/s", False),
        ("--control control delay 5 rate 1Mbit/s 1Mbit/s", False),
    ],
)
def test_it_sleeps_where_links_are_slow(tmp_path: Path, words: str, sleeps: bool) -> None:
    # 1000 and 3000 packets of 1504 B a second: 12.0 and 36.1 Mbit/s.
    (tmp_path / "slow").write_text("".join(f"{n}\n" for n in range(1, 1001)))
    (tmp_path / "fast").write_text("".join(f"{n}\n" * 3 for n in range(1, 1001)))
    ended = emulate(tmp_path, f"--json {words}", program="true", broken=True)
    assert ended.document["cost"]["low_cpu"] is sleeps, ended.err


@pytest.mark.parametrize(("rate", "sleeps"), [("10 Mbit/s", True), ("1 Gbit/s", False)])
def test_a_box_of_a_link_is_not_taken_for_a_slow_link(
    tmp_path: Path, rate: str, sleeps: bool
) -> None:
    (tmp_path / "line.toml").write_text(f"""
schema = "backwater/scenario/1"
duration = "60 s"
nodes = {{ A = {{ kind = "host" }}, D = {{ kind = "host" }} }}
[links.l]
ends = ["A", "D"]
rate = "{rate}"
delay = "1 us"
boxes = [{{ kind = "delay", delay = "5 ms" }}]
[flows.f]
from = "A"
to = "D"
source = {{ kind = "poisson", packet = "100 B", rate = "8 kbit/s" }}
""")
    words = "--json scenario line.toml --attach A=true --attach D=true"
    ended = emulate(tmp_path, words, broken=True)
    assert ended.document["cost"]["low_cpu"] is sleeps, ended.err


def test_a_run_that_sleeps_by_default_is_valid(tmp_path: Path) -> None:
    ended = valid(lambda: run(tmp_path, "--json delay 5 rate 20Mbit/s 20Mbit/s"))
    certificate, cost = ended.document["certificate"], ended.document["cost"]
    assert cost["low_cpu"] is True
    assert certificate["valid"] is True, certificate
    # 1.3 MB of 20 Mbit/s is half a second at least; looking all the time would take all of it.
    assert cost["wall_s"] > 0.5
    assert cost["cpu_s"] < 0.6 * cost["wall_s"]


# Questions and answers for 3 s, each of which has to come.
ASK_ON = """
import os, socket, time
ask = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
ask.connect((os.environ["MAHIMAHI_BASE"], 9090))
ask.settimeout(20)
end = time.monotonic() + 3
while time.monotonic() < end:
    ask.send(b"?")
    assert ask.recv(2048) == b"?"
    time.sleep(0.01)
open("done", "w").close()
ask.send(b"end")
time.sleep(0.2)
"""


def test_a_log_whose_reader_stalls_holds_up_no_packet(tmp_path: Path) -> None:
    """A pipe takes 64 KiB, half a second of this log, and then nothing until somebody reads."""
    (tmp_path / "fast").write_text("".join(f"{n}\n" * 12 for n in range(1, 1001)))
    os.mkfifo(tmp_path / "log")
    pipe = os.open(tmp_path / "log", os.O_RDWR | os.O_NONBLOCK)
    ask = script(tmp_path, "ask.py", ASK_ON)
    words = f"--late 1 link fast fast --uplink-log=log -- {ask}"
    echo = f"{script(tmp_path, 'echo.py', ECHO)} 4"
    text = f"ip link set lo up\n{echo} &\nsleep 0.5\nexec {' '.join(BACKWATER)} emulate {words}"
    process = subprocess.Popen([*NETWORK, "sh", "-c", text], cwd=tmp_path)
    # An answer that does not come ends the questions after 20 s.
    until = time.monotonic() + 120
    while not (tmp_path / "done").exists() and time.monotonic() < until:
        time.sleep(0.05)
    answered = (tmp_path / "done").exists()
    read: list[bytes] = []

    def drain() -> None:
        while True:
            ended = process.poll() is not None
            try:
                read.append(os.read(pipe, 65536))
            except BlockingIOError:
                if ended:
                    return
                time.sleep(0.01)

    reader = threading.Thread(target=drain)
    reader.start()
    try:
        code = process.wait(timeout=HANGS_S)
    finally:
        process.kill()
        reader.join()
        os.close(pipe)
    assert (answered, code) == (True, 0)
    # Nothing is missing: 12 opportunities in each of 3000 ms and more.
    assert b"".join(read).count(b" # ") > 36_000
