"""A figure at the width of a journal's column: letters of 8 points, one panel beside the other."""

from __future__ import annotations

import copy
import textwrap
from typing import Any

from backwater.present.plot.labels import (
    ASLANT,
    BOLD,
    LETTER,
    apart,
    break_titles,
    legend_columns,
    upright,
)

# Pixels of 8 points, the letter's width at that size, and between two panels.
LETTERS, SPACE = 8 / 72 * 96, 14.0
NARROW = LETTER * LETTERS / 12
# Of a digit's width in its height.
DIGIT = 0.556
# A panel that is narrower stands alone in its row.
LEAST = 130.0


def fitted(spec: dict[str, Any], width: float, inner: float) -> dict[str, Any]:
    """A copy with its plots `inner` pixels wide together; the paper's caption is its title."""
    made = copy.deepcopy(spec)
    config = made["config"]
    for part in ("axis", "legend"):
        config[part] |= {"labelFontSize": LETTERS, "titleFontSize": LETTERS, "titlePadding": 4}
    config["header"] |= {"labelFontSize": LETTERS, "labelPadding": 2}
    config["legend"] |= {"columnPadding": 8, "symbolSize": 40, "offset": 6}
    config["point"] |= {"size": 22}
    config["line"] |= {"strokeWidth": 1.2}
    _untitle(made, width)
    view = made.get("spec", made)
    columns = 1
    if "spec" in made:
        wished = made.get("columns", 1)
        x = view.get("encoding", {}).get("x", {}).get("title") or ""
        least = max(LEAST, BOLD * LETTERS / 12 * len(x) + SPACE)
        columns = max(one for one in range(1, wished + 1) if one == 1 or inner / one >= least)
        made["columns"] = columns
        made["spacing"] = SPACE
    each = (inner - SPACE * (columns - 1)) / columns
    horizontal = _horizontal(made, view, each)
    _set_width(view, each, horizontal)
    _fit_cells(view, made["data"]["values"])
    per_row = legend_columns(view, width)
    if per_row is not None:
        config["legend"]["columns"] = per_row[0]
    for one in view.get("vconcat", [view]):
        if isinstance(one.get("height"), (int, float)):
            break_titles(one, one["height"], BOLD * LETTERS / 12)
        _labels(one, each)
    return made


def _untitle(made: dict[str, Any], width: float) -> None:
    """Sentences about the figure stay, in the letters of the axes."""
    title = made.pop("title", None)
    if not isinstance(title, dict) or not title.get("subtitle"):
        return
    told = title["subtitle"]
    if isinstance(told, list):
        lines = textwrap.wrap(" ".join(told), max(20, int(width / NARROW)))
        told = lines
    plain = {"fontSize": LETTERS, "fontWeight": "normal", "offset": 4, "anchor": "start"}
    made["title"] = {"text": told, **plain, "frame": "bounds", "limit": width}


def _horizontal(made: dict[str, Any], view: dict[str, Any], each: float) -> bool:
    """Whether bars are horizontal, as they are where their names find no room side by side."""
    meta = made["usermeta"]["backwater"]
    flat = meta.get("flat")
    if flat is None:
        return bool(meta.get("horizontal"))
    if upright(view["encoding"]["x"]["sort"], each * 12 / LETTERS)["labelAngle"] != ASLANT:
        return False
    view |= flat
    return True


def _set_width(view: dict[str, Any], each: float, horizontal: bool) -> None:
    for one in view.get("vconcat", [view]):
        if isinstance(one.get("width"), dict):
            columns = len(one["encoding"]["x"]["sort"])
            one["width"] = {"step": max(8.0, each / columns)}
        else:
            one["width"] = each
        if isinstance(one.get("height"), (int, float)) and not horizontal:
            one["height"] = min(float(one["height"]), max(90.0, 0.62 * each))


def _fit_cells(view: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """The numbers of a matrix become so small that each stays in its cell."""
    for layer in view.get("layer", ()):
        if layer.get("name") == "cells":
            room = view["width"]["step"] - 3
            longest = max((len(row["shown"]) for row in rows if "shown" in row), default=1)
            layer["mark"]["fontSize"] = min(LETTERS, room / (DIGIT * longest))


def _labels(view: dict[str, Any], each: float) -> None:
    """The labels along x are chosen anew for the width."""
    x = view.get("encoding", {}).get("x")
    if not isinstance(x, dict) or not isinstance(x.get("axis"), dict):
        return
    roomy = each * 12 / LETTERS
    names = x.get("sort")
    if x.get("type") in ("nominal", "ordinal") and isinstance(names, list):
        x["axis"].pop("labelExpr", None)
        shown = [name if isinstance(name, str) else f"{name:g}" for name in names]
        x["axis"] |= upright(shown, roomy)
        if x["type"] == "ordinal":
            x["axis"].pop("labelExpr", None)
    if x.get("type") == "quantitative" and isinstance(x["axis"].get("values"), list):
        log = x.get("scale", {}).get("type") == "log"
        x["axis"]["values"] = apart(x["axis"]["values"], log, roomy)
