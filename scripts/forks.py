"""How long a fork of ten streams takes: `python scripts/forks.py [COUNT]`, by default 10,000."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import backwater

SCENARIO = Path(backwater.__file__).parent / "benches" / "tcp-10-100M.toml"


def main(count: int) -> None:
    """Forks a world after 10 s of its run, and prints what a fork takes."""
    world = backwater.World(SCENARIO)
    world.advance("10 s")
    times = {}
    changes: dict[str, dict[str, Any]] = {
        "unchanged": {},
        "with a patch of the buffer": {"patches": [("buffer", "L>R", 20)]},
        "with a patch of the rate": {"patches": [("rate", "L-R", 50_000_000)]},
        "with a patch of the delay": {"patches": [("delay", "L-R", 10**9)]},
        "with another line rate": {"set": {"topology.bottleneck": "50 Mbit/s"}},
        "with another buffer": {"set": {"ports.L>R.buffer": "20 packets"}},
    }
    for what, change in changes.items():
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(count):
            world.fork(**change)
        times[what] = (time.perf_counter() - wall, time.process_time() - cpu)
    for what, (wall, cpu) in times.items():
        print(f"{count} forks {what}: {wall / count * 1e3:.3f} ms each, {cpu:.2f} s of CPU")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
