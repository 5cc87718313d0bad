"""Real programs behind emulated networks. Everything happens in networks that the tests make."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import backwater
from backwater.tools import catalogue
from command import HANGS_S
from live import LATE, NEAR, NOTE, of, replayed, valid

BACKWATER = [sys.executable, "-m", "backwater"]
# A new network; without privileges also a new namespace of users, in which the caller is root.
NETWORK = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"]), "--"]
TUN = Path("/dev/net/tun")


def unfit() -> str | None:
    """Why emulation cannot be tested here."""
    if not TUN.exists():
        return "/dev/net/tun is missing"
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return "unshare and ip are not installed"
    done = subprocess.run([*NETWORK, "true"], capture_output=True, check=False)
    return f"no new network: {done.stderr.decode()}" if done.returncode else None


REASON = unfit()
pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")


@dataclass
class Ended:
    """The result of a command."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one document on stdout."""
        found: dict[str, Any] = json.loads(self.out)
        return found


def script(tmp_path: Path, name: str, text: str) -> str:
    """A Python program in a file."""
    path = tmp_path / name
    path.write_text(text)
    return f"{sys.executable} {path}"


def emulate(
    tmp_path: Path,
    *words: str,
    beside: str | None = None,
    program: str | None = None,
    broken: bool = False,
) -> Ended:
    """`backwater emulate` in a network of its own, with a program in the network outside.

    A run that kept no time is tried again, but where a bound is meant to be broken.
    """

    def attempt() -> Ended:
        return _emulate(tmp_path, *words, beside=beside, program=program)

    return attempt() if broken else valid(attempt)


