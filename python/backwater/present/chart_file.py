"""A Vega-Lite specification as a file for papers, without a browser.

A PDF and an SVG hold the letters of their fonts, and an SVG keeps its text as text. With a width,
all three are so wide on paper, and letters are 8 points high.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import vl_convert

from backwater.errors import Refusal, Unfinished
from backwater.model import outputs
from backwater.present.plot.column import fitted
from backwater.present.svg_fonts import embedded

# Pixels of an inch in SVG, points of an inch in PDF, and dots of an inch of a PNG for print.
INCH_PX, INCH_PT, DPI = 96.0, 72.0, 600
# How often a figure is drawn until its frame is as wide as asked for.
TRIES = 4
# Where the first chunk of a PNG ends: signature and header.
AFTER_HEAD = 33
UNITS = {"cm": INCH_PX / 2.54, "mm": INCH_PX / 25.4, "in": INCH_PX, "pt": INCH_PX / INCH_PT}
NARROWEST, WIDEST = 150.0, 4000.0
_FRAME = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


def _png(svg: str, on_paper: bool) -> bytes:
    dpi = DPI if on_paper else 3 * INCH_PX
    made: bytes = vl_convert.svg_to_png(svg, scale=dpi / INCH_PX)
    # Programs that lay out pages take the size on paper from the dots of a metre.
    dots = round(dpi / 0.0254)
    body = b"pHYs" + struct.pack(">IIB", dots, dots, 1)
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return made[:AFTER_HEAD] + chunk + made[AFTER_HEAD:]


def _pdf(svg: str, on_paper: bool) -> bytes:
    # A pixel of the drawing becomes a point.
    made: bytes = vl_convert.svg_to_pdf(_scaled(svg, INCH_PT / INCH_PX) if on_paper else svg)
    return made


def _scaled(svg: str, factor: float) -> str:
    """The same drawing in a frame of another size."""
    wide, high = frame(svg)
    size = f'width="{wide * factor:.3f}" height="{high * factor:.3f}"'
    return _FRAME.sub(size, svg, count=1)


def frame(svg: str) -> tuple[float, float]:
    """Width and height of a drawing in pixels."""
    found = _FRAME.search(svg)
    assert found is not None, "a drawing has a frame"
    return float(found[1]), float(found[2])


FORMATS: dict[str, Callable[[str, bool], bytes]] = {
    "svg": lambda svg, on_paper: embedded(svg).encode(),
    "png": _png,
    "pdf": _pdf,
}


def width_px(written: str | None) -> float | None:
    """Reads `--width`."""
    if written is None:
        return None
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(cm|mm|in|pt)\s*", written)
    width = float(found[1]) * UNITS[found[2]] if found else 0.0
    if not NARROWEST <= width <= WIDEST:
        what = f"`{written}` is no width of a figure"
        fix = "write 4cm or more, such as 8.5cm (also mm, in, pt)"
        raise Refusal(what, place="--width", fix=fix)
    return width


def drawn(spec: dict[str, Any], kind: str, width: float | None = None) -> bytes:
    """A specification in one of the formats, so many pixels wide if a width is given."""
    svg = vl_convert.vegalite_to_svg(spec) if width is None else _of_width(spec, width)
    return FORMATS[kind](svg, width is not None)


def _of_width(spec: dict[str, Any], width: float) -> str:
    """Plots become narrower until the frame around labels and legends fits."""
    inner = width - 60.0
    for _ in range(TRIES):
        svg = vl_convert.vegalite_to_svg(fitted(spec, width, inner))
        wide = frame(svg)[0]
        if abs(wide - width) < 0.6:
            break
        inner = max(40.0, inner + width - wide)
    # A chart that cannot be narrower is drawn smaller.
    return _scaled(svg, width / wide)


def check(path: Path, option: str) -> None:
    """Refuses a file of no known format, before anything runs."""
    if path.suffix[1:] not in FORMATS:
        what = f"`{path.name}` is neither .svg nor .png nor .pdf"
        raise Refusal(what, place=option, fix="name such a file")


def write(spec: dict[str, Any], path: Path, width: float | None = None) -> None:
    """Draws a specification into a file; its suffix is the format."""
    try:
        outputs.save(path, drawn(spec, path.suffix[1:], width))
    except OSError as error:
        raise Unfinished(
            f"cannot write: {error.strerror or error}", place=str(path), fix="name another file"
        ) from error
