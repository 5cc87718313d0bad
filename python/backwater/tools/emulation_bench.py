"""`backwater bench emulate`: the emulator beside raw forwarding, `netem` and its peers' figures.

Everything runs in networks of its own. Raw forwarding is the same program without a model: what the
devices of this machine can do in the same minutes. Delays are those of datagrams, from the call
that sends one to the kernel's own stamp of its arrival, so that neither end has to be prompt; the
error of a delay is what it has beyond the nominal one and beyond the median of raw forwarding.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import Unfinished
from backwater.tools.benchmark import machine
from backwater.tools.emulation_runs import emulated, in_network, python, receiver, sender
from backwater.tools.rfc9743 import BASELINES

SCHEMA = "backwater/bench-emulate/1"
DELAY_S = 0.020
# A frame of 1538 B at 1 Gbit/s.
SERIALISATION_S = 1538 * 8 / 1e9
# Payload that makes an IP packet of 1500 B.
FULL = 1472
# Datagrams of a run that measures the cost of a packet: how many in a second, and their payload.
PACE, SMALL = 200_000.0, 100
# Bytes of a TCP segment's payload, and of its frame on Ethernet.
SEGMENT, FRAME = 1448, 1538

Say = Callable[[str], None]


@dataclass(frozen=True)
class Figure:
    """A measured figure beside what it must reach and what peers reach."""

    id: str
    unit: str
    value: float | None
    at_most: float | None = None
    at_least: float | None = None
    # As published with the aims, on this kind of machine.
    peers: str = ""
    note: str = ""

    def document(self) -> dict[str, Any]:
        """The figure, and whether it reaches its aim."""
        met = None
        if self.value is not None and (self.at_most, self.at_least) != (None, None):
            met = (self.at_most is None or self.value <= self.at_most) and (
                self.at_least is None or self.value >= self.at_least
            )
        return {
            "id": self.id,
            "unit": self.unit,
            "value": self.value,
            "at_most": self.at_most,
            "at_least": self.at_least,
            "met": met,
            "peers": self.peers or None,
            "note": self.note or None,
        }


def run(repeats: int, say: Say) -> dict[str, Any]:
    """Measures everything and returns the document."""
    why = _unfit()
    if why is not None:
        raise Unfinished(why, fix="see `backwater doctor`")
    figures = [*_accuracy(repeats, say), *_links(repeats, say), *_rates(repeats, say)]
    figures += [*_logging(repeats, say), *_tcp(repeats, say), *_start(repeats, say)]
    return {
        "schema": SCHEMA,
        "version": _native.version(),
        "machine": machine(),
        "load": os.getloadavg()[0],
        "results": [figure.document() for figure in figures],
    }


def _unfit() -> str | None:
    if not hasattr(_native, "emulate"):
        return "emulation needs Linux"
    if not Path("/dev/net/tun").exists():
        return "/dev/net/tun is missing"
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return "`unshare` and `ip` are not installed"
    return None


def _got(found: dict[str, Any], key: str) -> float | None:
    got = found.get("got")
    return None if got is None else got[key]


def _median(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def _beyond(value: float | None, *parts: float | None) -> float | None:
    """The rest of a delay beyond its parts, in microseconds."""
    if value is None or None in parts:
        return None
    return (value - sum(part for part in parts if part is not None)) * 1e6


def _accuracy(repeats: int, say: Say) -> list[Figure]:
    """The delay box under 1,000 packets/s with exponential gaps."""
    packets, rate, size = 3000, 1000.0, 100
    delay = f"delay {DELAY_S * 1000:.0f}"
    kinds = ("raw", "exact", "low-cpu", "low-cpu-raw", "netem")
    runs: dict[str, list[dict[str, Any]]] = {kind: [] for kind in kinds}
    for number in range(repeats):
        say(f"accuracy: run {number + 1} of {repeats}")
        runs["raw"].append(emulated("raw", packets, rate, size))
        runs["exact"].append(emulated(delay, packets, rate, size, DELAY_S))
        runs["low-cpu"].append(emulated(f"--low-cpu {delay}", packets, rate, size, DELAY_S))
        runs["low-cpu-raw"].append(emulated("--low-cpu raw", packets, rate, size))
        runs["netem"].append(_netem(packets, rate, size))

    # The quietest of the runs: others' work on the machine only adds.
    def least(kind: str, key: str) -> float | None:
        known = [_got(one, key) for one in runs[kind]]
        return min((one for one in known if one is not None), default=None)

    raw = least("raw", "delay_p50_s")
    early = [_got(one, "early_pkts") for one in runs["exact"]]
    peers = "mahimahi −29, rattan 38"
    figures = [
        Figure("raw-delay-p50", "us", _beyond(raw), note="raw forwarding: the limit"),
        Figure("raw-delay-p99", "us", _beyond(least("raw", "delay_p99_s"))),
        Figure(
            "delay-error-p50",
            "us",
            _beyond(least("exact", "delay_p50_s"), DELAY_S, raw),
            2,
            peers=peers,
        ),
        Figure(
            "delay-error-p99",
            "us",
            _beyond(least("exact", "delay_p99_s"), DELAY_S, raw),
            50,
            peers="mahimahi 714 (p95), rattan 63",
        ),
        Figure(
            "delay-early",
            "packets",
            max((e for e in early if e is not None), default=None),
            0,
            peers="mahimahi up to 960 us early",
        ),
        Figure(
            "low-cpu-error-p50", "us", _beyond(least("low-cpu", "delay_p50_s"), DELAY_S, raw), 10
        ),
    ]
    figures.append(
        Figure(
            "low-cpu-raw-p50",
            "us",
            _beyond(least("low-cpu-raw", "delay_p50_s"), raw),
            note="raw forwarding that sleeps: what the machine needs to wake",
        )
    )
    netem = least("netem", "delay_p50_s")
    missing = "" if netem is not None else "this kernel has no netem, or no `tc` is installed"
    figures.append(Figure("netem-error-p50", "us", _beyond(netem, DELAY_S), note=missing))
    figures.append(
        Figure(
            "netem-error-p99", "us", _beyond(least("netem", "delay_p99_s"), DELAY_S), note=missing
        )
    )
    return figures


def _netem(packets: int, rate: float, size: int) -> dict[str, Any]:
    """The kernel's own delay on a loopback interface."""
    if shutil.which("tc") is None:
        return {}
    send, receive = sender(packets, rate, size, "127.0.0.1"), receiver(packets, DELAY_S)
    queue = f"tc qdisc add dev lo root netem delay {DELAY_S * 1000:.0f}ms limit 100000 || exit 1"
    return in_network(f"{queue}\n{receive} > got.json &\nsleep 1\n{send} > sent.json\nwait\n")


