"""How far a command is, on stderr."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from backwater.cli.console import message

# Seconds between lines of progress without a terminal.
_LINE_EVERY_S = 5.0


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


class Generations:
    """How far the search is, on stderr, with the best so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.began = self.told = time.monotonic()
        self.first: dict[str, int] = {}

    def __call__(self, method: str, done: int, total: int, best: float | None) -> None:
        """After each generation."""
        now = time.monotonic()
        if method not in self.first:
            self.first[method], self.began = done, now
        if done < total and now - self.told < _LINE_EVERY_S:
            return
        self.told = now
        fresh = done - self.first[method]
        left = ""
        if fresh and done < total:
            left = f", about {(now - self.began) / fresh * (total - done):.0f} s left"
        shown = "–" if best is None else f"{best:.3f}"
        message(f"{self.name}: {method}, {done} of {total} runs, best {shown}{left}")
