"""Trials of scenarios with a class of the user's, each in a process that ends with what it does.

Such a run takes its changes as text. A class that raises, ends its process or does not answer costs
its own runs, which are named.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from backwater import _native
from backwater.errors import BackwaterError, refusing
from backwater.model import workers
from backwater.model.scenario import written


def tried(
    read: _native.Scenario,
    changes: Sequence[tuple[Mapping[str, Any], int]],
    figures: Sequence[str],
    looked: tuple[int, list[str]] | None,
    threads: int,
) -> tuple[list[list[float]], list[list[float]], list[int], list[tuple[int, str]]]:
    """Runs a scenario with each list of fields and its seed, and looks at flows at each interval.

    Gives the figures of each run, its looks, fingerprints, and the runs that failed with the
    reason.
    """
    cases: list[_native.Resolved] = []
    places: list[int] = []
    failed: list[tuple[int, str]] = []
    values = [[math.nan] * len(figures) for _ in changes]
    looks: list[list[float]] = [[] for _ in changes]
    prints = [0] * len(changes)
    for at, (fields, seed) in enumerate(changes):
        copy = read.copy()
        try:
            with refusing():
                for path, value in fields.items():
                    copy.set(path, written(value), f"set {path}")
                cases.append(copy.resolve_once(seed))
            places.append(at)
        except BackwaterError as error:
            failed.append((at, error.what))

    def done(index: int, document: str | None, error: str | None) -> None:
        at = places[index]
        if document is None:
            failed.append((at, _first_line(error or "the run did not end")))
            return
        values[at], looks[at], prints[at] = json.loads(document)

    workers.run_trials(cases, threads, done, list(figures), looked)
    return values, looks, prints, sorted(failed)


def _first_line(error: str) -> str:
    return error.strip().splitlines()[0].removeprefix("error: ")
