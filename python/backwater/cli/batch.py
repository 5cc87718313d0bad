"""Code that `study run`, `sweep` and `scorecard` share: progress, signals, report, exit code."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backwater.cli import console, progress_bar
from backwater.errors import (
    EXIT_DONE,
    EXIT_INTERRUPTED,
    EXIT_TERMINATED,
    EXIT_UNEXPECTED,
    EXIT_UNFINISHED,
    BackwaterError,
    Refusal,
    Terminated,
    Unfinished,
)
from backwater.results.results import Results
from backwater.results.store import DONE
from backwater.study.execution import Execution

REPORT = "report.html"
INDEX = "index.html"
# So many failures and warnings are printed; the store has all of them.
_NAMED = 5


@dataclass
class Batch:
    """A study that ran, or the part that had finished when it was stopped."""

    results: Results
    code: int
    report: Path | None = None
    error: BackwaterError | None = None

    @property
    def stopped(self) -> bool:
        """Whether the studies that follow must not run."""
        return self.error is not None or self.code in (EXIT_INTERRUPTED, EXIT_TERMINATED)


def run_study(execution: Execution) -> Batch:
    """Runs a prepared study; finished cases are kept if it is stopped."""
    code, error = EXIT_DONE, None
    try:
        with progress_bar.Bar(execution.study.id) as bar:
            execution.progress = bar
            execution.stage = bar.stage
            execution.notice = console.message
            execution.run()
            if execution.shard is None:
                assert execution.results is not None, "a study that has run has results"
                return conclude(Batch(execution.results, code), bar)
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
        batch.code = EXIT_UNFINISHED if failures(batch.results) else EXIT_DONE
    return batch


def conclude(batch: Batch, bar: progress_bar.Bar) -> Batch:
    """Writes the report, and says by the exit code what came out."""
    _write_report(batch, bar)
    batch.code = {"ok": EXIT_DONE, "unexpected": EXIT_UNEXPECTED}.get(
        batch.results.status, EXIT_UNFINISHED
    )
    if batch.error is not None:
        batch.code = EXIT_UNFINISHED
    return batch


def _write_report(batch: Batch, bar: progress_bar.Bar) -> None:
    from backwater.present import report

    folder = batch.results.folder
    assert folder is not None, "the command line always has a folder"
    try:
        bar.stage("report", "figures")
        report.write(batch.results, folder / REPORT, bar)
        batch.report = folder / REPORT
    # An error in the page must not hide the results.
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
    # No half-written page stays.
    with suppress(OSError):
        path.unlink(missing_ok=True)
    if isinstance(error, OSError):
        why, fix = error.strerror or str(error), "make room, then run again with --resume"
    else:
        why = f"a bug in Backwater: {type(error).__name__}: {error}"
        fix = "please report it; the results are kept"
    return Unfinished(f"cannot write the report: {why}", place=str(path), fix=fix)


def shard_of(written: str | None) -> tuple[int, int] | None:
    """Reads "2/5": the second of five parts of the cases."""
    if written is None:
        return None
    number, _, parts = written.partition("/")
    if number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts):
        return int(number), int(parts)
    fix = "write 1/4 to 4/4 for four parts"
    raise Refusal(f"`{written}` is no part of a whole", place="--shard", fix=fix)


def print_shard(batch: Batch, written: str) -> None:
    """Says what a shard has done, and how it goes on."""
    done, total = batch.results.finished, batch.results.manifest["cases_total"]
    console.data(f"shard {written} of {batch.results.study.id}: {done} of {total} cases")
    console.data("when all shards have run: backwater merge FOLDER… --out FOLDER")


def print_problems(batch: Batch) -> None:
    """Prints warnings and failed cases on stderr."""
    warned = batch.results.warned
    for one in warned[:_NAMED]:
        console.message(f"warning in {one.cases} case{'s' * (one.cases > 1)}: {one}")
    if len(warned) > _NAMED:
        console.message(
            f"and {len(warned) - _NAMED} more warnings, in the table warnings of the store"
        )
    for record in batch.results.claims:
        if record.get("warning"):
            console.message(f"warning: {record['id']}: {record['warning']}")
    found = failures(batch.results)
    for failure in found[:_NAMED]:
        console.message(
            f"error: case {failure['case']}, seed {failure['seed']}: {failure['error']}"
        )
    if len(found) > _NAMED:
        console.message(f"error: and {len(found) - _NAMED} more cases failed")
    if batch.error is not None:
        console.message(str(batch.error))
    if batch.code in (EXIT_INTERRUPTED, EXIT_TERMINATED):
        console.message("interrupted; finished cases are kept, --resume continues")


def warnings(results: Results) -> list[dict[str, Any]]:
    """The engine's warnings, with their number of cases."""
    return [{"text": text, "cases": cases} for text, cases in results.warnings.items()]


def failures(results: Results) -> list[dict[str, Any]]:
    """The cases that failed."""
    return [
        {"case": case.labels, "seed": case.seed, "status": case.status, "error": case.error}
        for case in results.cases
        if case.status != DONE
    ]


def cost(batches: Sequence[Batch]) -> dict[str, float]:
    """CPU and wall time of all studies."""
    costs = [batch.results.cost for batch in batches]
    return {name: sum(one[name] for one in costs) for name in ("cpu_s", "wall_s")}


def exit_code(batches: Sequence[Batch]) -> int:
    """The exit code: interrupted comes before unfinished, unfinished before unexpected."""
    order = (EXIT_TERMINATED, EXIT_INTERRUPTED, EXIT_UNFINISHED, EXIT_UNEXPECTED)
    codes = {batch.code for batch in batches}
    return next((code for code in order if code in codes), EXIT_DONE)
