"""The contest as a plot: throughput against delay, with lines of equal score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from backwater.present.plot.encoding import COLOURS, CONFIG
from backwater.present.plot.plane import better, name_layers, place_names
from backwater.present.plot.vega import SCHEMA
from backwater.tools.contest_runs import Contest, Entry, Standing, pareto, traces_said

# The two sides of the plot.
FRONT, BEHIND = "nobody is better in both", "another is better in both"
# Room around the marks, as a factor.
ROOM = 1.35
# Lines of equal score in a panel, at most.
MOST_LINES = 7
# Two marks so near are one, with both names: shares of the plot.
SAME = 0.012
WIDTH, HEIGHT = 420, 340

Row = dict[str, Any]


@dataclass(frozen=True)
class Scale:
    """A logarithmic axis."""

    low: float
    high: float

    @classmethod
    def over(cls, values: Sequence[float]) -> Scale:
        """With room on both sides."""
        return cls(min(values) / ROOM, max(values) * ROOM)

    def share(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1."""
        return math.log(value / self.low) / math.log(self.high / self.low)

    def ticks(self) -> list[float]:
        """Round numbers: fewer where the axis is long."""
        reach = self.high / self.low
        digits = (1, 1.5, 2, 3, 4, 5, 7) if reach < 12 else (1, 2, 5) if reach < 60 else (1, 3)
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        rounds = (digit * 10.0**power for power in powers for digit in digits)
        return [one for one in rounds if self.low <= one <= self.high]


def plot(contest: Contest) -> dict[str, Any]:
    """A panel for the known traces and one for those held out, as a Vega-Lite specification."""
    panels = [
        _panel(contest, held_out)
        for held_out in (False, True)
        if any(_drawn(one) for one in contest.standings(held_out))
    ]
    subtitle = [
        "Each small mark is a run, each large one the mean of a controller's runs. Dashed: equal",
        "scores, ln(Mbit/s ÷ ms). Grey: what the links could carry. Both axes are logarithmic.",
    ]
    return {
        "$schema": SCHEMA,
        "config": {**CONFIG, "concat": {"spacing": 36}},
        "title": {
            "text": "Contest: throughput against delay",
            "subtitle": subtitle,
            "subtitleFontSize": 12,
            "subtitlePadding": 6,
            "offset": 14,
        },
        "hconcat": panels or [{"data": {"values": []}, "mark": "point"}],
    }


def _panel(contest: Contest, held_out: bool) -> dict[str, Any]:
    standings = [one for one in contest.standings(held_out) if _drawn(one)]
    entries = [one for one in contest.entries if one.direction.held_out is held_out]
    runs = [row for one in entries if (row := _run(one))]
    means = _means(standings)
    capacity = _capacity(entries)
    rows = runs + means
    x = Scale.over([row["delay"] for row in rows])
    y = Scale.over([row["mean"] for row in rows] + ([capacity] if capacity else []))
    _name(means, x, y)
    front = sorted((row for row in means if row["side"] == FRONT), key=lambda row: row["delay"])
    encoding = {"x": _axis("delay", x, "95th percentile of the age (ms)", reverse=True)}
    encoding["y"] = _axis("mean", y, "Throughput (Mbit/s)")
    shade = {
        "field": "side",
        "type": "nominal",
        "title": None,
        "scale": {"domain": [FRONT, BEHIND], "range": [COLOURS[1], COLOURS[0]]},
    }
    coloured = {**encoding, "color": shade}
    lines, ends = _equal_scores(x, y)
    grey = {"value": "#8a8a8a"}
    small = {"type": "point", "filled": True, "size": 16, "opacity": 0.4}
    layer: list[Row] = [
        _layer(
            lines,
            {"type": "line", "strokeDash": [3, 4], "strokeWidth": 1, "clip": True},
            {**encoding, "color": {"value": "#bdbdbd"}, "detail": {"field": "score"}},
        ),
        *(
            _layer(
                some, {"type": "text", "fontSize": 11, **mark}, {**encoding, **_text("score", grey)}
            )
            for some, mark in ends
        ),
        _layer(
            [{"mean": capacity}] if capacity else [],
            {"type": "rule", "strokeWidth": 5, "opacity": 0.35},
            {"y": encoding["y"], "color": grey},
        ),
        _layer(
            front,
            {"type": "line", "interpolate": "step-after", "strokeWidth": 1.4, "opacity": 0.6},
            {**encoding, "color": {"value": COLOURS[1]}, "order": {"field": "delay"}},
        ),
        _layer(runs, small, coloured),
        _layer(means, {"type": "point", "filled": True, "size": 80, "opacity": 1}, coloured),
        *(_with(means, _halo(one)) for one in name_layers(encoding)),
        *(_with(means, one) for one in name_layers(coloured)),
        *(_with([{"said": ""}], one) for one in better(str(WIDTH))),
    ]
    return {
        "title": {
            "text": traces_said(entries, held_out),
            "anchor": "middle",
            "fontSize": 13,
            "offset": 22,
        },
        "width": WIDTH,
        "height": HEIGHT,
        "layer": layer,
    }