def _emulate(tmp_path: Path, *words: str, beside: str | None, program: str | None) -> Ended:
    command = " ".join([*BACKWATER, "emulate", *words])
    text = "ip link set lo up\n"
    if beside is not None:
        text += f"{beside} &\nother=$!\nsleep 0.5\n"
    text += f"{command}{'' if program is None else f' -- {program}'}\ncode=$?\n"
    if beside is not None:
        text += "wait $other\n"
    done = subprocess.run(
        [*NETWORK, "sh", "-c", text + "exit $code\n"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


ECHO = """
import socket, sys
family = socket.AF_INET6 if sys.argv[1] == "6" else socket.AF_INET
echo = socket.socket(family, socket.SOCK_DGRAM)
echo.bind(("", 9090))
echo.settimeout(20)
while True:
    text, whence = echo.recvfrom(2048)
    if text == b"end":
        break
    echo.sendto(text, whence)
"""
ASK = """
import os, socket, sys, time
family = socket.AF_INET6 if sys.argv[1] == "6" else socket.AF_INET
base = os.environ["MAHIMAHI_BASE"] if sys.argv[1] == "4" else "fd62:7761:7465:7200::1"
ask = socket.socket(family, socket.SOCK_DGRAM)
ask.connect((base, 9090))
ask.settimeout(10)
trips = []
for number in range(int(sys.argv[2])):
    begun = time.monotonic()
    ask.send(b"%d" % number)
    assert ask.recv(2048) == b"%d" % number
    trips.append(time.monotonic() - begun)
ask.send(b"end")
# Packets that are under way when the command ends are lost.
time.sleep(0.2)
print(min(trips), file=sys.stderr)
"""


@pytest.mark.parametrize("version", ["4", "6"])
def test_a_delay_holds_each_packet_and_none_leaves_early(tmp_path: Path, version: str) -> None:
    ended = emulate(
        tmp_path,
        "--late 1 delay 20",
        beside=script(tmp_path, "echo.py", ECHO) + f" {version}",
        program=script(tmp_path, "ask.py", ASK) + f" {version} 30",
    )
    assert ended.code == 0, ended.err
    # The program's own line; the emulator's three follow.
    [least] = [float(line) for line in ended.err.splitlines() if line.startswith("0.0")]
    # Twice 20 ms; a delay applied once more takes 60 ms. Lateness depends on the machine.
    assert 0.040 <= least < 0.060


def test_the_exit_code_is_that_of_the_command(tmp_path: Path) -> None:
    assert emulate(tmp_path, "delay 1", program="sh -c 'exit 7'").code == 7
    assert emulate(tmp_path, "delay 1", program="sh -c 'kill -TERM $$'").code == 128 + 15
    missing = emulate(tmp_path, "delay 1", program="no-such-command")
    assert missing.code == 127
    assert "no-such-command" in missing.err


def test_the_document_is_alone_on_stdout(tmp_path: Path) -> None:
    ended = emulate(
        tmp_path,
        "--json --late 1 delay 1 loss uplink 1",
        program="echo of the command",
    )
    document = ended.document
    jsonschema.validate(document, catalogue.schemas()["emulate"])
    assert "of the command" in ended.err
    certificate = document["certificate"]
    assert certificate["valid"] is True
    assert certificate["device_drops_pkts"] == certificate["refused_pkts"] == 0
    assert document["conservation"]["ok"] is True


def test_a_broken_bound_is_said_by_the_exit_code(tmp_path: Path) -> None:
    ended = emulate(
        tmp_path,
        "--late 0 delay 1",
        beside=script(tmp_path, "echo.py", ECHO) + " 4",
        program=script(tmp_path, "ask.py", ASK) + " 4 5",
        broken=True,
    )
    assert ended.code == 3
    assert "not valid: 1 % of packets left" in ended.err


def test_a_run_ends_with_throughput_delay_and_whether_it_is_valid(tmp_path: Path) -> None:
    send = script(tmp_path, "send.py", SEND) + " 100 0.01 1"
    ended = emulate(tmp_path, f"{LATE} delay 20", program=send)
    assert ended.code == 0, ended.err
    rate, delay, trust = ended.err.splitlines()[-3:]
    # Neighbours of the network may say something in the other direction.
    assert rate.startswith("throughput: ")
    found = re.search(r"\bup ([\d.]+) Mbit/s", rate)
    # 100 packets of 1500 B in a second or more.
    assert found is not None
    assert 0 < float(found[1]) < 1.3
    assert delay.startswith("delay, one way: ")
    found = re.search(r"\bup ([\d.]+) ms \(95 %: ([\d.]+) ms\)", delay)
    assert found is not None
    assert 20 <= float(found[1]) < 21
    assert re.match(r"valid: 99 % of packets left at most [\d.]+ ms late, of 20.0 allowed", trust)


SEND = """
import os, socket, sys, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for number in range(int(sys.argv[1])):
    out.sendto(b"x" * 1472, (os.environ["MAHIMAHI_BASE"], 9090))
    if number % int(sys.argv[3]) == 0:
        time.sleep(float(sys.argv[2]))
time.sleep(0.3)
"""


def test_loss_is_the_models_and_counted(tmp_path: Path) -> None:
    send = script(tmp_path, "send.py", SEND) + " 400 0.001 1"
    ended = emulate(tmp_path, "--json --late 1 loss uplink 0.25", program=send)
    document = ended.document
    up = next(flow for flow in document["flows"] if flow["id"] == "up")
    assert up["entered_pkts"] >= 400
    # Binomial with n = 400, p = 0.25: 100 with a standard deviation of 8.7; five of them.
    assert abs(up["dropped_pkts"] - 100) < 44
    assert document["certificate"]["modelled_loss_pkts"] == up["dropped_pkts"]


SUPER = """
import os, socket, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 2)
out.setsockopt(socket.IPPROTO_UDP, 103, 500)  # UDP_SEGMENT
for number in range(30):
    text = b"".join(bytes([number, part]) * 250 for part in range(10))
    out.sendto(text[:-20], (os.environ["MAHIMAHI_BASE"], 9090))
    time.sleep(0.01)
time.sleep(0.3)
"""
COUNT = """
import json, socket
taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
taken.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
taken.bind(("", 9090))
taken.settimeout(40)
found = []
try:
    while True:
        text, told, _, _ = taken.recvmsg(9000, 64)
        taken.settimeout(2)
        number, part = text[:2]
        right = text == bytes([number, part]) * (250 if part < 9 else 240)
        found.append([number, part, told[0][2][0] & 3, right])
except TimeoutError:
    pass
open("found.json", "w").write(json.dumps(found))
"""


@pytest.mark.parametrize("option", ["", "--no-offload"])
def test_segments_of_a_super_packet_are_lost_and_marked_one_by_one(
    tmp_path: Path, option: str
) -> None:
    ended = emulate(
        tmp_path,
        f"--json --late 9 {option} mark uplink 0.5 loss uplink 0.25",
        beside=script(tmp_path, "count.py", COUNT),
        program=script(tmp_path, "super.py", SUPER),
    )
    assert ended.code == 0, ended.err
    document = ended.document
    found = json.loads((tmp_path / "found.json").read_text())
    up = next(flow for flow in document["flows"] if flow["id"] == "up")
    # 30 datagrams of ten segments; neighbours of the device may announce themselves, too.
    assert 300 <= up["entered_pkts"] < 330
    assert 300 - up["dropped_pkts"] <= len(found) <= up["entered_pkts"] - up["dropped_pkts"]
    assert all(right for *_, right in found)
    # Binomial, five standard deviations: 225 of 300 come with 7.5, half of these marked with 7.5.
    assert abs(len(found) - 225) < 38
    marked = sum(codepoint == 3 for _, _, codepoint, _ in found)
    assert {codepoint for _, _, codepoint, _ in found} == {2, 3}
    assert abs(marked - len(found) / 2) < 38
    # Some super-packets came out with a part of their segments.
    parts = [sum(number == one for one, *_ in found) for number in range(30)]
    assert any(0 < count < 10 for count in parts)
    supers = document["certificate"]["super_pkts"]
    if option:
        assert supers == 0
    # Linux before 6.2 cuts datagrams itself.
    elif tuple(map(int, os.uname().release.split(".")[:2])) >= (6, 2):
        assert supers == 30


FILE = """
import hashlib, os, socket, sys
text = os.urandom(1 << 20) * 3
peer = socket.create_connection((os.environ["MAHIMAHI_BASE"], 9090))
peer.sendall(text)
peer.shutdown(socket.SHUT_WR)
assert peer.recv(64) == hashlib.sha256(text).digest(), "other bytes came out"
"""
HASH = """
import hashlib, socket
server = socket.create_server(("0.0.0.0", 9090))
server.settimeout(20)
peer, _ = server.accept()
digest = hashlib.sha256()
while text := peer.recv(1 << 16):
    digest.update(text)
peer.sendall(digest.digest())
"""


@pytest.mark.parametrize("option", ["", "--no-offload"])
def test_a_stream_with_losses_comes_out_as_it_went_in(tmp_path: Path, option: str) -> None:
    words = "delay 1 rate 200Mbit/s 200Mbit/s loss uplink 0.01"
    ended = emulate(
        tmp_path,
        f"--json --late 9 {option} {words}",
        beside=script(tmp_path, "hash.py", HASH),
        program=script(tmp_path, "file.py", FILE),
    )
    assert ended.code == 0, ended.err
    supers = ended.document["certificate"]["super_pkts"]
    assert supers == 0 if option else supers > 0


def test_a_link_log_is_mahimahis_and_its_arrivals_give_back_its_departures(tmp_path: Path) -> None:
    (tmp_path / "up").write_text("3\n5\n10\n")
    (tmp_path / "down").write_text("1\n")
    # Eight at once are more than the queue has room for.
    send = script(tmp_path, "send.py", SEND) + " 400 0.010 8"
    ended = emulate(
        tmp_path,
        "--late 1 delay 5 link up down --uplink-queue=droptail --uplink-queue-args=packets=2",
        "--uplink-log=log",
        program=send,
    )
    assert ended.code == 0, ended.err
    lines = (tmp_path / "log").read_text().splitlines()
    assert lines[0] == "# mahimahi mm-link (Uplink) [up] > log"
    assert lines[2] == "# queue: droptail [packets=2]"
    assert lines[5] == "# mahimahi config: [delay 5 ms] "
    entries = [line.split() for line in lines if not line.startswith("#")]
    # Opportunities of the trace, repeated: 3, 5 and 10 of each 10 ms.
    opportunities = [int(at) for at, kind, *_ in entries if kind == "#"]
    assert (
        opportunities
        == [10 * turn + at for turn in range(len(opportunities)) for at in (3, 5, 10)][
            : len(opportunities)
        ]
    )
    departures = [(int(at), int(size)) for at, kind, size, *_ in entries if kind == "-"]
    assert sum(1 for _, size in departures if size == 1504) > 20
    assert {at for at, _ in departures} <= set(opportunities)
    assert any(kind == "d" for _, kind, *_ in entries)
    arrivals = [(int(at), int(size)) for at, kind, size, *_ in entries if kind == "+"]
    assert len(arrivals) >= 400
    drops = sum(kind == "d" for _, kind, *_ in entries)
    assert simulated(tmp_path, arrivals, until_ms=opportunities[-1]) == (departures, drops)
    done = subprocess.run(
        [*BACKWATER, "trace", "log", "log", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


LINK = """
schema = "backwater/scenario/1"
duration = "3600 s"
nodes.inside = { kind = "host" }
nodes.outside = { kind = "host" }
links.down = { from = "outside", to = "inside", rate = "1 Gbit/s", delay = "0 s" }
[links.up]
from = "inside"
to = "outside"
kind = "trace"
trace = "up"
buffer = "2 packets"
queue = { kind = "fifo" }
[flows.data]
from = "inside"
to = "outside"
source = { kind = "outside" }
"""


def simulated(
    tmp_path: Path, arrivals: list[tuple[int, int]], until_ms: int
) -> tuple[list[tuple[int, int]], int]:
    """Departures of a simulated link with these arrivals, and how many packets it loses."""
    (tmp_path / "link.toml").write_text(LINK)
    world = backwater.World(tmp_path / "link.toml")
    for tag, (at, size) in enumerate(arrivals):
        # mahimahi counts the 4 B that its device puts before an IP packet.
        world.inject(at * 10**9, "inside", to="outside", length_B=size - 4, tag=tag)
    world.advance(until_ms * 10**9)
    fates = world.exits()
    gone = [fate for fate in fates if fate.cause is None]
    return [(fate.at_ps // 10**9, arrivals[fate.tag][1]) for fate in gone], len(fates) - len(gone)


def test_a_log_is_written_while_the_run_goes_on(tmp_path: Path) -> None:
    (tmp_path / "up").write_text("3\n5\n10\n")
    (tmp_path / "down").write_text("1\n")
    send = script(tmp_path, "send.py", SEND)
    words = f"--late 1 link up down --uplink-log=log -- {send} 100000 0.001 1"
    command = f"exec {' '.join(BACKWATER)} emulate {words}"
    process = subprocess.Popen([*NETWORK, "sh", "-c", command], cwd=tmp_path)
    until = time.monotonic() + HANGS_S
    log = tmp_path / "log"
    while not (log.exists() and " - " in log.read_text()) and time.monotonic() < until:
        time.sleep(0.05)
    process.kill()
    process.wait(timeout=HANGS_S)
    lines = log.read_text().splitlines()
    assert lines[0] == "# mahimahi mm-link (Uplink) [up] > log"
    # Whole lines, in order of time.
    entries = [line.split() for line in lines if not line.startswith("#")]
    assert all(len(entry) in (3, 4) for entry in entries)
    times = [int(entry[0]) for entry in entries]
    assert times == sorted(times)
    assert any(entry[1] == "-" for entry in entries)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_ends_the_command_and_is_said(tmp_path: Path) -> None:
    (tmp_path / "up").write_text("1\n")
    words = "link up up --uplink-log=/dev/full"
    ended = emulate(tmp_path, words, program="sh -c 'sleep 600'")
    assert ended.code == 3
    assert "/dev/full: No space left on device" in ended.err


def test_flows_of_both_ends_run_through_an_emulated_link(tmp_path: Path) -> None:
    backwater_words = " ".join(BACKWATER)
    flow = f"{backwater_words} flow send $MAHIMAHI_BASE --port 9090 --bytes 300000"
    ended = emulate(
        tmp_path,
        "--late 1 delay 10 rate 8Mbit/s 8Mbit/s",
        beside=f"{backwater_words} flow listen --bind :: --port 9090 --once",
        program=f"sh -c '{flow}'",
    )
    assert ended.code == 0, ended.err
    lines = [json.loads(line) for line in ended.out.splitlines()]
    summary = next(line for line in lines if line["kind"] == "summary")
    assert summary["received"]["delivered_B"] == 300_000
    # 10 ms there and 10 ms back, and one packet of 1538 B on Ethernet at 8 Mbit/s.
    assert summary["rtt_min_s"] >= 0.020 + 1538e-6
    # No faster than the link: 1448 B of 1538 B are the flow's.
    assert summary["received"]["goodput_bps"] < 8e6


def test_packets_longer_than_the_way_takes_are_refused_with_its_mtu(tmp_path: Path) -> None:
    flow = f'{" ".join(BACKWATER)} flow send $MAHIMAHI_BASE --port 9090 --set "packet=1600 B"'
    ended = emulate(
        tmp_path,
        "--late 1 delay 1",
        beside=f"{' '.join(BACKWATER)} flow listen --bind :: --port 9090 --once",
        program=f"sh -c '{flow}'",
    )
    assert ended.code == 3
    assert "packets of 1600 B are too long" in ended.err
    assert "MTU is 1500 B" in ended.err


def test_nothing_is_left_behind_when_the_emulator_is_killed(tmp_path: Path) -> None:
    inside = f"sleep 600 & echo $$ > {tmp_path / 'pid'}; sleep 601"
    command = f"{' '.join(BACKWATER)} emulate delay 5 -- sh -c '{inside}'"
    text = f"{command} & echo $!; wait $!; ip -o link; "
    process = subprocess.Popen(
        [*NETWORK, "sh", "-c", text], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert process.stdout is not None
    emulator = int(process.stdout.readline())
    until = time.monotonic() + HANGS_S
    while not (tmp_path / "pid").exists() and time.monotonic() < until:
        time.sleep(0.05)
    before = descendants(emulator)
    assert len(before) >= 4
    os.kill(emulator, signal.SIGKILL)
    links, _ = process.communicate(timeout=HANGS_S)
    assert "bw-" not in links
    until = time.monotonic() + HANGS_S
    while any(map(alive, before)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(alive, before))


STEADY = """
import os, socket, sys, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
open("up", "w").close()
begun = time.monotonic()
for number in range(int(sys.argv[1])):
    time.sleep(max(0, begun + number * float(sys.argv[2]) - time.monotonic()))
    out.sendto(b"x" * 1000, (os.environ["MAHIMAHI_BASE"], 9090))
time.sleep(0.1)
"""


def steady(tmp_path: Path, words: str, packets: str, *, stops: int) -> dict[str, Any]:
    """The certificate of a run in which packets come at equal gaps, and the emulator is stopped."""
    program = script(tmp_path, "steady.py", STEADY)
    command = f"{' '.join(BACKWATER)} emulate --json {words} delay 20 -- {program} {packets}"
    process = subprocess.Popen(
        [*NETWORK, "sh", "-c", f"ip link set lo up; exec {command}"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    while not (tmp_path / "up").exists() and process.poll() is None:
        time.sleep(0.01)
    for _ in range(stops):
        time.sleep(0.2)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.4)
        process.send_signal(signal.SIGCONT)
    out, _ = process.communicate(timeout=HANGS_S)
    certificate: dict[str, Any] = json.loads(out)["certificate"]
    assert process.returncode == (0 if certificate["valid"] else 3)
    return certificate


def test_an_emulator_that_was_stopped_says_that_its_run_is_not_valid(tmp_path: Path) -> None:
    certificate = steady(tmp_path, "--late 0.1", "250 0.01", stops=3)
    assert not certificate["valid"]
    # Stopped for 0.4 s: of the packets that came in the first 0.3 s of each stop each waited longer
    # than 0.1 s, which are 90 of 250.
    late = sum(row["pkts"] for row in certificate["lateness"] if row["up_to_s"] > 0.11)
    assert late > 0.9 * 90
    assert certificate["late_max_s"] > 0.35


def test_packets_after_idle_seconds_are_not_late(tmp_path: Path) -> None:
    # The gaps are a second; half of it leaves a busy machine its time.
    certificate = steady(tmp_path, "--late 0.5", "4 1", stops=0)
    assert certificate["given_pkts"] >= 4
    assert certificate["valid"], certificate["broken"]


def descendants(pid: int) -> list[int]:
    """Children of a process, and theirs."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    found = [int(child) for child in listed]
    return found + [grandchild for child in found for grandchild in descendants(child)]


def alive(pid: int) -> bool:
    """Whether a process runs; one that nobody waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_emulator_ends_the_command(tmp_path: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [*NETWORK, *BACKWATER, "emulate", "delay", "5", "--", "sh", "-c", "echo up; sleep 600"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    inside = descendants(process.pid)
    process.send_signal(number)
    assert process.wait(timeout=HANGS_S) == 128 + number
    assert not any(map(alive, inside))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("delay", "the delay is missing"),
        ("speed 3", "`speed` is no box"),
        ("loss uplink 2", "share from 0 to 1"),
        ("link up", "the downlink is missing"),
        ("link missing missing", "missing"),
        ("link bad bad", "line 2"),
        ("link good good --uplink-queue=droptail", "packets=100"),
        ("scenario none.toml", "none.toml"),
        ("scenario merge.toml --attach X=true", "the scenario has no node `X`"),
    ],
)
def test_a_wrong_request_is_refused_before_anything_runs(
    tmp_path: Path, words: str, says: str
) -> None:
    (tmp_path / "bad").write_text("1\nx\n")
    (tmp_path / "good").write_text("1\n")
    (tmp_path / "merge.toml").write_text(LINE)
    program = None if words.startswith("scenario") else "touch ran"
    ended = emulate(tmp_path, words, program=program)
    assert ended.code == 2
    assert says in ended.err
    assert not (tmp_path / "ran").exists()


HOSTED = {
    "controller": """
[flows.c]
from = "A"
to = "D"
transport = "tcp"
source = { kind = "bulk" }
controller = { kind = "python", file = "part.py", class = "Part" }
""",
    "stamp": """
[ports."W>A".stamp]
kind = "python"
writes = "change"
file = "part.py"
class = "Part"
""",
    "queue": """
[ports."W>A".queue]
kind = "python"
file = "part.py"
class = "Part"
""",
    "detect": """
[mechanisms.m]
recipe = "pause"
at = ["W>D"]
detect = { kind = "python", file = "part.py", class = "Part" }
""",
}


@pytest.mark.parametrize("part", HOSTED)
def test_a_class_of_python_is_refused_at_nodes_of_a_scenario(tmp_path: Path, part: str) -> None:
    (tmp_path / "line.toml").write_text(LINE + HOSTED[part])
    (tmp_path / "part.py").write_text("open('read', 'w')\nclass Part:\n    pass\n")
    ended = emulate(tmp_path, "scenario line.toml --attach 'A=touch ran'")
    assert ended.code == 2, ended.err
    assert "a Python class, which does not run here" in ended.err
    # The line of the file, and what helps.
    assert "line.toml:" in ended.err
    assert "backwater run" in ended.err
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "read").exists()


LINE = """
schema = "backwater/scenario/1"
duration = "60 s"
nodes.W = { kind = "switch" }
nodes.A = { kind = "host" }
nodes.B = { kind = "host" }
nodes.D = { kind = "host" }
links.a = { ends = ["A", "W"], rate = "100 Mbit/s", delay = "5 ms" }
links.b = { ends = ["B", "W"], rate = "100 Mbit/s", delay = "5 ms" }
links.d = { ends = ["W", "D"], rate = "1 Mbit/s", delay = "5 ms" }
ports."W>D" = { buffer = "500 kB", queue = { kind = "codel" } }
flows.b.from = "B"
flows.b.to = "D"
flows.b.source = { kind = "cbr", packet = "1500 B", rate = "0.5 Mbit/s" }
"""
TAKE = """
import socket, sys
taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
taken.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
taken.bind(("", 9090))
taken.settimeout(3)
marks = []
try:
    while True:
        text, told, _, _ = taken.recvmsg(2048, 64)
        marks.append(told[0][2][0] & 3)
except TimeoutError:
    pass
print(len(marks), marks.count(2), marks.count(3))
"""
FEED = (
    NOTE
    + """
import socket
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 2)
time.sleep(0.5)
for number in range(300):
    note()
    out.sendto(b"x" * 1000, ("D", 9090))
    time.sleep(0.003)
"""
)


def test_programs_at_nodes_of_a_scenario_meet_its_marks(tmp_path: Path) -> None:
    (tmp_path / "line.toml").write_text(LINE)
    feed = script(tmp_path, "feed.py", FEED)
    take = script(tmp_path, "take.py", TAKE)
    words = ("scenario line.toml", f"--attach 'A={feed}'", f"--attach 'D={take}'")
    ended = emulate(tmp_path, LATE, *words)
    assert ended.code == 0, ended.err
    received, unmarked, marked = map(int, ended.out.split())
    assert unmarked + marked == received
    # CoDel marks after 100 ms above 5 ms, and loses none that can be marked.
    simulated = replayed(tmp_path, LINE, ("A", "D"), 1028, more='ecn = "ect0"\n')
    assert received == 300 - of(simulated, "live")["dropped_pkts"] == 300
    [port] = [port for port in simulated["ports"] if port["id"] == "W>D"]
    assert abs(marked - port["marked_pkts"]) <= NEAR
    if port["marked_pkts"] <= NEAR:
        pytest.skip("the program sent so slowly that the queue marked hardly any")


PAUSE = """
schema = "backwater/scenario/1"
duration = "60 s"
nodes.A = { kind = "host" }
nodes.D = { kind = "host" }
nodes.W = { kind = "switch", model = "output-queued" }
links.a = { ends = ["A", "W"], rate = "100 Mbit/s", delay = "1 us" }
links.d = { ends = ["W", "D"], rate = "1 Mbit/s", delay = "1 us" }
ports."W>D" = { buffer = "50 kB" }
flows.b = { from = "D", to = "A", source = { kind = "cbr", packet = "100 B", rate = "8 kbit/s" } }
mechanisms.bp = { recipe = "pause", at = ["W>D"], detect = { high = "80 %", low = "70 %" } }
"""
BURST = (
    NOTE
    + """
import socket
time.sleep(1)
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for number in range(300):
    note()
    out.sendto(b"x" * 1000, ("D", 9090))
"""
)


@pytest.mark.parametrize("paused", [True, False])
def test_pause_holds_real_packets_where_they_would_be_lost(tmp_path: Path, paused: bool) -> None:
    mechanism = PAUSE.splitlines()[-1]
    lan = PAUSE if paused else PAUSE.replace(mechanism, "")
    (tmp_path / "lan.toml").write_text(lan)
    # The socket is open before the burst begins.
    burst = script(tmp_path, "burst.py", BURST)
    take = script(tmp_path, "take.py", TAKE)
    words = ("scenario lan.toml", f"--attach 'A={burst}'", f"--attach 'D={take}'")
    ended = emulate(tmp_path, f"--json {LATE}", *words)
    assert ended.code == 0, ended.err
    run = ended.document["run"]
    flow = of(run, "A>D")
    [port] = [port for port in run["ports"] if port["id"] == "A>W"]
    assert flow["entered_pkts"] == 300
    assert flow["delivered_pkts"] + flow["dropped_pkts"] == 300
    assert run["conservation"]["ok"]
    simulated = replayed(tmp_path, lan, ("A", "D"), 1028)
    lost = of(simulated, "live")["dropped_pkts"]
    assert abs(flow["dropped_pkts"] - lost) <= NEAR
    if paused:
        assert flow["dropped_pkts"] == lost == 0
    else:
        assert port["paused"][0] == 0
    [as_simulated] = [port for port in simulated["ports"] if port["id"] == "A>W"]
    if paused and as_simulated["paused"][0] > 0:
        assert port["paused"][0] > 0
    if not paused and lost <= 100:
        pytest.skip("the program sent so slowly that the port could forward nearly all")


FEW = """
import os, socket, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for number in range(100):
    out.sendto(b"x" * 1000, (os.environ["MAHIMAHI_BASE"], 9090))
time.sleep(0.3)
"""


def test_a_live_run_is_recorded_as_a_simulated_one_is(tmp_path: Path) -> None:
    ended = emulate(
        tmp_path,
        "--json --late 9 --page page.html --pcap-model live.pcapng --record live.csv",
        "delay 5 rate 8Mbit/s 8Mbit/s --uplink-queue=droptail --uplink-queue-args=packets=50",
        program=script(tmp_path, "few.py", FEW),
    )
    assert ended.code == 0, ended.err
    run = ended.document["run"]
    [flow] = [flow for flow in run["flows"] if flow["id"] == "up"]
    lost = sum(row["pkts"] for row in run["drops"])
    assert flow["delivered_pkts"] + lost == flow["entered_pkts"] >= 100
    # Bits of the series are those of the flow: 8 for each byte of an IP packet.
    series = run["series"]
    bits = sum(series["flows"]["up"]["goodput_bps"][:-1]) * series["every_s"]
    assert 0 < bits <= 8 * 1028 * flow["delivered_pkts"]
    rows = [line.split(",") for line in (tmp_path / "live.csv").read_text().splitlines()[1:]]
    assert sum(row[1] == "drop" for row in rows) == lost
    page = (tmp_path / "page.html").read_text()
    for text in ("Backwater live run", "delay 5 rate 8Mbit/s", "Lateness of packets that left"):
        assert text in page
    if shutil.which("tshark"):
        shown = subprocess.run(
            ["tshark", "-r", "live.pcapng", "-T", "fields", "-e", "ip.len"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert shown.stdout.split().count("1028") >= flow["delivered_pkts"]


@pytest.mark.parametrize("option", ["--pcap", "--pcap-model"])
def test_a_full_disk_ends_a_capture_with_its_name(tmp_path: Path, option: str) -> None:
    ended = emulate(
        tmp_path, f"--late 9 {option} /dev/full delay 1", program=script(tmp_path, "few.py", FEW)
    )
    assert ended.code == 3
    assert "/dev/full" in ended.err
