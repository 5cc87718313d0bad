"""TCP of this kernel through delay and rate boxes, beside the simulated one: goodput of one flow.

Run `python docs/results/kernel_tcp.py` as root with /dev/net/tun. Both sides send for the same time
over the same rate, delay and queue. The table on standard output stands in emulator.md.
"""

from __future__ import annotations

import json
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS = 10
REPEATS = 1
RATE, DELAY_MS = "20 Mbit/s", 10
# Name in the kernel, name in the table of controllers.
CONTROLLERS = (("reno", "newreno"), ("cubic", "cubic"), ("bbr", "bbr1"))
FQ = '{ kind = "fq-codel" }'
# Name of the queue, its words in a box, its fields in a scenario.
QUEUES = (
    ("droptail", "--uplink-queue=droptail --uplink-queue-args=packets=60", '{ kind = "fifo" }'),
    ("fq-codel", "--uplink-queue=fq-codel --uplink-queue-args=packets=1000", FQ),
)
BUFFERS = {"droptail": "60 packets", "fq-codel": "1000 packets"}

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


def python(text: str) -> str:
    """A Python program as one word of a shell."""
    return shlex.join([sys.executable, "-c", text.replace("SECONDS", str(SECONDS))])


def real(controller: str, queue_words: str) -> tuple[float, dict[str, float]]:
    """Goodput of the kernel's sender in bit/s, and the certificate."""
    rate = RATE.replace(" ", "")
    emulate = f"{sys.executable} -m backwater emulate --json --late 10 --unmodelled 1"
    words = f"delay {DELAY_MS} rate {rate} {rate} {queue_words}"
    text = (
        f"ip link set lo up; {python(SINK)} > sink & sleep 1.5; "
        f"{emulate} {words} -- {python(SOURCE.replace('NAME', controller))} > run; wait"
    )
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["unshare", "--net", "--", "sh", "-c", text], cwd=folder, check=False)
        goodput = float((Path(folder) / "sink").read_text())
        return goodput, json.loads((Path(folder) / "run").read_text())["certificate"]


def simulated(controller: str, queue: str, fields: str) -> float:
    """Goodput of the simulated sender in bit/s."""
    text = f"""schema = "backwater/scenario/1"
seed = 1
duration = "{SECONDS} s"
topology = {{ kind = "dumbbell", pairs = 1, rate = "10 Gbit/s", delay = "0 s", \
bottleneck = "{RATE}", bottleneck_delay = "{DELAY_MS} ms" }}
ports."L>R" = {{ buffer = "{BUFFERS[queue]}", queue = {fields} }}
flows.f = {{ from = "s1", to = "d1", transport = "tcp", controller = {{ kind = "{controller}" }}, \
source = {{ kind = "bulk" }} }}
"""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.toml"
        file.write_text(text)
        command = [sys.executable, "-m", "backwater", "run", str(file), "--json"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode:
            raise SystemExit(ended.stdout + ended.stderr)
        return float(json.loads(ended.stdout)["flows"][0]["goodput_bps"])


def main() -> None:
    """Prints the table."""
    print("| queue | controller | kernel, Mbit/s | simulated, Mbit/s | difference | late p99 |")
    print("|---|---|---|---|---|---|")
    for queue, words, fields in QUEUES:
        for kernel, ours in CONTROLLERS:
            runs = [real(kernel, words) for _ in range(REPEATS)]
            measured = statistics.median(goodput for goodput, _ in runs)
            late = max(certificate["late_p99_s"] for _, certificate in runs)
            model = simulated(ours, queue, fields)
            print(
                f"| {queue} | {kernel}, {ours} | {measured / 1e6:.2f} | {model / 1e6:.2f} "
                f"| {measured / model - 1:+.1%} | {late * 1e3:.2f} ms |",
                flush=True,
            )


if __name__ == "__main__":
    main()
