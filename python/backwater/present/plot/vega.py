"""A figure of a study, as a complete Vega-Lite specification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from backwater.model.quantity import parse_all
from backwater.present.numbers import Unit
from backwater.present.plot import horizontal, over_time, together
from backwater.present.plot.claims_drawn import Claims
from backwater.present.plot.direction import better, tell
from backwater.present.plot.ecdf import ecdf, shares
from backwater.present.plot.encoding import ALONE, CONFIG, WIDTH, Shared, y_unit
from backwater.present.plot.labels import break_titles, legend_columns, narrowest
from backwater.present.plot.marks import Body, bars, curves, stack
from backwater.present.plot.matrix import matrix
from backwater.present.plot.pauses import pauses
from backwater.present.plot.plane import plane
from backwater.present.plot.points import (
    Grid,
    Point,
    at_places,
    axis_title,
    grid,
    in_order_of,
    points,
)
from backwater.present.plot.rank import ranking
from backwater.present.plot.sizes import by_size, size_grid, tenths
from backwater.present.plot.spread import boxes, flow_means

if TYPE_CHECKING:
    from backwater.results.results import Results
    from backwater.study.figure import Figure

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
DELAY_PARTS = (
    "delay_serialisation_s",
    "delay_queue_s",
    "delay_gate_s",
    "delay_contention_s",
    "delay_retries_s",
    "delay_propagation_s",
)
# Further parts, where packets went in A-MPDUs.
_IN_AGGREGATES = ("delay_aggregate_s", "delay_reorder_s")
HEIGHT = 220
MOST_COLUMNS = 3


class FigureError(ValueError):
    """A figure that the results cannot fill."""


def delay_figure(results: Results) -> Figure | None:
    """The decomposition of delay, where the metrics exist and no figure shows it already.

    Parts that are zero in every case (no radio, no gate) are left out.

    It is drawn over the x axis of the study's first figure of curves, for all cases.
    """
    figures = results.study.figures
    like = next((figure for figure in figures if figure.kind == "line"), None)
    if like is None or any(figure.kind == "stack" for figure in figures):
        return None
    values = {part: results.metric(part).values() for part in DELAY_PARTS}
    if any(all(value is None for value in known) for known in values.values()):
        return None
    values |= {part: results.metric(part).values() for part in _IN_AGGREGATES}
    parts = tuple(part for part, known in values.items() if any(known))
    if not parts:
        return None
    return replace(
        like,
        id="delay-parts",
        title="Where the delay of a delivered packet comes from",
        kind="stack",
        y=parts,
        scope="run",
        curve=None,
        panel=None,
        where={},
        places=(),
        y_scale="linear",
    )


def spec(results: Results, figure: Figure, claims: Claims = Claims.DASHES) -> dict[str, Any]:
    """The Vega-Lite specification of a figure."""
    if figure.kind == "time":
        return _over_time(results, figure)
    if figure.kind == "box":
        return _boxes(results, figure)
    if figure.kind == "ecdf":
        return _ecdf(results, figure)
    if figure.kind == "sizes":
        return _by_size(results, figure)
    if figure.kind == "pauses":
        return _pauses(results, figure)
    tables = _tables(results, figure)
    if not tables[0]:
        raise FigureError(f"no case of these results belongs to figure {figure.id}")
    plan = in_order_of(results, figure, grid(results, figure, tables[0]))
    shared = _shared(results, figure, tables)
    unit = shared.unit
    if figure.kind == "stack":
        body = stack(results, plan, figure, tables, unit)
    elif figure.kind == "bars":
        body = bars(results, plan, figure, tables[0], shared, claims)
    elif figure.kind == "plane":
        over = points(results, str(figure.x_metric), figure.scope, figure.where)
        x_unit = y_unit(str(figure.x_metric), [point.mean for point in over])
        body = plane(results, plan, figure, (over, tables[0]), (x_unit, unit))
    elif figure.kind == "matrix":
        body = matrix(results, plan, figure, tables[0], unit)
    elif figure.kind == "rank":
        body = ranking(results, plan, figure, tables[0], unit)
    else:
        body = curves(results, plan, figure, tables[0], shared, claims)
    return _assemble(results, plan, body, figure)


def _tables(results: Results, figure: Figure) -> list[list[Point]]:
    """The points of a figure, for each of its metrics."""
    if figure.places:
        return [at_places(results, metric, figure) for metric in figure.y]
    against = None if figure.by is None else (figure.against, figure.by)
    return [points(results, y, figure.scope, figure.where, against) for y in figure.y]


def _shared(results: Results, figure: Figure, tables: Sequence[Sequence[Point]]) -> Shared:
    """Unit and range of y, for this figure and those that it is compared with."""
    others = [one for one in together.peers(results, figure) if one is not figure]
    known = [point for table in tables for point in table]
    known += [point for one in others for table in _tables(results, one) for point in table]
    unit = y_unit(figure.y[0], [point.mean for point in known])
    if figure.by in ("harm", "ratio"):
        unit = Unit("", 1.0)
    means = [point.mean / unit.factor for point in known if point.mean is not None]
    ends = [
        end / unit.factor for point in known for end in (point.low, point.high) if end is not None
    ]
    least = min(ends, default=None)
    if not others or not means:
        return Shared(unit, means, least=least)
    low, high = min([*means, *ends]), max([*means, *ends])
    # No metric with means above zero has negative values; only its interval does.
    return Shared(unit, means, (low if min(means) < 0 else max(low, 0.0), high), least)


def _boxes(results: Results, figure: Figure) -> dict[str, Any]:
    found = flow_means(results, figure)
    if not found:
        raise FigureError(f"no case of these results belongs to figure {figure.id}")
    plan = grid(results, figure, [point for point, _ in found])
    return _assemble(results, plan, boxes(results, plan, figure, found), figure)


def _by_size(results: Results, figure: Figure) -> dict[str, Any]:
    found = tenths(results, figure)
    if not found:
        raise FigureError(f"no case of these results belongs to figure {figure.id}")
    plan = size_grid(results, figure, found)
    return _assemble(results, plan, by_size(results, plan, figure, found), figure)


def _pauses(results: Results, figure: Figure) -> dict[str, Any]:
    cases = over_time.shown(results, figure)
    if not cases:
        raise FigureError(f"no case of these results belongs to figure {figure.id}")
    plan = over_time.grid(results, figure, cases)
    try:
        body = pauses(results, plan, figure, cases)
    except over_time.StaleError as error:
        raise FigureError(str(error)) from error
    return _assemble(results, plan, body, figure)


def _ecdf(results: Results, figure: Figure) -> dict[str, Any]:
    try:
        found = shares(results, figure)
    except over_time.StaleError as error:
        raise FigureError(str(error)) from error
    if not found:
        raise FigureError(f"no case of these results belongs to figure {figure.id}")
    plan = grid(results, figure, [point for point, _ in found])
    return _assemble(results, plan, ecdf(results, plan, figure, found), figure)


def _over_time(results: Results, figure: Figure) -> dict[str, Any]:
    cases = over_time.shown(results, figure)
    if not cases:
        raise FigureError(f"no case of these results belongs to figure {figure.id}")
    plan = over_time.grid(results, figure, cases)
    try:
        body = over_time.over_time(results, plan, figure, cases)
    except over_time.StaleError as error:
        raise FigureError(str(error)) from error
    return _assemble(results, plan, body, figure)


def _assemble(results: Results, plan: Grid, body: Body, figure: Figure) -> dict[str, Any]:
    panels = plan.joined(plan.panel) if plan.panel else []
    rows, said = body.rows, list(body.said)
    if body.omits_zeros:
        rows, panels, zeros = together.zero_panels(rows, panels)
        said = zeros if together.ZERO in zeros else zeros + said
    bounds = [row for row in body.bounds if "panel" not in row or row["panel"] in panels]
    columns = min(len(plan.labels[plan.panel[-1]]), MOST_COLUMNS, len(panels)) if plan.panel else 1
    # Figures over time are wide, with panels one above the other.
    wide = bool(body.meta.get("wide"))
    columns = 1 if wide else columns
    width = WIDTH if len(panels) > 1 and not wide else ALONE
    view = {"width": width, "height": HEIGHT, **body.view}
    _point_to_better(view, body, figure)
    laid = _horizontal(view, body, figure)
    built: dict[str, Any] = {
        "$schema": SCHEMA,
        "config": CONFIG,
        "data": {"values": rows + bounds},
        "usermeta": {
            "backwater": {
                **body.meta,
                **laid,
                "upright": narrowest(view),
                "columns": columns,
                "panels": len(panels),
                "said": said,
            }
        },
    }
    break_titles(view, height if isinstance(height := view["height"], (int, float)) else 1e9)
    per_row = legend_columns(body.view, columns * width)
    if per_row is not None:
        most, each = per_row
        built["config"] = {**CONFIG, "legend": {**CONFIG["legend"], "columns": most}}
        built["usermeta"]["backwater"]["legend"] = each
    picks = _picks(plan, rows)
    if figure.title or picks or said:
        built["title"] = _title(results, figure.title, picks, said)
    if picks:
        built |= _choosing(results, plan, picks)
    if len(panels) < 2:
        return {**built, **view}
    built["facet"] = {"field": "panel", "type": "nominal", "sort": panels, "title": None}
    built["columns"] = columns
    built["spec"] = view
    if body.free_rows:
        # Networks whose values are far apart would hide one another's differences.
        built["resolve"] = {"scale": {"x": "independent", "y": "independent"}}
    return built


def _horizontal(view: dict[str, Any], body: Body, figure: Figure) -> dict[str, Any]:
    """Makes bars horizontal whose names find no room; or says how a narrower page can do it."""
    other = horizontal.turned(view) if figure.kind in ("bars", "stack") else None
    if other is None:
        return {}
    laid: dict[str, Any] = {"names": horizontal.room(other)}
    if not horizontal.aslant(view):
        return {**laid, "flat": other}
    view |= other
    scales = body.meta.get("scales")
    if scales:
        laid["scales"] = {name: horizontal.numbers(scale) for name, scale in scales.items()}
    return {**laid, "horizontal": True}


def _point_to_better(view: dict[str, Any], body: Body, figure: Figure) -> None:
    """An arrow on the axis of the metric. A plane has one in its corner, a matrix has no axis."""
    words = better(figure.y)
    if words is None or figure.kind in ("plane", "matrix"):
        return
    along = figure.kind in ("rank", "ecdf")
    title = body.meta["titles"][1 if figure.kind != "ecdf" else 0]
    tell(view, "x" if along else "y", title, words)


def _picks(plan: Grid, rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The first choice: a combination that has rows, as not every set of cases is full."""
    picks: dict[str, str] = {}
    left = list(rows)
    for index, axis in enumerate(plan.chosen):
        known = {row.get(f"chosen_{index}") for row in left}
        picks[axis] = _first_choice([text for text in plan.labels[axis] if text in known])
        left = [row for row in left if row.get(f"chosen_{index}") == picks[axis]]
    return picks


