"""`backwater new` and `backwater copy`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backwater import _native
from backwater.cli import console, options
from backwater.cli.complete import studies
from backwater.errors import EXIT_DONE
from backwater.tools import templates

NAME = "new"
COPY = "copy"
Folder = Annotated[Path, typer.Option("--out", "-o", help="The folder; default this one.")]
HERE = Path()


def _kinds(incomplete: str) -> list[str]:
    return [kind for kind in templates.KINDS if kind.startswith(incomplete)]


def command(
    kind: Annotated[
        str,
        typer.Argument(
            help="scenario, study, controller, controller-rust, controller-c, detector or aqm.",
            autocompletion=_kinds,
        ),
    ],
    name: Annotated[str, typer.Argument(help="Its name, such as my-queue.")],
    out: Folder = HERE,
    json: options.Json = False,
) -> int:
    """Write a commented file to begin with; it runs as it is, or once it is compiled."""
    written = templates.new(kind, name, out)
    verb = "study run" if kind == "study" else "run"
    then = f"backwater {verb} {written[0]}"
    if kind in templates.COMPILED:
        console.message(f"first compile {written[-1]} by the command in its head")
    return _say(NAME, written, then, json)


def copy(
    study: Annotated[
        str, typer.Argument(help="A study of this installation.", autocompletion=studies)
    ],
    out: Folder = HERE,
    json: options.Json = False,
) -> int:
    """Copy a shipped study, to be changed."""
    written = templates.copy(study, out)
    return _say(COPY, [written], f"backwater study run {written} --quick", json)


def _say(verb: str, written: list[Path], then: str, json: bool) -> int:
    if json:
        console.emit(
            {
                "schema": f"backwater/{verb}/1",
                "version": _native.version(),
                "files": [str(path) for path in written],
                "run": then,
            }
        )
        return EXIT_DONE
    for path in written:
        console.data(str(path))
    console.message(f"run it: {then}")
    return EXIT_DONE
