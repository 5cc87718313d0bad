"""Rows of a run that are alike, such as the senders of an incast, as one row with a spread."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backwater.present.numbers import dimension_of, metric_text, number, unit_for

Row = Mapping[str, Any]
# More rows than this are grouped, unless each is asked for.
MOST_ROWS = 12


@dataclass(frozen=True)
class Group:
    """One row, or rows that differ in the numbers of their names only."""

    name: str
    rows: Sequence[Row]

    @property
    def label(self) -> str:
        """The name, with the number of rows where there are several."""
        return self.name if len(self.rows) == 1 else f"{self.name} ({len(self.rows)})"

    def values(self, metric: str) -> list[float]:
        """The known values of a metric."""
        return [row[metric] for row in self.rows if row.get(metric) is not None]

    def total(self, metric: str) -> float:
        """The sum of a metric."""
        return sum(self.values(metric))

    def spread(self, metric: str) -> str:
        """The least and the largest value with their unit; one value where they look alike."""
        values = self.values(metric)
        if not values:
            return "–"
        low, high = min(values), max(values)
        unit = unit_for(dimension_of(metric), [high])
        shown = [number(value / unit.factor) for value in (low, high)]
        if shown[0] == shown[1]:
            return metric_text(metric, high)
        return f"{shown[0]} … {shown[1]} {unit.name}".rstrip()


def grouped(rows: Iterable[Row], kind: Callable[[Row], object], each: bool) -> list[Group]:
    """Rows as groups: rows of one kind whose names differ in numbers only."""
    rows = list(rows)
    if each or len(rows) <= MOST_ROWS:
        return [Group(row["id"], [row]) for row in rows]
    found: dict[tuple[str, object], list[Row]] = {}
    for row in rows:
        found.setdefault((re.sub(r"\d+", "*", row["id"]), kind(row)), []).append(row)
    return [
        Group(name if len(members) > 1 else members[0]["id"], members)
        for (name, _), members in found.items()
    ]
