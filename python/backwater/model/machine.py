"""The machine that runs: its processor, and the cores and memory that this process may use."""

from __future__ import annotations

import os
import platform
import sys
from contextlib import suppress
from pathlib import Path


def available_cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processor() -> str:
    """The name of the processor."""
    if sys.platform == "linux":
        with suppress(OSError):
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def memory() -> int | None:
    """Bytes that this process may use, where the system tells."""
    found = []
    with suppress(OSError, ValueError, IndexError):
        first = Path("/proc/meminfo").read_text(encoding="utf-8").splitlines()[0]
        found.append(int(first.split()[1]) * 1024)
    # Of a container; "max" is no limit.
    with suppress(OSError, ValueError):
        found.append(int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="utf-8")))
    return min(found, default=None)
