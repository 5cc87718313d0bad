"""The visible parts of a figure: marks with an extent, counted in its SVG."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import vl_convert

from backwater.present import plot
from backwater.results.results import Results

_SVG = "{http://www.w3.org/2000/svg}"
# A rectangle without width or height, as Vega writes it.
_EMPTY = re.compile(r"h0v|v0h0|h-?[\d.]+v0h")


def marks(svg: str) -> int:
    """Marks of the data: no axis, no legend, no text, nothing transparent, nothing without size."""
    found = 0
    for group in ElementTree.fromstring(svg).iter(f"{_SVG}g"):
        kind = group.get("class") or ""
        if "role-mark" not in kind or "mark-text" in kind or "mark-group" in kind:
            continue
        found += sum(_is_seen(path) for path in group.iter(f"{_SVG}path"))
        found += sum(_is_long(line) for line in group.iter(f"{_SVG}line"))
    return found


def _is_long(line: ElementTree.Element) -> bool:
    ends = [float(line.get(end) or 0) for end in ("x2", "y2")]
    return line.get("opacity") != "0" and line.get("stroke") != "transparent" and any(ends)


def _is_seen(path: ElementTree.Element) -> bool:
    shape = path.get("d") or ""
    hidden = path.get("opacity") == "0" or path.get("stroke") == "transparent"
    return bool(shape) and not hidden and "NaN" not in shape and not _EMPTY.search(shape)


def empty_figures(folder: Path) -> list[str]:
    """The figures of a study's results in which a reader sees nothing, although it has cases."""
    results = Results.open(folder)
    found = []
    for figure in results.study.figures:
        try:
            svg = vl_convert.vegalite_to_svg(plot.spec(results, figure))
        except plot.FigureError:
            # Its cases are not in the quick set.
            continue
        if marks(svg) == 0 or "NaN" in svg:
            found.append(f"{results.study.id} {figure.id}")
    return found
