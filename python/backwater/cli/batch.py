"""What `study run` and `sweep` share: progress, being stopped, the report, the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backwater.cli import console
from backwater.errors import (
    EXIT_DONE,
    EXIT_INTERRUPTED,
    EXIT_TERMINATED,
    EXIT_UNEXPECTED,
    EXIT_UNFINISHED,
    BackwaterError,
    Terminated,
    Unfinished,
)
from backwater.results.results import Results
from backwater.results.store import DONE
from backwater.study.execution import Execution

REPORT = "report.html"
INDEX = "index.html"
# Failures and warnings are named one by one up to here; the store has them all.
_NAMED = 5


@dataclass
class Batch:
    """One study that ran, or what was left when it was stopped."""

    results: Results
    code: int
    report: Path | None = None
    error: BackwaterError | None = None

    @property
    def stopped(self) -> bool:
        """Whether the next study would meet the same end."""
        return self.error is not None or self.code in (EXIT_INTERRUPTED, EXIT_TERMINATED)


def go(execution: Execution) -> Batch:
    """Runs what has been prepared; what had finished is kept whatever stops it."""
    code, error = EXIT_DONE, None
    try:
        with console.Bar(execution.study.id) as bar:
            execution.progress = bar
            execution.notice = console.talk
            execution.run()
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except Terminated:
        code = EXIT_TERMINATED
    except Unfinished as stop:
        if execution.results is None:
            raise
        code, error = EXIT_UNFINISHED, stop
    if execution.results is None:
        raise KeyboardInterrupt if code == EXIT_INTERRUPTED else Terminated
    batch = Batch(execution.results, code, error=error)
    if code == EXIT_DONE:
        _write_report(batch)
        batch.code = {"ok": EXIT_DONE, "unexpected": EXIT_UNEXPECTED}.get(
            batch.results.status, EXIT_UNFINISHED
        )
        if batch.error is not None:
            batch.code = EXIT_UNFINISHED
    return batch


def _write_report(batch: Batch) -> None:
    from backwater.present import report

    folder = batch.results.folder
    assert folder is not None, "the command line always has a folder"
    try:
        report.write(batch.results, folder / REPORT)
        batch.report = folder / REPORT
    # Whatever is wrong with the page, the results are there and must be told.
    except Exception as error:
        batch.error = _unwritten(error, folder / REPORT)


def write_index(batches: Sequence[Batch], folder: Path) -> None:
    """Writes the page over several studies."""
    from backwater.present import report

    try:
        report.write_index([batch.results for batch in batches], folder / INDEX)
    except Exception as error:
        batches[-1].error = _unwritten(error, folder / INDEX)
        batches[-1].code = EXIT_UNFINISHED


def _unwritten(error: Exception, path: Path) -> Unfinished:
    # Half a page is worse than none.
    with suppress(OSError):
        path.unlink(missing_ok=True)
    if isinstance(error, OSError):
        why, fix = error.strerror or str(error), "make room, then run again with --resume"
    else:
        why = f"a bug in Backwater: {type(error).__name__}: {error}"
        fix = "please report it; the results are kept"
    return Unfinished(f"cannot write the report: {why}", place=str(path), fix=fix)


def tell(batch: Batch) -> None:
    """Says on stderr what went wrong, or may have."""
    warned = batch.results.warnings
    for text, cases in list(warned.items())[:_NAMED]:
        console.talk(f"warning in {cases} cases: {text}")
    if len(warned) > _NAMED:
        console.talk(
            f"and {len(warned) - _NAMED} more warnings, in the table warnings of the store"
        )
    found = failures(batch.results)
    for failure in found[:_NAMED]:
        console.talk(f"error: case {failure['case']}, seed {failure['seed']}: {failure['error']}")
    if len(found) > _NAMED:
        console.talk(f"error: and {len(found) - _NAMED} more cases failed")
    if batch.error is not None:
        console.talk(str(batch.error))
    if batch.code in (EXIT_INTERRUPTED, EXIT_TERMINATED):
        console.talk("interrupted; finished cases are kept, --resume continues")


def warnings(results: Results) -> list[dict[str, Any]]:
    """What the engine warned of."""
    return [{"text": text, "cases": cases} for text, cases in results.warnings.items()]


def failures(results: Results) -> list[dict[str, Any]]:
    """The cases that did not end well."""
    return [
        {"case": case.labels, "seed": case.seed, "status": case.status, "error": case.error}
        for case in results.cases
        if case.status != DONE
    ]


def cost(batches: Sequence[Batch]) -> dict[str, float]:
    """What all of them cost."""
    costs = [batch.results.cost for batch in batches]
    return {name: sum(one[name] for one in costs) for name in ("cpu_s", "wall_s")}


def exit_code(batches: Sequence[Batch]) -> int:
    """Interrupted before unfinished, unfinished before unexpected."""
    order = (EXIT_TERMINATED, EXIT_INTERRUPTED, EXIT_UNFINISHED, EXIT_UNEXPECTED)
    codes = {batch.code for batch in batches}
    return next((code for code in order if code in codes), EXIT_DONE)
