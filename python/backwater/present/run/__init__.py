"""The measurements of one run, for people: tables, curves over time and a page of its own.

`charts` and `run_tables` show what it did, `groups` puts rows that are alike together, and
`validity` says how well a live run kept its instants.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from backwater.present.run.run_tables import closing, over_time, tables

if TYPE_CHECKING:
    from backwater.present.run.charts import WHATS, spec

__all__ = ["WHATS", "closing", "over_time", "spec", "tables"]


def __getattr__(name: str) -> Any:
    """Charts are loaded at first use: tables need none."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("backwater.present.run.charts"), name)
