"""Figures as files for papers: the report's own specifications, rendered without a browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import vl_convert

from backwater.present import plot, topology

if TYPE_CHECKING:
    from backwater.results.results import Results


def _svg(spec: dict[str, Any]) -> bytes:
    return vl_convert.vegalite_to_svg(spec).encode()


def _png(spec: dict[str, Any]) -> bytes:
    return vl_convert.vegalite_to_png(spec, scale=3)


def _pdf(spec: dict[str, Any]) -> bytes:
    return vl_convert.vegalite_to_pdf(spec)


FORMATS: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "svg": _svg,
    "png": _png,
    "pdf": _pdf,
}


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
