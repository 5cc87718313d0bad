"""A metric over two axes of names: a cell for each pair, its colour and its number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from backwater.present.numbers import Unit, metric_title, number
from backwater.present.plot.encoding import COLOURS, INK
from backwater.present.plot.marks import Body, row_of
from backwater.present.plot.points import Grid, Point, anchor, axis_title, label

if TYPE_CHECKING:
    from backwater.results.results import Results
    from backwater.study.figure import Figure

CELL = {"width": {"step": 64}, "height": {"step": 34}}
# Harm is good where it is below zero and bad above; other metrics only grow.
DIVERGING, GROWING = ["#0072B2", "#f7f7f7", "#D55E00"], ["#f7fbff", "#0072B2"]


def matrix(
    results: Results, plan: Grid, figure: Figure, found: Sequence[Point], unit: Unit
) -> Body:
    """Rows are the values of `curve`, columns those of `x`."""
    title = metric_title(figure.y[0], figure.scope, results.study.names)
    # Ratios of like schemes lie within a few hundredths of 1.
    digits = 3 if figure.by == "ratio" else 2
    if figure.by == "harm":
        shade_title = f"Harm by {title.lower()}"
    else:
        shade_title = unit.label(f"{title}, ratio" if figure.by == "ratio" else title)
    rows = []
    for point in found:
        row = row_of(plan, point, unit)
        mean = row["mean"]
        row["x"] = label(point, plan.x)
        row["link"] = f"#{anchor(results, point.labels)}"
        row["shown"] = "–" if mean is None else _shown(mean, digits, figure.by)
        rows.append(row)
    columns, lines = plan.joined(plan.x), plan.joined(plan.curve)
    means = [row["mean"] for row in rows if row["mean"] is not None]
    x_title = " · ".join(axis_title(results, axis) for axis in plan.x)
    y_title = " · ".join(axis_title(results, axis) for axis in plan.curve)
    x: dict[str, Any] = {"field": "x", "type": "nominal", "sort": columns, "title": x_title}
    x["axis"] = {"labelAngle": 0 if max(map(len, columns)) < 9 else -30}
    y = {"field": "curve", "type": "nominal", "sort": lines, "title": y_title}
    if figure.by == "harm":
        scale: dict[str, Any] = {"domain": [-1, 0, 1], "range": DIVERGING, "clamp": True}
        dark = "abs(datum.mean) > 0.8"
    else:
        top = max(means, default=1.0)
        scale = {"domain": [0, top], "range": GROWING, "clamp": True}
        dark = f"datum.mean > {0.6 * top!r}"
    shade = {"field": "mean", "type": "quantitative", "title": shade_title, "scale": scale}
    shade["legend"] = {"gradientLength": 200, "orient": "top", "titleLimit": 600}
    tooltip = [
        {"field": "curve", "type": "nominal", "title": y_title},
        {"field": "x", "type": "nominal", "title": x_title},
        {"field": "text", "type": "nominal", "title": shade_title},
    ]
    told = {"condition": {"test": dark, "value": "white"}, "value": INK}
    # A click leads to the row of the combination in the table of all results.
    href = {"href": {"field": "link", "type": "nominal"}}
    layer = [
        {"mark": {"type": "rect"}, "encoding": {"color": shade, "tooltip": tooltip, **href}},
        {
            # The page's style finds the numbers by this name.
            "name": "cells",
            "mark": {"type": "text", "fontSize": 11},
            "encoding": {"text": {"field": "shown"}, "color": told, **href},
        },
    ]
    if figure.bounds:
        layer.append(_bounds(figure.bounds, lines, x, y))
    view = {"encoding": {"x": x, "y": y}, "layer": layer, **CELL}
    return Body(rows, view, {"titles": [x_title, shade_title]})


def _shown(mean: float, digits: int, by: str | None) -> str:
    """The number of a cell; harm is a share, of which a hundredth is little."""
    if by == "harm" and math.isfinite(mean):
        return f"{round(mean, 2) + 0.0:.2f}".replace("-", "−")
    return number(mean, digits)


def _bounds(
    bounds: Mapping[str, Mapping[str, str]], lines: Sequence[str], x: Any, y: Any
) -> dict[str, Any]:
    """A line for each bound, at the right edge of the last cell within it."""
    edges = [
        {"bound": name, "curve": row, "x": last}
        for name, rows in bounds.items()
        for row, last in rows.items()
        if row in lines
    ]
    across = {"field": "bound", "type": "nominal", "title": None, "sort": list(bounds)}
    legend = {"orient": "bottom", "labelLimit": 600, "symbolSize": 400}
    encoding = {
        "x": {**x, "bandPosition": 1},
        "y": {**y, "bandPosition": 0},
        "y2": {"field": "curve", "bandPosition": 1},
        "strokeDash": {**across, "legend": legend},
    }
    mark = {"type": "rule", "strokeWidth": 3, "color": COLOURS[1]}
    return {"data": {"values": edges}, "mark": mark, "encoding": encoding}
