"""Two metrics against each other: delay from right to left, throughput upward, and the tangent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from backwater.plot.encoding import colour
from backwater.plot.marks import Body, row_of, scaled, text_of
from backwater.plot.points import Grid, Point
from backwater.quantity import Unit, metric_title

if TYPE_CHECKING:
    from backwater.figure import Figure
    from backwater.results import Results

MOST_NAMES = 8
# What the tangent is.
SAID = "equal y ÷ x: the best score"


def plane(
    results: Results,
    plan: Grid,
    figure: Figure,
    tables: tuple[Sequence[Point], Sequence[Point]],
    units: tuple[Unit, Unit],
) -> Body:
    """A mark for each combination, and in each panel the line from the origin to the best ratio.

    All points of such a line have the same y/x, so the tangent touches the best score.
    """
    assert figure.x_metric is not None, "a plane has a metric for x"
    rows: list[dict[str, Any]] = []
    for over, up in zip(*tables, strict=True):
        row = row_of(plan, up, units[1])
        row["x"] = scaled(over.mean, units[0])
        row["over"] = text_of(over, units[0], over.low)
        row["name"] = row.get("curve", "")
        rows.append(row)
    rows = [row for row in rows if row["x"] is not None and row["mean"] is not None]
    titles = [
        units[0].label(metric_title(figure.x_metric, figure.scope)),
        units[1].label(metric_title(figure.y[0], figure.scope)),
    ]
    x = {
        "field": "x",
        "type": "quantitative",
        "title": titles[0],
        "scale": {"reverse": True, "zero": True},
    }
    y = {"field": "mean", "type": "quantitative", "title": titles[1], "scale": {"zero": True}}
    # A few names stand beside the marks; many would cover each other, and stand above with shapes.
    many = bool(plan.curve) and len(plan.joined(plan.curve)) > MOST_NAMES
    told = {**colour(results, plan, shape=many)}
    if plan.curve and not many:
        told["color"] = {**told["color"], "legend": None}
    tooltip = [
        {"field": "name", "type": "nominal", "title": "case"},
        {"field": "over", "type": "nominal", "title": titles[0]},
        {"field": "text", "type": "nominal", "title": titles[1]},
    ]
    marks = {"transform": [{"filter": "!isValid(datum.tangent)"}]}
    layer: list[dict[str, Any]] = [
        {
            "transform": [{"filter": "isValid(datum.tangent)"}],
            "mark": {"type": "line", "strokeDash": [4, 3], "strokeWidth": 1.2},
            "encoding": {"x": x, "y": y, "color": {"value": "#888888"}},
        },
        {
            "transform": [{"filter": "isValid(datum.said)"}],
            "mark": {"type": "text", "align": "right", "dx": -6, "fontStyle": "italic"},
            "encoding": {
                "x": x,
                "y": y,
                "text": {"field": "said"},
                "color": {"value": "#666666"},
            },
        },
        {
            **marks,
            "mark": {"type": "point", "filled": True, "size": 60},
            "encoding": {"x": x, "y": y, **told, "tooltip": tooltip},
        },
    ]
    if not many:
        layer.append(
            {
                **marks,
                "mark": {"type": "text", "dx": 6, "align": "left", "fontSize": 11},
                "encoding": {"x": x, "y": y, **told, "text": {"field": "name"}},
            }
        )
    return Body(rows + _tangents(rows), {"layer": layer}, {"titles": titles})


def _tangents(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each panel two ends of the line through the origin with the greatest y/x."""
    panels: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["x"] > 0:
            panels.setdefault(row.get("panel", ""), []).append(row)
    ends = []
    for panel, some in panels.items():
        slope = max(row["mean"] / row["x"] for row in some)
        # It ends where it would leave the plot.
        reach = min(max(row["x"] for row in some), max(row["mean"] for row in some) / slope)
        for x in (0.0, reach):
            end = {"x": x, "mean": x * slope, "low": None, "high": None, "n": 0, "text": ""}
            ends.append({**end, "tangent": True, "panel": panel})
        ends[-1]["said"] = SAID
    return ends
