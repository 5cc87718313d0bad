"""What commands print: data on stdout, messages on stderr, one document with --json."""

from __future__ import annotations

import json
import math
import shutil
import sys
import textwrap
import time
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from backwater.errors import BackwaterError, visible
from backwater.present.tabular import Column, Table, lay_out

Json = Annotated[bool, typer.Option("--json", help="Print exactly one JSON document on stdout.")]
MaxWall = Annotated[
    float | None, typer.Option(help="Seconds after which a run, or a case, is ended.")
]
MaxMemory = Annotated[
    str | None,
    typer.Option(
        help='Memory of the process at which a run, or a case, is ended: "4 GB"; default 80 % '
        "of the machine's."
    ),
]
MaxCases = Annotated[int | None, typer.Option(min=1, help="Most cases; default 100,000.")]
Shard = Annotated[
    str | None,
    typer.Option(metavar="I/N", help="Run the I-th of N parts of the cases; `merge` joins them."),
]
Dask = Annotated[
    str | None,
    typer.Option(
        metavar="SCHEDULER",
        help="Run the cases on the workers of a scheduler of dask.distributed, such as "
        "tcp://host:8786.",
    ),
]
# Seconds between lines of progress without a terminal.
_LINE_EVERY_S = 5.0


def data(text: str) -> None:
    """A line on stdout."""
    sys.stdout.write(text + "\n")


def message(text: str) -> None:
    """A line on stderr."""
    sys.stderr.write(visible(text) + "\n")


def paragraph(text: str) -> None:
    """A sentence on stderr, in lines that fit the terminal."""
    width = shutil.get_terminal_size().columns if sys.stderr.isatty() else None
    for line in [text] if width is None else textwrap.wrap(text, width):
        message(line)


def emit(document: Mapping[str, Any]) -> None:
    """The one document of --json; what is not a number becomes null."""
    json.dump(_finite(document), sys.stdout, allow_nan=False, ensure_ascii=False)
    sys.stdout.write("\n")
    sys.stdout.flush()


def fail(error: BackwaterError, as_json: bool) -> int:
    """Prints an error and returns its exit code."""
    if as_json:
        emit(error.document())
    message(str(error))
    return error.exit_code


def table(title: str | None, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """A table on stdout that fits the terminal; in a file or pipe it has every column."""
    show(Table(title, columns, list(rows)))


def show(what: Table) -> None:
    """Prints a table, and on stderr which columns the terminal is too narrow for."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    laid = lay_out(what, width)
    for line in laid.lines:
        data(line)
    if laid.absent:
        sys.stdout.flush()
        message(f"(too narrow for: {', '.join(laid.absent)}; --json has all)")


class Bar:
    """Progress on stderr: a bar with the time left on a terminal, plain lines elsewhere."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.began = time.monotonic()
        self.told = self.began
        self.at_start: int | None = None
        self.bar: Progress | None = None

    def __enter__(self) -> Bar:
        if sys.stderr.isatty():
            self.bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
            )
            self.bar.start()
            self.task = self.bar.add_task(self.name, total=None)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.stop()

    def __call__(self, done: int, total: int) -> None:
        """Shows how many cases are done."""
        if self.at_start is None:
            self.at_start = done
            if done:
                message(f"{self.name}: {done} of {total} cases are there already")
        if self.bar is not None:
            self.bar.update(self.task, completed=done, total=total)
            return
        now = time.monotonic()
        if done < total and now - self.told < _LINE_EVERY_S:
            return
        self.told = now
        message(f"{self.name}: {done} of {total} cases, {self._left(done, total, now)}")

    def _left(self, done: int, total: int, now: float) -> str:
        spent = now - self.began
        fresh = done - (self.at_start or 0)
        if done == total or not fresh:
            return f"{spent:.0f} s"
        return f"{spent:.0f} s, about {spent / fresh * (total - done):.0f} s left"


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _finite(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
