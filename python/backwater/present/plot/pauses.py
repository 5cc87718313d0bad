"""Who paused whom, and when: a row for each port that was paused, in the order of the tree.

A port A>B is paused by B, because a queue of B is full: that of a port of B that may not send
itself. So the pause of A>B stands below that of the port B>C whose pause began last before it and
had not ended; a pause without such a port is a root: the congestion is at B.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from backwater.present.numbers import unit_for
from backwater.present.plot.encoding import COLOURS
from backwater.present.plot.labels import LETTER
from backwater.present.plot.marks import Body
from backwater.present.plot.over_time import again, resolved_of
from backwater.present.plot.points import Grid

if TYPE_CHECKING:
    from backwater.results.results import Case, Results
    from backwater.study.figure import Figure

# More rows than this are no picture.
MOST_ROWS = 60
# A bar or a gap is at least this share of the span: about a pixel.
LEAST = 1 / 500
STEP = 15
# Spaces at the beginning of a label are not drawn.
INDENT = "·  "


@dataclass
class Paused:
    """A port, and the spans in which it was paused."""

    here: str
    there: str
    classes: tuple[int, ...]
    spans: list[tuple[float, float]] = field(default_factory=list)
    depth: int = 0
    below: list[Paused] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The port."""
        return f"{self.here}>{self.there}"

    def clip(self, begin: float, end: float) -> bool:
        """Leaves what lies between two instants. Whether anything does."""
        inside = [
            (max(at, begin), min(to, end)) for at, to in self.spans if to > begin and at < end
        ]
        self.spans = inside
        return bool(inside)


def tree(found: Sequence[dict[str, Any]]) -> list[Paused]:
    """The ports that were paused, each after the one whose pause led to its own."""
    ports: dict[tuple[str, tuple[int, ...]], Paused] = {}
    for row in sorted(found, key=lambda row: float(row["from_s"])):
        here, _, there = str(row["port"]).partition(">")
        key = (row["port"], tuple(row["classes"]))
        paused = ports.setdefault(key, Paused(here, there.partition("#")[0], key[1]))
        paused.spans.append((row["from_s"], row["to_s"]))
    above: dict[int, Paused] = {}
    # In the order of the first pauses, so that what led to a pause is known before it. A host that
    # its switch held back from the beginning may be held back later because the switch is.
    for instant in (_first, _longest):
        for paused in ports.values():
            if id(paused) not in above:
                leading = _leading(paused, instant(paused), list(ports.values()), above)
                if leading is not None:
                    above[id(paused)] = leading
                    leading.below.append(paused)
    roots = [paused for paused in ports.values() if id(paused) not in above]
    ordered: list[Paused] = []

    def place(paused: Paused, depth: int) -> None:
        paused.depth = depth
        ordered.append(paused)
        for one in paused.below:
            place(one, depth + 1)

    for root in roots:
        place(root, 0)
    return ordered


def _first(paused: Paused) -> float:
    return paused.spans[0][0]


def _longest(paused: Paused) -> float:
    return max(paused.spans, key=lambda span: span[1] - span[0])[0]


def _leading(
    paused: Paused, at: float, ports: Sequence[Paused], above: dict[int, Paused]
) -> Paused | None:
    """The port whose pause led to that of another one then; none that stands below it."""

    def below(one: Paused) -> bool:
        while one is not paused and id(one) in above:
            one = above[id(one)]
        return one is paused

    found = [
        (began, one)
        for one in ports
        if one.here == paused.there and one.there != paused.here
        for began, end in one.spans
        if began < at <= end and set(one.classes) & set(paused.classes) and not below(one)
    ]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def pauses(results: Results, plan: Grid, figure: Figure, cases: Sequence[Case]) -> Body:
    """A bar for each pause."""
    over = figure.over
    assert over is not None, "a figure of pauses has a span"
    rows: list[dict[str, Any]] = []
    said: list[str] = []
    longest = 0.0
    order: list[str] = []
    for case in cases:
        # One interval as long as the run: pauses have instants of their own.
        length = json.loads(resolved_of(results, case).canonical)["duration_s"]
        found = again(results, case, f"{round(length * 1e9)} ns")["pauses"]
        last = max((float(row["to_s"]) for row in found), default=0.0)
        until = min(over.end_s or last, last)
        longest = max(longest, until)
        ports = [one for one in tree(found) if one.clip(over.start_s, until)]
        panel = " · ".join(case.labels[axis] for axis in plan.panel)
        if not ports:
            said.append(f"No pause: {panel}." if panel else "No pause.")
        if len(ports) > MOST_ROWS:
            said.append(f"{len(ports) - MOST_ROWS} further ports are not shown.")
        several = len({one.classes for one in ports}) > 1
        for one in ports[:MOST_ROWS]:
            name = _label(one, several)
            order.append(name)
            for begin, end in _joined(one.spans, (until - over.start_s) * LEAST):
                rows.append({"panel": panel, "curve": name, "port": one.name, "begin": begin})
                rows[-1] |= {"end": end, "depth": f"{one.depth + 1}"}
    unit = unit_for("time", [longest])
    for row in rows:
        begin, end = (row.pop(key) / unit.factor for key in ("begin", "end"))
        row |= {"x": round(begin, 6), "x2": round(end, 6), "mean": round(end - begin, 6)}
        row |= {"low": None, "high": None, "n": 1}
        row["text"] = f"{begin:.6g} to {end:.6g} {unit.name}"
    x_title = unit.label("Time")
    meta = {"titles": [x_title, unit.label("Pause")], "wide": True}
    view = _view(list(dict.fromkeys(order)), rows, x_title)
    return Body(rows, view, meta, free_rows=True, said=said)


def _label(one: Paused, several: bool) -> str:
    of = f", class {', '.join(map(str, one.classes))}" if several else ""
    return f"{INDENT * one.depth}{one.there} pauses {one.here}{of}"


def _joined(spans: Sequence[tuple[float, float]], least: float) -> list[tuple[float, float]]:
    """Pauses that nobody could tell apart are one bar."""
    joined: list[tuple[float, float]] = []
    for begin, end in spans:
        if joined and begin - joined[-1][1] < least:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, max(end, begin + least)))
    return joined


def _view(order: list[str], rows: Sequence[dict[str, Any]], x_title: str) -> dict[str, Any]:
    depths = sorted({row["depth"] for row in rows}, key=int)
    color = {
        "field": "depth",
        "type": "nominal",
        "sort": depths,
        "title": "Step of the tree",
        "scale": {
            "domain": depths,
            "range": [COLOURS[i % len(COLOURS)] for i in range(len(depths))],
        },
        "legend": {"symbolType": "square"},
    }
    ends = [row[key] for row in rows for key in ("x", "x2")]
    scale = {"domain": [min(ends, default=0.0), max(ends, default=1.0)], "nice": False}
    encoding = {
        "y": {
            "field": "curve",
            "type": "nominal",
            "sort": order,
            "title": None,
            "axis": {
                "labelAlign": "left",
                "labelPadding": LETTER * max(map(len, order), default=0) + 8,
                "maxExtent": 1000,
                "grid": True,
            },
        },
        "x": {"field": "x", "type": "quantitative", "title": x_title, "scale": scale},
        "x2": {"field": "x2"},
        "color": color,
        "tooltip": [
            {"field": "port", "type": "nominal", "title": "Port"},
            {"field": "text", "type": "nominal", "title": "Paused"},
        ],
    }
    mark = {"type": "bar", "height": STEP - 4}
    return {"height": {"step": STEP}, "encoding": encoding, "mark": mark}
