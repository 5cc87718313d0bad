"""TCP of this kernel through delay and rate boxes, beside the simulated one.

    python scripts/results/kernel_tcp.py fq-codel reno:newreno cubic:cubic bbr:bbr1

Run it as root with /dev/net/tun. The queue is compared with drop-tail. Each pair is a sender of the
kernel and one of the simulator. Both send for the same time over the same rate, delay and queue.
The kernel's smoothed round trip is read every 10 ms, as the simulator's is. The table stands in
emulator.md; kernel_tcp.svg has the distributions of round trips.
"""

from __future__ import annotations

import json
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backwater.present import chart_file

SECONDS = 10
REPEATS = 3
RATE, DELAY_MS = "20 Mbit/s", 10
SCENARIO = Path(__file__).with_suffix(".toml")
FIGURE = Path(__file__).parents[2] / "docs" / "assets" / "kernel_tcp.svg"
SINK = """
import json, socket, time
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("", 9092)); s.listen(); s.settimeout(20); c, _ = s.accept()
begun, total = time.monotonic(), 0
while True:
    got = len(c.recv(1 << 20))
    if not got or time.monotonic() > begun + SECONDS: break
    total += got
print(json.dumps(total * 8 / (time.monotonic() - begun)))
"""
# tcpi_rtt lies 68 B into tcp_info, in microseconds.
SOURCE = """
import json, os, socket, time
s = socket.socket(); s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"NAME")
s.connect((os.environ["MAHIMAHI_BASE"], 9092)); s.settimeout(0.01)
begun, trips = time.monotonic(), []
try:
    while (now := time.monotonic()) < begun + SECONDS + 0.5:
        try: s.send(bytes(65536))
        except TimeoutError: pass
        if now >= begun + 0.01 * len(trips):
            info = s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
            trips.append(int.from_bytes(info[68:72], "little") / 1e6)
except OSError: pass
open("trips", "w").write(json.dumps(trips))
"""


@dataclass
class Run:
    """The goodput of a sender."""

    goodput_bps: float
    trips_s: list[float]
    certificate: dict[str, Any]


def program(text: str) -> str:
    """A program as one word of a shell."""
    return shlex.join([sys.executable, "-c", text.replace("SECONDS", str(SECONDS))])


def real(controller: str, queue_words: str) -> Run:
    """The kernel's sender. Whatever fails ends the script."""
    rate = RATE.replace(" ", "")
    emulate = f"{sys.executable} -m backwater emulate --json --late 10 --unmodelled 1"
    words = f"delay {DELAY_MS} rate {rate} {rate} {queue_words}"
    text = (
        f"ip link set lo up || exit 1; {program(SINK)} > sink & sink=$!; sleep 1.5; "
        f"{emulate} {words} -- {program(SOURCE.replace('NAME', controller))} > run || exit 1; "
        "wait $sink"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = ["unshare", "--net", "--", "sh", "-c", text]
        ended = subprocess.run(command, cwd=name, capture_output=True, text=True, check=False)
        if ended.returncode:
            raise SystemExit(f"{controller}: exit code {ended.returncode}\n{ended.stderr}")
        return Run(
            float((folder / "sink").read_text()),
            json.loads((folder / "trips").read_text()),
            json.loads((folder / "run").read_text())["certificate"],
        )


def simulated(controller: str, buffer: str, queue: str) -> Run:
    """The simulated sender."""
    settings = {
        "duration": f"{SECONDS} s",
        "topology.bottleneck": RATE,
        "topology.bottleneck_delay": f"{DELAY_MS} ms",
        "ports.L>R.buffer": buffer,
        "flows.f.controller.kind": controller,
    }
    words = [f"--set={path}={value}" for path, value in settings.items()]
    words += [f"--set={queue}"] if queue else []
    command = [sys.executable, "-m", "backwater", "run", str(SCENARIO), "--json", *words]
    command += ["--series", "10 ms"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(ended.stdout + ended.stderr)
    document = json.loads(ended.stdout)
    trips = [trip for trip in document["series"]["flows"]["f"]["srtt_s"] if trip is not None]
    return Run(float(document["flows"][0]["goodput_bps"]), trips, {})


def queues(managed: str) -> Iterator[tuple[str, str, str, str]]:
    """Name of each queue, its words in a box, its buffer and its setting in the scenario."""
    yield "droptail", "--uplink-queue=droptail --uplink-queue-args=packets=60", "60 packets", ""
    words = f"--uplink-queue={managed} --uplink-queue-args=packets=1000"
    yield managed, words, "1000 packets", f'ports.L>R.queue={{ kind = "{managed}" }}'


def valid(runs: list[Run]) -> bool:
    """Whether each run keeps the bounds that `backwater emulate` has where none are given."""
    return all(
        run.certificate["late_p99_s"] <= 0.001
        and run.certificate["device_drops_pkts"] + run.certificate["refused_pkts"] == 0
        for run in runs
    )


def plot(rows: list[tuple[str, Run, Run]]) -> None:
    """The distributions of round trips, kernel and simulator in one panel for each row."""
    points = [
        {"case": case, "sender": name, "trip": trip * 1e3, "share": number / len(run.trips_s)}
        for case, measured, model in rows
        for name, run in (("kernel", measured), ("simulated", model))
        for number, trip in enumerate(sorted(run.trips_s), 1)
        if number % 5 == 0
    ]
    spec = {
        "data": {"values": points},
        "mark": "line",
        "width": 260,
        "height": 180,
        "encoding": {
            "facet": {"field": "case", "title": None, "columns": 3, "sort": None},
            "x": {"field": "trip", "type": "quantitative", "title": "smoothed round trip, ms"},
            "y": {"field": "share", "type": "quantitative", "title": "share of time"},
            "order": {"field": "share"},
            "color": {"field": "sender", "title": None},
            "strokeDash": {"field": "sender", "title": None},
        },
        "resolve": {"scale": {"x": "independent"}},
    }
    chart_file.write(spec, FIGURE)


def main() -> None:
    """Prints the table."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    pairs = [pair.partition(":")[::2] for pair in sys.argv[2:]]
    print(
        "| queue | controllers | kernel, Mbit/s | simulated, Mbit/s | difference "
        "| median round trip, ms | late p99 | valid |"
    )
    print("|---|---|---|---|---|---|---|---|")
    rows = []
    for queue, words, buffer, setting in queues(sys.argv[1]):
        for kernel, ours in pairs:
            runs = [real(kernel, words) for _ in range(REPEATS)]
            runs.sort(key=lambda run: run.goodput_bps)
            median = runs[REPEATS // 2]
            late = max(run.certificate["late_p99_s"] for run in runs)
            model = simulated(ours, buffer, setting)
            trips = [statistics.median(run.trips_s) * 1e3 for run in (median, model)]
            print(
                f"| {queue} | {kernel}, {ours} | {median.goodput_bps / 1e6:.2f} "
                f"| {model.goodput_bps / 1e6:.2f} "
                f"| {median.goodput_bps / model.goodput_bps - 1:+.1%} "
                f"| {trips[0]:.1f}, {trips[1]:.1f} | {late * 1e3:.2f} ms "
                f"| {'yes' if valid(runs) else 'no'} |",
                flush=True,
            )
            rows.append((f"{queue}: {kernel}, {ours}", median, model))
    plot(rows)


if __name__ == "__main__":
    main()
