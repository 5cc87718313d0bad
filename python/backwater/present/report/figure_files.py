"""Figures as files for papers: the report's own specifications, rendered without a browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from backwater.present import plot, topology
from backwater.present.chart_file import FORMATS

if TYPE_CHECKING:
    from backwater.results.results import Results


def figures(results: Results, folder: Path, formats: Sequence[str]) -> list[Path]:
    """Writes `study-figure.format` for every figure that can be drawn; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = list(results.study.figures)
    parts = plot.delay_figure(results)
    if parts is not None:
        drawn.append(parts)
    written = []
    for figure in drawn:
        try:
            spec = plot.spec(results, figure)
        except plot.FigureError:
            continue
        for name in formats:
            path = folder / f"{results.study.id}-{figure.id}.{name}"
            path.write_bytes(FORMATS[name](spec))
            written.append(path)
    drawing = topology.svg(results.resolved_example)
    if drawing and "svg" in formats:
        path = folder / f"{results.study.id}-topology.svg"
        path.write_text(drawing, encoding="utf-8")
        written.append(path)
    return written
