"""The engine's tables: for each kind of part, and for metrics, the rows that exist."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from backwater import _native

Row = dict[str, Any]


@lru_cache(maxsize=1)
def tables() -> dict[str, list[Row]]:
    """The rows by kind, in the engine's order."""
    found: dict[str, list[Row]] = json.loads(_native.parts())
    return found
