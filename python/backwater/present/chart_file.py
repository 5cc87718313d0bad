"""A Vega-Lite specification as a file for papers, without a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import vl_convert

from backwater.errors import Refusal, Unfinished
from backwater.model import outputs


def _svg(spec: dict[str, Any]) -> bytes:
    return vl_convert.vegalite_to_svg(spec).encode()


def _png(spec: dict[str, Any]) -> bytes:
    return vl_convert.vegalite_to_png(spec, scale=3)


def _pdf(spec: dict[str, Any]) -> bytes:
    return vl_convert.vegalite_to_pdf(spec)


FORMATS: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "svg": _svg,
    "png": _png,
    "pdf": _pdf,
}


def check(path: Path, option: str) -> None:
    """Refuses a file of no known format, before anything runs."""
    if path.suffix[1:] not in FORMATS:
        what = f"`{path.name}` is neither .svg nor .png nor .pdf"
        raise Refusal(what, place=option, fix="name such a file")


def write(spec: dict[str, Any], path: Path) -> None:
    """Draws a specification into a file; its suffix is the format."""
    try:
        outputs.save(path, FORMATS[path.suffix[1:]](spec))
    except OSError as error:
        raise Unfinished(
            f"cannot write: {error.strerror or error}", place=str(path), fix="name another file"
        ) from error
