"""Evaluations a second of CPU of a hunt: single runs of 5 s at 12 Mbit/s, each with a new genome.

`python scripts/hunt_speed.py CONTROLLER…`. Two threads are compared by the CPU time that an
evaluation takes: that is what the threads themselves cost, on a machine that others use as well.
"""

from __future__ import annotations

import sys
import time

from backwater.model import scenario
from backwater.search import objectives, spaces
from backwater.search.draws import Draws
from backwater.search.trials import Trials

RUNS = 192


def evaluations(space: spaces.Space, controller: str, workers: int) -> tuple[float, float]:
    """Evaluations a second of CPU, and the CPU seconds of the genomes alone."""
    goal = objectives.objective("waste", "f")
    read, _ = scenario.read(space.scene())
    trials = Trials(read, space, goal, [{"kind": controller}], ("f",), workers)
    began = time.process_time()
    genomes = [space.draw(Draws(1, "speed", number)) for number in range(RUNS)]
    drawn = time.process_time() - began
    began = time.process_time()
    trials.judge(genomes, (1,))
    return RUNS / (time.process_time() - began), drawn


def main() -> None:
    """A line for each space and controller."""
    for name in ("link", "traffic", "steps"):
        for controller in sys.argv[1:]:
            space = spaces.SPACES[name]()
            one, drawn = evaluations(space, controller, 1)
            two, _ = evaluations(space, controller, 2)
            print(
                f"{name}, {controller}: {one:.0f} evaluations a second a core; two threads make "
                f"{2 * two / one:.2f} times as many; "
                f"a genome is drawn in {1e3 * drawn / RUNS:.2f} ms"
            )


if __name__ == "__main__":
    main()
