"""Empirical distributions: which share of the flows, or of the runs, has at most a value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from backwater.present.numbers import metric_title
from backwater.present.plot import over_time
from backwater.present.plot.encoding import PLAIN, Shared, colour, scales, y_unit
from backwater.present.plot.marks import Body, row_of, scaled
from backwater.present.plot.points import Grid, Point, values
from backwater.verdict.metrics import goodputs, several

if TYPE_CHECKING:
    from backwater.results.results import Results
    from backwater.study.figure import Figure

TITLE = "Share of {what} with at most this"


def shares(results: Results, figure: Figure) -> list[tuple[Point, list[float]]]:
    """For each combination all values, in order: of every flow and seed, or of every seed.

    An axis that the figure does not name is no curve or panel of its own: its values are joined.
    """
    named = {axis for axis in (figure.curve, figure.panel) if axis}
    axes = results.study.axes
    found: dict[tuple[str, ...], list[float]] = {}
    whole = several(figure.scope) or figure.over is not None
    known = {} if whole else values(results, figure.y[0], figure.scope)
    # Series are kept by running a case again: one seed.
    cases = results.cases if figure.over is None else over_time.shown(results, figure)
    for case in cases:
        if any(case.labels[axis] not in some for axis, some in figure.where.items()):
            continue
        key = tuple(case.labels[axis.name] if axis.name in named else "" for axis in axes)
        found.setdefault(key, []).extend(_of(results, figure, case, known))
    names = [axis.name for axis in axes]
    return [
        (Point(dict(zip(names, key, strict=True)), None, None, None, len(some)), sorted(some))
        for key, some in found.items()
        if some
    ]


def _of(results: Results, figure: Figure, case: Any, known: dict[str, float | None]) -> list[float]:
    if figure.over is not None:
        (series,) = over_time.series_of(results, figure, case).values()
        first, last = int(figure.over.start_s / figure.over.every_s), None
        if figure.over.end_s is not None:
            last = math.ceil(figure.over.end_s / figure.over.every_s)
        return [value for value in series[first:last] if value is not None]
    if not several(figure.scope):
        value = known.get(case.key)
        return [] if value is None else [value]
    metrics = results.metrics(case.labels, case.seed)
    if metrics is None:
        return []
    return list(goodputs(metrics, figure.scope.partition(":")[2], figure.y[0]).values())


def ecdf(
    results: Results, plan: Grid, figure: Figure, found: Sequence[tuple[Point, list[float]]]
) -> Body:
    """A step at each value, from 0 to 100 %."""
    unit = y_unit(figure.y[0], [value for _, some in found for value in some])
    x_title = unit.label(metric_title(figure.y[0], figure.scope, results.study.names))
    what = "flows" if several(figure.scope) else "runs"
    if figure.over is not None:
        what = f"intervals of {figure.over.every}"
    y_title = f"{TITLE.format(what=what)} (%)"
    rows: list[dict[str, Any]] = []
    for point, some in found:
        place = {key: value for key, value in row_of(plan, point, unit).items() if key != "text"}
        for number, value in enumerate([some[0], *some]):
            share = 100.0 * number / len(some)
            at = {"x": scaled(value, unit), "mean": float(f"{share:.6g}")}
            rows.append({**place, **at, "text": f"{share:.3g} % of {len(some)} {what}"})
    known = colour(results, plan, shape=False)
    axis = {"values": [0, 25, 50, 75, 100], **PLAIN}
    along: dict[str, Any] = {"scale": {"zero": False}}
    if figure.y_scale != "linear":
        # The metric lies along x.
        offered, begin = scales(Shared(unit, [row["x"] for row in rows]), figure.y_scale)
        along = offered[begin]
    encoding: dict[str, Any] = {
        "x": {"field": "x", "type": "quantitative", "title": x_title, **along},
        "y": {
            "field": "mean",
            "type": "quantitative",
            "title": y_title,
            "scale": {"domain": [0, 100]},
            "axis": axis,
        },
        **known,
        "tooltip": [
            {"field": "x", "type": "quantitative", "title": x_title},
            *([{"field": "curve", "type": "nominal", "title": "curve"}] if plan.curve else []),
            {"field": "text", "type": "nominal", "title": "Share"},
        ],
    }
    mark = {"type": "line", "interpolate": "step-after", "strokeWidth": 1.8, "clip": True}
    return Body(rows, {"mark": mark, "encoding": encoding}, {"titles": [x_title, y_title]})
