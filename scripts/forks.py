"""How long a fork of a warm dumbbell takes: `python scripts/forks.py [COUNT]` (10,000)."""

from __future__ import annotations

import sys
import time

import backwater

SCENARIO = """
schema = "backwater/scenario/1"
duration = "60 s"
topology.kind = "dumbbell"
topology.pairs = 2
topology.rate = "100 Mbit/s"
topology.delay = "1 ms"
topology.bottleneck = "10 Mbit/s"
topology.bottleneck_delay = "18 ms"
ports."L>R" = { buffer = "50 packets" }
flows.f1.from = "s1"
flows.f1.to = "d1"
flows.f1.transport = "tcp"
flows.f1.controller = { kind = "newreno" }
flows.f1.source = { kind = "bulk" }
flows.f2.from = "s2"
flows.f2.to = "d2"
flows.f2.transport = "tcp"
flows.f2.controller = { kind = "cubic" }
flows.f2.source = { kind = "bulk" }
"""


def main(count: int) -> None:
    """Forks a world after 10 s of its run, and prints what a fork takes."""
    world = backwater.World(SCENARIO)
    world.advance("10 s")
    times = {}
    for what, change in (
        ("unchanged", None),
        ("with another line rate", {"topology.bottleneck": "5 Mbit/s"}),
    ):
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(count):
            world.fork(set=change)
        times[what] = (time.perf_counter() - wall, time.process_time() - cpu)
    for what, (wall, cpu) in times.items():
        print(f"{count} forks {what}: {wall / count * 1e3:.3f} ms each, {cpu:.2f} s of CPU")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
