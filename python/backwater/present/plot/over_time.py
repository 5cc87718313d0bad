"""A run over time: one seed of each combination, run again with its series recorded.

A run is a pure function of scenario and seed, so the curves are those of the stored case. That is
checked by the case's key, which changes with the engine, the scenario and the traces.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from backwater.errors import BackwaterError
from backwater.model import workers
from backwater.present.numbers import Unit, dimension_of, metric_title, number
from backwater.present.plot import together
from backwater.present.plot.encoding import COLOURS, Shared, colours_of, distinct, scales, y_unit
from backwater.present.plot.marks import Body, scaled
from backwater.present.plot.points import Grid, axis_title, in_order, name_of

if TYPE_CHECKING:
    from backwater import _native
    from backwater.results.results import Case, Results
    from backwater.study.figure import Figure, Over

# The capacity of a link is an area behind its throughput.
GROUND, SHADE = "capacity_bps", "#c3d2de"
HEIGHT = 170
# Where the document has the series of a scope.
LISTS = {
    "port": "ports",
    "flow": "flows",
    "hop": "hops",
    "station": "stations",
    "class": "classes",
    "law": "laws",
}
X_TITLE = "Time (s)"


class StaleError(ValueError):
    """The stored cases cannot be run again as they were."""


def shown(results: Results, figure: Figure) -> list[Case]:
    """The first seed of every combination that belongs to the figure."""
    found: dict[str, Case] = {}
    for case in results.cases:
        if all(case.labels[axis] in some for axis, some in figure.where.items()):
            found.setdefault(json.dumps(case.labels), case)
    return list(found.values())


def grid(results: Results, figure: Figure, cases: Sequence[Case]) -> Grid:
    """Panels are the axes that take several values, unless they are curves."""
    labels = {}
    for axis in results.study.axes:
        present = {case.labels[axis.name] for case in cases}
        labels[axis.name] = in_order([label for label in axis.labels if label in present])
    curve = (figure.curve,) if figure.curve else ()
    rest = [name for name in labels if len(labels[name]) > 1 and name not in curve]
    if figure.panel in rest:
        rest.remove(figure.panel)
        rest.append(figure.panel)
    return Grid((), curve, tuple(rest), (), labels)


def over_time(results: Results, plan: Grid, figure: Figure, cases: Sequence[Case]) -> Body:
    """Steps over time: a curve for each metric or value, a panel for each other combination."""
    over = figure.over
    assert over is not None, "a figure over time has a span"
    rows: list[dict[str, Any]] = []
    for case in cases:
        panel = " · ".join(case.labels[axis] for axis in plan.panel)
        for name, values in series_of(results, figure, case).items():
            curve = case.labels[figure.curve] if figure.curve else name
            rows += _steps(over, values, {"curve": curve, "panel": panel})
    unit = y_unit(figure.y[0], [row["value"] for row in rows])
    for row in rows:
        value: float | None = row.pop("value")
        row["mean"] = scaled(value, unit)
        row["text"] = "–" if value is None else f"{number(value / unit.factor)} {unit.name}"
    titles = [X_TITLE, _y_title(results, figure, unit)]
    said = together.tell_apart(rows, list(dict.fromkeys(row["curve"] for row in rows)))
    known = [row["mean"] for row in rows if row["mean"] is not None]
    offered, begin = scales(Shared(unit, known), figure.y_scale)
    view = _view(results, figure, rows, titles)
    view["encoding"]["y"] |= {"scale": offered[begin]["scale"]}
    offered["linear"] = {**offered["linear"], "axis": {"tickCount": 5}}
    meta = {"titles": titles, "wide": True, "scales": offered, "scale": begin}
    return Body(rows, view, meta, said=said, omits_zeros=True)


def _steps(
    over: Over, values: Sequence[float | None], place: dict[str, Any]
) -> list[dict[str, Any]]:
    """A row at the start of each interval, and one that ends the last of them."""
    rows: list[dict[str, Any]] = []
    for index, measured in enumerate(values):
        at = index * over.every_s
        if at >= over.start_s and (over.end_s is None or at < over.end_s):
            row = {"x": round(at, 6), **place, "value": measured}
            rows.append({**row, "low": None, "high": None, "n": 1})
    if rows:
        end = rows[-1]["x"] + over.every_s
        end = end if over.end_s is None else min(end, over.end_s)
        rows.append({**rows[-1], "x": round(end, 6), "ends": True})
    return rows


def series_of(results: Results, figure: Figure, case: Case) -> dict[str, list[float | None]]:
    """The figure's series of a case: by metric, or by place where the figure has several."""
    assert figure.over is not None, "a figure over time has a span"
    series = again(results, case, figure.over.every)

    def at(scope: str) -> dict[str, list[float | None] | None]:
        kind, _, place = scope.partition(":")
        of: dict[str, list[float | None] | None] | None = series[LISTS[kind]].get(place)
        if of is None:
            raise StaleError(f"nothing is known over time of {scope}")
        return of

    if figure.places:
        return {name_of(scope): at(scope)[figure.y[0]] or [] for scope in figure.places}
    return {metric_title(name): at(figure.scope)[name] or [] for name in figure.y}


