"""The cost of a hunt: evaluations a second of CPU, the engine's share, and what two cores give.

`python scripts/hunt_speed.py CONTROLLER…`. An evaluation is a run of 5 s at 12 Mbit/s with a new
genome. A whole hunt is run, with its three methods. The engine's part is the CPU time in which
the same environments, written out and read beforehand, are built and run to their end; the rest is
overhead. With one worker the caller's thread and the worker take turns, so the hunt has one core.
With two the next generation runs while the caller's thread writes the last one. The gain of two
cores is given twice: by CPU times, which a machine that others use gives, too, and which say what
two cores would give if none of them ever waited; and by the clock, which needs a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from backwater import _native
from backwater.model import scenario
from backwater.search import archive, methods, objectives, spaces
from backwater.search.request import HuntRequest
from backwater.search.settings import applied
from backwater.search.trials import Trials


@dataclass
class Cost:
    """Seconds of a hunt: CPU of all threads and of the caller's, the clock's; and its runs."""

    whole_s: float
    caller_s: float
    clock_s: float
    runs: int


def hunted(space: spaces.Space, controller: str, workers: int, evals: int, folder: Path) -> Cost:
    """A hunt with so many runs of each method."""
    goal = objectives.objective("waste", "f")
    read, _ = scenario.read(space.scene())
    trials = Trials(read, space, goal, [{"kind": controller}], ("f",), workers)
    request = HuntRequest(
        space=space,
        what=controller,
        target=None,
        against=None,
        objective="waste",
        seed=1,
        evals=evals,
        search="ga",
        shrink=False,
    )
    clock, whole, caller = time.perf_counter(), time.process_time(), time.thread_time()
    methods.hunt(request, trials, folder)
    whole, caller = time.process_time() - whole, time.thread_time() - caller
    return Cost(whole, caller, time.perf_counter() - clock, trials.runs)


def engine_s(space: spaces.Space, controller: str, folder: Path) -> float:
    """CPU seconds in which the hunt's environments are built and run, for all of its runs."""
    lines = [json.loads(line) for line in (folder / archive.NAME).read_text().splitlines()]
    seeds = next(line["seeds"] for line in lines if line.get("what") == "seeds")
    members = [one for line in lines for one in line.get("members", [])]
    taken = 0.0
    for one in members:
        genome = space.genome(one["genome"])
        made = applied(space.scene(), space.settings(genome))
        made["flows"]["f"]["controller"] = {"kind": controller}
        read, _ = scenario.read(made)
        for seed in seeds:
            resolved = read.resolve_once(seed)
            began = time.process_time()
            world = _native.World.of(resolved)
            world.advance(world.end_ps)
            taken += time.process_time() - began
    every: int = sum(line.get("runs", 0) for line in lines)
    return taken * every / (len(members) * len(seeds))


def report(name: str, controller: str, evals: int) -> str:
    """The costs of a space and a controller as a line."""
    space = spaces.SPACES[name]()
    with tempfile.TemporaryDirectory() as parent:
        # What is loaded once in a process is no cost of a run.
        hunted(space, controller, 1, 4, Path(parent) / "first")
        one = hunted(space, controller, 1, evals, Path(parent) / "one")
        two = hunted(space, controller, 2, evals, Path(parent) / "two")
        engine = engine_s(space, controller, Path(parent) / "one")
    batch = one.whole_s - one.caller_s
    return (
        f"{name}, {controller}: {one.runs / one.whole_s:.0f} evaluations a second a core; "
        f"the engine takes {1e3 * engine / one.runs:.2f} ms; beside it a batch takes "
        f"{100 * (batch / engine - 1):.1f} %, the search {100 * one.caller_s / engine:.1f} %, "
        f"{1e3 * one.caller_s / one.runs:.3f} ms; two cores {2 * one.whole_s / two.whole_s:.2f} "
        f"times one, by the clock {one.clock_s / two.clock_s:.2f}"
    )


def main() -> None:
    """A line for each space and controller."""
    parser = argparse.ArgumentParser(description="the cost of a hunt")
    parser.add_argument("controllers", nargs="+", metavar="CONTROLLER")
    parser.add_argument("--evals", type=int, default=300, help="runs of each method")
    parser.add_argument("--space", action="append", help="default link, traffic and steps")
    asked = parser.parse_args()
    for name in asked.space or ("link", "traffic", "steps"):
        for controller in asked.controllers:
            print(report(name, controller, asked.evals), flush=True)


if __name__ == "__main__":
    main()
