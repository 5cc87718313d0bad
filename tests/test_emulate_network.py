"""The surroundings of an emulated path: networks beyond, names, ICMP, duplicates, refusals.

The tests make the far network: a server behind a link with an MTU of 1400 B, which knows no way
back to the addresses inside.
"""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from command import HANGS_S
from test_emulate import BACKWATER, NETWORK, REASON, Ended, emulate, script

pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")

# Of TEST-NET-2 (RFC 5737) and the prefix for documentation (RFC 3849).
NEAR, FAR = "198.51.100.1", "198.51.100.2"
NEAR_6, FAR_6 = "2001:db8::1", "2001:db8::2"
# Says whence a datagram came; answers each question for an address with 192.0.2.9.
SERVER = f"""
import select, socket
own = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
own[0].bind(("{FAR}", 9090))
own[1].bind(("{FAR}", 53))
open("ready", "w").close()
while True:
    for ready in select.select(own, [], [])[0]:
        text, whence = ready.recvfrom(4096)
        if ready is own[0]:
            ready.sendto(whence[0].encode(), whence)
        else:
            end = text.index(0, 12) + 5
            answer = bytes([0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 9])
            counts = bytes([0, 1, 0, 1, 0, 0, 0, 0])
            ready.sendto(text[:2] + bytes([0x81, 0x80]) + counts + text[12:end] + answer, whence)
"""
# A world with the server in it; $server is the process that has its network.
WORLD = f"""
ip link set lo up
unshare --net sh -c 'touch made; exec sleep 100' &
server=$!
while [ ! -e made ]; do sleep 0.02; done
ip link add near mtu 1400 type veth peer name far mtu 1400 netns $server
ip address add {NEAR}/24 dev near
ip -6 address add {NEAR_6}/64 dev near nodad
ip link set near up
there="nsenter --target $server --net"
$there ip address add {FAR}/24 dev far
$there ip -6 address add {FAR_6}/64 dev far nodad
$there ip link set far up
"""
FORWARD = """
echo 1 > /proc/sys/net/ipv4/ip_forward
echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
"""
# Prints one JSON value for each of its arguments.
PROBE = f"""
import json, os, socket, struct, sys, time

def whence():
    ask = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    ask.settimeout(3)
    ask.sendto(b"?", ("{FAR}", 9090))
    return ask.recv(64).decode()

def fold(text):
    total = sum(struct.unpack("!%dH" % (len(text) // 2), text))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF

def ping(version):
    six = version == 6
    family = socket.AF_INET6 if six else socket.AF_INET
    raw = socket.socket(family, socket.SOCK_RAW, 58 if six else 1)
    raw.settimeout(5)
    question = struct.pack("!BBHHH", 128 if six else 8, 0, 0, 77, 1) + b"twelve bytes"
    if not six:
        question = question[:2] + struct.pack("!H", fold(question)) + question[4:]
    begun = time.monotonic()
    raw.sendto(question, ("{FAR_6}" if six else "{FAR}", 0))
    while True:
        answer = raw.recv(2048)
        answer = answer if six else answer[20:]
        if answer[0] == (129 if six else 0) and answer[8:] == b"twelve bytes":
            return time.monotonic() - begun

def hops(version):
    six = version == 6
    family = socket.AF_INET6 if six else socket.AF_INET
    # IPV6_UNICAST_HOPS or IP_TTL; time exceeded in transit, then port unreachable from the goal
    # (RFC 4443, RFC 792). Without its IP header for version 6.
    level, hops, exceeded, unreachable, at = (41, 16, 3, 1, 0) if six else (0, 2, 11, 3, 20)
    icmp = socket.socket(family, socket.SOCK_RAW, 58 if six else 1)
    icmp.settimeout(5)
    found = []
    for ttl in range(1, 9):
        probe = socket.socket(family, socket.SOCK_DGRAM)
        probe.setsockopt(level, hops, ttl)
        probe.sendto(b"probe", ("{FAR_6}" if six else "{FAR}", 33434))
        text, who = icmp.recvfrom(2048)
        # Neighbours look for one another by ICMPv6, too.
        while text[at] not in (exceeded, unreachable):
            text, who = icmp.recvfrom(2048)
        found.append([who[0], text[at], text[at + 1]])
        if text[at] == unreachable:
            return found

def mtu(version):
    six = version == 6
    level, discover, known = (41, 23, 24) if six else (0, 10, 14)
    probe = socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_DGRAM)
    probe.setsockopt(level, discover, 2)
    probe.connect(("{FAR_6}" if six else "{FAR}", 9090))
    before = probe.getsockopt(level, known)
    probe.send(bytes(1500 - (48 if six else 28)))
    until = time.monotonic() + 5
    while probe.getsockopt(level, known) == before and time.monotonic() < until:
        time.sleep(0.01)
    return [before, probe.getsockopt(level, known)]

def name():
    return socket.gethostbyname("server.test")

print(json.dumps([eval(word) for word in sys.argv[1:]]))
"""