def _links(repeats: int, say: Say) -> list[Figure]:
    """Departures against a trace, and what an idle link adds."""
    late, idle, raw = [], [], []
    for number in range(repeats):
        say(f"links: run {number + 1} of {repeats}")
        with tempfile.NamedTemporaryFile("w", suffix=".trace") as trace:
            # An opportunity of 1504 B in each millisecond: 12 Mbit/s.
            trace.write("1\n")
            trace.flush()
            found = emulated(f"link {trace.name} {trace.name}", 1500, 500.0, FULL)
        run = found.get("run")
        late.append(None if run is None else run["certificate"]["late_p99_s"])
        raw.append(_got(emulated("raw", 300, 200.0, FULL), "delay_p50_s"))
        found = emulated("rate 1Gbit/s 1Gbit/s", 300, 200.0, FULL)
        idle.append(_got(found, "delay_p50_s"))
    known = [_beyond(a, SERIALISATION_S, b) for a, b in zip(idle, raw, strict=True)]
    return [
        Figure("trace-12M-late-p99", "us", _beyond(_median(late)), 50, peers="mahimahi 1044"),
        Figure("idle-1G-added-p50", "us", _median(known), 30, peers="mahimahi 1095"),
    ]


def _rates(repeats: int, say: Say) -> list[Figure]:
    """Datagrams a second, and what each costs."""
    packets = 300_000
    figures = []
    for name, words, aims in (
        # A driver that never sleeps takes all CPU there is, whatever a packet costs.
        ("raw", "--low-cpu raw", (None, None)),
        ("delay-rate", "--low-cpu delay 20 rate 10Gbit/s 10Gbit/s", (4.0, 0.0)),
    ):
        cost, lost, pace = [], [], []
        for number in range(repeats):
            say(f"{name}: run {number + 1} of {repeats}")
            found = emulated(words, packets, PACE, SMALL)
            run, sent = found.get("run"), found.get("sent")
            if run is None or sent is None:
                continue
            certificate = run["certificate"]
            cost.append(_cost_us(run))
            lost.append(float(certificate["device_drops_pkts"] + certificate["refused_pkts"]))
            pace.append(sent["sent_pkts"] / sent["duration_s"])
        figures += [
            Figure(f"{name}-offered", "packets/s", _median(list(pace))),
            Figure(f"{name}-unmodelled-loss", "packets", min(lost, default=None), aims[1]),
            Figure(f"{name}-cpu", "us/packet", min(cost, default=None), aims[0]),
        ]
    return figures


