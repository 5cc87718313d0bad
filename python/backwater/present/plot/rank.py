"""Combinations from the smallest mean to the largest, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from backwater.present.numbers import Unit, metric_title
from backwater.present.plot.encoding import colour
from backwater.present.plot.marks import Body, row_of, where_of
from backwater.present.plot.points import Grid, Point, axis_title, label

if TYPE_CHECKING:
    from backwater.results.results import Results
    from backwater.study.figure import Figure


def ranking(
    results: Results, plan: Grid, figure: Figure, found: Sequence[Point], unit: Unit
) -> Body:
    """Combinations from the smallest mean to the largest, one line each."""
    rows: list[dict[str, Any]] = [
        {**row_of(plan, point, unit), "x": label(point, plan.x) or "all"} for point in found
    ]
    known = [row for row in rows if row["mean"] is not None]
    known.sort(key=lambda row: float(row["mean"]))
    if figure.ends is not None:
        rows = known = _ends(known, figure.ends)
    order = list(dict.fromkeys(row["x"] for row in [*known, *rows]))
    # Each panel has an order of its own.
    sort = {"field": "mean", "op": "mean"} if plan.panel else order
    title = " · ".join(axis_title(results, axis) for axis in plan.x)
    x_title = unit.label(metric_title(figure.y[0], figure.scope, results.study.names))
    tooltip = [
        {"field": "x", "type": "nominal", "title": title},
        {"field": "text", "type": "nominal", "title": x_title},
    ]
    # The title stands beyond the longest label, however long.
    named = {"grid": True, "labelPadding": 12, "maxExtent": 1000}
    encoding = {
        "y": {"field": "x", "type": "nominal", "sort": sort, "title": title, "axis": named},
        **colour(results, plan, shape=False),
    }
    layer: list[dict[str, Any]] = [
        {
            "transform": [{"filter": "datum.high !== null"}],
            "mark": {"type": "rule", "strokeWidth": 1.6},
            "encoding": {
                "x": {"field": "low", "type": "quantitative", "title": x_title},
                "x2": {"field": "high"},
            },
        },
        {
            "transform": [{"filter": "datum.mean !== null"}],
            "mark": {"type": "point", "size": 60},
            "encoding": {
                **colour(results, plan, shape=True),
                "x": {"field": "mean", "type": "quantitative", "title": x_title},
                "tooltip": tooltip,
            },
        },
    ]
    view = {"encoding": encoding, "layer": layer, "height": {"step": 20}}
    return Body(rows, view, {"titles": [title, x_title]}, free_rows=True)


def _ends(known: Sequence[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """The lowest and the highest rows of each panel; `known` is sorted."""
    panels: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in known:
        panels.setdefault(where_of(row), []).append(row)
    kept = []
    for some in panels.values():
        kept += some if len(some) <= 2 * count else [*some[:count], *some[-count:]]
    return kept
