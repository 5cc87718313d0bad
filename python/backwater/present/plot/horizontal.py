"""Horizontal bars: names that find no room side by side stand upright one above the other."""

from __future__ import annotations

import copy
import json
from typing import Any

from backwater.present.plot.labels import ASLANT, GAP, LETTER, MOST_LINES, break_titles, wrapped

_TURNED = {"x": "y", "y": "x", "x2": "y2", "y2": "x2", "xOffset": "yOffset", "yOffset": "xOffset"}
# Letters of a line of a name, pixels of a line and of a bar, and names that a page can hold.
LETTERS, LINE, BAR, MOST = 24, 14.0, 12.0, 40
AT_LEAST = "≥"
# Pixels of the shortest axis of numbers beside names.
SHORT = 200.0
# Of an axis of numbers that was upright: as `axisY` of the configuration has it.
_NUMBERS = {"grid": True, "domain": False, "ticks": False, "labelOverlap": True}


def aslant(view: dict[str, Any]) -> bool:
    """Whether the names along x find no room."""
    axis = view.get("encoding", {}).get("x", {}).get("axis")
    return isinstance(axis, dict) and axis.get("labelAngle") == ASLANT


def turned(view: dict[str, Any]) -> dict[str, Any] | None:
    """What differs in a view with horizontal bars; None where x has no names, or too many."""
    x = view.get("encoding", {}).get("x", {})
    names = x.get("sort")
    if x.get("type") != "nominal" or not isinstance(names, list) or len(names) > MOST:
        return None
    made: dict[str, Any] = copy.deepcopy(
        {key: view[key] for key in ("encoding", "layer", "mark") if key in view}
    )
    _turn(made)
    lines = _lines(names)
    along = made["encoding"]["y"]
    along["axis"] = {
        "labelExpr": f"({json.dumps(dict(zip(names, lines, strict=True)))})[datum.label]",
        # The first line stands at the bar's middle, so names of more lines move up.
        "labelOffset": {
            "condition": [
                {"test": f"indexof({json.dumps(some)}, datum.label) >= 0", "value": up}
                for up, some in _raised(names, lines)
            ],
            "value": 0,
        },
        "labelOverlap": False,
        "domain": True,
    }
    break_titles(made, SHORT, channel="x")
    made["encoding"]["x"] = numbers(made["encoding"]["x"])
    beside = made["encoding"].get("yOffset", {}).get("sort") or [""]
    each = max(len(beside) * BAR + 6, max(map(len, lines)) * LINE + 5)
    made["height"] = each * len(names)
    return made


def numbers(channel: dict[str, Any]) -> dict[str, Any]:
    """The channel of the values, or one of its scales, with the axis below the bars."""
    return {**channel, "axis": {**channel.get("axis", {}), **_NUMBERS}}


def room(view: dict[str, Any]) -> float:
    """Pixels that the names of horizontal bars take beside them."""
    names = view["encoding"]["y"]["sort"]
    return GAP + LETTER * max(len(line) for lines in _lines(names) for line in lines)


def _lines(names: list[str]) -> list[list[str]]:
    """Each name in lines; one that is too long for them stays whole."""
    found = []
    for name in names:
        lines = wrapped(name, LETTERS)
        found.append(lines if lines and len(lines) <= MOST_LINES else [name])
    return found


def _raised(names: list[str], lines: list[list[str]]) -> list[tuple[float, list[str]]]:
    """Names of two lines and of three, with the pixels by which their first line moves up."""
    found = []
    for count in range(2, MOST_LINES + 1):
        some = [name for name, one in zip(names, lines, strict=True) if len(one) == count]
        found.append(((1 - count) * LINE / 2, some))
    return found


def _turn(node: Any) -> None:
    """Exchanges x and y in a view and its layers."""
    for one in node if isinstance(node, list) else ():
        _turn(one)
    if not isinstance(node, dict):
        return
    if "encoding" in node:
        node["encoding"] = {_TURNED.get(key, key): it for key, it in node["encoding"].items()}
    mark = node.get("mark")
    if isinstance(mark, dict) and mark["type"] == "tick":
        mark["orient"] = "vertical"
    if isinstance(mark, dict) and mark["type"] == "text":
        # The name of a bound stands where what keeps it is not: left of a least value.
        least, away = f"indexof(datum.bound, '{AT_LEAST}') >= 0", -mark.pop("dy", 0)
        mark |= {
            "dx": {"expr": f"{least} ? {-away} : {away}"},
            "align": {"expr": f"{least} ? 'right' : 'left'"},
            "baseline": "middle",
        }
    _turn(node.get("layer", []))
