"""Who draws the figures of results, which know nothing of pictures: the package names a module."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import altair

    from backwater.results.results import Results
    from backwater.study.figure import Figure

drawn_by = ""


def chart(results: Results, figure: Figure) -> altair.TopLevelMixin:
    """A figure as an Altair chart. The module is loaded at the first one."""
    return cast("altair.TopLevelMixin", import_module(drawn_by).figure(results, figure))
