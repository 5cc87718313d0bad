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
from typing import Annotated, Any, TextIO

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


def sentence(text: str) -> None:
    """A sentence on stdout, in lines that fit the terminal."""
    data(_fitted(text, sys.stdout))


def message(text: str) -> None:
    """Sentences on stderr, in lines that fit the terminal."""
    sys.stderr.write(_fitted(visible(text), sys.stderr) + "\n")


def _fitted(text: str, stream: TextIO) -> str:
    """Wraps lines between words where they are wider than the terminal; ids stay whole."""
    if not stream.isatty():
        return text
    width = shutil.get_terminal_size().columns
    lines: list[str] = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())] + "  "
        wrapped = textwrap.wrap(
            line,
            width,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines += wrapped if len(line) > width else [line]
    return "\n".join(lines)


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
        self.what = "cases"
        self.began = time.monotonic()
        self.told = self.began
        self.at_start: int | None = None
        self.bar: Progress | None = None

    def __enter__(self) -> Bar:
        if sys.stderr.isatty():
            self.bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(bar_width=None),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                # The bar takes what the terminal's width leaves.
                expand=True,
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

    def stage(self, title: str, what: str) -> None:
        """Begins the next stage on the same line; it counts other things, from zero."""
        self.name, self.what = f"{self.name.partition(':')[0]}: {title}", what
        self.began = self.told = time.monotonic()
        # Nothing of a stage is there before it begins.
        self.at_start = 0
        if self.bar is not None:
            self.bar.reset(self.task, description=self.name, total=None)

    def __call__(self, done: int, total: int) -> None:
        """Shows how many cases, or parts of a later stage, are done."""
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
        message(f"{self.name}: {done} of {total} {self.what}, {self._left(done, total, now)}")

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
