"""The metrics of a case as one compressed blob; cases with the same metrics share a layout.

A layout is the list of (scope, name). A blob has their values as doubles, all first bytes before
all second ones, which compresses well: neighbours share signs and exponents. What has no value is
NaN, which no metric is.
"""

from __future__ import annotations

import json
import math
import sys
import zlib
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

# Fast: stronger compression saves a tenth of the bytes and takes four times as long.
_LEVEL = 1
_BYTES = 8

T = TypeVar("T")
At = tuple[str, str]
Row = tuple[str, str, float | None]


def split(rows: Iterable[Row]) -> tuple[str, bytes]:
    """The layout of these rows and their values as a blob."""
    last: dict[At, float | None] = {(scope, name): value for scope, name, value in rows}
    values = array("d", [math.nan if value is None else value for value in last.values()])
    return layout_text(list(last)), pack(values)


def layout_text(layout: Sequence[At]) -> str:
    """A layout as JSON, as the engine writes it."""
    return json.dumps(layout, separators=(",", ":"), ensure_ascii=False)


def pack(values: array[float]) -> bytes:
    """Doubles as a blob, the same on every machine."""
    if sys.byteorder == "big":
        values = values[:]
        values.byteswap()
    plain = values.tobytes()
    return compress(b"".join(plain[i::_BYTES] for i in range(_BYTES)))


def compress(planes: bytes) -> bytes:
    """The planes of bytes of some doubles as a blob."""
    return zlib.compress(planes, _LEVEL)


def unpack(blob: bytes, count: int) -> array[float]:
    """The doubles of a blob; one of another length is refused with ValueError."""
    try:
        planes = zlib.decompress(blob)
    except zlib.error as error:
        raise ValueError(f"values that cannot be read: {error}") from error
    if len(planes) != count * _BYTES:
        raise ValueError(f"{len(planes)} bytes of values for {count} metrics")
    plain = bytearray(len(planes))
    for i in range(_BYTES):
        plain[i::_BYTES] = planes[i * count : (i + 1) * count]
    values = array("d")
    values.frombytes(plain)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def write_layout(text: str) -> bytes:
    """The JSON of a layout as it is stored."""
    return zlib.compress(text.encode())


def read_layout(blob: bytes) -> tuple[str, tuple[At, ...]]:
    """The JSON of a layout and the layout, as written; else it is refused with ValueError."""
    try:
        text = zlib.decompress(blob).decode()
        return text, tuple((str(scope), str(name)) for scope, name in json.loads(text))
    except (zlib.error, ValueError, TypeError) as error:
        raise ValueError(f"a layout that cannot be read: {error}") from error


def real(value: float) -> float | None:
    """A stored value; None where the metric has none."""
    return None if value != value else value


class Columns:
    """The metrics of all cases, column by column."""

    def __init__(
        self, layouts: Mapping[int, Sequence[At]], cases: Mapping[str, tuple[int, array[float]]]
    ) -> None:
        self.layouts = {number: list(layout) for number, layout in layouts.items()}
        self.places = {
            number: {at: i for i, at in enumerate(layout)}
            for number, layout in self.layouts.items()
        }
        self.cases = cases

    def column(self, scope: str, name: str) -> dict[str, float | None]:
        """A metric of every case that has it."""
        at = (scope, name)
        places = {number: place.get(at) for number, place in self.places.items()}
        return {
            key: real(values[i])
            for key, (number, values) in self.cases.items()
            if (i := places[number]) is not None
        }

    def drops(self) -> dict[str, dict[At, float | None]]:
        """Packets lost by (scope, cause), of every case."""
        return self._chosen(lambda scope, name: (scope, name) if _kind(scope) == "drops" else None)

    def by_flow(self, metric: str) -> dict[str, dict[str, float | None]]:
        """A metric of every flow, of every case."""
        return self._chosen(
            lambda scope, name: (
                scope.partition(":")[2] if name == metric and _kind(scope) == "flow" else None
            )
        )

    def _chosen(self, named: Callable[[str, str], T | None]) -> dict[str, dict[T, float | None]]:
        """The metrics that have a name in `named`, under that name, of every case with one."""
        places = {
            number: [
                (i, word)
                for i, (scope, name) in enumerate(layout)
                if (word := named(scope, name)) is not None
            ]
            for number, layout in self.layouts.items()
        }
        return {
            key: {word: real(values[i]) for i, word in places[number]}
            for key, (number, values) in self.cases.items()
            if places[number]
        }

    def names(self) -> list[At]:
        """Every (scope, name) that some case has."""
        used = {number for number, _ in self.cases.values()}
        return sorted({at for number in used for at in self.layouts[number]})

    def rows(self) -> list[tuple[str, str, str, float | None]]:
        """Every metric of every case: key, scope, name and value, in order."""
        return sorted(
            (
                (key, scope, name, real(value))
                for key, (number, values) in self.cases.items()
                for (scope, name), value in zip(self.layouts[number], values, strict=True)
            ),
            key=lambda row: row[:3],
        )


def _kind(scope: str) -> str:
    return scope.partition(":")[0]
