"""The needs of figures, panels and curves that are compared: one scale, and to be told apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backwater.results.results import Results
    from backwater.study.figure import Figure

# Curves are the same on paper if they differ by less than this share of what the panel shows.
SAME = 0.01
DASHES = [[1, 0], [7, 5], [2, 4]]
WIDTHS = [4.5, 1.8, 1.8]
_KINDS = ("line", "bars")
ZERO = "Zero at every point."

Row = dict[str, Any]


def peers(results: Results, figure: Figure) -> list[Figure]:
    """The figures of the study that show the same metric in the same way over the same axis.

    Losses of two classes, or goodputs of two flows, are the same metric.
    """

    def key(one: Figure) -> tuple[Any, ...]:
        return (one.kind, re.sub(r"_class\d+$", "", one.y[0]), one.x, len(one.y), one.by)

    if figure.kind not in _KINDS or figure.own_scale:
        return [figure]
    known = [one for one in results.study.figures if one.kind in _KINDS]
    same = [one for one in known if key(one) == key(figure) and not one.own_scale]
    return same if figure in same else [figure]


def zero_panels(rows: list[Row], panels: Sequence[str]) -> tuple[list[Row], list[str], list[str]]:
    """Rows and panels without those that hold nothing but zeros, and sentences that say so.

    A figure of zeros alone keeps its rows: it has nothing else to show.
    """
    empty = [panel for panel in panels if _is_zero(row for row in rows if row["panel"] == panel)]
    if len(panels) < 2:
        whole = bool(rows) and _is_zero(rows)
        return rows, list(panels), [ZERO] if whole else []
    if not empty:
        return rows, list(panels), []
    if len(empty) == len(panels):
        return rows, list(panels), [ZERO]
    left = [panel for panel in panels if panel not in empty]
    said = [f"Zero at every point: {', '.join(empty)}."]
    if len(left) == 1:
        said.insert(0, f"Drawn: {left[0]}.")
    return [row for row in rows if row["panel"] in left], left, said


def _is_zero(rows: Any) -> bool:
    values = [row["mean"] for row in rows]
    return bool(values) and all(value == 0 for value in values)


def tell_apart(rows: Sequence[Row], labels: Sequence[str]) -> list[str]:
    """Gives each row the level of its curve among those that it coincides with.

    Curves of one panel that coincide at all points are drawn on each other: the first one wide,
    the others dashed. Sentences name them. Nothing is written where no curves coincide.
    """
    places: dict[tuple[Any, ...], dict[str, dict[Any, float]]] = {}
    for row in rows:
        if row["mean"] is not None:
            chosen = (value for key, value in row.items() if key.startswith("chosen_"))
            where = (row.get("panel"), *chosen)
            places.setdefault(where, {}).setdefault(row["curve"], {})[row["x"]] = row["mean"]
    levels: dict[str, int] = dict.fromkeys(labels, 0)
    pairs: dict[tuple[str, str], None] = {}
    for curves in places.values():
        top = max((abs(v) for values in curves.values() for v in values.values()), default=0.0)
        for at, under in enumerate(labels):
            for over in labels[at + 1 :]:
                if _coincide(curves.get(under, {}), curves.get(over, {}), SAME * top):
                    pairs[under, over] = None
                    levels[over] = max(levels[over], min(levels[under] + 1, len(DASHES) - 1))
    if not pairs:
        return []
    for row in rows:
        row["level"] = levels[row["curve"]]
    return [f"On each other: {'; '.join(_groups(list(pairs), labels))}."]


def _coincide(one: Mapping[Any, float], other: Mapping[Any, float], slack: float) -> bool:
    common = one.keys() & other.keys()
    if len(common) < 2:
        return False
    return all(abs(one[x] - other[x]) <= slack for x in common)


def _groups(pairs: Sequence[tuple[str, str]], labels: Sequence[str]) -> list[str]:
    """Curves that coincide with each other somewhere, joined."""
    group = {label: {label} for label in labels}
    for one, other in pairs:
        joined = group[one] | group[other]
        for label in joined:
            group[label] = joined
    distinct: dict[tuple[str, ...], None] = {}
    for label in labels:
        if len(group[label]) > 1:
            distinct[tuple(one for one in labels if one in group[label])] = None
    return [" and ".join(some) for some in distinct]


def apart(rows: Sequence[Row]) -> dict[str, Any]:
    """The channels by which curves on each other are told apart; none where there are none."""
    if not any("level" in row for row in rows):
        return {}

    def by(found: Sequence[Any]) -> dict[str, Any]:
        scale = {"domain": list(range(len(DASHES))), "range": list(found)}
        return {"field": "level", "type": "nominal", "scale": scale, "legend": None}

    return {"strokeDash": by(DASHES), "strokeWidth": by(WIDTHS)}


def limits(rows: Sequence[Row], bounds: Sequence[Row] = ()) -> tuple[float, float] | None:
    """The least and the largest number that a figure shows, intervals and bounds included."""
    keys = ("mean", "low", "high", "edge")
    values = [row[key] for row in [*rows, *bounds] for key in keys if row.get(key) is not None]
    return (min(values), max(values)) if values else None
