"""Cases of a batch, or trials of a hunt, on a cluster of dask.distributed.

A task is one case, or a part of the trials. A task whose worker is lost runs again on another one.
The process that gave the batch out writes the rows, so a cluster needs no common disk but for the
files of a scenario.
"""

from __future__ import annotations

import asyncio
import importlib
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import Refusal, Unfinished
from backwater.model import worker
from backwater.model.workers import Done, run_batch

# Seconds in which a scheduler answers.
PATIENCE = "10 s"
# Tasks that are given out at once, so that the scheduler holds no more than it can use.
AHEAD = 1000
# Parts of the trials of a generation for each worker: the last one to end waits for few.
PARTS = 4

# The results of trials, as `_native.Running.found` gives them.
Tried = tuple[list[Any], list[Any], list[int], list[int], list[tuple[int, str]]]


def check(scheduler: str) -> None:
    """Raises Refusal where dask.distributed is absent, or no scheduler answers."""
    _client(scheduler).close()


def run_on(
    scheduler: str,
    cases: Sequence[_native.Resolved],
    done: Done,
    *,
    max_wall_s: float | None = None,
    max_memory: str | None = None,
) -> None:
    """Runs `cases` on a cluster, and calls `done(index, document, error)` as each finishes.

    `scheduler` is an address such as "tcp://host:8786". The budget is that of each case. Raises
    Refusal as `check` does, and Unfinished where there are no workers, or workers with another
    version of the engine.
    """
    client = _client(scheduler)
    try:
        _check_engines(client)
        for begin in range(0, len(cases), AHEAD):
            part = cases[begin : begin + AHEAD]
            _run_part(client, part, begin, done, max_wall_s, max_memory)
    finally:
        client.close()


class Trials:
    """The trials of a hunt on a cluster: what `_native.Trials` gives, whoever ran them.

    The connection stays until `close`. Raises as `run_on` does.
    """

    def __init__(self, scheduler: str) -> None:
        self._client = _client(scheduler)
        try:
            _check_engines(self._client)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the connection."""
        self._client.close()

    def __call__(
        self,
        bases: Sequence[_native.Resolved],
        patches: Sequence[list[tuple[Any, ...]]],
        figures: list[str],
        looks: tuple[int, list[str]] | None,
    ) -> Tried:
        """Runs each base with its patches; a base may come several times."""
        count = max(1, PARTS * len(self._client.nthreads()))
        bounds = [len(bases) * part // count for part in range(count + 1)]
        parts = [(a, b) for a, b in itertools.pairwise(bounds) if a < b]
        tasks = []
        for low, high in parts:
            kinds = list(dict.fromkeys(bases[low:high]))
            recipes = [_portable(base) for base in kinds]
            which = [kinds.index(base) for base in bases[low:high]]
            arguments = (recipes, which, list(patches[low:high]), figures, looks)
            tasks.append(self._client.submit(_trials, *arguments, pure=False))
        try:
            found: list[Tried] = self._client.gather(tasks)
        except (Refusal, Unfinished):
            raise
        except (Exception, asyncio.CancelledError) as failure:
            raise Unfinished(
                f"the workers did not finish these runs: {failure}",
                place="--dask",
                fix="give the same command again: what had been run is kept",
            ) from failure
        finally:
            self._client.cancel([task for task in tasks if not task.done()])
        failed = [
            (low + at, why)
            for (low, _), part in zip(parts, found, strict=True)
            for at, why in part[4]
        ]
        rows = [row for part in found for row in part[0]]
        grids = [grid for part in found for grid in part[1]]
        prints = [one for part in found for one in part[2]]
        return rows, grids, prints, [one for part in found for one in part[3]], failed


def _trials(
    recipes: Sequence[dict[str, Any]],
    which: Sequence[int],
    patches: list[list[tuple[Any, ...]]],
    figures: list[str],
    looks: tuple[int, list[str]] | None,
) -> Tried:
    """A task: some trials of a hunt, on one thread."""
    bases = [worker.made_again(recipe) for recipe in recipes]
    threads = _native.Trials(1)
    return threads.begin([bases[at] for at in which], patches, figures, looks).found()


def _distributed() -> Any:
    """The package, which has no types."""
    try:
        return importlib.import_module("distributed")
    except ImportError as error:
        raise Refusal(
            "dask.distributed is not installed",
            place="--dask",
            fix="pip install 'backwater[dask]'",
        ) from error


def _client(scheduler: str) -> Any:
    distributed = _distributed()
    try:
        return distributed.Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise Refusal(
            f"no scheduler answers at {scheduler}",
            place="--dask",
            fix="start one with `dask scheduler` and workers with `dask worker ADDRESS`",
        ) from error


def _check_engines(client: Any) -> None:
    found: dict[str, str] = client.run(_native.engine_id)
    other = [address for address, engine in found.items() if engine != _native.engine_id()]
    if not found or other:
        what = f"the engine of the worker {other[0]} is another one" if other else "no workers"
        raise Unfinished(
            what, place="--dask", fix="start workers with the same version of backwater"
        )


def _run_part(
    client: Any,
    cases: Sequence[_native.Resolved],
    begin: int,
    done: Done,
    max_wall_s: float | None,
    max_memory: str | None,
) -> None:
    budget = {"max_wall_s": max_wall_s, "max_memory": max_memory}
    tasks = [
        client.submit(_case, _portable(case), budget, pure=False, key=f"backwater-{case.key()}")
        for case in cases
    ]
    numbers = {task.key: number for number, task in enumerate(tasks, begin)}
    try:
        for task in _distributed().as_completed(tasks, loop=client.loop):
            # A worker may be lost before its result is fetched; then the task runs again.
            try:
                document, error = task.result()
            except (Exception, asyncio.CancelledError) as failure:
                document, error = None, f"its task failed: {failure}"
            done(numbers[task.key], document, error)
            task.release()
    finally:
        client.cancel([task for task in tasks if not task.done()])


def _portable(case: _native.Resolved) -> dict[str, Any]:
    """The recipe of a case, with the whole path of its folder."""
    recipe: dict[str, Any] = json.loads(case.recipe)
    if recipe["folder"] is not None:
        recipe["folder"] = str(Path(recipe["folder"]).resolve())
    return recipe


def _case(recipe: dict[str, Any], budget: dict[str, Any]) -> tuple[str | None, str | None]:
    """A task: the document of the case, or why it failed."""
    said: list[tuple[str | None, str | None]] = []
    try:
        resolved = worker.made_again(recipe)
    except (Refusal, Unfinished) as error:
        return None, str(error)
    run_batch([resolved], 1, lambda _, document, error: said.append((document, error)), **budget)
    return said[0]
