"""Two metrics against each other: delay from right to left, throughput upward, and the tangent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from backwater.present.numbers import Unit, metric_title
from backwater.present.plot.encoding import colour
from backwater.present.plot.marks import Body, row_of, scaled, text_of
from backwater.present.plot.points import Grid, Point

if TYPE_CHECKING:
    from backwater.results.results import Results
    from backwater.study.figure import Figure

MOST_NAMES = 8
# Where a name may stand beside its mark, in order of preference: what Vega-Lite needs, and where
# the name begins (as a factor of its width, and in pixels) and how much lower it stands.
PLACES: tuple[tuple[dict[str, Any], tuple[float, float, float]], ...] = (
    ({"dx": 6, "align": "left"}, (0.0, 6, 0)),
    ({"dx": -6, "align": "right"}, (-1.0, -6, 0)),
    ({"dy": -11, "align": "center"}, (-0.5, 0, -11)),
    ({"dy": 12, "align": "center"}, (-0.5, 0, 12)),
)
# The smallest plot in pixels, and how large a letter and a mark are on it.
PLOT, LETTER, LINE, MARK = (300.0, 220.0), 6.0, 12.0, 8.0

# Left, top, right and bottom in pixels.
Box = tuple[float, float, float, float]
# The title of the tangent.
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
        units[0].label(metric_title(figure.x_metric, figure.scope, results.study.names)),
        units[1].label(metric_title(figure.y[0], figure.scope, results.study.names)),
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
    tangents = _tangents(rows)
    layer += better()
    if not many:
        place_names(rows, tangents)
        layer += name_layers({"x": x, "y": y, **told})
    return Body(rows + tangents, {"layer": layer}, {"titles": titles})


def better(width: str = "width") -> list[dict[str, Any]]:
    """An arrow above the plot's right end, toward less delay and more throughput.

    It is drawn once for each row that has `said`; `width` is an expression for the plot's width.
    """
    text = {"type": "text", "baseline": "middle", "y": -11}
    # The fonts of charts have no arrow that points there: one that points to the right is turned.
    marks = [
        {
            **text,
            "text": "better",
            "fontSize": 11,
            "align": "right",
            "x": {"expr": f"{width} - 16"},
        },
        {
            **text,
            "text": "→",
            "fontSize": 15,
            "align": "center",
            "angle": -45,
            "x": {"expr": f"{width} - 7"},
        },
    ]
    return [
        {
            "transform": [{"filter": "isValid(datum.said)"}],
            "mark": mark,
            "encoding": {"color": {"value": "#666666"}},
        }
        for mark in marks
    ]


def name_layers(encoding: dict[str, Any]) -> list[dict[str, Any]]:
    """The names of rows that `place_names` has seen, a layer for each place."""
    return [
        {
            "transform": [{"filter": f"datum.beside === {number}"}],
            "mark": {"type": "text", "fontSize": 11, **beside},
            "encoding": {**encoding, "text": {"field": "name"}},
        }
        for number, (beside, _) in enumerate(PLACES)
    ]


def place_names(rows: Sequence[dict[str, Any]], tangents: Sequence[dict[str, Any]] = ()) -> None:
    """Puts each name beside its mark, where it covers least of other names and marks.

    `x` counts from the right end of the axis, on whatever scale it has; `mean` goes upward from 0.
    """
    right = max((row["x"] for row in rows), default=0.0) or 1.0
    top = max((row["mean"] for row in rows), default=0.0) or 1.0

    def at(row: dict[str, Any]) -> tuple[float, float]:
        return PLOT[0] * (1 - row["x"] / right), PLOT[1] * (1 - row["mean"] / top)

    panels: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        panels.setdefault(row.get("panel", ""), []).append(row)
    told = {end.get("panel", ""): end for end in tangents if "said" in end}
    for panel, some in panels.items():
        marks = [(x - MARK / 2, y - MARK / 2, x + MARK / 2, y + MARK / 2) for x, y in map(at, some)]
        names: list[Box] = []
        if panel in told:
            right_end, height = at(told[panel])
            left = right_end - 6 - LETTER * len(SAID)
            names.append((left, height - LINE / 2, right_end - 6, height + LINE / 2))
        for own, row in enumerate(some):
            taken = names + marks[:own] + marks[own + 1 :]
            boxes = [_box(at(row), LETTER * len(row["name"]), place) for _, place in PLACES]
            row["beside"] = min(range(len(boxes)), key=lambda n: _covers(boxes[n], taken))
            names.append(boxes[row["beside"]])


def _box(at: tuple[float, float], width: float, place: tuple[float, float, float]) -> Box:
    share, dx, dy = place
    left, middle = at[0] + dx + share * width, at[1] + dy
    return (left, middle - LINE / 2, left + width, middle + LINE / 2)


def _covers(box: Box, taken: Sequence[Box]) -> float:
    """Square pixels of what is taken, and of what lies outside the plot, under a box."""
    inside = _shared(box, (0.0, -LINE, *PLOT))
    outside = (box[2] - box[0]) * (box[3] - box[1]) - inside
    # Outside stand the labels of the axes.
    return 4 * outside + sum(_shared(box, other) for other in taken)


def _shared(a: Box, b: Box) -> float:
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return max(wide, 0.0) * max(high, 0.0)


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
