"""The visible parts of a figure: marks with an extent, counted in its SVG."""

from __future__ import annotations

import copy
import re
import struct
import zlib
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
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


# The marks of data that each kind of figure has besides intervals, bounds and names.
OWN = {
    "line": "mark-line",
    "bars": "mark-rect|mark-symbol",
    "stack": "mark-rect",
    "rank": "mark-symbol|mark-rect",
    "plane": "mark-symbol",
    "matrix": "mark-rect",
    "box": "mark-rect",
    "time": "mark-line",
    "ecdf": "mark-line",
    "sizes": "mark-line",
    "pauses": "mark-rect",
}
# How lines are dashed that join the dashes of a bound. At one place alone there is nothing to join.
JOINS = "2,3"
_OPAQUE = re.compile(r"mark-(?:text|group)")


def without_pixels(svg: str, kind: str) -> list[str]:
    """The marks of a figure that leave no pixel: classes of Vega, or the kind's own marks."""
    root = ElementTree.fromstring(svg)
    groups = [one for one in root.iter(f"{_SVG}g") if _is_data(one)]
    classes = list(dict.fromkeys(one.get("class") or "" for one in groups if len(one)))
    found = ["NaN"] if "NaN" in svg else []
    found += [one for one in classes if not _hidden(groups, one) and not pixels(svg, one)]
    # Ends of intervals are hidden from readers of a page; they stand for no value.
    ends = {one.get("class") for one in groups if one.get("aria-hidden") == "true"}
    if not any(re.search(OWN[kind], one) for one in classes if one not in {*found, *ends}):
        found.append(f"{kind}: no {OWN[kind]}")
    return found


def _is_data(group: ElementTree.Element) -> bool:
    kind = group.get("class") or ""
    return "role-mark" in kind and not _OPAQUE.search(kind)


def _hidden(groups: list[ElementTree.Element], kind: str) -> bool:
    """Whether the marks of a class only answer the pointer, or join dashes that are seen anyway."""
    items = [item for one in groups if one.get("class") == kind for item in one]
    return all(
        item.get("opacity") == "0"
        or not (item.get("stroke") or item.get("fill"))
        or item.get("stroke-dasharray") == JOINS
        for item in items
    )


def pixels(svg: str, kind: str) -> bool:
    """Whether the marks of one class, drawn alone on nothing, leave a pixel."""
    root = copy.deepcopy(ElementTree.fromstring(svg))
    _only(root, kind)
    png = vl_convert.svg_to_png(ElementTree.tostring(root, encoding="unicode"), scale=1)
    at, data = 8, b""
    width = struct.unpack(">I", png[16:20])[0]
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        data += png[at + 8 : at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    # A row is a byte that names its filter, and four bytes a pixel. Whatever the filters are, the
    # rows are zeros if and only if all pixels are transparent black.
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(-1, 1 + 4 * width)
    return bool(rows[:, 1:].any())


def _only(parent: ElementTree.Element, kind: str) -> bool:
    """Removes what is no mark of this class. Whether one is left."""
    for child in list(parent):
        if child.tag == f"{_SVG}defs" or child.get("class") == kind:
            continue
        if child.tag != f"{_SVG}g" or not _only(child, kind):
            parent.remove(child)
    return len(parent) > 0
