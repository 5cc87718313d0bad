"""Trials of scenarios with a class of the user's, each in a process that ends with what it does.

Such a run takes its changes as text, and its figures from its document. A class that raises, ends
its process or does not answer costs its own runs, which are named.
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
    threads: int,
) -> tuple[list[list[float]], list[int], list[tuple[int, str]]]:
    """Runs a scenario with each list of fields and its seed.

    Gives the figures of each run, fingerprints, and the runs that failed with the reason.
    """
    cases: list[_native.Resolved] = []
    places: list[int] = []
    failed: list[tuple[int, str]] = []
    values = [[math.nan] * len(figures) for _ in changes]
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
        found = json.loads(document)
        prints[at] = int(found["fingerprint"], 16)
        for place, name in enumerate(figures):
            try:
                values[at][place] = figure(found, name)
            except KeyError:
                failed.append((at, f"a run has no figure `{name}`"))

    workers.run_batch(cases, threads, done)
    return values, prints, sorted(failed)


def figure(document: Mapping[str, Any], name: str) -> float:
    """A figure of a document, such as `flows.f.goodput_bps`; not a number without a value."""
    section, _, rest = name.partition(".")
    found = document[section]
    if isinstance(found, list):
        row, _, rest = rest.rpartition(".")
        found = next((one for one in found if one["id"] == row.strip("\"'")), {})
    for key in rest.split("."):
        found = found[key]
    return math.nan if found is None else float(found)


def _first_line(error: str) -> str:
    return error.strip().splitlines()[0].removeprefix("error: ")
