"""`backwater check`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backwater import _native
from backwater.cli import console, options
from backwater.errors import EXIT_DONE, EXIT_REFUSED
from backwater.tools.problems import problems


def command(
    file: Annotated[Path, typer.Argument(help="A scenario (TOML, JSON) or study (Markdown).")],
    json: options.Json = False,
) -> int:
    """Name every problem of a file; nothing runs.

    Exit code 0 when there is none, 2 otherwise.
    """
    found = problems(file)
    if json:
        console.emit(
            {
                "schema": "backwater/check/1",
                "version": _native.version(),
                "file": str(file),
                "problems": [one.document()["error"] for one in found],
            }
        )
    else:
        for one in found:
            console.message(f"{one}\n")
        count = {0: "no problem", 1: "1 problem"}.get(len(found), f"{len(found)} problems")
        console.data(f"{file}: {count}")
    return EXIT_REFUSED if found else EXIT_DONE
