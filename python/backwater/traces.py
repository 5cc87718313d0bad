"""The folder of traces, which belong to others and are not shipped: BACKWATER_TRACES names it."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "BACKWATER_TRACES"


def folder() -> Path | None:
    """The folder, if one was named."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else None


def present(name: str) -> bool:
    """Whether a trace of this name is there."""
    where = folder()
    return where is not None and (where / name).is_file()
