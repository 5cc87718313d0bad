"""Figures as files for papers: the report's own specifications, rendered without a browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backwater.model.outputs import save
from backwater.present import plot, topology
from backwater.present.chart_file import drawn as file_of
from backwater.present.plot import Claims
from backwater.present.svg_fonts import embedded

if TYPE_CHECKING:
    from backwater.results.results import Results


def drawn_example(results: Results) -> Mapping[str, Any]:
    """The scenario that a report draws. Results do not keep ways over trees: they are built."""
    example = results.resolved_example
    if not topology.has_trees(example):
        return example
    seed = int(results.manifest["seeds"][0])
    return topology.seen(results.study.resolved(results.example, seed, results.quick))


def figures(
    results: Results,
    folder: Path,
    formats: Sequence[str],
    width: float | None = None,
    claims: bool = False,
) -> list[Path]:
    """Writes `study-figure.format` for every figure that can be drawn; returns the files.

    Bounds of claims and their names are shown with `claims` only. `width` is in pixels.
    """
    folder.mkdir(parents=True, exist_ok=True)
    drawn = list(results.study.figures)
    parts = plot.delay_figure(results)
    if parts is not None:
        drawn.append(parts)
    written = []
    for figure in drawn:
        try:
            spec = plot.spec(results, figure, Claims.NAMES if claims else Claims.NONE)
        except plot.FigureError:
            continue
        for name in formats:
            path = folder / f"{results.study.id}-{figure.id}.{name}"
            save(path, file_of(spec, name, width))
            written.append(path)
    drawing = topology.svg(drawn_example(results))
    if drawing and "svg" in formats:
        path = folder / f"{results.study.id}-topology.svg"
        save(path, embedded(drawing))
        written.append(path)
    return written
