"""TCP of this kernel through delay and rate boxes, beside the simulated one: goodput of one flow.

    python docs/results/kernel_tcp.py fq-codel reno:newreno cubic:cubic bbr:bbr1

Run it as root with /dev/net/tun. The queue is compared with drop-tail. Each pair is a sender of the
kernel and one of the simulator. Both send for the same time over the same rate, delay and queue.
The table stands in emulator.md.
"""

from __future__ import annotations

import json
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

SECONDS = 10
REPEATS = 3
RATE, DELAY_MS = "20 Mbit/s", 10
SCENARIO = Path(__file__).with_suffix(".toml")
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
SOURCE = """
import os, socket, sys, time
s = socket.socket(); s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"NAME")
s.connect((os.environ["MAHIMAHI_BASE"], 9092)); s.settimeout(2)
end = time.monotonic() + SECONDS + 0.5
try:
    while time.monotonic() < end: s.send(bytes(65536))
except OSError: pass
"""


def program(text: str) -> str:
    """A program as one word of a shell."""
    return shlex.join([sys.executable, "-c", text.replace("SECONDS", str(SECONDS))])


def real(controller: str, queue_words: str) -> tuple[float, dict[str, float]]:
    """Goodput of the kernel's sender in bit/s, and the certificate."""
    rate = RATE.replace(" ", "")
    emulate = f"{sys.executable} -m backwater emulate --json --late 10 --unmodelled 1"
    words = f"delay {DELAY_MS} rate {rate} {rate} {queue_words}"
    text = (
        f"ip link set lo up; {program(SINK)} > sink & sleep 1.5; "
        f"{emulate} {words} -- {program(SOURCE.replace('NAME', controller))} > run; wait"
    )
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["unshare", "--net", "--", "sh", "-c", text], cwd=folder, check=False)
        goodput = float((Path(folder) / "sink").read_text())
        return goodput, json.loads((Path(folder) / "run").read_text())["certificate"]


def simulated(controller: str, buffer: str, queue: str) -> float:
    """Goodput of the simulated sender in bit/s."""
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
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(ended.stdout + ended.stderr)
    return float(json.loads(ended.stdout)["flows"][0]["goodput_bps"])


def queues(managed: str) -> Iterator[tuple[str, str, str, str]]:
    """Name of each queue, its words in a box, its buffer and its setting in the scenario."""
    yield "droptail", "--uplink-queue=droptail --uplink-queue-args=packets=60", "60 packets", ""
    words = f"--uplink-queue={managed} --uplink-queue-args=packets=1000"
    yield managed, words, "1000 packets", f'ports.L>R.queue={{ kind = "{managed}" }}'


def main() -> None:
    """Prints the table."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    pairs = [pair.partition(":")[::2] for pair in sys.argv[2:]]
    print("| queue | controllers | kernel, Mbit/s | simulated, Mbit/s | difference | late p99 |")
    print("|---|---|---|---|---|---|")
    for queue, words, buffer, setting in queues(sys.argv[1]):
        for kernel, ours in pairs:
            runs = [real(kernel, words) for _ in range(REPEATS)]
            measured = statistics.median(goodput for goodput, _ in runs)
            late = max(certificate["late_p99_s"] for _, certificate in runs)
            model = simulated(ours, buffer, setting)
            print(
                f"| {queue} | {kernel}, {ours} | {measured / 1e6:.2f} | {model / 1e6:.2f} "
                f"| {measured / model - 1:+.1%} | {late * 1e3:.2f} ms |",
                flush=True,
            )


if __name__ == "__main__":
    main()