def _cost_us(run: dict[str, Any]) -> float:
    """CPU time of the emulator for each packet."""
    cpu_s, packets = float(run["cost"]["cpu_s"]), int(run["certificate"]["given_pkts"])
    return cpu_s * 1e6 / max(packets, 1)


def _logging(repeats: int, say: Say) -> list[Figure]:
    """The CPU time that logs add to a packet: pairs of runs, without a log and with one."""
    kinds = {"link-log": ("", "--uplink-log=link.log"), "record": ("--record run.csv", "")}
    figures = []
    with tempfile.NamedTemporaryFile("w", suffix=".trace") as trace:
        # 32 opportunities of 1504 B in each millisecond: 385 Mbit/s.
        trace.write("1\n" * 32)
        trace.flush()
        for kind, (before, behind) in kinds.items():
            more: list[float | None] = []
            for number in range(repeats):
                say(f"{kind}: pair {number + 1} of {repeats}")
                words = f"delay 20 link {trace.name} {trace.name}"
                both = (f"--low-cpu {words}", f"--low-cpu {before} {words} {behind}")
                runs = [emulated(one, 300_000, PACE, SMALL).get("run") for one in both]
                if None not in runs:
                    without, with_log = (_cost_us(run) for run in runs if run is not None)
                    more.append((with_log / without - 1) * 100)
            figures.append(Figure(f"{kind}-cpu", "% more", _median(more), 10.0))
    return figures


SINK = """
import json, socket, time
port = socket.create_server(("0.0.0.0", 9092))
port.settimeout(30)
peer, _ = port.accept()
# Bytes under way when the emulator ends are lost, the end of the stream with them.
peer.settimeout(2)
room, total, first, begun = bytearray(1 << 20), 0, None, None
try:
    while got := peer.recv_into(room):
        now = time.monotonic()
        first = first or now
        # Slow start is over after two seconds.
        if now - first < 2.0:
            begun = now
            continue
        total += got
        ended = now
except TimeoutError:
    pass
print(json.dumps({"bps": total * 8 / (ended - begun) if total else None}))
"""
# Buffers of sockets that hold 10 Gbit/s for 20 ms belong to a network, so each end sets its own.
ROOMY = "4096 1048576 67108864"
SOURCE = f"""
import os, socket, sys, time
for name in ("tcp_rmem", "tcp_wmem"):
    open("/proc/sys/net/ipv4/" + name, "w").write("{ROOMY}")
peer = socket.socket()
peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, sys.argv[1].encode())
peer.connect((os.environ["MAHIMAHI_BASE"], 9092))
block, until = bytes(1 << 18), time.monotonic() + float(sys.argv[2])
while time.monotonic() < until:
    peer.sendall(block)
"""
QUEUE = "--uplink-queue=droptail --uplink-queue-args=packets"


