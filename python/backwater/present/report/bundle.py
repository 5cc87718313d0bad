"""Vega, Vega-Lite and Vega-Embed as one script, made once for each version and kept."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import vl_convert
from markupsafe import Markup

from backwater.model.outputs import save


@lru_cache(maxsize=1)
def bundle() -> Markup:
    """The script, such that a page can contain it."""
    kept = _kept()
    try:
        return Markup(kept.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        made = _make()
    try:
        save(kept, made)
    except OSError:
        # A folder that can't be written costs the next report the time to make the script again.
        return Markup(made)
    return Markup(made)


def _make() -> str:
    script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    assert "</script" not in script.lower(), "the bundle would end its own script element"
    # The function keeps the bundle's names out of the page.
    return "(function () {" + script + "\n})();"


def _kept() -> Path:
    """The file in the user's cache; another version of the libraries has another name."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    version = metadata.version("vl-convert-python")
    return Path(base) / "backwater" / f"vega-{version}.js"
