"""The bounds of a study's claims, as marks of the figure that shows what they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from backwater.present.numbers import Unit, metric_title, number
from backwater.present.plot.points import PLACE, Grid, Point, label, name_of
from backwater.verdict.claim import Claim, matches

if TYPE_CHECKING:
    from backwater.results.results import Results
    from backwater.study.figure import Figure

# The functions of the cases of a seed before the bound; the others measure something else.
_DIRECT = ("each", "mean", "median", "min", "max")
SHADE = "#555555"
NAME, PAPER = "#222222", "#ffffff"
# Pixels along y within which two names would cover each other, and of a plot.
LINE, PLOT = 12.0, 220.0


class Claims(Enum):
    """How a figure shows the bounds of claims: not, as dashes, or as dashes with their names."""

    NONE = "none"
    DASHES = "dashes"
    NAMES = "names"


def bounds(
    results: Results,
    plan: Grid,
    figure: Figure,
    found: Sequence[Point],
    unit: Unit,
    at: Mapping[str, float | str],
    shown_as: Claims,
) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows for the edges of the bounds, and sentences about them and those beyond the scale."""
    if shown_as is Claims.NONE:
        return [], []
    reach = _reach([point.mean for point in found if point.mean is not None])
    rows: list[dict[str, Any]] = []
    far: list[str] = []
    near: list[str] = []
    for claim in results.study.claims:
        if not _is_about(claim, figure):
            continue
        shown = [point for point in found if _covers(claim, figure, point)]
        inside: list[tuple[str, float]] = []
        for sign, edge in (("≥", claim.bound.low), ("≤", claim.bound.high)):
            if edge is None or not shown:
                continue
            if not reach[0] <= edge <= reach[1]:
                far.append(_said(claim.id, [(sign, edge)], unit))
                continue
            inside.append((sign, edge))
            rows += _rows(plan, shown, claim, f"{claim.id} {sign}", edge / unit.factor, at)
        if inside:
            near.append(_said(claim.id, inside, unit))
    if shown_as is Claims.NAMES:
        _join(rows, reach[1] / unit.factor)
    said = [f"Dashes are bounds of claims: {', '.join(near)}."] if near else []
    return rows, said + ([f"Beyond the scale: {', '.join(far)}."] if far else [])


def _said(claim: str, edges: Sequence[tuple[str, float]], unit: Unit) -> str:
    """A claim's bounds in words: one edge with its sign, or both as a range."""
    figures = [number(edge / unit.factor) for _, edge in edges]
    bound = " to ".join(figures) if len(edges) > 1 else f"{edges[0][0]} {figures[0]}"
    return f"{claim} {bound} {unit.name}".rstrip()


def _join(rows: list[dict[str, Any]], top: float) -> None:
    """Names that would cover each other become one, at the upper of their bounds."""
    at: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        if "bound" in row:
            chosen = (value for key, value in row.items() if key.startswith("chosen_"))
            at.setdefault((row.get("panel"), row["x"], *chosen), []).append(row)
    for some in at.values():
        some.sort(key=lambda row: -float(row["edge"]))
        first = some[0]
        for row in some[1:]:
            if (first["edge"] - row["edge"]) * PLOT / (top or 1.0) < LINE:
                first["bound"] += f", {row.pop('bound')}"
            else:
                first = row


def _reach(means: Sequence[float]) -> tuple[float, float]:
    """The range of bounds that a figure may show: farther away they would make its curves flat."""
    if not means:
        return (0.0, 0.0)
    low, high = min(means), max(means)
    low = min(low, 0.0) if high >= 0 else low
    span = (high - low) or abs(high)
    return (low if low == 0 else low - span, high + span)


def _is_about(claim: Claim, figure: Figure) -> bool:
    plain = claim.function is None and not claim.against and claim.reduce in _DIRECT
    same = claim.metric == figure.y[0] and claim.scope in (figure.places or (figure.scope,))
    return plain and same and claim.bound.form != "zero" and figure.by is None


def _covers(claim: Claim, figure: Figure, point: Point) -> bool:
    if figure.places and point.labels[PLACE] != name_of(claim.scope):
        return False
    return point.mean is not None and matches(point.labels, claim.where)


def _rows(
    plan: Grid,
    shown: Sequence[Point],
    claim: Claim,
    name: str,
    edge: float,
    at: Mapping[str, float | str],
) -> list[dict[str, Any]]:
    rows = []
    for point in shown:
        row: dict[str, Any] = {"x": at[label(point, plan.x)], "edge": float(f"{edge:.12g}")}
        row |= {"claim": name, "says": claim.says}
        if plan.panel:
            row["panel"] = label(point, plan.panel)
        if plan.curve:
            row["curve"] = label(point, plan.curve)
        for index, axis in enumerate(plan.chosen):
            row[f"chosen_{index}"] = point.labels[axis]
        rows.append(row)
    return _named(rows)


def _named(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The name of a bound stands once in each panel, at its right end."""
    last: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        where = (row.get("panel"), *(v for k, v in row.items() if k.startswith("chosen_")))
        before = last.get(where)
        numeric = isinstance(row["x"], float) and before is not None
        if before is None or not numeric or row["x"] >= before["x"]:
            last[where] = row
    for row in last.values():
        row["bound"] = row["claim"]
    return rows


def layers(figure: Figure, numeric: bool, unit: Unit, shown_as: Claims) -> list[dict[str, Any]]:
    """The marks of the bounds: dashes that are joined where x is a scale, and names if wished."""
    title = unit.label(metric_title(figure.y[0]))
    y = {"field": "edge", "type": "quantitative"}
    chosen = [{"filter": "isValid(datum.edge)"}]
    tooltip = [
        {"field": "claim", "type": "nominal", "title": "bound"},
        {"field": "edge", "type": "quantitative", "title": title},
        {"field": "says", "type": "nominal", "title": "claim"},
    ]
    grey = {"value": SHADE}
    dash: dict[str, Any] = {
        "transform": chosen,
        "mark": {"type": "tick", "orient": "horizontal", "thickness": 1.6, "clip": True},
        "encoding": {"y": y, "color": grey, "opacity": {"value": 0.9}, "tooltip": tooltip},
    }
    drawn = [dash]
    if numeric:
        dash["mark"]["size"] = 14
        join = {"type": "line", "strokeDash": [2, 3], "strokeWidth": 1.2, "clip": True}
        of = {"y": y, "color": grey, "detail": {"field": "claim", "type": "nominal"}}
        drawn.insert(0, {"transform": chosen, "mark": join, "encoding": of})
    if shown_as is not Claims.NAMES:
        return drawn
    name = {"type": "text", "dy": -6, "fontSize": 10, "align": "right" if numeric else "center"}
    text = {"y": y, "text": {"field": "bound"}}
    named = [{"filter": "isValid(datum.bound)"}]
    # An outline in the colour of paper: over a bar the letters would be grey on blue.
    outline = {**name, "stroke": PAPER, "strokeWidth": 3, "strokeJoin": "round"}
    for mark in (outline, name):
        drawn.append(
            {"transform": named, "mark": mark, "encoding": {**text, "color": {"value": NAME}}}
        )
    return drawn
