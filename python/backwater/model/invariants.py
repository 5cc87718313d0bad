"""Conditions at the end of every run: packets are conserved, and every figure is possible."""

from collections.abc import Mapping
from typing import Any

# Faults that a message names; a broken sum can break many figures.
_SHOWN = 3


def broken(document: Mapping[str, Any]) -> str | None:
    """The error in the numbers of a run, or None."""
    kept = document["conservation"]
    if not kept["ok"]:
        parts = ", ".join(f"{name} {kept[name]}" for name in sorted(kept))
        return f"packets are not conserved: {parts}"
    faults = document["sanity"]["faults"]
    if not faults:
        return None
    more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    return f"figures that cannot be: {'; '.join(faults[:_SHOWN])}{more}"
