"""Steps and resets take no more memory as they go on. The long form, 10^6 steps, is a command:

python tests/test_learn_memory.py 1000000
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np

WORLDS, EPISODE = 64, 40
# Bytes that a million steps may add: less than one of a world's arrays.
ALLOWED = 3 << 20


def resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def grown(steps: int) -> tuple[int, int]:
    """Steps that were made, and bytes that those after the first fifth added."""
    from backwater.learn.episodes import Episodes, Options

    episodes = Episodes(Options(steps=EPISODE, threads=2), WORLDS)
    for place in range(WORLDS):
        episodes.seed(place, place)
    episodes.begin(range(WORLDS))
    every, made, first = np.ones(WORLDS, dtype=np.bool_), 0, 0
    while made < steps:
        _, _, over = episodes.step(np.full((WORLDS, 1), np.sin(made)), every)
        made += WORLDS
        if over.any():
            episodes.begin([int(place) for place in np.flatnonzero(over)])
        if made <= steps // 5:
            first = resident()
    return made, resident() - first


def test_steps_and_resets_take_no_more_memory() -> None:
    """In a process of its own, since others' arrays come and go.."""
    code = "from test_learn_memory import grown; print(*grown(50_000))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    made, added = (int(word) for word in done.stdout.split())
    assert made >= 50_000
    assert added < ALLOWED


if __name__ == "__main__":
    count, more = grown(int(sys.argv[1]))
    print(f"{count} steps; the last four fifths of them added {more} B")
    sys.exit(more >= ALLOWED)
