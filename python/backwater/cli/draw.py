"""`backwater draw`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backwater import _native
from backwater.cli import console, options
from backwater.errors import EXIT_DONE, Refusal, Unfinished
from backwater.model import outputs
from backwater.model.simulate import resolve
from backwater.present import topology


def command(
    scenario: Annotated[Path, typer.Argument(help="A scenario in TOML or JSON.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A .svg or .png; default the terminal.")
    ] = None,
    json: options.Json = False,
) -> int:
    """Draw a scenario's network."""
    if out is not None and out.suffix not in (".svg", ".png"):
        raise Refusal(f"`{out.name}` is neither .svg nor .png", place="--out", fix="name such one")
    resolved = topology.seen(resolve(scenario, None, {})[0])
    if out is not None:
        outputs.distinct({"--out": out}, [scenario])
        try:
            topology.write(resolved, out)
        except OSError as error:
            what = f"cannot write: {error.strerror or error}"
            raise Unfinished(what, place=str(out), fix="name another file") from error
    if json:
        console.emit(
            {
                "schema": "backwater/draw/1",
                "version": _native.version(),
                "scenario": str(scenario),
                "file": None if out is None else str(out),
                "lines": topology.letters(resolved),
            }
        )
    elif out is None:
        for line in topology.letters(resolved):
            console.data(line)
    else:
        console.data(str(out))
    return EXIT_DONE