def around(tmp_path: Path, command: str, before: str = FORWARD, *, mounts: bool = False) -> Ended:
    """A shell command in a network with the server behind it."""
    server = script(tmp_path, "server.py", SERVER)
    text = (
        f"{WORLD}{before}\n$there {server} &\nserving=$!\n"
        "while [ ! -e ready ]; do sleep 0.02; done\n"
        f"{command}\ncode=$?\nkill $serving $server\nexit $code\n"
    )
    outer = [NETWORK[0], "--mount", *NETWORK[1:]] if mounts else NETWORK
    done = subprocess.run(
        [*outer, "sh", "-c", text],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def inside(tmp_path: Path, words: str) -> str:
    """A probe behind two emulators, one in the other."""
    own = " ".join(BACKWATER)
    probe = script(tmp_path, "probe.py", PROBE)
    return f"{own} emulate --late 9 delay 5 -- {own} emulate --late 9 delay 7 -- {probe} {words}"


def test_nested_paths_lead_on_with_ping_traceroute_and_path_mtu(tmp_path: Path) -> None:
    words = "'whence()' 'ping(4)' 'ping(6)' 'hops(4)' 'hops(6)' 'mtu(4)' 'mtu(6)'"
    ended = around(tmp_path, inside(tmp_path, words))
    assert ended.code == 0, ended.err
    whence, four, six, hops, hops_6, mtu_4, mtu_6 = json.loads(ended.out)
    # The server has no route to addresses inside: it answers the interface by which packets leave.
    assert whence == NEAR
    # 5 and 7 ms there and back; a delay applied once more adds 5 ms.
    assert four >= 0.024
    assert six >= 0.024
    # The networks between the boxes, from the inside outwards, and the goal, where nobody listens.
    assert hops == [["100.64.0.3", 11, 0], ["100.64.0.1", 11, 0], [FAR, 3, 3]]
    # The IPv6 addresses that belong to them have the same numbers.
    belongs = "fd62:7761:7465:7200::"
    assert hops_6 == [[f"{belongs}3", 3, 0], [f"{belongs}1", 3, 0], [FAR_6, 1, 4]]
    assert mtu_4 == mtu_6 == [1500, 1400]


def test_without_forwarding_the_remedy_is_said_and_only_the_network_outside_is_near(
    tmp_path: Path,
) -> None:
    probe = script(tmp_path, "probe.py", PROBE)
    command = f"{' '.join(BACKWATER)} emulate delay 5 -- {probe} 'whence()'"
    off = "echo 0 > /proc/sys/net/ipv4/ip_forward"
    ended = around(tmp_path, command, off)
    assert ended.code == 1
    assert "sudo sysctl -w net.ipv4.ip_forward=1" in ended.err
    assert "timed out" in ended.err


@pytest.mark.parametrize("loopback", [False, True])
def test_names_are_found_inside_as_outside(tmp_path: Path, loopback: bool) -> None:
    (tmp_path / "far.conf").write_text(f"nameserver {FAR}\n")
    (tmp_path / "loopback.conf").write_text("nameserver 127.0.0.53\n")
    before = FORWARD + "mount --make-rprivate /\n"
    if loopback:
        before += "mount -t tmpfs none /run\nmkdir -p /run/systemd/resolve\n"
        before += "cp far.conf /run/systemd/resolve/resolv.conf\n"
        before += "mount --bind loopback.conf /etc/resolv.conf\n"
    else:
        before += "mount --bind far.conf /etc/resolv.conf\n"
    ended = around(tmp_path, inside(tmp_path, "'name()'"), before, mounts=True)
    assert ended.code == 0, ended.err
    assert json.loads(ended.out) == ["192.0.2.9"]


# Prints the names of all tables of nf_tables in this network that the emulator made.
TABLES = """
import re, socket, struct
ask = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12)
ask.send(struct.pack("=IHHII", 20, 10 << 8 | 1, 0x301, 1, 0) + bytes(4))
print("tables", *[name.decode() for name in re.findall(rb"bw-[0-9]+", ask.recv(65536))])
"""


def test_rules_go_with_an_emulator_that_is_killed(tmp_path: Path) -> None:
    tables = script(tmp_path, "tables.py", TABLES)
    text = (
        f"ip link set lo up\necho 1 > /proc/sys/net/ipv4/ip_forward\n"
        f"{' '.join(BACKWATER)} emulate delay 5 -- sh -c 'touch up; sleep 600' &\nemulator=$!\n"
        f"while [ ! -e up ]; do sleep 0.02; done\n{tables}\nkill -9 $emulator\nwait\n"
        f"sleep 0.1\n{tables}\necho bw-$emulator\n"
    )
    done = subprocess.run(
        [*NETWORK, "sh", "-c", text],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    before, after, name = done.stdout.splitlines()
    assert before == f"tables {name}", done.stderr
    assert after == "tables"


COUNT = """
import socket
taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
taken.bind(("", 9090))
taken.settimeout(20)
found = []
try:
    while True:
        found.append(taken.recv(2048))
        taken.settimeout(1.5)
except TimeoutError:
    pass
open("found", "w").write(f"{len(found)} {len(set(found))}")
"""
MANY = """
import os, socket, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for number in range(400):
    out.sendto(b"%03d" % number + bytes(500), (os.environ["MAHIMAHI_BASE"], 9090))
    time.sleep(0.001)
time.sleep(0.3)
"""


def test_duplicates_are_the_models_and_counted(tmp_path: Path) -> None:
    ended = emulate(
        tmp_path,
        "--json --late 9 duplicate uplink 0.25",
        beside=script(tmp_path, "count.py", COUNT),
        program=script(tmp_path, "many.py", MANY),
    )
    assert ended.code == 0, ended.err
    everything, different = map(int, (tmp_path / "found").read_text().split())
    assert different == 400
    # Binomial with n = 400, p = 0.25: 100 with a standard deviation of 8.7; five of them.
    assert abs(everything - 500) < 44
    document = ended.document
    up = next(flow for flow in document["flows"] if flow["id"] == "up")
    # Neighbours of the device may announce themselves, too.
    assert everything <= up["delivered_pkts"] < everything + 20
    assert document["conservation"]["ok"] is True


# A command that no other process here has, so that what it left can be found.
SLEEP = "sleep 612.34"


def left() -> list[str]:
    """Processes that the tests' commands have left behind."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = path.read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue
        if text == SLEEP:
            found.append(str(path))
    return found


ENDS = {
    "a crash": ("delay 5", f"sh -c '{SLEEP} & kill -SEGV $$'", 128 + 11, ""),
    "a full disk": ("link up up --uplink-log=/dev/full", SLEEP, 3, "No space left on device"),
    "no command": ("delay 5", "no-such-command", 127, "no-such-command"),
}


@pytest.mark.parametrize("case", ENDS)
def test_whatever_ends_it_leaves_no_process_device_or_rule(tmp_path: Path, case: str) -> None:
    words, program, code, says = ENDS[case]
    (tmp_path / "up").write_text("1\n")
    tables = script(tmp_path, "tables.py", TABLES)
    text = (
        "ip link set lo up\necho 1 > /proc/sys/net/ipv4/ip_forward\n"
        f"{' '.join(BACKWATER)} emulate --late 9 {words} -- {program}\ncode=$?\n"
        f"ip -o link\n{tables}\nexit $code\n"
    )
    done = subprocess.run(
        [*NETWORK, "sh", "-c", text],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert says in done.stderr
    assert "bw-" not in done.stdout
    until = time.monotonic() + HANGS_S
    while left() and time.monotonic() < until:
        time.sleep(0.05)
    assert not left()


def refused(tmp_path: Path, before: str, outer: list[str]) -> subprocess.CompletedProcess[str]:
    """An emulation that cannot begin."""
    command = f"{' '.join(BACKWATER)} emulate delay 5 -- touch ran"
    done = subprocess.run(
        [*outer, "sh", "-c", f"{before} {command}\ncode=$?\nip -o link\nexit $code\n"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert "bw-" not in done.stdout
    assert not (tmp_path / "ran").exists()
    assert "backwater doctor" in done.stderr
    return done


def test_a_missing_device_is_refused(tmp_path: Path) -> None:
    outer = [NETWORK[0], "--mount", *NETWORK[1:]]
    hidden = "mount -t tmpfs none /dev/net\n"
    done = refused(tmp_path, hidden, outer)
    assert "/dev/net/tun: No such file or directory" in done.stderr


def test_missing_privileges_are_refused(tmp_path: Path) -> None:
    outer = ["unshare", "--user", "--map-root-user", "--net", "--"]
    # No more namespaces of users, and no capability.
    taken = "echo 0 > /proc/sys/user/max_user_namespaces\nsetpriv --bounding-set=-all"
    done = refused(tmp_path, taken, outer)
    assert "a network of its own without privileges" in done.stderr


def test_a_link_that_is_shut_for_a_minute_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "gap").write_text("1\n60000\n")
    assert emulate(tmp_path, "--late 9 link gap gap", program="true").code == 0