def _choosing(results: Results, plan: Grid, picks: Mapping[str, str]) -> dict[str, Any]:
    params = [
        {
            "name": f"pick_{index}",
            "value": label,
            "bind": {
                "input": "select",
                "options": list(plan.labels[axis]),
                "name": f"{axis_title(results, axis)} ",
            },
        }
        for index, (axis, label) in enumerate(picks.items())
    ]
    tests = [f"datum.chosen_{index} === pick_{index}" for index in range(len(params))]
    return {"params": params, "transform": [{"filter": " && ".join(tests)}]}


def _title(
    results: Results, title: str, picks: Mapping[str, str], sentences: Sequence[str]
) -> dict[str, Any]:
    text: dict[str, Any] = {"text": title}
    if sentences and not picks:
        text["subtitle"] = list(sentences)
    if picks:
        said = [
            f"'{_quoted(axis_title(results, axis))}: ' + pick_{index}"
            for index, axis in enumerate(picks)
        ]
        told = "".join(f" + '. {_quoted(one)}'" for one in sentences)
        text["subtitle"] = {"expr": " + ', ' + ".join(said) + told}
    return text


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _first_choice(labels: Sequence[str]) -> str:
    """The largest of quantities (the hardest case), the first of names."""
    return labels[-1] if parse_all(labels) is not None else labels[0]
