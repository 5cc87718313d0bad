"""Which engine computes: the module of this package, or the one that BACKWATER_ENGINE names.

A crate that adds parts in Rust makes such a module. Everything takes the engine as
`backwater._native`, and a process that this one starts inherits the variable.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

VARIABLE = "BACKWATER_ENGINE"
OWN = "backwater._native"


def _choose() -> Any:
    """Loads the engine and puts it in its place; ImportError where the variable names none."""
    own = import_module(OWN)
    name = os.environ.get(VARIABLE)
    if not name:
        return own
    fix = f"install the package that has it, or unset {VARIABLE}"
    try:
        other = import_module(name)
    except ImportError as error:
        raise ImportError(f"{VARIABLE}={name}: {error}; {fix}") from error
    if not hasattr(other, "engine_id"):
        raise ImportError(f"{VARIABLE}={name}: the module is no engine of Backwater; {fix}")
    if other.version() != own.version():
        versions = f"it has version {other.version()}, and Backwater is {own.version()}"
        raise ImportError(f"{VARIABLE}={name}: {versions}; build it again for this version")
    sys.modules[OWN] = other
    vars(sys.modules["backwater"])["_native"] = other
    return other


chosen = _choose()
