"""The output of commands: data on stdout, messages on stderr, one document with --json.

It loads no library, because commands that start at once need it, too.
"""

from __future__ import annotations

import json
import math
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from backwater.errors import BackwaterError, visible

if TYPE_CHECKING:
    from backwater.present.tabular import Column, Table


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
    # `json.dump` writes to a pipe piece by piece, in three times the time.
    sys.stdout.write(json.dumps(_finite(document), allow_nan=False, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def fail(error: BackwaterError, as_json: bool) -> int:
    """Prints an error and returns its exit code."""
    if as_json:
        emit(error.document())
    message(str(error))
    return error.exit_code


def table(title: str | None, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """A table on stdout that fits the terminal; in a file or pipe it has every column."""
    from backwater.present import tabular

    show(tabular.Table(title, columns, list(rows)))


def show(what: Table) -> None:
    """Prints a table, and on stderr which columns the terminal is too narrow for."""
    from backwater.present import tabular

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    laid = tabular.lay_out(what, width)
    for line in laid.lines:
        data(line)
    if laid.absent:
        sys.stdout.flush()
        message(f"(too narrow for: {', '.join(laid.absent)}; --json has all)")


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _finite(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