def _layer(rows: list[Row], mark: Row, encoding: Row) -> Row:
    return {"data": {"values": rows}, "mark": mark, "encoding": encoding}


def _with(rows: list[Row], layer: Row) -> Row:
    return {"data": {"values": rows}, **layer}


def _halo(layer: Row) -> Row:
    """Paper behind a name, so that it can be read over a line."""
    paper = {"stroke": "white", "strokeWidth": 4, "fill": "white", "strokeJoin": "round"}
    return {**layer, "mark": {**layer["mark"], **paper}}


def _text(field: str, ink: Row) -> Row:
    return {"text": {"field": field}, "color": ink}


def _axis(field: str, scale: Scale, title: str, *, reverse: bool = False) -> Row:
    domain = {"type": "log", "domain": [scale.low, scale.high], "nice": False, "reverse": reverse}
    ticks = {"values": scale.ticks(), "grid": False, "domain": True, "ticks": True, "format": "~g"}
    ticks["labelExpr"] = "format(datum.value, ',~r')"
    return {"field": field, "type": "quantitative", "title": title, "scale": domain, "axis": ticks}


def _drawn(one: Standing) -> bool:
    return bool(one.delay_s) and bool(one.throughput_bps)


def _means(standings: Sequence[Standing]) -> list[Row]:
    front = pareto(standings)
    return [
        {
            "name": one.controller,
            "delay": one.delay_s * 1e3,
            "mean": one.throughput_bps / 1e6,
            "side": FRONT if one.controller in front else BEHIND,
        }
        for one in standings
        if one.delay_s and one.throughput_bps
    ]


def _run(entry: Entry) -> Row | None:
    age, throughput = (entry.metrics.get(name) for name in ("age_p95_s", "link_throughput_bps"))
    return (
        {"delay": age * 1e3, "mean": throughput / 1e6, "side": BEHIND}
        if age and throughput
        else None
    )


def _capacity(entries: Sequence[Entry]) -> float | None:
    """The mean of what the links could carry, in Mbit/s, from a run of each direction."""
    found: dict[str, float] = {}
    for entry in entries:
        used, carried = (entry.metrics.get(name) for name in ("utilisation", "link_throughput_bps"))
        if used and carried:
            found.setdefault(entry.direction.name, carried / used / 1e6)
    return sum(found.values()) / len(found) if found else None


def _name(means: list[Row], x: Scale, y: Scale) -> None:
    """Puts names beside marks; of marks that lie over each other one has all names."""
    places = [{"x": x.share(row["delay"]), "mean": y.share(row["mean"])} for row in means]
    for number, (place, row) in enumerate(zip(places, means, strict=True)):
        for other, before in zip(places[:number], means[:number], strict=True):
            apart = max(abs(place[of] - other[of]) for of in ("x", "mean"))
            if apart < SAME and before["name"]:
                before["name"], row["name"] = f"{before['name']}, {row['name']}", ""
                break
    for place, row in zip(places, means, strict=True):
        place["name"] = row["name"]
    # A mark without a name in the far corner makes shares of the plot pixels.
    place_names([*places, {"x": 1.0, "mean": 1.0, "name": ""}])
    for place, row in zip(places, means, strict=True):
        row["beside"] = place["beside"]


def _equal_scores(x: Scale, y: Scale) -> tuple[list[Row], list[tuple[list[Row], Row]]]:
    """Lines on which throughput over delay is the same, and their scores at the plot's ends."""
    least, most = math.log(y.low / x.high), math.log(y.high / x.low)
    step = max(1, math.ceil((most - least) / MOST_LINES))
    lines, right, below = [], [], []
    for score in range(math.ceil(least), math.floor(most) + 1, step):
        factor, text = math.exp(score), f"{score}".replace("-", "−")
        lines += [{"delay": d, "mean": d * factor, "score": text} for d in (x.low, x.high)]
        if y.low < x.low * factor < y.high:
            right.append({"delay": x.low, "mean": x.low * factor, "score": text})
        elif x.low < y.low / factor < x.high:
            below.append({"delay": y.low / factor, "mean": y.low, "score": text})
    ends = [
        (right, {"align": "left", "dx": 5}),
        (below, {"align": "left", "baseline": "bottom", "dx": 4, "dy": -3}),
    ]
    return lines, ends
