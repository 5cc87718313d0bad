"""How a metric is spread over many flows: boxes of quartiles, whiskers and outliers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backwater.present.numbers import metric_title
from backwater.present.plot.encoding import COLOURS, across, colours_of, y_unit
from backwater.present.plot.marks import Body, row_of
from backwater.present.plot.points import Grid, Point, label
from backwater.verdict.metrics import goodputs

if TYPE_CHECKING:
    from backwater.results.results import Results
    from backwater.study.figure import Figure

# Tukey's whiskers: they reach the farthest flow within so many interquartile ranges of the box.
WHISKERS = 1.5


def flow_means(results: Results, figure: Figure) -> list[tuple[Point, str]]:
    """For each combination and flow the mean over the seeds, and the flow's name."""
    pattern = figure.scope.partition(":")[2]
    axes = [axis.name for axis in results.study.axes]
    found: dict[tuple[tuple[str, ...], str], list[float]] = {}
    for case in results.cases:
        metrics = results.metrics(case.labels, case.seed)
        if metrics is None or any(case.labels[a] not in some for a, some in figure.where.items()):
            continue
        key = tuple(case.labels[axis] for axis in axes)
        for flow, value in goodputs(metrics, pattern, figure.y[0]).items():
            found.setdefault((key, flow), []).append(value)
    return [
        (
            Point(dict(zip(axes, key, strict=True)), sum(some) / len(some), None, None, len(some)),
            flow,
        )
        for (key, flow), some in found.items()
    ]


def boxes(results: Results, plan: Grid, figure: Figure, found: list[tuple[Point, str]]) -> Body:
    """A box for each value of x: quartiles, whiskers of 1.5 interquartile ranges, and outliers."""
    along = across(results, plan, discrete=True)
    unit = y_unit(figure.y[0], [point.mean for point, _ in found])
    y_title = unit.label(metric_title(figure.y[0], figure.scope, results.study.names))
    rows: list[dict[str, Any]] = []
    for point, flow in found:
        row = {**row_of(plan, point, unit), "flow": flow}
        row["x"] = along.values[label(point, plan.x)]
        rows.append(row)
    colours = colours_of(results, plan.x) if plan.x else {"": COLOURS[0]}
    names = list(along.values)
    shade = {
        "field": "x",
        "type": "nominal",
        "legend": None,
        "scale": {
            "domain": [along.values[name] for name in names],
            "range": [colours[name] for name in names],
        },
    }
    mark = {
        "type": "boxplot",
        "extent": WHISKERS,
        "size": 34,
        "ticks": True,
        "median": {"color": "white", "strokeWidth": 2},
        "outliers": {"shape": "cross", "filled": False, "size": 40},
    }
    y = {"field": "mean", "type": "quantitative", "title": y_title}
    view = {"mark": mark, "encoding": {"x": along.encoding, "y": y, "color": shade}}
    return Body(rows, view, {"titles": [along.title, y_title]})
