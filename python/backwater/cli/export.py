"""`backwater export`."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from backwater import _native
from backwater.cli import console, options
from backwater.errors import Refusal, Unfinished, nearest
from backwater.model import outputs
from backwater.results.results import Results

Columns = dict[str, list[Any]]


def command(
    folder: Annotated[
        Path, typer.Argument(help="What `study run` or `sweep` has written; or a recording.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="A .csv or .parquet file; default CSV on stdout.")
    ] = None,
    scope: Annotated[
        str, typer.Option(help="run, flow:<id>, class:<n>, port:<id> or drops:<place>.")
    ] = "run",
    long: Annotated[
        bool, typer.Option("--long", help="One row per case and metric, all scopes.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Export results as CSV or Parquet: one row per case."""
    if out is not None and out.suffix not in (".csv", ".parquet"):
        raise Refusal(
            f"`{out.name}` is neither .csv nor .parquet", place="--out", fix="name such a file"
        )
    if folder.is_file():
        return _record(folder, out, json)
    results = Results.open(folder)
    scopes = sorted({at for at, _ in results.names()})
    if not long and scopes and scope not in scopes:
        near = nearest(scope, scopes) or scopes[:12]
        raise Refusal(f"there is no scope `{scope}`", place="--scope", nearest=near, fix="name one")
    columns = results.long_table() if long else results.table(scope)
    if out is not None:
        outputs.distinct({"--out": out}, folder.iterdir())
        _write(columns, out)
        console.message(f"{len(next(iter(columns.values()), []))} rows in {out}")
    if json:
        console.emit(
            {
                "schema": "backwater/export/1",
                "version": _native.version(),
                "study": results.study.id,
                "file": None if out is None else str(out),
                "columns": list(columns),
                "rows": None if out is not None else _rows(columns),
            }
        )
    elif out is None:
        _csv(columns, sys.stdout)
    return 0


def _record(path: Path, out: Path | None, json: bool) -> int:
    """The events of a recorded run."""
    from backwater.model import record_file

    columns = record_file.read(path).named()
    if out is not None:
        outputs.distinct({"--out": out}, [path])
        _write(columns, out)
        console.message(f"{len(columns['what'])} rows in {out}")
    if json:
        console.emit(
            {
                "schema": "backwater/export/1",
                "version": _native.version(),
                "study": path.name,
                "file": None if out is None else str(out),
                "columns": list(columns),
                "rows": None if out is not None else _rows(columns),
            }
        )
    elif out is None:
        _csv(columns, sys.stdout)
    return 0


def _write(columns: Columns, out: Path) -> None:
    if not out.parent.is_dir():
        raise Unfinished(
            f"cannot write: there is no folder `{out.parent}`",
            place=str(out),
            fix="make the folder, or name another file",
        )
    try:
        if out.suffix == ".csv":
            text = io.StringIO(newline="")
            _csv(columns, text)
            outputs.save(out, text.getvalue())
        else:
            outputs.save(out, _parquet(columns))
    except OSError as error:
        raise Unfinished(
            f"cannot write: {error.strerror or error}", place=str(out), fix="name another file"
        ) from error


def _csv(columns: Columns, file: TextIO) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(_rows(columns))


def _parquet(columns: Columns) -> bytes:
    try:
        import polars
    except ImportError as error:
        raise Refusal(
            "polars is not installed", fix="pip install 'backwater[polars]', or export CSV"
        ) from error
    file = io.BytesIO()
    polars.DataFrame(columns, infer_schema_length=None).write_parquet(file)
    return file.getvalue()


def _rows(columns: Columns) -> list[list[Any]]:
    return [list(row) for row in zip(*columns.values(), strict=True)]
