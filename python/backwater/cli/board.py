"""`backwater board`."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from backwater import _native
from backwater.cli import console, options
from backwater.errors import EXIT_DONE, Refusal, Unfinished

NAME = "board"


def command(
    context: typer.Context,
    candidates: Annotated[
        list[str], typer.Argument(metavar="CANDIDATE…", help="As `backwater evolve` takes them.")
    ],
    hunts: Annotated[
        Path | None, typer.Option(metavar="DIR", help="NAME.json of `backwater hunt NAME --json`.")
    ] = None,
    scorecards: Annotated[
        Path | None, typer.Option(metavar="DIR", help="NAME.json of `backwater scorecard --json`.")
    ] = None,
    make: Annotated[
        bool, typer.Option("--make", help="Run the quick scorecards that DIR lacks: minutes each.")
    ] = False,
    out: Annotated[Path, typer.Option(metavar="BOARD.html", help="The page.")] = Path("board.html"),
    workers: options.Workers = None,
    json: options.Json = False,
) -> int:
    """Write a page that compares controllers: a row for each."""
    from backwater.evolve import candidate, leaderboard
    from backwater.evolve.evaluate import Evaluator
    from backwater.model.machine import available_cores

    if out.suffix != ".html" or not out.parent.is_dir():
        raise Refusal("this is no page", place=str(out), fix="name a .html in a folder")
    read = [candidate.read(name) for name in candidates]
    cores = workers or available_cores()
    if make:
        if scorecards is None:
            raise Refusal(
                "there is no folder for them", place="--make", fix="name --scorecards DIR"
            )
        leaderboard.make_scorecards(scorecards, read, cores)
    hunted, cards = (
        leaderboard.documents(hunts, candidates),
        leaderboard.documents(scorecards, candidates),
    )
    evaluator = Evaluator(cores)
    rows = []
    for one in read:
        console.message(f"{NAME}: {one.name}")
        rows.append(leaderboard.row(one, evaluator, hunted.get(one.name), cards.get(one.name)))
    said = shlex.join(["backwater", *context.obj[1:]])
    try:
        out.write_text(leaderboard.page(rows, _native.engine_id(), said), encoding="utf-8")
    except OSError as error:
        why = error.strerror or str(error)
        fix = "name another file"
        raise Unfinished(f"the page cannot be written: {why}", place=str(out), fix=fix) from error
    if json:
        console.emit(
            {
                "schema": "backwater/board/1",
                "version": _native.version(),
                "engine": _native.engine_id(),
                "page": str(out),
                "rows": [asdict(one) for one in rows],
            }
        )
    else:
        console.data(str(out))
    return EXIT_DONE