def _stream(words: str, controller: str) -> dict[str, Any]:
    """A TCP of this kernel from inside the boxes, for six seconds."""
    emulate = f"{sys.executable} -m backwater emulate --json --late 10 --unmodelled 1"
    sizes = "\n".join(f"echo {ROOMY} > /proc/sys/net/ipv4/tcp_{way}mem" for way in "rw")
    return in_network(
        f"{sizes}\n{python(SINK)} > sink.json &\nsleep 1\n"
        f"{emulate} {words} -- {python(SOURCE)} {controller} 6 > run.json\nwait\n"
    )


def _tcp(repeats: int, say: Say) -> list[Figure]:
    """TCP of this kernel through a delay and a link in one process, beside raw forwarding."""
    known = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    usual, share = BASELINES[0], SEGMENT / FRAME
    giga = f"delay 10 rate 1Gbit/s 1Gbit/s {QUEUE}=4000"
    ten = f"delay 1 rate 10Gbit/s 10Gbit/s {QUEUE}=4000"
    peers = {usual: "mahimahi 30.5 %, rattan 11.4 %", "bbr": "mahimahi 56.1 %, rattan 45.4 %"}
    cases: list[tuple[str, str, str, float, float | None]] = [
        ("tcp-raw", "raw", usual, 1e9, None),
        ("tcp-raw-no-offload", "--no-offload raw", usual, 1e9, None),
        (f"tcp-1G-20ms-{usual}", giga, usual, 1e9 * share, 0.99),
        ("tcp-1G-20ms-bbr", giga, "bbr", 1e9 * share, 0.99),
        ("tcp-10G", ten, usual, 1e9, 9.4),
    ]
    figures = []
    for name, words, controller, unit, aim in cases:
        kind = "share" if unit != 1e9 else "Gbit/s"
        beside = peers[controller] if kind == "share" else ""
        if controller not in known:
            note = f"this kernel has no {controller}"
            figures.append(Figure(name, kind, None, at_least=aim, peers=beside, note=note))
            continue
        reached: list[float | None] = []
        for number in range(repeats):
            say(f"{name}: run {number + 1} of {repeats}")
            sink = _stream(words, controller).get("sink")
            rate = None if sink is None else sink["bps"]
            reached.append(None if rate is None else rate / unit)
        figures.append(Figure(name, kind, _median(reached), at_least=aim, peers=beside))
    return figures


def _start(repeats: int, say: Say) -> list[Figure]:
    """When the command behind boxes runs, beyond the interpreter's own start."""
    bare, one, two = [], [], []
    now = "date +%s%N"
    emulate = f"{sys.executable} -m backwater emulate delay 1 --"
    for number in range(repeats):
        say(f"start-up: run {number + 1} of {repeats}")
        bare.append(_timed(f"{sys.executable} -c pass; {now}"))
        one.append(_timed(f"{emulate} {now}"))
        two.append(_timed(f"{emulate} {emulate} {now}"))
    # Others' work on the machine only adds.
    own = min(bare)
    return [
        Figure("start-interpreter", "ms", own * 1e3),
        Figure("start-one", "ms", (min(one) - own) * 1e3, 100),
        Figure("start-nested", "ms", (min(two) - 2 * own) * 1e3, 200),
    ]


def _timed(command: str) -> float:
    """Seconds until the command says what time it is, in its last line."""
    mapped = [] if os.geteuid() == 0 else ["--map-root-user"]
    begun = time.time_ns()
    ended = subprocess.run(
        ["unshare", "--net", *mapped, "--", "sh", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if ended.returncode:
        raise Unfinished(ended.stderr.strip()[-400:], fix="see `backwater doctor`")
    return (int(ended.stdout.split()[-1]) - begun) / 1e9
