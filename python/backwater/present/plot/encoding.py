"""Axes, colours and scales of the figures, the same in all of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backwater.model.quantity import parse_all
from backwater.present.numbers import Unit, dimension_of, legible, unit_for
from backwater.present.plot.labels import apart, upright
from backwater.present.plot.points import PLACE, Grid, axis_title, in_order

if TYPE_CHECKING:
    from backwater.results.results import Results

# After Okabe and Ito; each has a contrast of 3 to 1 or more on white and on dark paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#C56B9C", "#B07800", "#3A94CC", "#7F6A3B", "#808080")
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right")
# Pixels along x of one panel among several, and of a panel alone.
WIDTH, ALONE = 300, 520
INK, FAINT = "#222222", "#d9d9d9"
# On an axis, ~g takes its precision from the step between ticks: 300 becomes 3e+2.
PLAIN = {"labelExpr": "format(datum.value, '~g')"}
CONFIG: dict[str, Any] = {
    "font": "Helvetica, Arial, Liberation Sans, sans-serif",
    "background": "white",
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": 600,
        "titlePadding": 8,
        "domainColor": "#888888",
        "tickColor": "#888888",
        "gridColor": FAINT,
        "labelLimit": 420,
    },
    "axisX": {"grid": False},
    "axisY": {"domain": False, "ticks": False, "labelPadding": 6},
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "symbolSize": 70,
        "symbolOpacity": 1,
        "labelLimit": 320,
        "orient": "top",
        "columns": 6,
        "columnPadding": 16,
    },
    "header": {"labelColor": INK, "labelFontSize": 13, "labelFontWeight": 600, "labelLimit": 420},
    "title": {
        "color": INK,
        "anchor": "start",
        "fontSize": 15,
        "subtitleColor": "#555555",
        "subtitleFontSize": 12,
        "offset": 12,
    },
    "line": {"strokeWidth": 1.8},
    "point": {"filled": True, "size": 42},
}


@dataclass(frozen=True)
class Across:
    """The x axis: numbers on a scale, or names side by side."""

    values: Mapping[str, float | str]
    encoding: dict[str, Any]
    title: str
    numeric: bool


def across(results: Results, plan: Grid, discrete: bool = False) -> Across:
    """The x axis of a figure; `discrete` for bars, which stand side by side."""
    if not plan.x:
        return Across({"": ""}, {"field": "x", "type": "nominal", "axis": None}, "", False)
    labels = plan.joined(plan.x)
    title = " · ".join(axis_title(results, axis) for axis in plan.x)
    sizes = parse_all(labels) if len(plan.x) == 1 and not plan.sorted else None
    if sizes is None:
        named = {
            "field": "x",
            "type": "nominal",
            "sort": labels,
            "title": title,
            "axis": upright(labels, _width(plan)),
        }
        return Across({label: label for label in labels}, named, title, False)
    known = [size.value for size in sizes]
    unit = unit_for(sizes[0].dimension, known)
    unit = legible(sizes[0].dimension, unit, max(known))
    numbers = [float(f"{size.value / unit.factor:.12g}") for size in sizes]
    values: dict[str, float | str] = dict(zip(labels, numbers, strict=True))
    encoding: dict[str, Any] = {"field": "x", "title": unit.label(title)}
    if discrete:
        shown = upright([f"{value:g}" for value in numbers], _width(plan))
        shown.pop("labelExpr", None)
        if "values" in shown:
            shown["values"] = [float(value) for value in shown["values"]]
        encoding |= {"type": "ordinal", "sort": numbers, "axis": shown}
        return Across(values, encoding, unit.label(title), False)
    wide = numbers[0] > 0 and numbers[-1] / numbers[0] >= 50
    encoding |= {
        "type": "quantitative",
        "scale": {"type": "log", "nice": False} if wide else {"zero": False, "nice": False},
        # Every tick has its label.
        "axis": {
            "values": apart(numbers, wide, _width(plan)),
            **PLAIN,
            "labelOverlap": True,
            "labelSeparation": 6,
        },
    }
    encoding["scale"]["padding"] = 8
    return Across(values, encoding, unit.label(title), True)


def _width(plan: Grid) -> int:
    """Pixels along x of one panel."""
    return WIDTH if plan.panel and len(plan.joined(plan.panel)) > 1 else ALONE


def colour(results: Results, plan: Grid, shape: bool) -> dict[str, Any]:
    """The channels that tell curves apart, by colour alone or by colour and shape."""
    if not plan.curve:
        return {"color": {"value": COLOURS[0]}}
    labels = plan.joined(plan.curve)
    title = " · ".join(axis_title(results, axis) for axis in plan.curve)
    if plan.curve == (PLACE,):
        colours = {label: COLOURS[i % len(COLOURS)] for i, label in enumerate(labels)}
    else:
        colours = distinct(labels, colours_of(results, plan.curve))
    channel = {
        "field": "curve",
        "type": "nominal",
        "sort": labels,
        "title": title,
        "scale": {"domain": labels, "range": [colours[label] for label in labels]},
    }
    if not shape:
        return {"color": channel}
    shapes = [SHAPES[i % len(SHAPES)] for i in range(len(labels))]
    return {"color": channel, "shape": {**channel, "scale": {"domain": labels, "range": shapes}}}


def colours_of(results: Results, axes: Sequence[str]) -> dict[str, str]:
    """The colour of each value of an axis, the same in every figure and table of a study."""
    every = [in_order(results.study.axis(axis).labels) for axis in axes]
    labels = [" · ".join(some) for some in itertools.product(*every)]
    return {label: COLOURS[i % len(COLOURS)] for i, label in enumerate(labels)}


def distinct(labels: Sequence[str], colours: Mapping[str, str]) -> dict[str, str]:
    """The colours of some values, which differ as far as there are enough.

    A study with more values than colours uses some twice: the later of two takes a free one.
    """
    free = [one for one in COLOURS if one not in {colours[label] for label in labels}]
    found: dict[str, str] = {}
    for label in labels:
        taken = colours[label] in found.values()
        found[label] = free.pop(0) if taken and free else colours[label]
    return found


def y_unit(metric: str, values: Iterable[float | None]) -> Unit:
    """The unit of an axis with these values of a metric."""
    sizes = [abs(value) for value in values if value is not None]
    # The axis is read at its upper end, so the largest values choose the unit.
    top = max(sizes, default=0.0)
    dimension = dimension_of(metric)
    unit = unit_for(dimension, [size for size in sizes if size > top / 10])
    return legible(dimension, unit, top)


@dataclass(frozen=True)
class Shared:
    """The unit and range of the figures that share a y scale."""

    unit: Unit
    means: Sequence[float]
    # From and to which number, where more than one figure shares the scale.
    limits: tuple[float, float] | None = None
    # The lowest end of an interval; None without any.
    least: float | None = None


# Values so many times apart are told apart on a logarithmic scale only.
WIDE = 30


def scales(shared: Shared, wish: str, top: float | None = None) -> tuple[dict[str, Any], str]:
    """The y scales a reader can switch between, and the one to begin with.

    `top` is the highest mark beside the values, such as the bound of a claim.
    """
    means = shared.means
    positive = [mean for mean in means if mean > 0]
    given = shared.limits
    if top is not None and means:
        low, high = given or (min(means), max(means))
        given = (min(low, top), max(high, top)) if given or top > high else None
    if any(mean < 0 for mean in means):
        # Scores and differences may be negative: no logarithm, and zero need not be shown.
        scale: dict[str, Any] = {"zero": False}
        if given:
            scale |= {"domain": list(given), "nice": True}
        return {"linear": {"scale": scale, "axis": {}}}, "linear"
    linear: dict[str, Any] = {"scale": {"zero": True}, "axis": {}}
    if not positive:
        return {"linear": {"scale": {"domain": [0, 1]}, "axis": {"tickCount": 3}}}, "linear"
    if given:
        linear["scale"] |= {"domain": [0, given[1]], "nice": True}
    most = max(positive)
    # Six decades are enough on a page; a smaller value lies in the linear part next to zero.
    lowest = max(math.floor(math.log10(min(positive))), math.ceil(math.log10(most)) - 6)
    decades = list(range(lowest, math.ceil(math.log10(most)) + 1))
    ticks = [float(f"1e{power}") for power in decades[:: 2 if len(decades) > 6 else 1]]
    symlog: dict[str, Any] = {
        "scale": {"type": "symlog", "constant": ticks[0], "nice": False},
        "axis": {"values": [0.0, *ticks], **PLAIN},
    }
    if given:
        symlog["scale"]["domain"] = [0, max(given[1], ticks[-1])]
    offered = {"linear": linear}
    if wish in ("log", "symlog") or most / min(positive) >= WIDE:
        offered["logarithmic"] = symlog
    if wish == "log" and len(positive) == len(means) and (shared.least or 1.0) > 0:
        # Marks that reach zero have no place on this scale: no interval does, and no bar is drawn.
        ends = [min(positive), most, *((shared.least,) if shared.least else ()), *(given or ())]
        offered["logarithmic"] = _decades(min(end for end in ends if end > 0), max(ends))
    return offered, "logarithmic" if wish in ("log", "symlog") else "linear"


def _decades(low: float, high: float) -> dict[str, Any]:
    """A logarithmic scale from value to value, whose ticks all have labels."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    if last - first <= 1:
        steps: tuple[int, ...] = (1, 2, 3, 5, 7)
    else:
        steps = (1, 2, 5) if last - first == 2 else (1,)
    marks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    below = [mark for mark in marks if mark <= low * 1.0001] or marks[:1]
    above = [mark for mark in marks if mark >= high * 0.9999] or marks[-1:]
    ticks = [float(f"{mark:.6g}") for mark in marks if below[-1] <= mark <= above[0]]
    domain = [min(ticks[0], low), max(ticks[-1], high)]
    return {
        "scale": {"type": "log", "domain": domain, "nice": False},
        "axis": {"values": ticks, **PLAIN},
    }
