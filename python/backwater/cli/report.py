"""`backwater report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backwater import _native
from backwater.cli import console, options, progress_bar
from backwater.cli.batch import REPORT
from backwater.errors import Refusal, Unfinished
from backwater.model import outputs
from backwater.results.results import Results

FORMATS = ("svg", "png", "pdf")


def command(
    folder: Annotated[Path, typer.Argument(help="What `study run` or `sweep` has written.")],
    out: Annotated[
        Path | None, typer.Option(help="The HTML file; default report.html in the folder.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(help="Write the figures into this folder instead.")
    ] = None,
    format_: Annotated[
        str, typer.Option("--format", help="Formats of the figures: svg, png, pdf, with commas.")
    ] = "svg",
    width: Annotated[
        str | None,
        typer.Option(help="How wide figures are on paper, such as 8.5cm; also mm, in, pt."),
    ] = None,
    claims: Annotated[
        bool, typer.Option("--claims", help="Bounds of claims, with their ids, in the figures.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Write the report, or the figures, of results again."""
    from backwater.present import chart_file, report

    if figures is None and (width is not None or claims):
        place = "--width" if width is not None else "--claims"
        raise Refusal("a report has no such option", place=place, fix="add --figures FOLDER")
    wide = chart_file.width_px(width)
    if figures is not None and out is not None:
        raise Refusal("--out and --figures are both given", fix="keep one")
    formats = _formats(format_)
    results = Results.open(folder)
    outputs.distinct({"--out": out}, (path for path in folder.iterdir() if path.name != REPORT))
    try:
        if figures is not None:
            figures.mkdir(parents=True, exist_ok=True)
            written = report.figures(results, figures, formats, wide, claims)
        else:
            written = [out or folder / REPORT]
            with progress_bar.Bar(results.study.id) as bar:
                bar.stage("report", "figures")
                report.write(results, written[0], bar)
    except OSError as error:
        raise Unfinished(
            f"cannot write: {error.strerror}",
            place=str(error.filename or figures or out or folder),
            fix="make room, or name a place you can write to",
        ) from error
    if json:
        console.emit(
            {
                "schema": "backwater/report/1",
                "version": _native.version(),
                "study": results.study.id,
                "files": [str(path) for path in written],
            }
        )
    else:
        for path in written:
            console.data(str(path))
    return 0


def _formats(written: str) -> list[str]:
    formats = [one.strip() for one in written.split(",")]
    for one in formats:
        if one not in FORMATS:
            raise Refusal(
                f"`{one}` is not a format of figures",
                place="--format",
                nearest=FORMATS,
                fix="write svg, png or pdf",
            )
    return list(dict.fromkeys(formats))
