"""Slowdown by the size of the transfer, in ten parts of equal count, as papers plot it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from backwater.present.numbers import metric_title, number, unit_for
from backwater.present.plot.encoding import Shared, colour, scales, y_unit
from backwater.present.plot.labels import upright
from backwater.present.plot.marks import Body, row_of
from backwater.present.plot.points import Grid, Point, grid, label, points

if TYPE_CHECKING:
    from backwater.results.results import Results
    from backwater.study.figure import Figure

TENTHS = 10
# Names that no axis of a study can have.
TENTH, METRIC = "size of the transfer", "percentile of the slowdown"
X_TITLE = "Largest transfer of each tenth"


def tenths(results: Results, figure: Figure) -> list[Point]:
    """A point for each combination, metric and tenth that has transfers."""
    shown = _sizes(results, figure)
    found = [
        replace(point, labels={**point.labels, TENTH: size, METRIC: metric_title(metric)})
        for metric in figure.y
        for tenth, size in enumerate(shown)
        for point in points(results, f"{metric}_tenth{tenth}", "run", figure.where)
    ]
    return [point for point in found if point.mean is not None]


def _sizes(results: Results, figure: Figure) -> list[str]:
    """The largest size of each tenth, mean over what the figure shows."""
    means = []
    for tenth in range(TENTHS):
        known = points(results, f"size_max_B_tenth{tenth}", "run", figure.where)
        sizes = [point.mean for point in known if point.mean is not None]
        means.append(sum(sizes) / len(sizes) if sizes else 0.0)
    shown: list[str] = []
    for mean in means:
        unit = unit_for("size", [mean])
        text = f"{number(mean / unit.factor, 2)} {unit.name}"
        # Tenths of one size are told apart.
        shown.append(text if text not in shown else f"{text} ({shown.count(text) + 1})")
    return shown


def size_grid(results: Results, figure: Figure, found: Sequence[Point]) -> Grid:
    """Curves as the figure says; a panel for each percentile, and for what else varies."""
    plan = grid(results, replace(figure, kind="line", places=()), found)
    sizes = list(dict.fromkeys(point.labels[TENTH] for point in found))
    metrics = list(dict.fromkeys(point.labels[METRIC] for point in found))
    labels = {**plan.labels, TENTH: tuple(sizes), METRIC: tuple(metrics)}
    curve = (figure.curve,) if figure.curve else ()
    rest = tuple(
        axis
        for axis in (*plan.panel, *plan.chosen)
        if axis not in curve and len(plan.labels[axis]) > 1
    )
    panel = (*rest, METRIC) if len(metrics) > 1 else rest
    return Grid((TENTH,), curve, panel, (), labels, sorted=True)


def by_size(results: Results, plan: Grid, figure: Figure, found: Sequence[Point]) -> Body:
    """A line for each curve; tenths stand at equal distances."""
    unit = y_unit(figure.y[0], [point.mean for point in found])
    y_title = unit.label(
        metric_title(figure.y[0]) if len(figure.y) == 1 else "Slowdown of transfers"
    )
    sizes = list(plan.labels[TENTH])
    rows = [{**row_of(plan, point, unit), "x": label(point, plan.x)} for point in found]
    offered, begin = scales(Shared(unit, [row["mean"] for row in rows], least=None), figure.y_scale)
    width = 300.0 if len(plan.joined(plan.panel)) > 1 else 520.0
    encoding: dict[str, Any] = {
        "x": {
            "field": "x",
            "type": "nominal",
            "sort": sizes,
            "title": X_TITLE,
            "axis": upright(sizes, width),
        },
        "y": {"field": "mean", "type": "quantitative", "title": y_title, **offered[begin]},
        **colour(results, plan, shape=False),
    }
    tooltip = [
        {"field": "x", "type": "nominal", "title": X_TITLE},
        *([{"field": "curve", "type": "nominal", "title": "curve"}] if plan.curve else []),
        {"field": "text", "type": "nominal", "title": y_title},
    ]
    layer = [
        {"mark": {"type": "line", "clip": True}},
        {
            "mark": {"type": "point"},
            "encoding": {**colour(results, plan, shape=True), "tooltip": tooltip},
        },
    ]
    meta = {"scales": offered, "scale": begin, "titles": [X_TITLE, y_title]}
    return Body(rows, {"encoding": encoding, "layer": layer}, meta)
