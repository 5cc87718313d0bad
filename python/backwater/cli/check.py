"""`backwater check`."""

from __future__ import annotations

from json import loads
from pathlib import Path
from typing import Annotated, Any

import typer

from backwater import _native
from backwater.cli import console, options
from backwater.errors import EXIT_DONE, EXIT_REFUSED, refusing
from backwater.model import scenario
from backwater.tools.problems import problems


def command(
    file: Annotated[Path, typer.Argument(help="A scenario (TOML, JSON) or study (Markdown).")],
    json: options.Json = False,
) -> int:
    """Name every problem of a file; nothing runs.

    Exit code 0 when there is none, 2 otherwise.
    """
    found = problems(file)
    # A stream has been read, and a study has many scenarios.
    known: dict[str, Any] = {"headroom": [], "warnings": []}
    if not found and file.suffix != ".md" and file.is_file():
        known = _mechanisms(file)
    if json:
        console.emit(
            {
                "schema": "backwater/check/1",
                "version": _native.version(),
                "file": str(file),
                "problems": [one.document()["error"] for one in found],
                **known,
            }
        )
    else:
        for one in found:
            console.message(f"{one}\n")
        count = {0: "no problem", 1: "1 problem"}.get(len(found), f"{len(found)} problems")
        console.data(f"{file}: {count}")
        for need in known["headroom"]:
            console.data(_headroom(need))
        for warning in known["warnings"]:
            console.message(f"warning: {warning}")
    return EXIT_REFUSED if found else EXIT_DONE


def _mechanisms(file: Path) -> dict[str, Any]:
    """The needs of a scenario's mechanisms, and the warnings about them."""
    with refusing():
        known: dict[str, Any] = loads(scenario.read(file)[0].resolve(None).mechanisms())
    return known


def _headroom(need: dict[str, Any]) -> str:
    """One place that a mechanism watches, and what its link needs above the mark."""
    size = need["frames"] * need["frame_B"]
    feeders = ", ".join(need["feeders"]) or "nobody"
    room = need["room_frames"]
    has = "" if room is None else f"; there is room for {room}"
    return (
        f"{need['port']} ({need['watches']}): {need['frames']} frames of {need['frame_B']} B "
        f"({size} B) may still come from {feeders} when the mark is crossed{has}"
    )
