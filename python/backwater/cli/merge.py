"""`backwater merge`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backwater import _native
from backwater.cli import console, options, progress_bar
from backwater.cli.batch import Batch, conclude, print_problems
from backwater.cli.study import show
from backwater.errors import EXIT_DONE
from backwater.study.merging import merge

NAME = "merge"


def command(
    folders: Annotated[
        list[Path], typer.Argument(help="What `study run --shard` or `sweep --shard` has written.")
    ],
    out: Annotated[Path, typer.Option(help="A new folder for the whole.")],
    json: options.Json = False,
) -> int:
    """Join the shards of one study or sweep, and judge its claims."""
    with progress_bar.Bar(NAME) as bar:
        batch = conclude(Batch(merge(folders, out), EXIT_DONE), bar)
    results = batch.results
    if json:
        console.emit(
            {
                "schema": "backwater/merge/1",
                "version": _native.version(),
                "study": results.study.id,
                "out": str(out),
                "folders": [str(folder) for folder in folders],
                "status": results.status,
                "report": None if batch.report is None else str(batch.report),
                "cases_done": results.finished,
                "cases_total": results.manifest["cases_total"],
                "fingerprint": results.fingerprint,
            }
        )
    elif results.claims:
        show(batch)
    console.message(f"{results.finished} of {results.manifest['cases_total']} cases in {out}")
    print_problems(batch)
    return batch.code
