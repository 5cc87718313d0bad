"""Quantities as people write them: "3 Mbit/s", "80 %"."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from backwater import _native

_WRITTEN = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(\S*)\s*$")
_BYTES_PER_SECOND = re.compile(r"B(/s|ps)\s*$")


@dataclass(frozen=True)
class Quantity:
    """A number in SI units and what it measures."""

    value: float
    dimension: str


@dataclass(frozen=True)
class _Unit:
    """A unit of a dimension: `over / under` of the SI unit."""

    dimension: str
    over: int
    under: int


@lru_cache(maxsize=1)
def _units() -> dict[str, _Unit]:
    """The engine's units by name."""
    return {
        row["unit"]: _Unit(dimension, row["over"], row["under"])
        for dimension, rows in json.loads(_native.units()).items()
        for row in rows
    }


def parse(written: str) -> Quantity | None:
    """Reads "3 Mbit/s", "80 %" or a plain number; None for anything else."""
    found = _WRITTEN.match(written)
    if found is None:
        return None
    number, name = float(found[1]), found[2]
    if not name:
        return Quantity(number, "number")
    unit = _units().get(name)
    if unit is None:
        return None
    # Dividing by a whole number keeps 0.1 ms at exactly 1e-4 s.
    return Quantity(number * unit.over / unit.under, unit.dimension)


def advice(written: object) -> str | None:
    """How to write a rate in bytes per second: "400 Mbit/s" for "50 MB/s"; None for others."""
    if not isinstance(written, str) or _BYTES_PER_SECOND.search(written) is None:
        return None
    return _native.rate_advice(written)


def picoseconds(written: str) -> int | None:
    """Reads a time such as "10 s" exactly, in whole picoseconds; None for anything else."""
    found = _WRITTEN.match(written)
    unit = _units().get(found[2]) if found else None
    if found is None or unit is None or unit.dimension != "time":
        return None
    return round(Fraction(found[1]) * unit.over * 10**12 / unit.under)


def parse_all(written: Iterable[str]) -> list[Quantity] | None:
    """Reads values that all measure the same thing; None when they don't."""
    found = [parse(text) for text in written]
    known = [quantity for quantity in found if quantity is not None]
    if not known or len(known) != len(found):
        return None
    return known if len({quantity.dimension for quantity in known}) == 1 else None
