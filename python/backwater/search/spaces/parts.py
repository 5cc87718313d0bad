"""Any fields of any scenario, each with the values to try.

They are written `PATH=one,two,three`, or `PATH=low..high` in whole numbers with a unit, such as
`ports.A>B.buffer=10..100 packets`, or as lists, such as `links.a.ends=["A", "B"], ["A", "C"]`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from backwater.errors import Refusal
from backwater.search import settings
from backwater.search.settings import Setting
from backwater.search.spaces.space import Bounds, Genome, Space

_RANGE = re.compile(r"(\d+)\.\.(\d+)( .+)?")
# More values of one field would be no list.
_MOST = 1_000_000


class Parts(Space):
    """See the head of the file."""

    name = "parts"

    def __init__(self, written: Sequence[str], seconds: float) -> None:
        self.written = list(written)
        self.lasts = seconds
        self.fields = [_field(one) for one in written]
        if not self.fields:
            raise Refusal(
                "the space `parts` has no field to vary",
                place="--vary",
                fix='write --vary "ports.A>B.buffer=10..100 packets"',
            )

    def options(self) -> Mapping[str, Any]:
        """The fields."""
        return {"vary": self.written}

    def bounds(self) -> list[Bounds]:
        """The first value of each field is plain."""
        return [Bounds(0, len(values) - 1, 0) for _, values in self.fields]

    def unmet(self) -> str | None:
        """One point cannot be searched."""
        if all(len(values) == 1 for _, values in self.fields):
            return "the space has one point: give a field a second value"
        return None

    def seconds(self, genome: Genome) -> float:
        """That of the scenario."""
        return self.lasts

    def settings(self, genome: Genome) -> list[Setting]:
        """Each field with its value."""
        pairs = zip(self.fields, genome, strict=True)
        return [settings.field(path, values[gene]) for (path, values), gene in pairs]

    def constraints(self) -> list[str]:
        """The values of each field."""
        return list(self.written)

    def describe(self, genome: Genome) -> str:
        """Each field with its value."""
        pairs = zip(self.fields, genome, strict=True)
        return ", ".join(f"{path} = {values[gene]}" for (path, values), gene in pairs)


def _field(written: str) -> tuple[str, Sequence[Any]]:
    path, equals, said = written.rpartition("=")
    if not equals or not path or not said:
        raise Refusal(
            f"`{written}` is no field with values",
            place="--vary",
            fix='write "PATH=one,two" or "PATH=10..100 packets"',
        )
    if (found := _RANGE.fullmatch(said)) is not None:
        low, high, unit = int(found[1]), int(found[2]), found[3]
        if low > high or high - low >= _MOST:
            raise Refusal(
                f"`{said}` has no values, or too many", place="--vary", fix="write low..high"
            )
        return path, [value if unit is None else f"{value}{unit}" for value in range(low, high + 1)]
    if said.lstrip().startswith("["):
        return path, _lists(said)
    return path, [_value(one.strip()) for one in said.split(",")]


def _lists(said: str) -> list[Any]:
    """Values that are lists themselves, such as the ends of a link."""
    try:
        found: list[Any] = json.loads(f"[{said}]")
    except ValueError as error:
        raise Refusal(
            f"`{said}` is no row of lists: {error}",
            place="--vary",
            fix='write links.a.ends=["A", "B"], ["A", "C"]',
        ) from error
    return found


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text