def again(results: Results, case: Case, every: str) -> dict[str, Any]:
    """The series of a case that is run again, once for all figures with these intervals."""
    known = results.reruns.get((case.key, every))
    if known is not None:
        return known
    resolved = resolved_of(results, case)
    if resolved.key() != case.key:
        raise StaleError("engine, scenario or traces have changed since: run the study again")
    try:
        document = workers.run_one(resolved, results.study.name, series=every)
    except BackwaterError as error:
        raise StaleError(f"the case cannot be run again: {error.what}") from error
    series: dict[str, Any] = document["series"]
    results.reruns[case.key, every] = series
    return series


def resolved_of(results: Results, case: Case) -> _native.Resolved:
    """The scenario of a case."""
    try:
        return results.study.resolved(case.labels, case.seed, results.quick)
    except BackwaterError as error:
        raise StaleError(f"the case cannot be run again: {error.what}") from error


def _y_title(results: Results, figure: Figure, unit: Unit) -> str:
    kind = dimension_of(figure.y[0]).capitalize()
    if len(figure.y) > 1:
        return unit.label(kind)
    named = figure.scope if figure.scope in results.study.names else "run"
    return unit.label(metric_title(figure.y[0], named, results.study.names))


def _view(
    results: Results, figure: Figure, rows: Sequence[dict[str, Any]], titles: Sequence[str]
) -> dict[str, Any]:
    curves = list(dict.fromkeys(row["curve"] for row in rows))
    ground = metric_title(GROUND) if GROUND in figure.y and len(figure.y) > 1 else None
    if figure.curve:
        known = distinct(curves, colours_of(results, (figure.curve,)))
        shades = [known[curve] for curve in curves]
    else:
        free = iter(COLOURS)
        shades = [SHADE if curve == ground else next(free) for curve in curves]
    x = {
        "field": "x",
        "type": "quantitative",
        "title": titles[0],
        "scale": {"zero": False, "nice": False},
        "axis": {"tickCount": 12},
    }
    y = {"field": "mean", "type": "quantitative", "title": titles[1], "axis": {"tickCount": 5}}
    color = {
        "field": "curve",
        "type": "nominal",
        "sort": curves,
        "title": axis_title(results, figure.curve) if figure.curve else None,
        "scale": {"domain": curves, "range": shades},
        "legend": {"symbolType": "square"} if len(curves) > 1 else None,
    }
    tooltip = [
        {"field": "x", "type": "quantitative", "title": titles[0]},
        {"field": "curve", "type": "nominal", "title": "curve"},
        {"field": "text", "type": "nominal", "title": titles[1]},
    ]
    area = {"type": "area", "interpolate": "step-after", "opacity": 1, "line": False}
    line = {"type": "line", "interpolate": "step-after", "strokeWidth": 1.6}
    at = json.dumps(ground)
    layer: list[dict[str, Any]] = [
        {"transform": [{"filter": f"datum.curve === {at}"}], "mark": area},
        {
            "transform": [{"filter": f"datum.curve !== {at}"}],
            "mark": line,
            "encoding": together.apart(rows),
        },
    ]
    encoding = {"x": x, "y": y, "color": color, "tooltip": tooltip}
    return {
        "height": HEIGHT,
        "encoding": encoding,
        "layer": layer if ground is not None else layer[1:],
    }
