"""`backwater diff`."""

from __future__ import annotations

import json as jsons
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import typer

from backwater import _native
from backwater.cli import console, options
from backwater.errors import EXIT_DONE, EXIT_UNEXPECTED, Refusal
from backwater.results.results import Results
from backwater.results.store import RESULT_TABLES


def command(
    a: Annotated[Path, typer.Argument(help="A recording of `run --record`, or a folder.")],
    b: Annotated[Path, typer.Argument(help="Another of the same kind.")],
    json: options.Json = False,
) -> int:
    """Name the first record in which two recordings, or two folders of results, differ.

    Exit code 0 when they are equal, 1 when they differ.
    """
    for path in (a, b):
        if not path.exists():
            raise Refusal("there is no such file", place=str(path), fix="correct the path")
    if a.is_dir() != b.is_dir():
        raise Refusal("a recording and a folder cannot be compared", fix="name two of one kind")
    first = _folders(a, b) if a.is_dir() else _recordings(a, b)
    if json:
        console.emit(
            {
                "schema": "backwater/diff/1",
                "version": _native.version(),
                "a": str(a),
                "b": str(b),
                "equal": first is None,
                "first": first,
            }
        )
    elif first is None:
        console.data("equal")
    else:
        console.data("\n".join(f"{name}: {_shown(value)}" for name, value in first.items()))
    return EXIT_DONE if first is None else EXIT_UNEXPECTED


def _recordings(a: Path, b: Path) -> dict[str, Any] | None:
    try:
        found = _native.diff(str(a), str(b))
    except (OSError, ValueError) as error:
        raise Refusal(
            f"cannot compare: {error}",
            fix="name two files that `backwater run --record` has written",
        ) from error
    if found is None:
        return None
    first: dict[str, Any] = jsons.loads(found)
    return first


def _folders(a: Path, b: Path) -> dict[str, Any] | None:
    """Compares rows in the order of their keys: the order of execution is no difference."""
    one, other = Results.open(a), Results.open(b)
    for table in RESULT_TABLES:
        for left, right in zip_longest(one.store.rows(table), other.store.rows(table)):
            if left != right:
                return {
                    "table": table,
                    "a": None if left is None else list(left),
                    "b": None if right is None else list(right),
                }
    return None


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else jsons.dumps(value, ensure_ascii=False)
