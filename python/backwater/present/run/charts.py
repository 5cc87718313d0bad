"""The curves of a run over time, as Vega-Lite specifications."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from backwater.errors import Refusal, nearest
from backwater.present.numbers import metric_title, number
from backwater.present.plot.encoding import COLOURS, CONFIG, y_unit
from backwater.present.plot.vega import SCHEMA

Document = Mapping[str, Any]
Series = Mapping[str, Sequence[float | None]]
# The name of a chart: whose series it shows, and which.
WHATS = {
    "goodput": ("flows", "goodput_bps"),
    "rtt": ("flows", "srtt_s"),
    "delay": ("flows", "delay_mean_s"),
    "window": ("flows", "window_B"),
    "queue": ("ports", "queue_max_B"),
    "throughput": ("ports", "throughput_bps"),
}
# Keys that a part of several charts must not have.
_OF_THE_WHOLE = ("$schema", "config", "usermeta")
WIDTH, HEIGHT = 620, 170
# More curves than this are drawn as groups: the mean, and the range as a band.
MOST_CURVES = 8
# Ports in a chart: those with the largest values.
MOST_PORTS = 3


def spec(document: Document, whats: Sequence[str] = ()) -> dict[str, Any]:
    """Charts one above the other; without names, all that have a value other than zero."""
    _check_series(document)
    built = [chart(document, what) for what in whats or shown(document)]
    views = [{k: v for k, v in one.items() if k not in _OF_THE_WHOLE} for one in built]
    return {
        "$schema": SCHEMA,
        "config": CONFIG,
        "vconcat": views,
        "resolve": {"scale": {"color": "independent"}},
    }


def shown(document: Document) -> list[str]:
    """The charts in which something happens."""
    return [what for what in WHATS if what != "throughput" and _curves(document, what)]


def chart(document: Document, what: str) -> dict[str, Any]:
    """One chart as a complete specification."""
    if what not in WHATS:
        near = nearest(what, WHATS) or list(WHATS)
        raise Refusal(f"a run has no chart `{what}`", nearest=near, fix="name one of these")
    _check_series(document)
    metric = WHATS[what][1]
    curves = _curves(document, what)
    if not curves:
        raise Refusal(f"{metric_title(metric)} is nowhere other than zero in this run")
    banded = len(curves) > MOST_CURVES
    groups = _grouped(curves) if banded else {name: [known] for name, known in curves.items()}
    every = document["series"]["every_s"]
    rows = _rows(groups, every)
    unit = y_unit(metric, [row["high"] for row in rows])
    for row in rows:
        for key in ("mean", "low", "high"):
            row[key] = None if row[key] is None else row[key] / unit.factor
        known = row["mean"] is not None
        row["text"] = f"{number(row['mean'])} {unit.name}" if known else "–"
    title = unit.label(metric_title(metric))
    return _chart(rows, list(groups), title, banded)


def _check_series(document: Document) -> None:
    if document.get("series") is None:
        fix = 'run with series="100 ms", or on the command line with --series "100 ms"'
        raise Refusal("the run kept nothing over time", place="series", fix=fix)


def _curves(document: Document, what: str) -> dict[str, Sequence[float | None]]:
    """The curves that are not zero everywhere; of ports those with the largest values."""
    whose, metric = WHATS[what]
    known = {
        name: values[metric]
        for name, values in (document.get("series") or {whose: {}})[whose].items()
        if values.get(metric) and any(values[metric])
    }
    if whose == "flows":
        return known
    largest = sorted(known, key=lambda name: -sum(value or 0.0 for value in known[name]))
    return {name: known[name] for name in largest[:MOST_PORTS]}


def _grouped(curves: Series) -> dict[str, list[Sequence[float | None]]]:
    """Curves whose names differ in numbers only, together."""
    found: dict[str, list[Sequence[float | None]]] = {}
    for name, values in curves.items():
        found.setdefault(re.sub(r"\d+", "*", name), []).append(values)
    return {f"{name} ({len(group)})": group for name, group in found.items()}


def _rows(
    groups: Mapping[str, Sequence[Sequence[float | None]]], every: float
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for name, curves in groups.items():
        columns = list(zip(*curves, strict=True))
        # The end of the last interval is a row, too: a step is drawn to the next one.
        for index, column in enumerate([*columns, *columns[-1:]]):
            known = [value for value in column if value is not None]
            mean = sum(known) / len(known) if known else None
            low, high = (min(known), max(known)) if known else (None, None)
            at = {"x": round(index * every, 9), "curve": name, "panel": "", "n": 1}
            rows.append({**at, "mean": mean, "low": low, "high": high})
    return rows


def _chart(
    rows: list[dict[str, Any]], curves: list[str], title: str, banded: bool
) -> dict[str, Any]:
    x = {
        "field": "x",
        "type": "quantitative",
        "title": "Time (s)",
        "scale": {"zero": False, "nice": False},
        "axis": {"tickCount": 10},
    }
    y = {"field": "mean", "type": "quantitative", "title": title, "axis": {"tickCount": 4}}
    colour: dict[str, Any] = {
        "field": "curve",
        "type": "nominal",
        "sort": curves,
        "title": None,
        "scale": {"domain": curves, "range": [COLOURS[i % 8] for i in range(len(curves))]},
        "legend": {"symbolType": "stroke"} if len(curves) > 1 or banded else None,
    }
    tooltip = [
        {"field": "x", "type": "quantitative", "title": "Time (s)"},
        {"field": "curve", "type": "nominal", "title": "curve"},
        {"field": "text", "type": "nominal", "title": title},
    ]
    line = {"mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 1.5}}
    band = {
        "mark": {"type": "area", "interpolate": "step-after", "opacity": 0.22},
        "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }
    return {
        "$schema": SCHEMA,
        "config": CONFIG,
        "data": {"values": rows},
        "width": WIDTH,
        "height": HEIGHT,
        "title": title if not banded else f"{title}: mean and range of each group",
        "encoding": {"x": x, "y": y, "color": colour, "tooltip": tooltip},
        "layer": [band, line] if banded else [line],
        "usermeta": {"backwater": {"titles": ["Time (s)", title], "columns": 1, "panels": 0}},
    }
