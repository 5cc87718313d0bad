"""Labels of an axis that neither cover each other nor stand aslant without need."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

# Pixels of a letter on average, of the space between two labels, and lines that a label may have.
LETTER, GAP, MOST_LINES = 6.4, 8.0, 3
# Of a letter in a title, which is bold.
BOLD = 6.9
ASLANT = -40
# Pixels along the axis that a line of text takes which stands aslant.
LINE = 14.0


def upright(labels: Sequence[str], width: float) -> dict[str, Any]:
    """How names stand below an axis of so many pixels: upright in up to three lines, or aslant."""
    letters = int((width / max(1, len(labels)) - GAP) / LETTER)
    broken = [wrapped(label, letters) for label in labels]
    if any(lines is None for lines in broken):
        aslant = {"labelAngle": ASLANT, "labelLimit": 260, "labelOverlap": False}
        each = math.ceil(LINE * len(labels) / width)
        # Names that would lie over each other are left out, at equal distances.
        return aslant if each < 2 else aslant | {"values": list(labels)[::each]}
    told = {label: lines for label, lines in zip(labels, broken, strict=True) if lines}
    axis: dict[str, Any] = {"labelAngle": 0, "labelOverlap": False}
    if any(len(lines) > 1 for lines in told.values()):
        axis["labelExpr"] = f"({json.dumps(told)})[datum.label]"
    return axis


def wrapped(label: str, letters: int) -> list[str] | None:
    """A label in lines of at most so many letters; None where a word or the whole is too long."""
    lines: list[str] = []
    for word in label.split(" ") or [label]:
        if lines and len(lines[-1]) + 1 + len(word) <= letters:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    fits = len(lines) <= MOST_LINES and all(len(line) <= letters for line in lines)
    return lines if fits else None


def break_titles(node: Any, height: float, letter: float = BOLD) -> None:
    """Titles of a y axis that are longer than the axis get two lines."""
    if isinstance(node, list):
        for one in node:
            break_titles(one, height, letter)
    if not isinstance(node, dict):
        return
    y = node.get("y")
    if isinstance(y, dict) and isinstance(y.get("title"), str):
        title = y["title"]
        if len(title) * letter > height:
            y["title"] = _halves(title)
    for one in node.values():
        break_titles(one, height, letter)


def _halves(title: str) -> list[str]:
    """A title in two lines of about the same length."""
    words = title.split(" ")
    cuts = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
    return list(min(cuts, key=lambda cut: max(map(len, cut)))) if cuts else [title]


def narrowest(view: Mapping[str, Any]) -> float:
    """Pixels along x that upright names need; 0 where there are none."""
    x = view.get("encoding", {}).get("x", {})
    names = x.get("sort") if isinstance(x, dict) else None
    if not isinstance(names, list) or not names:
        return 0.0
    longest = max(len(word) for name in names for word in str(name).split(" "))
    return len(names) * (longest * LETTER + GAP)


def legend_columns(view: Any, width: float) -> tuple[int, float] | None:
    """How many names of the legend fit side by side, and pixels of one; None without a legend."""
    names = _names(view)
    if not names:
        return None
    each = 36 + LETTER * max(map(len, names))
    return max(1, min(6, int(width / each))), each


def _names(node: Any) -> list[str]:
    """The names that colours have in a view."""
    if isinstance(node, list):
        return next((found for one in node if (found := _names(one))), [])
    if not isinstance(node, dict):
        return []
    colour = node.get("color")
    domain = colour.get("scale", {}).get("domain") if isinstance(colour, dict) else None
    if isinstance(domain, list) and isinstance(colour, dict) and colour.get("legend", 1):
        return [str(name) for name in domain]
    return _names([one for one in node.values() if isinstance(one, (dict, list))])


def apart(numbers: Sequence[float], log: bool, width: float) -> list[float]:
    """Those of the numbers whose labels don't meet on a scale of so many pixels: both ends stay."""
    if len(numbers) < 3:
        return list(numbers)

    def along(value: float) -> float:
        low, high = numbers[0], numbers[-1]
        if log:
            return width * math.log(value / low) / math.log(high / low)
        return width * (value - low) / (high - low)

    def reach(value: float) -> float:
        return LETTER * len(f"{value:g}") / 2

    def meet(one: float, other: float) -> bool:
        return along(other) - along(one) < reach(one) + reach(other) + GAP

    last = numbers[-1]
    kept = [numbers[0]]
    for number in numbers[1:-1]:
        if not meet(kept[-1], number) and not meet(number, last):
            kept.append(number)
    return [*kept, last]
