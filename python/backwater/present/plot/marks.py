"""The kinds of figure over an axis: curves with bands, bars or points, and stacked parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from backwater.present.numbers import Unit, metric_title, number
from backwater.present.plot import claims_drawn, together
from backwater.present.plot.claims_drawn import Claims
from backwater.present.plot.encoding import COLOURS, INK, Shared, across, colour, scales
from backwater.present.plot.points import Grid, Point, label

if TYPE_CHECKING:
    from backwater.results.results import Results
    from backwater.study.figure import Figure

PARTS = (COLOURS[5], COLOURS[0], COLOURS[1], COLOURS[7])


@dataclass(frozen=True)
class Body:
    """The view of one panel, its rows, and the y scales that the page may switch between."""

    rows: list[dict[str, Any]]
    view: dict[str, Any]
    meta: dict[str, Any] = field(default_factory=dict)
    free_rows: bool = False
    # The bounds of claims, which are rows of their own.
    bounds: list[dict[str, Any]] = field(default_factory=list)
    # Sentences that stand under the title.
    said: list[str] = field(default_factory=list)
    # Whether a panel of zeros is a sentence.
    omits_zeros: bool = False


# Rows of bounds have marks of their own.
_VALUES: list[dict[str, Any]] = [{"filter": "!isValid(datum.claim)"}]


def curves(
    results: Results,
    plan: Grid,
    figure: Figure,
    found: Sequence[Point],
    shared: Shared,
    claims: Claims,
) -> Body:
    """Means over x, one curve per value, with the confidence interval as a band."""
    unit = shared.unit
    along = across(results, plan)
    labels = plan.joined(plan.curve) if plan.curve else [""]
    rows = []
    for point in found:
        row = row_of(plan, point, unit)
        row["x"] = along.values[label(point, plan.x)]
        rows.append(row)
    _list_curves(rows, labels)
    _note_zeros(rows)
    bounds, said = claims_drawn.bounds(results, plan, figure, found, unit, along.values, claims)
    if plan.curve:
        said += together.tell_apart(rows, labels)
    offered, begin = scales(shared, figure.y_scale, _top(bounds))
    y_title = unit.label(metric_title(figure.y[0], figure.scope, results.study.names))
    y = {"field": "mean", "type": "quantitative", "title": y_title, **offered[begin]}
    x_listed = {"type": "quantitative" if along.numeric else "nominal", "title": along.title}
    tooltip = [
        {"field": "x", **x_listed},
        *(
            {"field": f"c{i}", "type": "nominal", "title": text or y_title}
            for i, text in enumerate(labels)
        ),
    ]
    hair, stripe = _ruler(along.encoding, tooltip, len(along.values))
    line = _line(results, plan, along.numeric)
    line[0]["encoding"] |= together.apart(rows)
    layer = [hair, _band(along.numeric), *line, _NOTE, stripe]
    encoding = {"x": along.encoding, "y": y, **colour(results, plan, shape=False)}
    if plan.curve:
        _fade(layer)
    if bounds:
        layer += claims_drawn.layers(figure, along.numeric, unit, claims)
    view = {"encoding": encoding, "layer": layer}
    meta = {"scales": offered, "scale": begin, "titles": [along.title, y_title]}
    return Body(rows, view, meta, bounds=bounds, said=said, omits_zeros=True)


def _top(bounds: Sequence[dict[str, Any]]) -> float | None:
    return max((row["edge"] for row in bounds), default=None)


_NOTE: dict[str, Any] = {
    "transform": [{"filter": "isValid(datum.note)"}],
    "mark": {"type": "text", "dy": -12, "fontSize": 12, "fontStyle": "italic"},
    "encoding": {"text": {"field": "note"}, "color": {"value": "#666666"}},
}


def _band(numeric: bool) -> dict[str, Any]:
    encoding = {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}
    if numeric:
        # Like the line, an area breaks where a point is missing.
        mark = {"type": "area", "opacity": 0.16, "clip": True}
        return {"transform": _VALUES, "mark": mark, "encoding": encoding}
    return {
        "transform": [{"filter": "isValid(datum.high)"}],
        "mark": {"type": "rule", "strokeWidth": 1.5},
        "encoding": encoding,
    }


def _line(results: Results, plan: Grid, numeric: bool) -> list[dict[str, Any]]:
    # Between names there is nothing: dots lead the eye along a curve, and no line claims values.
    leads = {} if numeric else {"strokeDash": [1, 4], "strokeWidth": 1.2}
    return [
        {"transform": _VALUES, "mark": {"type": "line", "clip": True, **leads}, "encoding": {}},
        {
            "transform": [{"filter": "isValid(datum.mean)"}],
            "mark": {"type": "point"},
            "encoding": colour(results, plan, shape=True),
        },
    ]


def _fade(layer: list[dict[str, Any]]) -> None:
    """A click in the legend leaves one curve and fades the others."""
    _, band, line, dots, *_ = layer
    line["params"] = [
        {"name": "shown", "select": {"type": "point", "fields": ["curve"]}, "bind": "legend"}
    ]
    full = band["mark"].get("opacity", 1)
    for part, opacity in ((band, full), (line, 1), (dots, 1)):
        condition = {"param": "shown", "value": opacity}
        part["encoding"]["opacity"] = {"condition": condition, "value": opacity / 8}


def _ruler(x: dict[str, Any], tooltip: list[dict[str, Any]], places: int) -> list[dict[str, Any]]:
    """One tooltip for all curves at an x: they often cover each other.

    A hair line shows which x, an invisible stripe around it catches the pointer. (The selection of
    the nearest point would do, but Vega-Lite's cells around points lose tooltips that are texts.)
    """
    pointed = {
        "name": "at",
        "select": {"type": "point", "on": "pointerover", "clear": "pointerout", "fields": ["x"]},
    }
    base: dict[str, Any] = {"x": x, "y": None}
    shown = {"condition": {"param": "at", "empty": False, "value": 0.8}, "value": 0}
    chosen = [{"filter": "isValid(datum.c0)"}]
    return [
        {
            "transform": chosen,
            "mark": {"type": "rule", "strokeDash": [3, 3]},
            "encoding": {**base, "color": {"value": "#888888"}, "opacity": shown},
        },
        {
            "transform": chosen,
            "params": [pointed],
            "mark": {"type": "rule", "clip": True, "strokeWidth": max(10, min(60, 320 // places))},
            "encoding": {**base, "color": {"value": "transparent"}, "tooltip": tooltip},
        },
    ]


def _list_curves(rows: list[dict[str, Any]], labels: Sequence[str]) -> None:
    """Gives one row at each x of a panel the values of all curves there, for the tooltip."""
    first: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        here = first.setdefault((row["x"], *where_of(row)), row)
        if here is row:
            here |= {f"c{i}": "–" for i in range(len(labels))}
        here[f"c{labels.index(row.get('curve', ''))}"] = row["text"]


def where_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """The panel of a row, and the choices that show it."""
    return (row.get("panel"), *(value for key, value in row.items() if key.startswith("chosen_")))


def _note_zeros(rows: list[dict[str, Any]]) -> None:
    """A note in panels whose values are all zero, which look empty."""
    by_panel: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        by_panel.setdefault(where_of(row), []).append(row)
    for some in by_panel.values():
        if all(row["mean"] == 0 for row in some):
            places = list(dict.fromkeys(row["x"] for row in some))
            if all(isinstance(place, float) for place in places):
                places.sort()
            middle = places[len(places) // 2]
            next(row for row in some if row["x"] == middle)["note"] = "zero at every point"


def bars(
    results: Results,
    plan: Grid,
    figure: Figure,
    found: Sequence[Point],
    shared: Shared,
    claims: Claims,
) -> Body:
    """One bar for each value of x, side by side for each curve, with the interval as a line."""
    unit = shared.unit
    along = across(results, plan, discrete=True)
    y_title = unit.label(metric_title(figure.y[0], figure.scope, results.study.names))
    rows = [
        {**row_of(plan, point, unit), "x": along.values[label(point, plan.x)]} for point in found
    ]
    bounds, said = claims_drawn.bounds(results, plan, figure, found, unit, along.values, claims)
    offered, begin = scales(shared, figure.y_scale, _top(bounds))
    encoding: dict[str, Any] = {
        "x": along.encoding,
        "y": {"field": "mean", "type": "quantitative", "title": y_title, **offered[begin]},
        **colour(results, plan, shape=False),
        **_side_by_side(plan),
    }
    tooltip = [{"field": "x", "type": "nominal", "title": along.title}] if plan.x else []
    if plan.curve:
        tooltip.append({"field": "curve", "type": "nominal", "title": encoding["color"]["title"]})
    tooltip.append({"field": "text", "type": "nominal", "title": y_title})
    # A bar's length is its value only where it begins at zero, and the scale shows zero.
    from_zero = begin == "linear" and all(mean >= 0 for mean in shared.means)
    mark = {"type": "bar", "opacity": 0.85} if from_zero else {"type": "point", "size": 70}
    drawn = {"transform": _VALUES, "mark": mark, "encoding": {"tooltip": tooltip}}
    interval: dict[str, Any] = {
        "transform": [{"filter": "isValid(datum.high)"}],
        "mark": {"type": "errorbar", "ticks": {"size": 7}, "thickness": 1.4},
        "encoding": {
            "y": {"field": "low", "type": "quantitative", "title": y_title},
            "y2": {"field": "high"},
        },
    }
    if from_zero:
        # In the colour of its bar nobody would see the lower half.
        interval["encoding"]["color"] = {"value": INK}
    layer: list[dict[str, Any]] = [drawn, interval] if from_zero else [interval, drawn]
    if bounds:
        layer += claims_drawn.layers(figure, False, unit, claims)
    view = {"encoding": encoding, "layer": layer}
    meta = {"scales": offered, "scale": begin, "titles": [along.title, y_title]}
    return Body(rows, view, meta, bounds=bounds, said=said, omits_zeros=True)


def _side_by_side(plan: Grid) -> dict[str, Any]:
    if not plan.curve:
        return {}
    return {"xOffset": {"field": "curve", "type": "nominal", "sort": plan.joined(plan.curve)}}


def stack(
    results: Results,
    plan: Grid,
    figure: Figure,
    tables: Sequence[Sequence[Point]],
    unit: Unit,
) -> Body:
    """The parts of a whole, one above the other."""
    along = across(results, plan, discrete=True)
    parts = [metric_title(metric) for metric in figure.y]
    rows = []
    for order, (part, table) in enumerate(zip(parts, tables, strict=True)):
        for point in table:
            at = along.values[label(point, plan.x)]
            rows.append({**row_of(plan, point, unit), "part": part, "order": order, "x": at})
    whole = "Mean delay" if all(metric.startswith("delay_") for metric in figure.y) else "Sum"
    y_title = unit.label(whole)
    shades = PARTS if len(parts) <= len(PARTS) else COLOURS
    color = {
        "field": "part",
        "type": "nominal",
        "sort": parts,
        "title": "Part",
        "scale": {"domain": parts, "range": list(shades[: len(parts)])},
    }
    tooltip = [
        {"field": "x", "type": "nominal", "title": along.title},
        {"field": "part", "type": "nominal", "title": "Part"},
        {"field": "text", "type": "nominal", "title": y_title},
    ]
    encoding: dict[str, Any] = {
        "x": along.encoding,
        "y": {"field": "mean", "type": "quantitative", "title": y_title, "stack": "zero"},
        "color": color,
        "order": {"field": "order", "type": "quantitative"},
        "tooltip": tooltip,
        **_side_by_side(plan),
    }
    view = {"mark": {"type": "bar", "opacity": 0.9}, "encoding": encoding}
    return Body(rows, view, {"titles": [along.title, y_title]})


def row_of(plan: Grid, point: Point, unit: Unit) -> dict[str, Any]:
    """The fields of a point that every figure has."""
    low = scaled(point.low, unit)
    if low is not None and point.mean is not None and point.mean >= 0:
        # No metric with a mean above zero has negative values; only its interval does.
        low = max(low, 0.0)
    row: dict[str, Any] = {
        "mean": scaled(point.mean, unit),
        "low": low,
        "high": scaled(point.high, unit),
        "n": point.n,
        "text": text_of(point, unit, low),
    }
    if plan.panel:
        row["panel"] = label(point, plan.panel)
    if plan.curve:
        row["curve"] = label(point, plan.curve)
    for index, axis in enumerate(plan.chosen):
        row[f"chosen_{index}"] = point.labels[axis]
    return row


def scaled(value: float | None, unit: Unit) -> float | None:
    """A value in the unit of its axis."""
    # Twelve digits: differences below that are noise of the unit conversion.
    return None if value is None else float(f"{value / unit.factor:.12g}")


def text_of(point: Point, unit: Unit, low: float | None) -> str:
    """A mean with its interval, for people."""
    if point.mean is None:
        return "no data"
    shown = number(point.mean / unit.factor) + (f" {unit.name}" if unit.name else "")
    if point.high is None or low is None:
        return f"{shown}  (n = {point.n})"
    return f"{shown}  [{number(low)}, {number(point.high / unit.factor)}]  n = {point.n}"
